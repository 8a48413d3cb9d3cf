#include "report.h"

#include "common/cleanup.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CAPTURE_MAX 1024
/* A start that was given up, or a wrapper whose launcher is gone, has this much time to go. */
#define LEAVE_MS 2000

struct await {
	struct plan *plan;
	struct uw_launch_said said;
	int64_t until_ns;      /* when to give up for good */
	int given_up;          /* UW_E_CANCELLED or UW_E_TIMED_OUT of the call; 0 */
	char captured[CAPTURE_MAX + 1];
	size_t captured_len;
};

static void capture(struct await *await)
{
	char waste[1024];
	size_t room = CAPTURE_MAX - await->captured_len;
	ssize_t got = read(await->plan->capture_fd, room ? await->captured + await->captured_len : waste,
	                   room ? room : sizeof waste);
	if (got > 0 && room)
		await->captured_len += (size_t)got;
	else if (got == 0)
		uw_fd_close(&await->plan->capture_fd);
}

/* One line for a message: control bytes become spaces, none at its end. */
static void tidy(struct await *await)
{
	size_t len = await->captured_len;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)await->captured[i] < 0x20 || await->captured[i] == 0x7f)
			await->captured[i] = ' ';
	while (len && await->captured[len - 1] == ' ')
		len--;
	await->captured[len] = '\0';
}

static int ms_until(int64_t until_ns)
{
	int64_t left = (until_ns - uw_now_ns() + 999999) / 1000000;
	return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

/* The caller's wish to stop goes to the launcher, whose answer still decides what happened. */
static void give_up(struct await *await, int code)
{
	struct uw_process *process = await->plan->process;
	await->given_up = code;
	await->until_ns = uw_now_ns() + (int64_t)LEAVE_MS * 1000000;
	(void)process_tell(process, UW_TELL_TERMINATE, 0, process->grace_ms);
}

static int64_t sooner(int64_t a, int64_t b)
{
	return b && b < a ? b : a;
}

/* 1: a report; 0: the launcher's end is closed without one; -1: time is up. */
static int await_said(struct await *await)
{
	struct plan *plan = await->plan;
	struct uw_process *process = plan->process;
	const struct uw_call *call = plan->call;
	for (;;) {
		int64_t deadline = call && !await->given_up ? call->deadline_ns : 0;
		struct pollfd fds[3] = {
		    {process->control_fd, POLLIN, 0},
		    {plan->capture_fd, POLLIN, 0},
		    {call && !await->given_up ? call->cancel_fd : -1, POLLIN, 0},
		};
		int r = poll(fds, 3, ms_until(sooner(await->until_ns, deadline)));
		if (r < 0 && errno != EINTR)
			return -1;
		if (fds[1].revents)
			capture(await);
		if (fds[0].revents) {
			r = control_receive(process->control_fd, &await->said, &process->launcher);
			if (r >= 0)
				return r;
			if (errno != EAGAIN)
				return 0;
		}
		if (fds[2].revents)
			give_up(await, UW_E_CANCELLED);
		else if (deadline && uw_now_ns() >= deadline)
			give_up(await, UW_E_TIMED_OUT);
		else if (uw_now_ns() >= await->until_ns)
			return -1;
	}
}

/*
 * Waits for the host's own child, ends it where it stays, and says how it ended:
 * a raw wait status, or -1. The child leads a process group of its own.
 */
static int collect_child(struct uw_process *process)
{
	struct pollfd ended = {process->child_fd, POLLIN, 0};
	siginfo_t info;
	/* end of file there ends a launcher that is still to come */
	(void)pthread_mutex_lock(&process->lock);
	uw_fd_close(&process->control_fd);
	(void)pthread_mutex_unlock(&process->lock);
	if (poll(&ended, 1, LEAVE_MS) <= 0)
		(void)kill(-process->child, SIGKILL);
	memset(&info, 0, sizeof info);
	if (waitid(P_PIDFD, (id_t)process->child_fd, &info, WEXITED) < 0)
		return -1;
	uw_fd_close(&process->child_fd);
	return info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
}

static void describe(int status, char *text, size_t size)
{
	if (status < 0)
		(void)snprintf(text, size, "ended");
	else if (WIFSIGNALED(status))
		(void)snprintf(text, size, "was killed by signal %d", WTERMSIG(status));
	else
		(void)snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
}

/* No report: the wrapper broke off, or the launcher did. Nothing was run. */
static int no_report(struct await *await, int timed_out, struct uw_error *err)
{
	struct plan *plan = await->plan;
	char how[64];
	int wrapper = plan_has_wrapper(plan);
	int status = collect_child(plan->process);
	if (plan->capture_fd >= 0)
		capture(await);
	tidy(await);
	if (await->given_up)
		return uw_fail(err, await->given_up, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
		               "the call ended before the command was started");
	describe(status, how, sizeof how);
	if (timed_out)
		(void)snprintf(how, sizeof how, "said nothing for %u ms", plan->process->provider->start_ms);
	return uw_fail(err, wrapper ? UW_E_SANDBOX_UNAVAILABLE : UW_E_LAUNCHER_FAILED,
	               wrapper ? UW_STAGE_CONFINE : UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
	               "%s %s before the command was started%s%s", wrapper ? plan->confined->wrapper[0] : "the launcher",
	               how, await->captured[0] ? ": " : "", await->captured);
}

static int refused(struct await *await, struct uw_error *err)
{
	const struct uw_launch_said *said = &await->said;
	int code = UW_E_SANDBOX_UNAVAILABLE;
	if (said->what == UW_WHAT_JOB)
		code = UW_E_INTERNAL;
	else if (said->what == UW_WHAT_SYSTEM && !(await->plan->confined && await->plan->confined->profile_len))
		code = UW_E_SPAWN_FAILED;
	return uw_fail(err, code, UW_STAGE_CONFINE, UW_EFFECT_NONE, said->os_errno,
	               "the launcher refused: %s", said->text);
}

static int exec_code(int os_errno)
{
	switch (os_errno) {
	case ENOENT:
	case ENOTDIR: return UW_E_EXEC_NOT_FOUND;
	case EACCES:
	case EPERM:
	case ENOEXEC:
	case EISDIR:
	case ELIBBAD:
	case ELOOP: return UW_E_EXEC_NOT_EXECUTABLE;
	case E2BIG: return UW_E_INVALID_ARGS;
	default: return UW_E_SPAWN_FAILED;
	}
}

static int exec_failed(struct await *await, struct uw_error *err)
{
	const struct uw_launch_said *said = &await->said;
	struct plan *plan = await->plan;
	int code, r;
	if (said->what == UW_WHAT_CWD) {
		r = uw_fail(err, UW_E_CWD_INVALID, UW_STAGE_SPAWN, UW_EFFECT_NONE, said->os_errno,
		            "the working directory %s cannot be entered: %s", plan->cwd_shown,
		            said->os_errno == ESTALE ? "another directory is there"
		                                     : strerror(said->os_errno));
		uw_error_detail(err, "path", plan->cwd_shown, strlen(plan->cwd_shown));
		return r;
	}
	if (said->what != UW_WHAT_EXEC)
		return uw_fail(err, said->what == UW_WHAT_LIMIT ? UW_E_INVALID_ARGS : UW_E_SPAWN_FAILED,
		               UW_STAGE_SPAWN, UW_EFFECT_NONE, said->os_errno, "the command was not started: %s",
		               said->text);
	code = exec_code(said->os_errno);
	r = uw_fail(err, code, UW_STAGE_SPAWN, UW_EFFECT_NONE, said->os_errno, "%s cannot be executed: %s%s",
	            plan->program.data, strerror(said->os_errno),
	            code == UW_E_INVALID_ARGS ? " (arguments and environment together)" : "");
	uw_error_detail(err, "path", plan->program.data, plan->program.len);
	return r;
}

static void started(struct await *await)
{
	struct uw_process *process = await->plan->process;
	const struct uw_launch_said *said = &await->said;
	(void)pthread_mutex_lock(&process->lock);
	process->command = said->pid;
	process->exit.phase = UW_PHASE_RUNNING;
	process->exit.checks = said->checks;
	process->exit.landlock_abi = said->landlock_abi;
	process->exit.started_ns = uw_now_ns();
	if (await->plan->confined && await->plan->confined->pid_namespace)
		process->exit.range |= UW_RANGE_PID_NS;
	if (process->has_wrapper && process->launcher > 0)
		process->launcher_fd = (int)syscall(SYS_pidfd_open, process->launcher, 0);
	if (await->given_up)
		process_end(process, await->given_up == UW_E_TIMED_OUT ? CAUSE_DEADLINE : CAUSE_CALLER, 0);
	(void)pthread_mutex_unlock(&process->lock);
}

int report_await(struct plan *plan, struct uw_error *err)
{
	struct await await = {.plan = plan};
	int r;
	await.until_ns = uw_now_ns() + (int64_t)plan->process->provider->start_ms * 1000000;
	r = await_said(&await);
	if (r <= 0)
		return no_report(&await, r < 0 && !await.given_up, err);
	if (await.said.type == UW_SAID_STARTED)
		return started(&await), 0;
	(void)collect_child(plan->process);
	if (await.said.type == UW_SAID_EXEC_FAILED)
		return exec_failed(&await, err);
	if (await.said.type == UW_SAID_REFUSED)
		return refused(&await, err);
	return uw_fail(err, UW_E_LAUNCHER_FAILED, UW_STAGE_SPAWN, UW_EFFECT_UNKNOWN, 0,
	               "the launcher said %u before anything else", await.said.type);
}

int report_exec_failure(struct plan *plan, int os_errno, int exec, struct uw_error *err)
{
	int wrapper = plan_has_wrapper(plan);
	if (!exec)
		return uw_fail(err, UW_E_SPAWN_FAILED, UW_STAGE_SPAWN, UW_EFFECT_NONE, os_errno,
		               "no process could be started: %s", strerror(os_errno));
	return uw_fail(err, wrapper ? UW_E_SANDBOX_UNAVAILABLE : UW_E_LAUNCHER_FAILED,
	               wrapper ? UW_STAGE_CONFINE : UW_STAGE_SPAWN, UW_EFFECT_NONE, os_errno,
	               "%s cannot be executed: %s", wrapper ? plan->confined->wrapper[0] : "the launcher",
	               strerror(os_errno));
}
