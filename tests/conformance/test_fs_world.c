/* The suite of fs/1 through the embedding API: what the gate adds takes nothing away. */
#include "tests/unit.h"

#define UW_FS_SUITE_OF_A_HOST
#define SUITE_TEMP temp_make_for_world
#include "tests/suites/fs_suite.h"

#include "tests/suites/embedded.h"

static struct embedded world;

static void suite_attach(struct suite *suite)
{
	embedded_open(&world, EMBEDDED_BUNDLE("none", "mode: danger-full-access"), suite->ws);
	suite->fs = uw_world_fs(world.world);
	suite->call = world.call;
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	embedded_close(&world);
}

UW_TESTS("fs-world", FS_SUITE_OF_HOSTS)
