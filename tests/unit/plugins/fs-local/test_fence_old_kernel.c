/*
 * fs-local's fence where the kernel has no openat2 (F-32): name by name with
 * O_NOFOLLOW, which holds as well. The same attacks.
 */
#include "local_world.h"

#include "tests/suites/fence_suite.h"

static void suite_policy(struct suite *suite)
{
	local_policy(suite);
}

static void suite_attach(struct suite *suite)
{
	refuse_call(SYS_openat2, 0, 0, 0, ENOSYS);
	ck_assert_int_eq(syscall(SYS_openat2, 0, 0, 0, 0), -1);
	ck_assert_int_eq(errno, ENOSYS);
	local_attach(suite);
	suite_policy(suite);
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	local_detach();
}

UW_TESTS("fs-local fence without openat2", FENCE_SUITE)
