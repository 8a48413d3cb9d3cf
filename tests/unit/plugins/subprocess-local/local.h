/* A provider of this folder over the real launcher, in a place of its own, for the tests here. */
#ifndef UW_TESTS_SUBPROCESS_LOCAL_H
#define UW_TESTS_SUBPROCESS_LOCAL_H

#include "tests/plugin_host.h"
#include "tests/suites/subprocess_suite.h"
#include "tests/temp.h"

#include <sys/stat.h>
#include <unistd.h>

struct local {
	struct uw_plugin_context context;
	struct uw_config config;
	struct uw_subprocess handle;
	struct uw_policy policy;
	char root[96], workspace[112], temp[112], launcher[512];
};

static inline int local_make_dir(struct subprocess_suite *given, const char *path, struct uw_dir *ret_dir)
{
	(void)given;
	*ret_dir = (struct uw_dir){.size = sizeof *ret_dir, .path = path};
	ret_dir->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return ret_dir->fd < 0 ? -1 : 0;
}

/* build/ of the test program itself: BUILD/tests/unit/plugins/NAME/test_x */
static inline void local_launcher(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 32);
	ck_assert_int_gt(len, 0);
	path[len] = '\0';
	*strstr(path, "/tests/unit/") = '\0';
	(void)strcat(path, "/umwelt-launch");
}

/* pairs: the provider's configuration. All of a test's places are below one directory. */
static inline void local_open_with(struct subprocess_suite *given, const char *const *pairs)
{
	struct local *local = calloc(1, sizeof *local);
	struct uw_error err = UW_ERROR_INIT;
	void *self = NULL;
	ck_assert_ptr_nonnull(local);
	local_launcher(local->launcher, sizeof local->launcher);
	(void)snprintf(local->root, sizeof local->root, "%s", temp_make().path);
	(void)snprintf(local->workspace, sizeof local->workspace, "%s/ws", local->root);
	(void)snprintf(local->temp, sizeof local->temp, "%s/temp", local->root);
	ck_assert_int_eq(mkdir(local->workspace, 0755), 0);
	ck_assert_int_eq(mkdir(local->temp, 0700), 0);
	local->context.paths[UW_PATH_LAUNCHER] = local->launcher;
	/* the stand-in opens it at its first use, which here may be on many threads */
	ck_assert_int_ge(test_host_api.executable(&local->context, UW_PATH_LAUNCHER, NULL), 0);
	local->config = (struct uw_config){uw_plugin_entry(), pairs};
	ck_assert_msg(uw_plugin_entry()->create(&test_host_api, &local->context, &local->config, &self, &err) == 0,
	              "%s", err.message);
	local->handle = (struct uw_subprocess){uw_plugin_entry()->provides[0].interface_table, self};
	local->policy = (struct uw_policy){.size = sizeof local->policy, .mode = UW_MODE_DANGER_FULL_ACCESS};
	local->policy.workspace.path = local->workspace;
	local->policy.temp.path = local->temp;
	memset(given, 0, sizeof *given);
	given->service = &local->handle;
	given->call = (struct uw_call)UW_CALL_INIT;
	given->call.policy = &local->policy;
	given->workspace = local->workspace;
	given->make_dir = local_make_dir;
	given->arg = local;
}

static inline void local_open(struct subprocess_suite *given)
{
	local_open_with(given, NULL);
}

static inline void local_close(struct subprocess_suite *given)
{
	struct local *local = given->arg;
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_msg(uw_plugin_entry()->destroy(local->handle.self, &err) == 0, "%s", err.message);
	temp_drop(local->root);
	free(local);
}

static inline int local_main(const char *name, void (*open_suite)(struct subprocess_suite *given))
{
	Suite *checks = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	subprocess_suite_add(tcase, open_suite, local_close);
	suite_add_tcase(checks, tcase);
	runner = srunner_create(checks);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}

#endif
