#include "core/scan_child.h"

#include "common/cleanup.h"
#include "core/loader.h"
#include "core/scan_answer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <umwelt/call.h>

#define ANSWER_MAX ((size_t)1 << 20)
#define PROGRAM_FD 3 /* in the child: the checked file of the program */

struct child {
	pid_t pid;
	int out;
	int timed_out;
};

static int fail_system(struct uw_error *err, const char *what, int number)
{
	return uw_fail(err, UW_E_LAUNCHER_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, number,
	               "umwelt-scan could not be started: %s: %s", what, strerror(number));
}

/* Above 2 and PROGRAM_FD, so that the child's own numbers never collide with it. */
static int raise_fd(int *fd)
{
	int raised = fcntl(*fd, F_DUPFD_CLOEXEC, 10);
	if (raised < 0)
		return -1;
	uw_fd_close(fd);
	*fd = raised;
	return 0;
}

static int add_actions(posix_spawn_file_actions_t *actions, int program, int out)
{
	int result = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDWR, 0);
	if (result == 0)
		result = posix_spawn_file_actions_adddup2(actions, out, 1);
	if (result == 0)
		result = posix_spawn_file_actions_adddup2(actions, 0, 2);
	if (result == 0)
		result = posix_spawn_file_actions_adddup2(actions, program, PROGRAM_FD);
#if defined(__GLIBC__)
	if (result == 0)
		result = posix_spawn_file_actions_addclosefrom_np(actions, PROGRAM_FD + 1);
#endif
	return result;
}

/* Default signals, an empty mask, a process group of its own (to be ended whole). */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t all, none;
	int result;
	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	result = posix_spawnattr_setsigdefault(attributes, &all);
	if (result == 0)
		result = posix_spawnattr_setsigmask(attributes, &none);
	if (result == 0)
		result = posix_spawnattr_setpgroup(attributes, 0);
	if (result == 0)
		result = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
		                                                  POSIX_SPAWN_SETPGROUP);
	return result;
}

static int spawn(int program, int out, char *const argv[], pid_t *ret_pid)
{
	static char *const no_environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int result = posix_spawn_file_actions_init(&actions);
	if (result != 0)
		return result;
	result = posix_spawnattr_init(&attributes);
	if (result == 0) {
		result = add_actions(&actions, program, out);
		if (result == 0)
			result = set_attributes(&attributes);
		if (result == 0)
			result = posix_spawn(ret_pid, "/proc/self/fd/3", &actions, &attributes, argv, no_environment);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return result;
}

static int start(const char *scan, const char *name, const char *path, struct child *ret, struct uw_error *err)
{
	char *argv[] = {(char *)(uintptr_t)"umwelt-scan", (char *)(uintptr_t)name, (char *)(uintptr_t)path, NULL};
	UW_AUTO_FD program = -1;
	UW_AUTO_FD in = -1;
	UW_AUTO_FD out = -1;
	int ends[2], result = uwi_trust_open_executable(scan, &program, err);
	if (result < 0)
		return result;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_system(err, "pipe", errno);
	out = ends[0];
	in = ends[1];
	if (raise_fd(&program) < 0 || raise_fd(&in) < 0)
		return fail_system(err, "fcntl", errno);
	result = spawn(program, in, argv, &ret->pid);
	if (result != 0)
		return fail_system(err, scan, result);
	ret->out = uw_fd_steal(&out);
	return 0;
}

/* Until the answer is whole, the pipe ends, or the time is over. */
static int collect(struct child *child, int timeout_ms, struct uw_buf *answer)
{
	const int64_t deadline = uw_now_ns() + (int64_t)timeout_ms * 1000000;
	const size_t start = answer->len;
	struct pollfd poll_fd = {child->out, POLLIN, 0};
	while (!uwi_scan_complete(answer->data ? answer->data + start : "", answer->len - start)) {
		int64_t left = (deadline - uw_now_ns() + 999999) / 1000000;
		ssize_t got;
		int ready = left > 0 ? poll(&poll_fd, 1, (int)left) : 0;
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0) {
			child->timed_out = ready == 0;
			break;
		}
		if (answer->len - start > ANSWER_MAX || uw_buf_reserve(answer, 4096) < 0)
			break;
		got = read(child->out, answer->data + answer->len, 4096);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		answer->len += (size_t)got;
		answer->data[answer->len] = '\0';
	}
	return uwi_scan_complete(answer->data ? answer->data + start : "", answer->len - start);
}

/*
 * The status, or -1 where the host lets the kernel reap its children. What still
 * runs is ended first: an answer that is whole is followed by nothing of use, and
 * a process that already ends keeps its status.
 */
static int reap(struct child *child, int whole)
{
	int status = -1;
	if (!whole)
		(void)kill(-child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int crashed(const char *path, const struct child *child, int status, int timeout_ms, struct uw_error *err)
{
	char how[128];
	if (child->timed_out)
		(void)snprintf(how, sizeof how, "it did not answer within %d ms", timeout_ms);
	else if (status >= 0 && WIFSIGNALED(status))
		(void)snprintf(how, sizeof how, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (status >= 0)
		(void)snprintf(how, sizeof how, "it ended the process with status %d", WEXITSTATUS(status));
	else
		(void)snprintf(how, sizeof how, "it gave no answer");
	uw_fail(err, UW_E_PLUGIN_CRASHED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
	        "plugin %s broke down when it was loaded in a child: %s", path, how);
	uw_error_detail(err, "path", path, strlen(path));
	return UW_E_PLUGIN_CRASHED;
}

int uwi_scan_child(const char *scan, const char *name, const char *path, int timeout_ms,
                   struct uw_buf *answer, struct uw_error *err)
{
	struct child child = {0, -1, 0};
	int whole, status, result = start(scan, name, path, &child, err);
	if (result < 0)
		return result;
	whole = collect(&child, timeout_ms, answer);
	uw_fd_close(&child.out);
	status = reap(&child, whole);
	if (answer->failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
	return whole ? 0 : crashed(path, &child, status, timeout_ms, err);
}
