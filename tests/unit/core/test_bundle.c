/* core/bundle: documents, what they extend, overrides, and every way to be wrong (C-10..C-15). */
#include "tests/unit.h"

#include "common/buf.h"
#include "core/bundle.h"
#include "core/bundle_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];      /* a fresh directory of the test, outside the workspace */
static char workspace[80]; /* DIR/ws */
static char presets[4096];

static void setup(void)
{
	if (!realpath("bundles", presets))
		ck_abort_msg("tests run from the top of the tree");
	strcpy(dir, "/var/tmp/umwelt-bundle.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(workspace, sizeof workspace, "%s/ws", dir);
	ck_assert_int_eq(mkdir(workspace, 0755), 0);
	ck_assert_int_eq(chdir(dir), 0);
}

static void teardown(void)
{
	char command[128];
	snprintf(command, sizeof command, "%s", dir);
	ck_assert_int_eq(chdir("/"), 0);
	if (fork() == 0) {
		execlp("rm", "rm", "-rf", command, (char *)NULL);
		_exit(1);
	}
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(name, 0644), 0);
}

/* All problems of one load, a line each. */
struct outcome {
	int code;
	struct uwi_bundle *bundle;
	struct uw_buf lines;
	struct uw_error err;
};

static void add_line(void *arg, const struct uw_error *error)
{
	struct outcome *outcome = arg;
	uw_buf_printf(&outcome->lines, "%s %s\n", uw_code_name(error->code), error->message);
}

static struct uwi_settings settings_of_test(char **dirs)
{
	struct uwi_settings settings = {.bundle_dirs = dirs};
	return settings;
}

static struct outcome load_with(const struct uwi_settings *given, const char *name, const char *ws,
                                int mode, const char *const *sets)
{
	char *dirs[] = {presets, NULL};
	struct uwi_settings settings = given ? *given : settings_of_test(dirs);
	struct uw_world_options options = {
	    .size = sizeof options, .bundle = name, .workspace = ws, .mode = mode, .sets = sets};
	static struct outcome outcome;
	struct uwi_problems problems = {.report = add_line, .arg = &outcome};
	outcome = (struct outcome){.lines = UW_BUF_INIT, .err = UW_ERROR_INIT};
	settings.bundle_dirs = dirs;
	outcome.code = uwi_bundle_load(&settings, &options, &problems, &outcome.bundle, &outcome.err);
	ck_assert_int_eq(outcome.code == 0, problems.count == 0);
	return outcome;
}

static struct outcome load(const char *name)
{
	return load_with(NULL, name, workspace, 0, NULL);
}

static void done(struct outcome *outcome)
{
	uwi_bundle_free(outcome->bundle);
	uw_buf_finish(&outcome->lines);
}

START_TEST(the_preset_read_only_is_as_the_table_says)
{
	struct outcome o = load("read-only");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_uint_eq(o.bundle->fs_count, 2);
	ck_assert_str_eq(o.bundle->fs[0].plugin, "fs-local");
	ck_assert_str_eq(o.bundle->fs[1].plugin, "fs-sandboxed");
	ck_assert_str_eq(o.bundle->fs[1].path, "world.fs[1]");
	ck_assert_str_eq(o.bundle->subprocess.plugin, "subprocess-local");
	ck_assert_int_eq(o.bundle->sandbox.kind, UWI_SANDBOX_CHAIN);
	ck_assert_uint_eq(o.bundle->sandbox.provider_count, 2);
	ck_assert_str_eq(o.bundle->sandbox.providers[0].plugin, "sandbox-bwrap");
	ck_assert_str_eq(o.bundle->sandbox.providers[1].plugin, "sandbox-landlock");
	ck_assert_int_eq(o.bundle->mode, UW_MODE_READ_ONLY);
	ck_assert_str_eq(o.bundle->policy.plugin, "policy");
	ck_assert_str_eq(o.bundle->workspace, workspace);
	ck_assert_int_eq(o.bundle->guard.present | o.bundle->approval.present | o.bundle->trace.present, 0);
	ck_assert_uint_eq(o.bundle->service_count, 1);
	ck_assert_str_eq(o.bundle->services[0].service, "shell");
	ck_assert_str_eq(o.bundle->services[0].provider.plugin, "shell-bash");
	ck_assert_int_eq(o.bundle->max_running, 4);
	ck_assert_int_eq(o.bundle->max_queued, 256);
	ck_assert_str_eq(o.bundle->tools[0], "read");
	done(&o);
}
END_TEST

START_TEST(the_preset_sdk_minimal_confines_nothing)
{
	struct outcome o = load("sdk-minimal");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->sandbox.kind, UWI_SANDBOX_NONE);
	ck_assert_int_eq(o.bundle->mode, UW_MODE_DANGER_FULL_ACCESS);
	done(&o);
}
END_TEST

START_TEST(the_presets_workspace_and_guarded_name_guard_approval_and_trace)
{
	struct outcome o = load("guarded");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_str_eq(o.bundle->guard.provider.plugin, "guard-rules");
	ck_assert_str_eq(o.bundle->approval.provider.plugin, "approval");
	ck_assert_str_eq(o.bundle->trace.provider.plugin, "trace-jsonl");
	ck_assert_int_eq(o.bundle->trace_required, 1);
	ck_assert_int_eq(o.bundle->mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_ptr_nonnull(o.bundle->files[1]);
	ck_assert_ptr_null(o.bundle->files[2]);
	done(&o);
}
END_TEST

START_TEST(the_callers_mode_and_workspace_win)
{
	struct outcome o = load_with(NULL, "read-only", "ws", UW_MODE_WORKSPACE_WRITE, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_str_eq(o.bundle->workspace, workspace);
	ck_assert_str_eq(uwi_node_get(o.bundle->policy.node, "mode")->where, "--mode");
	ck_assert_str_eq(uwi_node_get(o.bundle->policy.node, "mode")->text, "workspace-write");
	done(&o);
}
END_TEST

START_TEST(an_unknown_preset_is_named_with_the_nearest)
{
	struct outcome o = load("raed-only");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(o.lines.data, "did you mean `read-only`?"));
	done(&o);
}
END_TEST

START_TEST(every_problem_of_a_file_is_reported_with_its_position)
{
	struct outcome o;
	put("b.yaml", "umwelt: 1\nextends: read-only\nextra: 1\npolcy: {}\npolicy:\n  mode: read-onyl\n"
	              "limits: { max_running: 0, max_queued: many }\n");
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_INVALID);
	ck_assert_str_eq(
	    o.lines.data,
	    "BUNDLE_INVALID b.yaml:3:1: extra: there is no such key\n"
	    "BUNDLE_INVALID b.yaml:4:1: polcy: there is no such key; did you mean `policy`?\n"
	    "BUNDLE_INVALID b.yaml:6:9: policy.mode: `read-onyl` is not among what is wanted here: one of "
	    "read-only, workspace-write, danger-full-access; did you mean `read-only`?\n"
	    "BUNDLE_INVALID b.yaml:7:24: limits.max_running: 0 is out of its bounds, 1 to 1024\n"
	    "BUNDLE_INVALID b.yaml:7:39: limits.max_queued: wanted here: a whole number, 0 to 65536; this is "
	    "text\n");
	ck_assert_ptr_nonnull(strstr(o.err.detail, "file=b.yaml\nline=3\ncolumn=1\npath=extra\n"));
	done(&o);
}
END_TEST

/* UW_TESTS has no fixtures; this suite has. */
int main(void)
{
	const TTest *const tests[] = {
	    the_preset_read_only_is_as_the_table_says,
	    the_preset_sdk_minimal_confines_nothing,
	    the_presets_workspace_and_guarded_name_guard_approval_and_trace,
	    the_callers_mode_and_workspace_win,
	    an_unknown_preset_is_named_with_the_nearest,
	    every_problem_of_a_file_is_reported_with_its_position,
	};
	Suite *suite = suite_create("core/bundle");
	TCase *tcase = tcase_create("core/bundle");
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
