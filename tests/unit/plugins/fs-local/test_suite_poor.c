/*
 * fs-local where there is no openat2, no nameless file, no hard link and no rename
 * that never replaces: what vfat and some FUSE file systems offer (F-20). The whole
 * suite holds all the same.
 */
#include "local_world.h"

#include "tests/suites/fs_suite.h"

static void suite_attach(struct suite *suite)
{
	refuse_call(SYS_openat2, 0, 0, 0, ENOSYS);
	refuse_call(SYS_openat, 2, O_TMPFILE, O_TMPFILE, EOPNOTSUPP);
	refuse_call(SYS_linkat, 0, 0, 0, EPERM);
	refuse_call(SYS_renameat2, 4, ~0u, 1 /* RENAME_NOREPLACE */, EINVAL);
	refuse_call(SYS_renameat2, 4, ~0u, 2 /* RENAME_EXCHANGE */, EINVAL);
	local_attach(suite);
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	local_detach();
}

UW_TESTS("fs-local on a poor file system", FS_SUITE)
