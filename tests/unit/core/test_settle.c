/*
 * core/settle: what is a denial and what only looks like one (S-40, S-43). The
 * paths are real: the file system is asked whether the user could otherwise.
 * Root may write nearly everywhere, so these run as an ordinary user.
 */
#include "core/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/temp.h"
#include "tests/unit.h"

enum { ALL = UW_DIALECT_EROFS | UW_DIALECT_EACCES | UW_DIALECT_EPERM | UW_DIALECT_EXDEV |
             UW_DIALECT_EBUSY };

/* top/ws: the workspace; top/out: outside, writable; top/closed: outside, not writable */
static char top[PATH_MAX], ws[PATH_MAX], tmp[PATH_MAX];

static void file_at(const char *name, mode_t mode)
{
	char path[PATH_MAX * 2];
	int fd;
	snprintf(path, sizeof path, "%s/%s", top, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

static void dir_at(const char *name)
{
	char path[PATH_MAX * 2];
	snprintf(path, sizeof path, "%s/%s", top, name);
	ck_assert_int_eq(mkdir(path, 0755), 0);
}

/* 0: impossible here, and said. */
static int place(void)
{
	char path[PATH_MAX * 2];
	(void)snprintf(top, sizeof top, "%s", temp_make().path);
	if (!temp_become_user(top))
		return 0;
	temp_stay_user();
	dir_at("ws");
	dir_at("ws/sandbox");
	dir_at("ws/.git");
	dir_at("ws/.git/hooks");
	dir_at("tmp");
	dir_at("out");
	dir_at("closed");
	file_at("out/f", 0644);
	file_at("out/it's", 0644);
	file_at("out/a b", 0644);
	file_at("out/secret", 0);
	file_at("ws/secret", 0);
	file_at("closed/f", 0444);
	snprintf(path, sizeof path, "%s/closed", top);
	ck_assert_int_eq(chmod(path, 0555), 0);
	snprintf(ws, sizeof ws, "%.*s/ws", 1000, top);
	snprintf(tmp, sizeof tmp, "%.*s/tmp", 1000, top);
	return 1;
}

static void clear(void)
{
	temp_drop(top);
}

static int canonical(void *arg, const char *path, size_t len, char *ret, size_t size)
{
	(void)arg;
	if (path[0] == '/')
		return snprintf(ret, size, "%.*s", (int)len, path) < (int)size ? 0 : -1;
	return snprintf(ret, size, "%s/%.*s", ws, (int)len, path) < (int)size ? 0 : -1;
}

struct verdict {
	int denied, evidence;
	char path[1024], rule[128];
};

/* %s in the text is the top directory */
static struct verdict verdict_of(int mode, uint32_t dialect, int exit_code, const char *format)
{
	struct uw_policy policy;
	struct uw_protected kept = {"", "git-hooks", 1, 0, 0, 0};
	struct uw_exit exit;
	struct verdict verdict;
	char text[8192], hooks[PATH_MAX + 32];
	const char *at = format;
	size_t len = 0;
	for (; *at; at++)
		if (!strncmp(at, "%s", 2))
			len += (size_t)snprintf(text + len, sizeof text - len, "%s", top), at++;
		else
			text[len++] = *at;
	snprintf(hooks, sizeof hooks, "%s/.git/hooks", ws);
	kept.path = hooks;
	memset(&policy, 0, sizeof policy);
	policy.size = sizeof policy;
	policy.mode = mode;
	policy.workspace.path = ws;
	policy.temp.path = tmp;
	policy.protected_paths = &kept;
	policy.protected_count = 1;
	memset(&exit, 0, sizeof exit);
	exit.size = sizeof exit;
	exit.phase = UW_PHASE_EMPTY;
	exit.exit_code = exit_code;
	uwi_settle(&(struct uwi_settle){&policy, dialect, ws, text, len, canonical, NULL}, &exit);
	verdict = (struct verdict){exit.denied, exit.evidence, "", ""};
	snprintf(verdict.path, sizeof verdict.path, "%s", exit.denied_path);
	snprintf(verdict.rule, sizeof verdict.rule, "%s", exit.denied_rule);
	return verdict;
}

/* What programs say when a sandbox refuses them, in workspace-write. */
static const struct {
	const char *text, *path, *rule;
} denials[] = {
    {"touch: cannot touch '%s/out/f': Read-only file system\n", "/out/f", "outside"},
    {"touch: cannot touch '%s/out/new': Read-only file system\n", "/out/new", "outside"},
    {"sh: 1: cannot create %s/out/new: Read-only file system\n", "/out/new", "outside"},
    {"bash: line 1: %s/out/new: Permission denied\n", "/out/new", "outside"},
    {"rm: cannot remove '%s/out/f': Read-only file system\n", "/out/f", "outside"},
    {"rm: cannot remove '%s/out/secret': Permission denied\n", "/out/secret", "outside"},
    {"mkdir: cannot create directory '%s/out/d': Permission denied\n", "/out/d", "outside"},
    {"chmod: changing permissions of '%s/out/f': Operation not permitted\n", "/out/f", "outside"},
    {"OSError: [Errno 30] Read-only file system: '%s/out/f'\n", "/out/f", "outside"},
    {"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n"
     "PermissionError: [Errno 13] Permission denied: '%s/out/f'\n", "/out/f", "outside"},
    {"Error: EROFS: read-only file system, open '%s/out/f'\n    at Object.open (node:fs:1:2)\n", "/out/f", "outside"},
    {"open %s/out/f: read-only file system\n", "/out/f", "outside"},
    {"tee: %s/out/a b: Permission denied\n", "/out/a b", "outside"},
    {"touch: cannot touch \"%s/out/it's\": Read-only file system\n", "/out/it's", "outside"},
    {"touch: cannot touch '%s/out/a b': Read-only file system\n", "/out/a b", "outside"},
    {"bash: .git/hooks/pre-commit: Read-only file system\n", "/ws/.git/hooks/pre-commit", "git-hooks"},
    {"mv: cannot move '%s/ws/f' to '%s/out/f': Invalid cross-device link\n", "/out/f", "outside"},
    {"error: could not write config file .git/hooks: Device or resource busy\n", "/ws/.git/hooks", "git-hooks"},
    {"mv: cannot move '.git' to 'g2': Device or resource busy\n", "/ws/.git", "git-hooks"},
    {"thread 'main' panicked: Read-only file system (os error 30): \"%s/out/f\"\n", "/out/f", "outside"},
    {"touch: cannot touch '%s/out/f': Read-only file system\nmake: *** [Makefile:2: all] Error 1\n", "/out/f", "outside"},
};

START_TEST(what_a_sandbox_refused_is_yes_with_path_and_rule)
{
	if (!place())
		return;
	for (size_t i = 0; i < sizeof denials / sizeof denials[0]; i++) {
		struct verdict verdict = verdict_of(UW_MODE_WORKSPACE_WRITE, ALL, 1, denials[i].text);
		ck_assert_msg(verdict.denied == UW_DENIED_YES, "%s", denials[i].text);
		ck_assert_int_eq(verdict.evidence, UW_EVIDENCE_INFERRED);
		ck_assert_msg(!strncmp(verdict.path, top, strlen(top)) &&
		              !strcmp(verdict.path + strlen(top), denials[i].path), "%s: %s", denials[i].text, verdict.path);
		ck_assert_str_eq(verdict.rule, denials[i].rule);
		/* exit 0 says that the command did not mind: unknown (S-43) */
		ck_assert_int_eq(verdict_of(UW_MODE_WORKSPACE_WRITE, ALL, 0, denials[i].text).denied, UW_DENIED_UNKNOWN);
		/* nothing is denied where nothing is confined */
		ck_assert_int_eq(verdict_of(UW_MODE_DANGER_FULL_ACCESS, 0, 1, denials[i].text).denied, UW_DENIED_NO);
	}
	clear();
}
END_TEST

static const char *const plain[] = {
    "",
    "notes.txt: permission denied was the answer\n",
    "./log:12:foo: permission denied\n",
    "grep: permission denied\n",
    "umount: %s/out/f: Device or resource busy\n",
    "find: in %s/ws/sandbox nothing\n",
    "cat: %s/ws/secret: Permission denied\n",           /* chmod 000 in the workspace */
    "cat: secret: Permission denied\n",
    "cat: %s/out/secret: Permission denied\n",          /* mode bits refuse it outside as well */
    "cat: /etc/shadow: Permission denied\n",
    "bash: line 1: /etc/passwd: Permission denied\n",    /* not this user's anyway */
    "bash: line 1: %s/closed/new: Permission denied\n",
    "bash: line 1: %s/ws/a: Permission denied\n",        /* allowed: some other cause */
    "bash: line 1: %s/tmp/a: Read-only file system\n",
    "bwrap: boom\n",
    "cp: cannot stat '%s/out/none': No such file or directory\n",
    "mv: cannot move '/proc/self/x' to '%s/ws/x': Invalid cross-device link\n",
    "bash: ligne 1: %s/out/new: Permission non accord\xc3\xa9" "e\n", /* another locale: not recognised */
    "the sandbox said: denied\n",
};

START_TEST(what_only_looks_like_a_denial_is_no)
{
	if (!place())
		return;
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
		struct verdict verdict = verdict_of(UW_MODE_WORKSPACE_WRITE, ALL, 1, plain[i]);
		ck_assert_msg(verdict.denied == UW_DENIED_NO, "%s (%s)", plain[i], verdict.path);
		ck_assert_int_eq(verdict.evidence, UW_EVIDENCE_NONE);
		ck_assert_str_eq(verdict.path, "");
	}
	clear();
}
END_TEST

START_TEST(the_dialect_says_which_errno_is_meant)
{
	if (!place())
		return;
	ck_assert_int_eq(verdict_of(UW_MODE_WORKSPACE_WRITE, UW_DIALECT_EROFS, 1,
	                            "bash: line 1: %s/out/new: Permission denied\n").denied, UW_DENIED_NO);
	ck_assert_int_eq(verdict_of(UW_MODE_WORKSPACE_WRITE, UW_DIALECT_EACCES, 1,
	                            "touch: cannot touch '%s/out/f': Read-only file system\n").denied, UW_DENIED_NO);
	clear();
}
END_TEST

/* In read-only every name in the workspace could be one that was denied; these are none. */
static const char *const speakers[] = {
    "sudo: Operation not permitted\n",
    "error: Permission denied\n",
    "Error: Permission denied (os error 13)\n",
    "sh: 1: Permission denied\n",
    "sh: 1: kill: Operation not permitted\n",
    "bash: line 12: Permission denied\n",
    "PermissionError: [Errno 13] Permission denied: '/etc/shadow'\n",
    "PermissionError: [Errno 1] Operation not permitted\n",
};

/* peer/E7 */
START_TEST(who_speaks_is_not_what_was_denied)
{
	if (!place())
		return;
	for (size_t i = 0; i < sizeof speakers / sizeof speakers[0]; i++) {
		struct verdict verdict = verdict_of(UW_MODE_READ_ONLY, ALL, 1, speakers[i]);
		ck_assert_msg(verdict.denied == UW_DENIED_NO, "%s (%s)", speakers[i], verdict.path);
	}
	ck_assert_int_eq(verdict_of(UW_MODE_READ_ONLY, ALL, 1, "bash: line 1: new: Permission denied\n").denied, UW_DENIED_YES);
	ck_assert_int_eq(verdict_of(UW_MODE_READ_ONLY, ALL, 1, "sh: 1: cannot create 1: Permission denied\n").denied, UW_DENIED_YES);
	clear();
}
END_TEST

START_TEST(read_only_denies_the_workspace_too_but_not_the_temp)
{
	struct verdict verdict;
	if (!place())
		return;
	verdict = verdict_of(UW_MODE_READ_ONLY, ALL, 1, "touch: cannot touch 'new': Read-only file system\n");
	ck_assert_int_eq(verdict.denied, UW_DENIED_YES);
	ck_assert_str_eq(verdict.rule, "read-only");
	ck_assert_int_eq(verdict_of(UW_MODE_READ_ONLY, ALL, 1, "touch: cannot touch '%s/tmp/new': Read-only file system\n").denied,
	                 UW_DENIED_NO);
	clear();
}
END_TEST

START_TEST(a_cancellation_and_a_limit_stay_what_they_are)
{
	static const char text[] = "touch: cannot touch '/usr/x': Read-only file system\n";
	struct uw_policy policy = {.size = sizeof policy, .mode = UW_MODE_READ_ONLY};
	struct uwi_settle settle = {&policy, ALL, "/", text, sizeof text - 1, canonical, NULL};
	struct uw_exit exit = {.size = sizeof exit, .phase = UW_PHASE_EMPTY, .exit_code = -1, .signal = 9, .cancelled = 1};
	uwi_settle(&settle, &exit);
	ck_assert_int_eq(exit.denied, UW_DENIED_NO);
	exit.cancelled = 0;
	exit.limit = UW_LIMIT_WALL;
	uwi_settle(&settle, &exit);
	ck_assert_int_eq(exit.denied, UW_DENIED_NO);
}
END_TEST

START_TEST(kernel_evidence_is_not_overruled)
{
	struct uw_policy policy = {.size = sizeof policy, .mode = UW_MODE_READ_ONLY};
	struct uwi_settle settle = {&policy, ALL, "/", "", 0, canonical, NULL};
	struct uw_exit exit = {.size = sizeof exit, .phase = UW_PHASE_EMPTY, .denied = UW_DENIED_YES, .evidence = UW_EVIDENCE_KERNEL};
	strcpy(exit.denied_path, "/x");
	uwi_settle(&settle, &exit);
	ck_assert_int_eq(exit.denied, UW_DENIED_YES);
	ck_assert_str_eq(exit.denied_path, "/x");
}
END_TEST

START_TEST(without_its_messages_a_failure_is_unknown)
{
	struct uw_policy policy = {.size = sizeof policy, .mode = UW_MODE_READ_ONLY};
	struct uwi_settle settle = {&policy, ALL, "/", NULL, 0, canonical, NULL};
	struct uw_exit exit = {.size = sizeof exit, .phase = UW_PHASE_EMPTY, .exit_code = 1};
	uwi_settle(&settle, &exit);
	ck_assert_int_eq(exit.denied, UW_DENIED_UNKNOWN);
	exit.exit_code = 0;
	uwi_settle(&settle, &exit);
	ck_assert_int_eq(exit.denied, UW_DENIED_NO);
}
END_TEST

UW_TESTS("settle", what_a_sandbox_refused_is_yes_with_path_and_rule, what_only_looks_like_a_denial_is_no,
         the_dialect_says_which_errno_is_meant, who_speaks_is_not_what_was_denied,
         read_only_denies_the_workspace_too_but_not_the_temp,
         a_cancellation_and_a_limit_stay_what_they_are, kernel_evidence_is_not_overruled,
         without_its_messages_a_failure_is_unknown)
