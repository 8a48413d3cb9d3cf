/*
 * Worlds of the real plugins: what a process does and what fs shows are one place,
 * under each sandbox; chains, runners and proofs decide by effects.
 */
#include "tests/unit.h"

#include "tests/suites/embedded.h"

#include <fcntl.h>
#include <umwelt/launch.h>

#define WRITES(sandbox) EMBEDDED_BUNDLE(sandbox, "mode: workspace-write")
#define READS(sandbox)  EMBEDDED_BUNDLE(sandbox, "mode: read-only")
#define BWRAP    "{ plugin: sandbox-bwrap }"
#define LANDLOCK "{ plugin: sandbox-landlock }"
#define CHAIN    "{ chain: [ { plugin: sandbox-bwrap }, { plugin: sandbox-landlock } ] }"

static struct embedded w;
static char top[96], ws[112], outside[112];

/* top/ws: the workspace; top/outside: a directory beside it that this user can write */
static void place(void)
{
	(void)snprintf(top, sizeof top, "%s", temp_make_for_world().path);
	snprintf(ws, sizeof ws, "%s/ws", top);
	snprintf(outside, sizeof outside, "%s/outside", top);
	ck_assert_int_eq(mkdir(ws, 0755) | mkdir(outside, 0755), 0);
}

static void clear(void)
{
	embedded_close(&w);
	temp_drop(top);
}

static void open_world(const char *bundle)
{
	place();
	embedded_open(&w, bundle, ws);
}

struct text {
	char data[65536];
	size_t len;
};

static int take(void *arg, const char *data, size_t len)
{
	struct text *text = arg;
	ck_assert_uint_lt(text->len + len, sizeof text->data);
	memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
	return 0;
}

/* Texts of an exit live as long as its process: copies of those that are looked at. */
static char said_backend[32], said_rule[32], said_reason[128];

static void keep_texts(struct uw_exit *exit)
{
	snprintf(said_backend, sizeof said_backend, "%s", exit->backend);
	snprintf(said_rule, sizeof said_rule, "%s", exit->rule);
	snprintf(said_reason, sizeof said_reason, "%s", exit->rows[UW_OP_CONTENT].reason ? exit->rows[UW_OP_CONTENT].reason : "");
	exit->backend = exit->rule = NULL;
	memset(exit->rows, 0, sizeof exit->rows);
}

/* Runs a text with sh, $1 being the directory outside; out gets its standard output. */
static int try_sh(const char *script, struct uw_exit *ret_exit, struct text *out)
{
	const struct uw_subprocess *sub = uw_world_subprocess(w.world);
	const char *const argv[] = {"sh", "-c", script, "sh", outside, NULL};
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffffu};
	struct uw_process *process;
	int code;
	for (int i = 1; i < 3; i++)
		spawn.stdio[i] = (struct uw_stdio){.kind = UW_STDIO_COLLECT, .collect = {.tail = 32768, .copy_fd = -1}};
	memset(ret_exit, 0, sizeof *ret_exit);
	ret_exit->size = sizeof *ret_exit;
	out->len = 0;
	out->data[0] = '\0';
	code = sub->v->spawn(sub->self, &w.call, &spawn, &process, &w.err);
	if (code < 0)
		return code;
	embedded_ok(&w, sub->v->wait(sub->self, &w.call, process, UW_WAIT_EMPTY, ret_exit, &w.err));
	embedded_ok(&w, sub->v->output(sub->self, &w.call, process, 1, 0, 32768, (struct uw_sink){take, out}, NULL, NULL, &w.err));
	keep_texts(ret_exit);
	embedded_ok(&w, sub->v->dispose(sub->self, process, &w.err));
	return 0;
}

static struct uw_exit sh(const char *script, struct text *out)
{
	struct uw_exit exit;
	embedded_ok(&w, try_sh(script, &exit, out));
	return exit;
}

static struct uw_target *resolve(const char *path)
{
	const struct uw_fs *fs = uw_world_fs(w.world);
	struct uw_target *target = NULL;
	embedded_ok(&w, fs->v->resolve(fs->self, &w.call, (struct uw_bytes){path, strlen(path)}, NULL, 0, &target, &w.err));
	return target;
}

static int read_file(const char *path, struct text *text)
{
	const struct uw_fs *fs = uw_world_fs(w.world);
	struct uw_target *target = resolve(path);
	int code;
	text->len = 0;
	text->data[0] = '\0';
	code = fs->v->read_text(fs->self, &w.call, target, NULL, (struct uw_sink){take, text}, NULL, &w.err);
	target->release(target);
	return code;
}

static int write_file(const char *path, const char *content)
{
	const struct uw_fs *fs = uw_world_fs(w.world);
	const struct uw_write_request request = {.size = sizeof request, .intent = UW_WRITE_UNCONDITIONAL,
	                                         .content = {content, strlen(content)}, .from_fd = -1};
	struct uw_target *target = resolve(path);
	int code = fs->v->write(fs->self, &w.call, target, &request, NULL, &w.err);
	target->release(target);
	return code;
}

static int exists(const char *dir, const char *name)
{
	char path[2 * PATH_MAX];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return lstat(path, &st) == 0;
}

static const struct {
	const char *sandbox, *backend;
	int private_tmp;
} boxes[] = {{BWRAP, "bwrap", 1}, {LANDLOCK, "landlock", 0}};

static const char *bundle_of(const char *sandbox, const char *mode)
{
	static char text[1024];
	snprintf(text, sizeof text, "umwelt: 1\nworld:\n" EMBEDDED_FS "  sandbox: %s\npolicy: { mode: %s }\n" EMBEDDED_REST,
	         sandbox, mode);
	return text;
}

/* ---- one place, under each sandbox ---- */

START_TEST(what_fs_writes_a_process_reads_and_the_reverse)
{
	struct text text;
	open_world(bundle_of(boxes[_i].sandbox, "workspace-write"));
	embedded_ok(&w, write_file("by-fs", "fs was here\n"));
	ck_assert_int_eq(sh("cat by-fs; echo process was here >by-process", &text).exit_code, 0);
	ck_assert_str_eq(text.data, "fs was here\n");
	embedded_ok(&w, read_file("by-process", &text));
	ck_assert_str_eq(text.data, "process was here\n");
	clear();
}
END_TEST

START_TEST(nobody_writes_outside_and_the_verdict_names_it)
{
	struct text text;
	struct uw_exit exit;
	char path[128];
	open_world(bundle_of(boxes[_i].sandbox, "workspace-write"));
	exit = sh("touch \"$1/x\"", &text);
	ck_assert_int_ne(exit.exit_code, 0);
	ck_assert_int_eq(exit.denied, UW_DENIED_YES);
	ck_assert_int_eq(exit.evidence, UW_EVIDENCE_INFERRED);
	snprintf(path, sizeof path, "%s/x", outside);
	ck_assert_str_eq(exit.denied_path, path);
	ck_assert_str_eq(said_backend, boxes[_i].backend);
	ck_assert_uint_eq(exit.checks, UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN);
	ck_assert_int_eq(write_file(path, "x"), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(exists(outside, "x"), 0);
	clear();
	open_world(EMBEDDED_BUNDLE("none", "mode: danger-full-access")); /* unconfined, the same succeeds */
	ck_assert_int_eq(sh("touch \"$1/x\"", &text).exit_code, 0);
	ck_assert_int_eq(exists(outside, "x"), 1);
	clear();
}
END_TEST

START_TEST(read_only_leaves_the_temp_alone_writable_for_both)
{
	struct text text;
	struct uw_exit exit;
	char path[PATH_MAX];
	open_world(bundle_of(boxes[_i].sandbox, "read-only"));
	exit = sh("echo kept >\"$TMPDIR/t\"; touch new", &text);
	ck_assert_int_eq(exit.denied, UW_DENIED_YES);
	ck_assert_int_eq(exists(ws, "new"), 0);
	ck_assert_int_eq(write_file("new", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(sh("printf %s \"$TMPDIR/t\"", &text).exit_code, 0);
	snprintf(path, sizeof path, "%.4000s", text.data); /* as the process said it */
	embedded_ok(&w, read_file(path, &text));
	ck_assert_str_eq(text.data, "kept\n");
	embedded_ok(&w, sh("cat \"$TMPDIR/t\"", &text).exit_code); /* kept from call to call */
	ck_assert_str_eq(text.data, "kept\n");
	clear();
}
END_TEST

/* S-15: a file at /tmp is one file, also through a link in the workspace */
START_TEST(s15_slash_tmp_is_one_place_for_process_and_fs)
{
	struct text text;
	open_world(WRITES(BWRAP));
	ck_assert_int_eq(sh("echo log >/tmp/log; ln -s /tmp/log link", &text).exit_code, 0);
	embedded_ok(&w, read_file("/tmp/log", &text));
	ck_assert_str_eq(text.data, "log\n");
	embedded_ok(&w, read_file("link", &text));
	ck_assert_str_eq(text.data, "log\n");
	embedded_ok(&w, write_file("link", "by fs\n"));
	ck_assert_int_eq(sh("cat /tmp/log", &text).exit_code, 0);
	ck_assert_str_eq(text.data, "by fs\n");
	ck_assert_int_eq(exists("/tmp", "log"), 0);
	clear();
}
END_TEST

START_TEST(the_shell_runs_in_the_same_world)
{
	const struct uw_shell *shell;
	struct uw_shell_request request = {.size = sizeof request, .text = {"echo $0 >made; cat made", 23}};
	const struct uw_subprocess *sub;
	struct uw_process *process;
	struct uw_exit exit = {.size = sizeof exit};
	struct text text = {.len = 0};
	open_world(bundle_of(boxes[_i].sandbox, "workspace-write"));
	shell = uw_world_shell(w.world, &w.err);
	ck_assert_msg(shell != NULL, "%s", w.err.message);
	ck_assert_str_eq(shell->v->dialect(shell->self), "bash");
	embedded_ok(&w, shell->v->start(shell->self, &w.call, &request, &process, &w.err));
	sub = uw_world_subprocess(w.world);
	embedded_ok(&w, sub->v->wait(sub->self, &w.call, process, UW_WAIT_OUTPUT, &exit, &w.err));
	embedded_ok(&w, sub->v->output(sub->self, &w.call, process, 1, 0, 1000, (struct uw_sink){take, &text}, NULL, NULL, &w.err));
	ck_assert_ptr_nonnull(strstr(text.data, "bash"));
	ck_assert_int_eq(exit.denied, UW_DENIED_NO);
	embedded_ok(&w, sub->v->dispose(sub->self, process, &w.err));
	ck_assert_int_eq(exists(ws, "made"), 1);
	clear();
}
END_TEST

/* C-40: replaced between two commands, it is another workspace */
START_TEST(c40_a_replaced_workspace_gets_no_command_and_no_write)
{
	struct text text;
	struct uw_exit exit;
	char moved[128];
	open_world(bundle_of(boxes[_i].sandbox, "workspace-write"));
	embedded_ok(&w, write_file("f", "x"));
	snprintf(moved, sizeof moved, "%s/moved", top);
	ck_assert_int_eq(rename(ws, moved) | mkdir(ws, 0755), 0);
	ck_assert_int_eq(try_sh("touch y", &exit, &text), UW_E_WORKSPACE_INVALID);
	ck_assert_int_eq(write_file("f", "y"), UW_E_WORKSPACE_INVALID);
	ck_assert_int_eq(exists(ws, "f") | exists(ws, "y") | exists(moved, "y"), 0);
	clear();
}
END_TEST

/* ---- none, chain, runner, proof ---- */

START_TEST(c13_none_runs_danger_alone)
{
	struct text text;
	struct uw_exit exit;
	open_world(WRITES("none"));
	ck_assert_int_eq(try_sh("touch x", &exit, &text), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(w.err.effect, UW_EFFECT_NONE);
	ck_assert_int_eq(exists(ws, "x"), 0);
	clear();
	open_world(EMBEDDED_BUNDLE("none", "mode: danger-full-access"));
	exit = sh("touch x", &text);
	ck_assert_int_eq(exit.exit_code, 0);
	ck_assert_int_eq(exit.enforcement, UW_UNCONFINED);
	ck_assert_str_eq(said_backend, "none");
	ck_assert_str_eq(said_rule, "no-guard");
	clear();
}
END_TEST

static const char *sandbox_of(struct uw_world *world)
{
	static char name[32];
	struct uw_world_facts facts = {.size = sizeof facts};
	uw_world_facts(world, &facts);
	snprintf(name, sizeof name, "%s", facts.sandbox);
	return name;
}

static const char *proof_of(struct uw_world *world)
{
	struct uw_world_facts facts = {.size = sizeof facts};
	uw_world_facts(world, &facts);
	return facts.proof; /* static text of core */
}

START_TEST(s13_the_first_of_the_chain_that_holds_is_taken)
{
	open_world(WRITES(CHAIN));
	ck_assert_str_eq(sandbox_of(w.world), "bwrap");
	clear();
}
END_TEST

/* What stands for bwrap, and what of it must not be believed (S-30, peer's faults). */
static const char *const liars[] = {
    /* merely executes its words */
    "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n",
    "#!/bin/sh\nexit 0\n",
    "#!/bin/sh\nexit 1\n",
    "#!/bin/sh\nexec sleep 100\n",
};

START_TEST(s30_a_bwrap_that_lies_is_passed_over)
{
	char config[256], path[128];
	struct uw_world *world;
	FILE *file;
	place();
	snprintf(path, sizeof path, "%s/bwrap", top);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(liars[_i], file), 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
	snprintf(config, sizeof config, "bwrap: \"%s\";\n", path);
	embedded_host(&w, config);
	ck_assert_int_eq(embedded_try(&w, WRITES(BWRAP), ws, &world), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(w.err.message, "sandbox-bwrap"));
	ck_assert_int_eq(w.err.stage, UW_STAGE_PREPARE);
	embedded_ok(&w, embedded_try(&w, WRITES(CHAIN), ws, &w.world));
	ck_assert_str_eq(sandbox_of(w.world), "landlock");
	embedded_ok(&w, uw_session_open(w.world, NULL, &w.session, &w.err));
	clear();
}
END_TEST

START_TEST(s14_a_runner_that_only_executes_its_words_runs_nothing)
{
	struct text text;
	struct uw_exit exit;
	open_world(WRITES("{ runner: { argv: [ /usr/bin/env ], failure: { exit: 127, signatures: [ 'env: ' ] } } }"));
	ck_assert_str_eq(sandbox_of(w.world), "runner");
	ck_assert_int_eq(try_sh("touch x", &exit, &text), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(exists(ws, "x"), 0);
	clear();
}
END_TEST

START_TEST(s14_a_runner_that_confines_is_believed_as_far_as_it_was_seen)
{
	struct text text;
	struct uw_exit exit;
	open_world(READS("{ runner: { argv: [ /usr/bin/bwrap, --ro-bind, /, /, --dev, /dev, --proc, /proc ], "
	                 "failure: { signatures: [ 'bwrap: ' ] } } }"));
	exit = sh("touch \"$1/x\"", &text);
	ck_assert_int_eq(exit.denied, UW_DENIED_YES);
	ck_assert_uint_eq(exit.checks, UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN);
	ck_assert_int_eq(exit.enforcement, UW_PARTIAL);
	ck_assert_str_eq(said_reason, "asserted by owner");
	ck_assert_int_eq(exists(outside, "x"), 0);
	clear();
}
END_TEST

START_TEST(c39_a_proof_is_kept_and_bound_to_what_it_depends_on)
{
	struct uw_world *world;
	open_world(WRITES(LANDLOCK));
	ck_assert_str_eq(proof_of(w.world), "fresh");
	embedded_ok(&w, embedded_try(&w, WRITES(LANDLOCK), ws, &world));
	ck_assert_str_eq(proof_of(world), "cached");
	ck_assert_str_eq(sandbox_of(world), "landlock");
	embedded_ok(&w, embedded_try(&w, EMBEDDED_BUNDLE(LANDLOCK, "mode: workspace-write, network: host"), ws, &world));
	ck_assert_str_eq(proof_of(world), "fresh"); /* another shape */
	embedded_ok(&w, embedded_try(&w, WRITES(BWRAP), ws, &world));
	ck_assert_str_eq(proof_of(world), "fresh"); /* another backend */
	clear();
}
END_TEST

START_TEST(nothing_is_left_of_proofs_checks_and_temps)
{
	struct text text;
	char temp[PATH_MAX];
	const char *forbidden;
	char kept[PATH_MAX];
	open_world(WRITES(LANDLOCK));
	sh("mkdir -p \"$TMPDIR/a/b\"; chmod 000 \"$TMPDIR/a\"; true", &text);
	snprintf(temp, sizeof temp, "%s", uw_session_facts(w.session)->temp.path);
	forbidden = uw_host_path(w.host, UW_PATH_CHECK_FORBIDDEN);
	ck_assert_ptr_nonnull(forbidden);
	snprintf(kept, sizeof kept, "%s", forbidden);
	ck_assert_int_eq(exists("", kept + 1), 1);
	clear();
	ck_assert_int_eq(exists("", kept + 1), 0);
	ck_assert_int_eq(exists("", temp + 1), 0);
}
END_TEST

START_TEST(c36_a_target_of_another_host_is_refused)
{
	static struct embedded other;
	const struct uw_fs *fs;
	struct uw_target *target;
	struct text text = {.len = 0};
	open_world(EMBEDDED_BUNDLE("none", "mode: danger-full-access"));
	embedded_ok(&w, write_file("f", "x"));
	target = resolve("f");
	embedded_open(&other, EMBEDDED_BUNDLE("none", "mode: danger-full-access"), ws);
	fs = uw_world_fs(other.world);
	ck_assert_int_eq(fs->v->read_text(fs->self, &other.call, target, NULL, (struct uw_sink){take, &text}, NULL, &other.err),
	                 UW_E_WORLD_MISMATCH);
	ck_assert_int_eq(other.err.effect, UW_EFFECT_NONE);
	ck_assert_uint_eq(text.len, 0);
	target->release(target);
	embedded_close(&other);
	clear();
}
END_TEST

int main(void)
{
	const TTest *const each[] = {
	    what_fs_writes_a_process_reads_and_the_reverse, nobody_writes_outside_and_the_verdict_names_it,
	    read_only_leaves_the_temp_alone_writable_for_both, the_shell_runs_in_the_same_world,
	    c40_a_replaced_workspace_gets_no_command_and_no_write};
	const TTest *const once[] = {
	    s15_slash_tmp_is_one_place_for_process_and_fs, c13_none_runs_danger_alone,
	    s13_the_first_of_the_chain_that_holds_is_taken, s14_a_runner_that_only_executes_its_words_runs_nothing,
	    s14_a_runner_that_confines_is_believed_as_far_as_it_was_seen,
	    c39_a_proof_is_kept_and_bound_to_what_it_depends_on, nothing_is_left_of_proofs_checks_and_temps,
	    c36_a_target_of_another_host_is_refused};
	Suite *suite = suite_create("world");
	TCase *tcase = tcase_create("world");
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
		tcase_add_loop_test(tcase, each[i], 0, sizeof boxes / sizeof boxes[0]);
	tcase_add_loop_test(tcase, s30_a_bwrap_that_lies_is_passed_over, 0, sizeof liars / sizeof liars[0]);
	for (size_t i = 0; i < sizeof once / sizeof once[0]; i++)
		tcase_add_test(tcase, once[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
