/* The suite of subprocess/1 through the pipeline, under the sandbox that SANDBOX and POLICY name. */
#ifndef UW_TESTS_SUBPROCESS_WORLD_H
#define UW_TESTS_SUBPROCESS_WORLD_H

#include "tests/unit.h"

#include "tests/suites/embedded.h"
#include "tests/suites/subprocess_suite.h"

static struct embedded world;
static char workspace[PATH_MAX];

static void release_original(struct uw_dir *copy)
{
	struct uw_dir *dir = (struct uw_dir *)(uintptr_t)copy->id;
	dir->release(dir);
}

static int make_dir(struct subprocess_suite *suite_, const char *path, struct uw_dir *ret_dir)
{
	const struct uw_fs *fs = uw_world_fs(world.world);
	struct uw_target *target;
	struct uw_dir *dir;
	int code = fs->v->resolve(fs->self, &suite_->call, (struct uw_bytes){path, strlen(path)}, NULL, 0, &target, NULL);
	if (code < 0)
		return code;
	code = fs->v->open_dir(fs->self, &suite_->call, target, &dir, NULL);
	target->release(target);
	if (code < 0)
		return code;
	*ret_dir = *dir; /* the suite has the struct; the handle behind it is in id, which local ones do not use */
	ret_dir->id = (uint64_t)(uintptr_t)dir;
	ret_dir->release = release_original;
	return 0;
}

static void attach(struct subprocess_suite *suite_)
{
	(void)snprintf(workspace, sizeof workspace, "%s", temp_make_for_world().path);
	embedded_open(&world, EMBEDDED_BUNDLE(SANDBOX, POLICY), workspace);
	suite_->service = uw_world_subprocess(world.world);
	suite_->call = world.call;
	suite_->workspace = workspace;
	suite_->make_dir = make_dir;
	suite_->pid_namespace = PID_NAMESPACE;
}

static void detach(struct subprocess_suite *suite_)
{
	(void)suite_;
	embedded_close(&world);
	temp_drop(workspace);
}

int main(void)
{
	Suite *all = suite_create("subprocess-world");
	TCase *tcase = tcase_create("subprocess-world");
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	subprocess_suite_add(tcase, attach, detach);
	suite_add_tcase(all, tcase);
	runner = srunner_create(all);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}

#endif
