/*
 * shell-bash over the real subprocess-local, as built, and the real launcher
 * (P-20..P-22; the rows of the shell cases that end here).
 */
#include "tests/temp.h"
#include "tests/unit.h"

#include "common/cleanup.h"
#include "tests/plugin_host.h"

#include <umwelt/shell.h>

#include <dlfcn.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_NS 20000000000ll

static char root[96], workspace[112], temp[112], build[512], launcher[600];
static struct uw_plugin_context context;
static struct uw_config process_config, shell_config;
static const struct uw_plugin *process_plugin;
static struct uw_subprocess subprocess;
static const struct uw_shell_v1 *shell;
static void *shell_self;
static struct uw_policy policy;
static struct uw_call call;

static void open_subprocess(void)
{
	char path[600];
	struct uw_error err = UW_ERROR_INIT;
	uw_plugin_entry_fn *entry;
	void *library;
	ssize_t len = readlink("/proc/self/exe", build, sizeof build - 1);
	ck_assert_int_gt(len, 0);
	build[len] = '\0';
	*strstr(build, "/tests/unit/") = '\0';
	(void)snprintf(launcher, sizeof launcher, "%s/umwelt-launch", build);
	(void)snprintf(path, sizeof path, "%s/plugins/subprocess-local.so", build);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(library != NULL, "%s", dlerror());
	*(void **)&entry = dlsym(library, UW_PLUGIN_ENTRY_NAME);
	process_plugin = entry();
	context.paths[UW_PATH_LAUNCHER] = launcher;
	process_config.plugin = process_plugin;
	ck_assert_msg(process_plugin->create(&test_host_api, &context, &process_config, &subprocess.self, &err) == 0,
	              "%s", err.message);
	subprocess.v = process_plugin->provides[0].interface_table;
}

static void open_shell(const char *const *pairs)
{
	struct uw_error err = UW_ERROR_INIT;
	shell_config = (struct uw_config){uw_plugin_entry(), pairs};
	ck_assert_msg(uw_plugin_entry()->create(&test_host_api, &context, &shell_config, &shell_self, &err) == 0,
	              "%s", err.message);
	shell = uw_plugin_entry()->provides[0].interface_table;
}

static void setup(const char *const *pairs)
{
	(void)snprintf(root, sizeof root, "%s", temp_make().path);
	(void)snprintf(workspace, sizeof workspace, "%s/ws", root);
	(void)snprintf(temp, sizeof temp, "%s/temp", root);
	ck_assert_int_eq(mkdir(workspace, 0755), 0);
	ck_assert_int_eq(mkdir(temp, 0700), 0);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(setenv("LC_ALL", "de_DE.UTF-8", 1), 0);
	ck_assert_int_eq(setenv("GITHUB_TOKEN", "secret", 1), 0);
	policy = (struct uw_policy){.size = sizeof policy, .mode = UW_MODE_DANGER_FULL_ACCESS};
	policy.workspace.path = workspace;
	policy.temp.path = temp;
	call = (struct uw_call)UW_CALL_INIT;
	call.policy = &policy;
	open_subprocess();
	context.services[0] = UW_SUBPROCESS_SERVICE;
	context.handles[0] = &subprocess;
	open_shell(pairs);
}

static void teardown(void)
{
	ck_assert_int_eq(uw_plugin_entry()->destroy(shell_self, NULL), 0);
	ck_assert_int_eq(process_plugin->destroy(subprocess.self, NULL), 0);
	temp_drop(root);
}

struct ran {
	struct uw_exit exit;
	char out[65536], err[8192];
	size_t out_len, err_len;
};

struct text {
	char *data;
	size_t len, size;
};

static int add_text(void *arg, const char *data, size_t len)
{
	struct text *text = arg;
	len = len < text->size - 1 - text->len ? len : text->size - 1 - text->len;
	memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
	return 0;
}

static void run_request(const struct uw_shell_request *request, struct ran *ret)
{
	struct uw_error err = UW_ERROR_INIT;
	struct uw_process *process = NULL;
	struct uw_call patient = call;
	struct text out = {ret->out, 0, sizeof ret->out}, errors = {ret->err, 0, sizeof ret->err};
	memset(ret, 0, sizeof *ret);
	ck_assert_msg(shell->start(shell_self, &call, request, &process, &err) == 0, "%s", err.message);
	patient.deadline_ns = uw_now_ns() + PATIENCE_NS;
	ck_assert_msg(subprocess.v->wait(subprocess.self, &patient, process, UW_WAIT_OUTPUT, &ret->exit, &err) == 0,
	              "%s", err.message);
	ck_assert_int_eq(subprocess.v->output(subprocess.self, &call, process, 1, 0, UINT64_MAX,
	                                      (struct uw_sink){add_text, &out}, NULL, NULL, NULL), 0);
	ck_assert_int_eq(subprocess.v->output(subprocess.self, &call, process, 2, 0, UINT64_MAX,
	                                      (struct uw_sink){add_text, &errors}, NULL, NULL, NULL), 0);
	ret->out_len = out.len;
	ret->err_len = errors.len;
	ck_assert_int_eq(subprocess.v->dispose(subprocess.self, process, NULL), 0);
}

static struct uw_shell_request request_of(const char *text)
{
	return (struct uw_shell_request){.size = sizeof(struct uw_shell_request), .text = {text, strlen(text)}};
}

static void run(const char *text, struct ran *ret)
{
	struct uw_shell_request request = request_of(text);
	run_request(&request, ret);
}

static int refused(const struct uw_shell_request *request)
{
	struct uw_process *process = NULL;
	struct uw_error err = UW_ERROR_INIT;
	int r = shell->start(shell_self, &call, request, &process, &err);
	ck_assert_ptr_null(process);
	ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
	return r;
}

/* shell/S08 */
START_TEST(the_text_arrives_byte_for_byte)
{
	struct ran ran;
	setup(NULL);
	run("cat <<'E-F'\nit's $x \\\\b ! {} \\ \"\xc3\xa9\" `id` \t|\nE-F", &ran);
	ck_assert_str_eq(ran.out, "it's $x \\\\b ! {} \\ \"\xc3\xa9\" `id` \t|\n");
	run("printf '%s\\n' \"$0\" $#", &ran);
	ck_assert_str_eq(ran.out, "/bin/bash\n0\n");
	run("  leading=1 ; echo $leading # and a comment", &ran);
	ck_assert_str_eq(ran.out, "1\n");
	teardown();
}
END_TEST

/* shell/S14, P-20 */
START_TEST(no_pager_no_editor_and_messages_in_the_c_locale)
{
	struct ran ran;
	setup(NULL);
	run("echo $PAGER $GIT_PAGER $GIT_EDITOR $TERM $NO_COLOR $LC_MESSAGES \"[$LC_ALL]\"", &ran);
	ck_assert_str_eq(ran.out, "cat cat false dumb 1 C []\n");
	/* an editor that is refused, not waited for */
	run("git init -q r 2>/dev/null && cd r && git -c user.name=u -c user.email=e commit --allow-empty >/dev/null 2>&1; "
	    "echo $?", &ran);
	ck_assert_str_eq(ran.out, "1\n");
	teardown();
}
END_TEST

START_TEST(what_the_caller_sets_wins)
{
	const char *set[] = {"TERM=xterm", "LC_ALL=C.UTF-8", "LC_MESSAGES=de_DE", NULL};
	struct uw_shell_request request = request_of("echo $TERM $LC_ALL $LC_MESSAGES");
	struct ran ran;
	setup(NULL);
	request.env_set = set;
	run_request(&request, &ran);
	ck_assert_str_eq(ran.out, "xterm C.UTF-8 de_DE\n");
	teardown();
}
END_TEST

/* shell/S17 */
START_TEST(no_credential_of_the_host_is_seen)
{
	struct ran ran;
	setup(NULL);
	run("env", &ran);
	ck_assert_ptr_null(strstr(ran.out, "secret"));
	teardown();
}
END_TEST

/* shell/S07: no hidden state from call to call */
START_TEST(each_call_starts_in_the_workspace)
{
	char want[128];
	struct ran ran;
	setup(NULL);
	(void)snprintf(want, sizeof want, "%s\n", workspace);
	run("mkdir -p sub && cd sub && x=1", &ran);
	run("pwd; echo -n \"$x\"", &ran);
	ck_assert_str_eq(ran.out, want);
	teardown();
}
END_TEST

/* shell/S09 */
START_TEST(nobody_waits_for_input_that_cannot_come)
{
	struct ran ran;
	setup(NULL);
	run("cat; read x || echo eof", &ran);
	ck_assert_str_eq(ran.out, "eof\n");
	teardown();
}
END_TEST

/* shell/S01 */
START_TEST(a_background_child_does_not_hold_the_call)
{
	struct ran ran;
	setup(NULL);
	run("sleep 300 & echo hi", &ran);
	ck_assert_str_eq(ran.out, "hi\n");
	ck_assert_uint_eq(ran.exit.descendants, 1);
	ck_assert_int_eq(ran.exit.phase, UW_PHASE_EMPTY);
	run("setsid sleep 300 & echo hi", &ran);
	ck_assert_str_eq(ran.out, "hi\n");
	ck_assert_int_eq(ran.exit.phase, UW_PHASE_EMPTY);
	teardown();
}
END_TEST

/* shell/S02, shell/S16: none left, and the result says which limit fired */
START_TEST(a_timeout_ends_the_whole_tree)
{
	struct uw_shell_request request =
	    request_of("trap '' TERM; echo begun; (sleep 300 & sleep 300); sleep 300");
	struct ran ran;
	setup((const char *const[]){"timeout_ms", "5000", NULL});
	request.timeout_ms = 200;
	run_request(&request, &ran);
	ck_assert_str_eq(ran.out, "begun\n");
	ck_assert_int_eq(ran.exit.limit, UW_LIMIT_WALL);
	ck_assert_int_eq(ran.exit.signal, SIGKILL);
	/* dispose has waited: a range that is not empty would have been told as lost */
	teardown();
}
END_TEST

/* shell/S10, P-4 */
START_TEST(long_output_keeps_both_ends_and_goes_to_a_file_a_call)
{
	struct ran first, second, read_back;
	char text[700];
	setup((const char *const[]){"max_output", "1000", NULL});
	run("seq 1 3000", &first);
	ck_assert_uint_eq(first.exit.out.lossy, 1);
	ck_assert_uint_eq(first.exit.out.total, 13893);
	ck_assert_uint_eq(first.exit.out.head_len, 500);
	ck_assert_uint_eq(first.exit.out.tail_offset, 13393);
	run("seq 3001 6000 && ls \"$TMPDIR\"", &second);
	ck_assert_ptr_nonnull(strstr(second.out, "3001"));
	(void)snprintf(text, sizeof text, "cd \"$TMPDIR\" && ls | wc -l && head -qn 1 output-*.out | sort -n");
	run(text, &read_back);
	ck_assert_str_eq(read_back.out, "2\n1\n3001\n");
	teardown();
}
END_TEST

START_TEST(texts_that_no_shell_could_take_are_refused)
{
	static char long_text[140000];
	struct uw_shell_request request = request_of("");
	struct ran ran;
	setup(NULL);
	ck_assert_int_eq(refused(&request), UW_E_INVALID_ARGS);
	request.text = (struct uw_bytes){"a\0b", 3};
	ck_assert_int_eq(refused(&request), UW_E_INVALID_ARGS);
	memset(long_text, ' ', sizeof long_text);
	request.text = (struct uw_bytes){long_text, sizeof long_text};
	ck_assert_int_eq(refused(&request), UW_E_INVALID_ARGS);
	memcpy(long_text, "echo long", 9);
	request.text.len = 131071;
	run_request(&request, &ran);
	ck_assert_str_eq(ran.out, "long\n");
	request = request_of("true");
	request.timeout_ms = 600001;
	ck_assert_int_eq(refused(&request), UW_E_INVALID_ARGS);
	teardown();
}
END_TEST

START_TEST(the_exit_status_is_the_shells_own)
{
	struct ran ran;
	setup(NULL);
	run("exit 7", &ran);
	ck_assert_int_eq(ran.exit.exit_code, 7);
	run("no-such-command-here", &ran);
	ck_assert_int_eq(ran.exit.exit_code, 127);
	run("kill -9 $$", &ran);
	ck_assert_int_eq(ran.exit.signal, SIGKILL);
	teardown();
}
END_TEST

START_TEST(sh_is_a_dialect)
{
	struct ran ran;
	setup((const char *const[]){"dialect", "sh", NULL});
	ck_assert_str_eq(shell->dialect(shell_self), "sh");
	run("echo \"$0\"", &ran);
	ck_assert_str_eq(ran.out, "/bin/sh\n");
	teardown();
}
END_TEST

/* P-21: no PowerShell here; a stand-in shows which words it would get */
START_TEST(pwsh_gets_the_text_as_one_word_of_its_command_option)
{
	AUTO_TEMP stand_in = temp_make();
	const char *path = temp_file(&stand_in, "pwsh", "#!/bin/sh\nprintf '[%s]' \"$@\"\n");
	const char *pairs[] = {"dialect", "pwsh", "shell", path, NULL};
	struct ran ran;
	ck_assert_int_eq(chmod(path, 0755), 0);
	setup(pairs);
	run("Write-Output 'a b' | % { $_ }", &ran);
	ck_assert_str_eq(ran.out, "[-NoProfile][-NonInteractive][-Command][Write-Output 'a b' | % { $_ }]");
	teardown();
}
END_TEST

START_TEST(without_subprocess_there_is_no_shell)
{
	struct uw_error err = UW_ERROR_INIT;
	struct uw_plugin_context empty = {.verbose = 0};
	struct uw_config config = {uw_plugin_entry(), NULL};
	void *self = NULL;
	ck_assert_int_eq(uw_plugin_entry()->create(&test_host_api, &empty, &config, &self, &err), UW_E_SERVICE_MISSING);
	ck_assert_ptr_null(self);
}
END_TEST

UW_TESTS("shell-bash", the_text_arrives_byte_for_byte, no_pager_no_editor_and_messages_in_the_c_locale,
         what_the_caller_sets_wins, no_credential_of_the_host_is_seen, each_call_starts_in_the_workspace,
         nobody_waits_for_input_that_cannot_come, a_background_child_does_not_hold_the_call,
         a_timeout_ends_the_whole_tree, long_output_keeps_both_ends_and_goes_to_a_file_a_call,
         texts_that_no_shell_could_take_are_refused, the_exit_status_is_the_shells_own, sh_is_a_dialect,
         pwsh_gets_the_text_as_one_word_of_its_command_option, without_subprocess_there_is_no_shell)
