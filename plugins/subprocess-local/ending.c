/*
 * How a range comes to its end (P-10..P-13): by the launcher when it is told to,
 * by the host where the launcher is gone or does not answer.
 */
#include "process.h"

#include "common/cleanup.h"
#include "copier.h"
#include "walk.h"

#include <signal.h>
#include <sys/syscall.h>

/* A launcher that has been told to end its range has this much more than the grace. */
#define STUCK_MS 3000

static void note_cause(struct uw_process *process, enum cause cause)
{
	struct uw_exit *facts = &process->exit;
	/* output may be over its limit before the report of the start was read */
	if (facts->phase > UW_PHASE_RUNNING || facts->limit || facts->cancelled)
		return;
	if (cause == CAUSE_CALLER)
		facts->cancelled = 1;
	else if (cause == CAUSE_DEADLINE)
		facts->cancelled = 2;
	else if (cause == CAUSE_WALL)
		facts->limit = UW_LIMIT_WALL;
	else if (cause == CAUSE_OUTPUT)
		facts->limit = UW_LIMIT_OUTPUT;
}

void process_end(struct uw_process *process, enum cause cause, uint32_t grace_ms)
{
	if (process->ending || process->exit.phase >= UW_PHASE_EMPTY)
		return;
	note_cause(process, cause);
	process->ending = 1;
	process->deadline_ns = process->wall_ns = 0;
	pump_close(&process->provider->pump, &process->cancel_fd);
	if (!grace_ms)
		grace_ms = process->grace_ms;
	/* an interactive shell ignores TERM, not a hang-up */
	if (process->pty_fd >= 0)
		(void)process_tell(process, UW_TELL_SIGNAL, SIGHUP, 0);
	(void)process_tell(process, UW_TELL_TERMINATE, 0, grace_ms);
	process->stuck_ns = uw_now_ns() + ((int64_t)grace_ms + STUCK_MS) * 1000000;
	process_arm(process);
}

static void kill_by(int pidfd)
{
	if (pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

/*
 * With a PID namespace the launcher was its first process, and the kernel ended
 * the rest with it; with a control group it does so now. Elsewhere a walk of /proc finds whose parent or session it
 * was; again, until a walk finds none: those killed leave children to the launcher.
 */
void process_lost(struct uw_process *process)
{
	struct uw_exit *facts = &process->exit;
	struct walk_range range = {process->launcher, 0};
	if (facts->phase >= UW_PHASE_EMPTY)
		return;
	if (!(facts->range & UW_RANGE_PID_NS))
		range.session = process->command;
	/* one that only does not answer is still the parent of all: its children go first */
	if (cgroup_kill(process->cgroup_fd) < 0)
		facts->killed += walk_kill_all(&range);
	kill_by(process->launcher_fd);
	if (!process->has_wrapper)
		kill_by(process->child_fd);
	facts->phase = UW_PHASE_LOST;
	facts->empty_ns = uw_now_ns();
	process->deadline_ns = process->wall_ns = process->tail_ns = process->stuck_ns = 0;
	for (size_t i = 0; i < UW_COUNT(process->streams); i++)
		if (process->streams[i].copier)
			copier_drain(process->streams[i].copier);
	pump_close(&process->provider->pump, &process->control_fd);
	pump_close(&process->provider->pump, &process->launcher_fd);
	pump_close(&process->provider->pump, &process->cancel_fd);
	event_set(&process->exited);
	event_set(&process->empty);
}

/* Descendants outlived the command by tail_ms (P-13). */
static void on_tail(struct uw_process *process, int64_t now)
{
	process->tail_ns = 0;
	process->tail_stage++;
	process->exit.descendants = 1;
	if (process->tail_stage > 1 || process->tail == UW_TAIL_KEEP)
		return;
	process_end(process, CAUSE_TAIL, 0);
	process->tail_ns = now + (int64_t)process->tail_ms * 1000000;
}

static int due(int64_t timer, int64_t now)
{
	return timer && timer <= now;
}

void process_timers(struct uw_process *process, int64_t now)
{
	if (due(process->deadline_ns, now)) {
		process->deadline_ns = 0;
		process_end(process, CAUSE_DEADLINE, 0);
	}
	if (due(process->wall_ns, now)) {
		process->wall_ns = 0;
		process_end(process, CAUSE_WALL, 0);
	}
	if (due(process->tail_ns, now))
		on_tail(process, now);
	if (due(process->stuck_ns, now))
		process_lost(process);
}
