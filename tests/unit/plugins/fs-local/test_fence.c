/* fs-local alone honours call->fence where it opens (F-32), whoever set it. */
#include "tests/unit.h"

#include "tests/suites/fence_suite.h"

#include "tests/plugin_host.h"

static struct uw_plugin_context context;
static struct uw_config config;
static struct uw_fs fs;
static struct uw_fence fence;
static struct uw_place roots[4];

static void suite_policy(struct suite *suite)
{
	const struct uw_policy *policy = &suite->policy;
	size_t count = 0;
	if (policy->temp.path)
		roots[count++] = policy->temp;
	if (policy->mode == UW_MODE_WORKSPACE_WRITE)
		roots[count++] = policy->workspace;
	for (size_t i = 0; policy->mode == UW_MODE_WORKSPACE_WRITE && i < policy->root_count; i++)
		roots[count++] = policy->roots[i];
	fence = (struct uw_fence){sizeof fence, policy->mode, roots, count, policy->protected_paths, policy->protected_count};
	suite->call.fence = policy->mode == UW_MODE_DANGER_FULL_ACCESS ? NULL : &fence;
}

static void suite_attach(struct suite *suite)
{
	const struct uw_plugin *plugin = uw_plugin_entry();
	config.plugin = plugin;
	ck_assert_int_eq(plugin->create(&test_host_api, &context, &config, &fs.self, NULL), 0);
	fs.v = plugin->provides[0].interface_table;
	suite->fs = &fs;
	suite_policy(suite);
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	ck_assert_int_eq(uw_plugin_entry()->destroy(fs.self, NULL), 0);
}

UW_TESTS("fs-local fence", FENCE_SUITE)
