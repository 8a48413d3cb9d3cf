/* fs-local: the suite of fs/1, on the provider itself. */
#include "local_world.h"

#include "tests/suites/fs_suite.h"

static void suite_attach(struct suite *suite)
{
	local_attach(suite);
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	local_detach();
}

UW_TESTS("fs-local", FS_SUITE)
