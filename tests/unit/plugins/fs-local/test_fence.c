/* fs-local alone honours call->fence where it opens (F-32), whoever set it. */
#include "local_world.h"

#include "tests/suites/fence_suite.h"

static void suite_policy(struct suite *suite)
{
	local_policy(suite);
}

static void suite_attach(struct suite *suite)
{
	local_attach(suite);
	suite_policy(suite);
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	local_detach();
}

UW_TESTS("fs-local fence", FENCE_SUITE)
