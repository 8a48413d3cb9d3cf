#include "launcher/keeper.h"

#include "launcher/report.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Between rounds of KILL, if no child ends meanwhile: what forked past one is met by the next. */
#define PAUSE_FIRST_MS 5
#define PAUSE_LAST_MS  1000
#define SIGNALS        64
#define REAP_MOST      256

enum { ENDING_NOT = 0, ENDING_TERM = 1, ENDING_KILL = 2 };

static void on_child(int number)
{
	(void)number; /* it interrupts ppoll, no more */
}

/* All of them: a C library's own set leaves out the ones it keeps for itself. */
static sigset_t every_signal(void)
{
	sigset_t all;
	memset(&all, 0xff, sizeof all);
	return all;
}

int ul_keeper_block_signals(struct ul_failure *failure)
{
	struct sigaction action;
	sigset_t all = every_signal();
	memset(&action, 0, sizeof action);
	action.sa_handler = on_child;
	/* the handler first: with the first one a C library may unblock signals of its own */
	if (sigaction(SIGCHLD, &action, NULL) < 0 ||
	    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, SIGNALS / 8) < 0)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno, "the signals cannot be set");
	return 0;
}

static int64_t now_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t now_ms(void)
{
	return now_us() / 1000;
}

/* Without a /proc to walk there is the command's group, at least. */
static void signal_all(struct ul_keeper *keeper, int number)
{
	if (ul_range_signal(&keeper->range, number, 0) < 0 && !keeper->exited)
		(void)kill(-keeper->leader, number);
}

static void kill_round(struct ul_keeper *keeper)
{
	signal_all(keeper, SIGKILL);
	keeper->deadline_ms = now_ms() + keeper->pause_ms;
	if (keeper->pause_ms < PAUSE_LAST_MS)
		keeper->pause_ms *= 2;
}

/* Once begun, ending can only become faster. */
static void end_range(struct ul_keeper *keeper, uint32_t grace_ms)
{
	int64_t deadline = now_ms() + grace_ms + 1; /* never less than asked: the present one is under way */
	if (keeper->ending == ENDING_KILL)
		return;
	if (keeper->ending == ENDING_TERM && deadline >= keeper->deadline_ms)
		return;
	keeper->deadline_ms = deadline;
	keeper->pause_ms = PAUSE_FIRST_MS;
	if (grace_ms == 0) {
		keeper->ending = ENDING_KILL;
		kill_round(keeper);
	} else if (keeper->ending == ENDING_NOT) {
		keeper->ending = ENDING_TERM;
		signal_all(keeper, SIGTERM);
		signal_all(keeper, SIGCONT); /* what is stopped gets its TERM too */
	}
}

static void say_started(struct ul_keeper *keeper)
{
	struct uw_launch_said said;
	memset(&said, 0, sizeof said);
	said.type = UW_SAID_STARTED;
	said.pid = keeper->leader;
	said.checks = keeper->job->checks;
	said.landlock_abi = keeper->landlock->abi;
	said.lost = keeper->landlock->lost;
	if (keeper->landlock->ruleset >= 0)
		(void)snprintf(said.text, sizeof said.text, "landlock abi=%u errata=0x%x lost=0x%llx",
		               keeper->landlock->abi, keeper->landlock->errata,
		               (unsigned long long)said.lost);
	ul_report(keeper->control, &said);
	keeper->started = 1;
}

/* Reads what the child says until its end of the pipe closes. Does not block. */
static void hear_child(struct ul_keeper *keeper)
{
	struct ul_failure failure;
	ssize_t n;
	while (keeper->status >= 0) {
		n = read(keeper->status, &failure, sizeof failure);
		if (n == (ssize_t)sizeof failure) {
			if (failure.what == 0)
				keeper->ready = 1;
			else
				keeper->failed = 1;
			if (failure.what != 0)
				ul_report_failure(keeper->control, &failure);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		(void)close(keeper->status);
		keeper->status = -1;
		if (keeper->ready && !keeper->failed)
			say_started(keeper);
	}
}

/* The child ended before exec and without a word: it was killed. */
static void say_lost_child(struct ul_keeper *keeper)
{
	struct ul_failure failure;
	(void)ul_fail(&failure, UW_WHAT_SYSTEM, ECANCELED,
	              "the command was ended before it was executed");
	ul_report_failure(keeper->control, &failure);
	keeper->failed = 1;
}

static uint64_t micro(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000u + (uint64_t)time->tv_usec;
}

static void leader_ended(struct ul_keeper *keeper, int status, const struct rusage *usage)
{
	struct uw_launch_said said;
	keeper->exited = 1;
	hear_child(keeper);
	if (!keeper->started) {
		if (!keeper->failed)
			say_lost_child(keeper);
		return;
	}
	memset(&said, 0, sizeof said);
	said.type = UW_SAID_EXITED;
	said.pid = keeper->leader;
	said.status = status;
	said.user_us = micro(&usage->ru_utime);
	said.system_us = micro(&usage->ru_stime);
	said.max_rss_kib = (uint64_t)usage->ru_maxrss;
	said.wall_us = (uint64_t)(now_us() - keeper->started_us);
	ul_report(keeper->control, &said);
}

enum { REAPED_ALL, REAPED_EMPTY, REAPED_MOST };

/*
 * REAPED_EMPTY: no process of the range is left. REAPED_MOST: there may be more,
 * but the host is to be heard in between. __WALL: also those with another exit
 * signal.
 */
static int reap(struct ul_keeper *keeper)
{
	struct rusage usage;
	int status, reaped = 0;
	pid_t pid = 0;
	while (reaped < REAP_MOST && (pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0) {
		reaped++;
		if (keeper->ending == ENDING_KILL && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			keeper->killed++;
		if (pid == keeper->leader)
			leader_ended(keeper, status, &usage);
	}
	if (pid < 0 && errno == ECHILD)
		return REAPED_EMPTY;
	if (reaped && keeper->ending == ENDING_KILL) { /* its children are the launcher's own now */
		keeper->pause_ms = PAUSE_FIRST_MS;
		kill_round(keeper);
	}
	return reaped == REAP_MOST ? REAPED_MOST : REAPED_ALL;
}

static void obey(struct ul_keeper *keeper, const struct uw_launch_tell *tell)
{
	switch (tell->type) {
	case UW_TELL_SIGNAL:
		if (tell->number <= 0)
			break;
		if (!keeper->exited)
			(void)kill(-keeper->leader, tell->number);
		else /* its number might be another's by now: only descendants that are still in the group */
			(void)ul_range_signal(&keeper->range, tell->number, keeper->leader);
		break;
	case UW_TELL_SIGNAL_LEADER:
		if (tell->number > 0 && !keeper->exited)
			(void)kill(keeper->leader, tell->number);
		break;
	case UW_TELL_TERMINATE: end_range(keeper, tell->grace_ms); break;
	default: break; /* of a later version */
	}
}

static void hear_host(struct ul_keeper *keeper)
{
	struct uw_launch_tell tell;
	int more;
	while ((more = ul_report_told(keeper->control, &tell)) > 0)
		obey(keeper, &tell);
	if (more < 0) {
		(void)close(keeper->control);
		keeper->control = -1;
		end_range(keeper, keeper->job->life.host_grace_ms);
	}
}

static void step_when_due(struct ul_keeper *keeper)
{
	if (keeper->ending == ENDING_NOT || now_ms() < keeper->deadline_ms)
		return;
	keeper->ending = ENDING_KILL;
	kill_round(keeper);
}

/* Sleeps until something happens; for ever when nothing is due, not at all when asked so. */
static void wait_for_something(struct ul_keeper *keeper, int only_look)
{
	struct pollfd fds[2] = {{keeper->control, POLLIN, 0}, {keeper->status, POLLIN, 0}};
	struct timespec timeout = {0, 0};
	int64_t left = keeper->deadline_ms - now_ms();
	sigset_t all_but_child = every_signal();
	if (left > 0 && !only_look) {
		timeout.tv_sec = left / 1000;
		timeout.tv_nsec = (long)(left % 1000) * 1000000;
	}
	sigdelset(&all_but_child, SIGCHLD);
	(void)ppoll(fds, 2, keeper->ending == ENDING_NOT && !only_look ? NULL : &timeout,
	            &all_but_child);
}

/*
 * Process 1 may have met what it cannot signal (another user, and no capability
 * for it). Its own exit is the end of the namespace: the kernel kills the rest
 * before the parent of process 1 sees it end.
 */
static int the_exit_ends_it(const struct ul_keeper *keeper)
{
	return keeper->range.pid1 && keeper->ending == ENDING_KILL && keeper->pause_ms >= PAUSE_LAST_MS;
}

static void say_empty(struct ul_keeper *keeper)
{
	struct uw_launch_said said;
	memset(&said, 0, sizeof said);
	said.type = UW_SAID_EMPTY;
	said.killed = keeper->killed;
	ul_report(keeper->control, &said);
}

int ul_keeper_run(struct ul_keeper *keeper)
{
	int reaped;
	keeper->started_us = now_us();
	keeper->pause_ms = PAUSE_FIRST_MS;
	while ((reaped = reap(keeper)) != REAPED_EMPTY && !the_exit_ends_it(keeper)) {
		wait_for_something(keeper, reaped == REAPED_MOST);
		hear_child(keeper);
		if (keeper->control >= 0)
			hear_host(keeper);
		step_when_due(keeper);
	}
	if (!keeper->started)
		return 125;
	say_empty(keeper);
	return 0;
}
