/* fs-sandboxed over the real fs-local, which is loaded as a host loads it. */
#ifndef UW_TESTS_FS_SANDBOXED_H
#define UW_TESTS_FS_SANDBOXED_H

#include "tests/unit.h"

#include "tests/suites/fs_world.h"

#include "tests/plugin_host.h"

#include <dlfcn.h>

static struct uw_plugin_context inner_context, context;
static struct uw_config inner_config, config;
static struct uw_fs inner, fs;
static const struct uw_plugin *inner_plugin;

static const struct uw_plugin *load_inner(void)
{
	const char *build = getenv("BUILD");
	char path[PATH_MAX];
	void *object;
	uw_plugin_entry_fn *entry;
	snprintf(path, sizeof path, "%s/plugins/fs-local.so", build ? build : "build");
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(object != NULL, "%s", dlerror());
	*(void **)&entry = dlsym(object, UW_PLUGIN_ENTRY_NAME);
	ck_assert_ptr_nonnull(entry);
	return entry();
}

static void suite_attach(struct suite *suite)
{
	const struct uw_plugin *plugin = uw_plugin_entry();
	if (!inner_plugin)
		inner_plugin = load_inner();
	inner_config.plugin = inner_plugin;
	config.plugin = plugin;
	ck_assert_int_eq(inner_plugin->create(&test_host_api, &inner_context, &inner_config, &inner.self, NULL), 0);
	inner.v = inner_plugin->provides[0].interface_table;
	context.services[0] = UW_FS_SERVICE;
	context.handles[0] = &inner;
	ck_assert_int_eq(plugin->create(&test_host_api, &context, &config, &fs.self, NULL), 0);
	fs.v = plugin->provides[0].interface_table;
	suite->fs = &fs;
	suite->call.policy = &suite->policy;
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	ck_assert_int_eq(uw_plugin_entry()->destroy(fs.self, NULL), 0);
	ck_assert_int_eq(inner_plugin->destroy(inner.self, NULL), 0);
}

#endif
