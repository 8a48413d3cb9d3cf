/* fs-local: the suite of fs/1, on the provider itself. */
#include "tests/unit.h"

#include "tests/suites/fs_suite.h"

#include "tests/plugin_host.h"

static struct uw_plugin_context context;
static struct uw_config config;
static struct uw_fs fs;

static void suite_attach(struct suite *suite)
{
	const struct uw_plugin *plugin = uw_plugin_entry();
	config.plugin = plugin;
	ck_assert_int_eq(plugin->create(&test_host_api, &context, &config, &fs.self, NULL), 0);
	fs.v = plugin->provides[0].interface_table;
	suite->fs = &fs;
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	ck_assert_int_eq(uw_plugin_entry()->destroy(fs.self, NULL), 0);
}

UW_TESTS("fs-local", FS_SUITE)
