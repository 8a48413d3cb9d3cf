#include "tests/suites/sandbox_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "tests/plugin_host.h"
#include "tests/temp.h"

static void make_dir(char path[300], const char *base, const char *name)
{
	ck_assert_int_lt(snprintf(path, 300, "%s/%s", base, name), 300);
	ck_assert_msg(mkdir(path, 0755) == 0 || errno == EEXIST, "mkdir %s: %s", path, strerror(errno));
}

static struct uw_place place_of(const char *path)
{
	struct stat found;
	ck_assert_msg(stat(path, &found) == 0, "stat %s: %s", path, strerror(errno));
	return (struct uw_place){path, found.st_dev, found.st_ino};
}

static void write_nonce(struct fixture *fixture)
{
	UW_AUTO_FD fd = open(fixture->nonce, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ck_assert_int_ge(fd, 0);
	memcpy(fixture->context->nonce, "0123456789abcdef", 16);
	ck_assert_int_eq(uw_write_full(fd, fixture->context->nonce, 16), 0);
}

void fixture_configure(struct fixture *fixture, const char *const *pairs)
{
	struct uw_error err = UW_ERROR_INIT;
	if (fixture->self)
		ck_assert_int_eq(fixture->plugin->destroy(fixture->self, &err), 0);
	fixture->self = NULL;
	fixture->config->pairs = pairs;
	ck_assert_msg(fixture->plugin->create(&test_host_api, fixture->context, fixture->config,
	                                      &fixture->self, &err) == 0,
	              "create: %s", err.message);
}

static void become_user(uid_t uid)
{
	if (uid == 0 || geteuid() != 0)
		return;
	ck_assert_int_eq(setgroups(0, NULL), 0);
	ck_assert_int_eq(setresgid(uid, uid, uid), 0);
	ck_assert_int_eq(setresuid(uid, uid, uid), 0);
	/* a change of user takes /proc/self away; an ordinary process has its own */
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0);
}

void fixture_open_at(struct fixture *fixture, uid_t uid, const char *const *pairs, const char *base)
{
	suite_attack();
	(void)run_launcher();
	memset(fixture, 0, sizeof *fixture);
	ck_assert_int_lt(snprintf(fixture->base, sizeof fixture->base, "%s", base), (int)sizeof fixture->base);
	if (uid && geteuid() == 0)
		ck_assert_int_eq(chown(base, uid, uid), 0);
	become_user(uid);
	make_dir(fixture->ws, base, "ws");
	make_dir(fixture->out, base, "out");
	make_dir(fixture->temp, base, "temp");
	make_dir(fixture->forbidden, base, "forbidden");
	make_dir(fixture->state, base, "state");
	ck_assert_int_lt(snprintf(fixture->nonce, sizeof fixture->nonce, "%s/nonce", base), 300);
	fixture->context = calloc(1, sizeof *fixture->context);
	fixture->config = calloc(1, sizeof *fixture->config);
	fixture->plugin = uw_plugin_entry();
	fixture->v = fixture->plugin->provides[0].interface_table;
	fixture->config->plugin = fixture->plugin;
	fixture->context->paths[UW_PATH_BWRAP] = "/usr/bin/bwrap";
	fixture->context->paths[UW_PATH_CHECK_NONCE] = fixture->nonce;
	fixture->context->paths[UW_PATH_CHECK_FORBIDDEN] = fixture->forbidden;
	fixture->context->paths[UW_PATH_STATE] = fixture->state;
	write_nonce(fixture);
	fixture_configure(fixture, pairs);
	fixture->policy = (struct uw_policy){
	    .size = sizeof fixture->policy,
	    .mode = UW_MODE_WORKSPACE_WRITE,
	    .network = UW_NETWORK_NONE,
	    .unix_sockets = UW_UNIX_OWN,
	    .protect = UW_PROTECT_DETECT,
	    .git = UW_GIT_SAFE,
	    .temp_kind = UW_TEMP_PRIVATE,
	    .workspace = place_of(fixture->ws),
	    .roots = fixture->roots,
	    .protected_paths = fixture->protected_paths,
	    .temp = place_of(fixture->temp),
	    .state_dir = fixture->state,
	};
}

void fixture_open(struct fixture *fixture, uid_t uid, const char *const *pairs)
{
	fixture_open_at(fixture, uid, pairs, temp_make_for_world().path);
}

/* 1: nothing was run since something that is masked vanished. */
static int broke_off(const struct fixture *fixture)
{
	return fixture->code == 0 && fixture->confined && fixture->confined->may_pass &&
	       fixture->result.runner_status != 0 && !fixture->result.started && !fixture->result.refused.type;
}

static void release(struct fixture *fixture)
{
	struct uw_error err = UW_ERROR_INIT;
	struct uw_outcome outcome = {.size = sizeof outcome, .broke_off = broke_off(fixture)};
	if (fixture->confined)
		ck_assert_msg(fixture->v->release(fixture->self, fixture->confined, &outcome, &err) == 0,
		              "release: %s", err.message);
	fixture->confined = NULL;
}

void fixture_close(struct fixture *fixture)
{
	release(fixture);
	(void)fixture->plugin->destroy(fixture->self, NULL);
	/* a base in a directory of another cannot be removed itself by its user */
	ck_assert_msg(uw_remove_tree(AT_FDCWD, fixture->base) == 0 || errno == EACCES, "%s stays: %s", fixture->base, strerror(errno));
	for (size_t i = 0; i < fixture->policy.protected_count; i++)
		free((char *)fixture->protected_paths[i].path);
	free(fixture->context);
	free(fixture->config);
}

/* NAME=VALUE words of a run; freed by the caller, words too. */
static char **environment(const struct fixture *fixture)
{
	const char *temp = fixture->temp;
	char **env = calloc(10, sizeof *env), self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	ck_assert(env && len > 0);
	self[len] = '\0';
	for (size_t i = 0; fixture->confined && i < fixture->confined->view.count; i++)
		if (!strcmp(fixture->confined->view.entries[i].outside, temp))
			temp = fixture->confined->view.entries[i].inside;
	ck_assert_int_gt(asprintf(&env[0], "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), 0);
	ck_assert_int_gt(asprintf(&env[1], "WS=%s", fixture->ws), 0);
	ck_assert_int_gt(asprintf(&env[2], "OUT=%s", fixture->out), 0);
	ck_assert_int_gt(asprintf(&env[3], "HOSTPID=%d", (int)getpid()), 0);
	ck_assert_int_gt(asprintf(&env[4], "SELF=%s", self), 0);
	ck_assert_int_gt(asprintf(&env[5], "TMPDIR=%s", temp), 0);
	ck_assert_int_gt(asprintf(&env[6], "HOME=%s", fixture->base), 0);
	ck_assert_int_gt(asprintf(&env[7], "TEMP_OUTSIDE=%s", fixture->temp), 0);
	ck_assert_int_gt(asprintf(&env[8], "LC_ALL=C"), 0);
	return env;
}

static void free_words(char **words)
{
	for (size_t i = 0; words[i]; i++)
		free(words[i]);
	free(words);
}

static int run_once(struct fixture *fixture, const char *text, int pty)
{
	const char *argv[] = {"/bin/sh", "-c", text, NULL};
	struct run_spec spec = {NULL, argv, NULL, fixture->policy.workspace.path, pty};
	char **env;
	release(fixture);
	fixture->err = (struct uw_error)UW_ERROR_INIT;
	memset(&fixture->result, 0, sizeof fixture->result);
	fixture->code = fixture->v->confine(fixture->self, NULL, &fixture->policy, spec.cwd,
	                                    &fixture->confined, &fixture->err);
	if (fixture->code)
		return -1;
	env = environment(fixture);
	spec.confined = fixture->confined;
	spec.env = (const char *const *)env;
	run_confined(&spec, &fixture->result);
	free_words(env);
	return run_exit_code(&fixture->result);
}

/* As the pipeline does: anew where a mask's socket vanished before the launcher was reached. */
static int run(struct fixture *fixture, const char *text, int pty)
{
	int exit_code = run_once(fixture, text, pty);
	for (int tries = 1; tries < 3 && broke_off(fixture); tries++)
		exit_code = run_once(fixture, text, pty);
	return exit_code;
}

int fixture_run(struct fixture *fixture, const char *text)
{
	return run(fixture, text, 0);
}

int fixture_run_pty(struct fixture *fixture, const char *text)
{
	return run(fixture, text, 1);
}

int fixture_run_free(struct fixture *fixture, const char *text)
{
	int mode = fixture->policy.mode, exit_code;
	fixture->policy.mode = UW_MODE_DANGER_FULL_ACCESS;
	exit_code = run(fixture, text, 0);
	fixture->policy.mode = mode;
	return exit_code;
}

int fixture_host(struct fixture *fixture, const char *text)
{
	char **env = environment(fixture);
	pid_t pid = fork();
	int status;
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		for (size_t i = 0; env[i]; i++)
			(void)putenv(env[i]);
		if (chdir(fixture->ws) == 0 || chdir(fixture->base) == 0)
			execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		_exit(127);
	}
	free_words(env);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void fixture_protect(struct fixture *fixture, const char *path, const char *rule)
{
	struct uw_protected *item = &fixture->protected_paths[fixture->policy.protected_count++];
	struct stat found;
	char *whole;
	ck_assert_int_gt(asprintf(&whole, "%s%s%s", path[0] == '/' ? "" : fixture->ws,
	                          path[0] == '/' ? "" : "/", path), 0);
	*item = (struct uw_protected){whole, rule, lstat(whole, &found) == 0, 0, 0, 0};
}

const struct uw_enforcement_row *fixture_row(struct fixture *fixture, int operation)
{
	ck_assert_ptr_nonnull(fixture->confined);
	return &fixture->confined->rows[operation];
}

int fixture_said(const struct fixture *fixture, const char *text)
{
	return strstr(fixture->result.out, text) != NULL;
}
