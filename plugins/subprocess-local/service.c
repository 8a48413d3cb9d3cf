/* subprocess/1: what is done with a process once it runs. */
#include "service.h"

#include "common/cleanup.h"
#include "copier.h"
#include "env_rules.h"
#include "pty.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_CHUNK (64u << 10)

static int gone(struct uw_error *err)
{
	return uw_fail(err, UW_E_PROCESS_NOT_FOUND, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
	               "no process of the range is left");
}

static struct event *event_of(struct uw_process *process, int what)
{
	switch (what) {
	case UW_WAIT_EXIT: return &process->exited;
	case UW_WAIT_EMPTY: return &process->empty;
	case UW_WAIT_OUTPUT: return &process->output;
	default: return NULL;
	}
}

int service_process_fd(struct uw_process *process, int which)
{
	int fd = -1;
	(void)pthread_mutex_lock(&process->lock);
	switch (which) {
	case UW_PROCESS_STDIN:
	case UW_PROCESS_STDOUT:
	case UW_PROCESS_STDERR: fd = process->io[which]; break;
	case UW_PROCESS_CONTROL: fd = process->channel_fd; break;
	case UW_PROCESS_PTY: fd = process->pty_fd; break;
	case UW_PROCESS_EXIT: fd = event_fd(&process->exited); break;
	case UW_PROCESS_EMPTY: fd = event_fd(&process->empty); break;
	default: break;
	}
	(void)pthread_mutex_unlock(&process->lock);
	return fd;
}

int service_close_fd(struct uw_process *process, int which, struct uw_error *err)
{
	if (which < UW_PROCESS_STDIN || which > UW_PROCESS_CONTROL)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
		               "only stdin, stdout, stderr and the control channel can be closed");
	(void)pthread_mutex_lock(&process->lock);
	uw_fd_close(which == UW_PROCESS_CONTROL ? &process->channel_fd : &process->io[which]);
	(void)pthread_mutex_unlock(&process->lock);
	return 0;
}

/* The host's pid of a process that is `inside` in a PID namespace: a child of the launcher. */
static pid_t outer_pid(pid_t launcher, pid_t inside)
{
	char path[64], line[256];
	int child, found = 0;
	FILE *children;
	(void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)launcher, (int)launcher);
	children = fopen(path, "re");
	while (children && !found && fscanf(children, "%d", &child) == 1) {
		FILE *status;
		(void)snprintf(path, sizeof path, "/proc/%d/status", child);
		status = fopen(path, "re");
		while (status && !found && fgets(line, sizeof line, status)) {
			const char *last = strncmp(line, "NSpid:", 6) ? NULL : strrchr(line, '\t');
			found = last && atoi(last + 1) == (int)inside ? child : 0;
		}
		if (status)
			(void)fclose(status);
	}
	if (children)
		(void)fclose(children);
	return found;
}

static pid_t command_pid(const struct uw_process *process)
{
	if (process->exit.range & UW_RANGE_PID_NS)
		return outer_pid(process->launcher, process->command);
	return process->command;
}

int64_t service_pid(struct uw_process *process)
{
	int64_t pid;
	(void)pthread_mutex_lock(&process->lock);
	pid = process->exit.phase == UW_PHASE_RUNNING || !(process->exit.range & UW_RANGE_PID_NS)
	          ? command_pid(process)
	          : 0;
	(void)pthread_mutex_unlock(&process->lock);
	return pid;
}

/* Copies as much as a caller of older headers has room for. */
static void give_facts(struct uw_process *process, struct uw_exit *ret_exit)
{
	struct uw_exit facts;
	size_t room = ret_exit->size && ret_exit->size < sizeof facts ? ret_exit->size : sizeof facts;
	process_facts(process, &facts);
	memcpy(ret_exit, &facts, room);
	ret_exit->size = room;
}

int service_wait(struct uw_process *process, const struct uw_call *call, int what,
                 struct uw_exit *ret_exit, struct uw_error *err)
{
	struct event *event = event_of(process, what);
	int r = 0, happened, fd = -1;
	if (!event)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
		               "what to wait for is not known");
	for (;;) {
		struct pollfd fds[2];
		(void)pthread_mutex_lock(&process->lock);
		happened = event->happened;
		if (happened && ret_exit)
			give_facts(process, ret_exit);
		else if (!happened)
			fd = event_fd(event);
		(void)pthread_mutex_unlock(&process->lock);
		if (happened)
			return 0;
		if (fd < 0)
			return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_RUN, UW_EFFECT_NONE, errno,
			               "no descriptor to wait with");
		r = uw_call_check(call, UW_STAGE_RUN, err);
		if (r < 0)
			return r;
		fds[0] = (struct pollfd){fd, POLLIN, 0};
		fds[1] = (struct pollfd){call ? call->cancel_fd : -1, POLLIN, 0};
		(void)poll(fds, 2, uw_call_poll_ms(call));
	}
}

int service_output(struct uw_process *process, const struct uw_call *call, int stream, uint64_t offset,
                   uint64_t max, struct uw_sink sink, uint64_t *ret_offset, uint64_t *ret_next,
                   struct uw_error *err)
{
	UW_AUTO_FREE char *chunk = NULL;
	uint64_t first = offset, at = offset;
	size_t size = max < OUTPUT_CHUNK ? (size_t)max : OUTPUT_CHUNK, len;
	int begun = 0, r;
	if (stream < 1 || stream > 2)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
		               "output is of stream 1 or 2");
	chunk = malloc(size + 1);
	if (!chunk)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_RUN, UW_EFFECT_NONE, 0, "no memory for output");
	do {
		uint64_t from;
		size_t want = max < size ? (size_t)max : size;
		r = uw_call_check(call, UW_STAGE_RUN, err);
		if (r < 0)
			return r;
		(void)pthread_mutex_lock(&process->lock);
		len = collector_read(&process->streams[stream - 1].collector, at, chunk, want, &from);
		(void)pthread_mutex_unlock(&process->lock);
		/* a gap ends the run: what lies behind it is another call's */
		if (begun && from != at)
			break;
		first = begun ? first : from;
		begun = 1;
		at = from + len;
		max -= len;
		/* never with a lock held: the sink is the caller's */
		r = len ? sink.write(sink.arg, chunk, len) : 0;
		if (r < 0)
			return r;
	} while (len && max);
	if (ret_offset)
		*ret_offset = first;
	if (ret_next)
		*ret_next = at;
	return 0;
}

int service_signal(struct uw_process *process, int number, struct uw_error *err)
{
	int r = 0, saved;
	if (number < 1 || number > 64)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0, "%d is no signal", number);
	(void)pthread_mutex_lock(&process->lock);
	if (process->exit.phase >= UW_PHASE_EMPTY)
		r = 1;
	else if (process_tell(process, UW_TELL_SIGNAL, number, 0) < 0)
		r = -1;
	saved = errno;
	(void)pthread_mutex_unlock(&process->lock);
	if (r < 0 && saved != EPIPE && saved != ESRCH)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_RUN, UW_EFFECT_NONE, saved,
		               "the launcher cannot be told");
	return r ? gone(err) : 0;
}

int service_terminate(struct uw_process *process, uint32_t grace_ms, struct uw_error *err)
{
	if (grace_ms > INT32_MAX)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
		               "grace is longer than 2147483647 ms");
	(void)pthread_mutex_lock(&process->lock);
	process_end(process, CAUSE_CALLER, grace_ms);
	(void)pthread_mutex_unlock(&process->lock);
	return 0;
}

static int no_pty(struct uw_error *err)
{
	return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0, "the process has no terminal");
}

int service_pty_resize(struct uw_process *process, struct uw_pty size, struct uw_error *err)
{
	int r;
	if (process->pty_fd < 0)
		return no_pty(err);
	r = pty_set_size(process->pty_fd, size);
	return r ? uw_fail(err, UW_E_IO_ERROR, UW_STAGE_RUN, UW_EFFECT_NONE, r, "the terminal keeps its size")
	         : 0;
}

int service_pty_foreground(struct uw_process *process, struct uw_foreground *ret, struct uw_error *err)
{
	struct uw_foreground facts;
	size_t room = ret->size && ret->size < sizeof facts ? ret->size : sizeof facts;
	if (process->pty_fd < 0)
		return no_pty(err);
	pty_facts(process->pty_fd, (pid_t)service_pid(process), &facts);
	memcpy(ret, &facts, room);
	ret->size = room;
	return 0;
}

int service_pty_signal(struct uw_process *process, int number, struct uw_error *err)
{
	pid_t group;
	if (process->pty_fd < 0)
		return no_pty(err);
	if (number < 1 || number > 64)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0, "%d is no signal", number);
	group = tcgetpgrp(process->pty_fd);
	if (group <= 1)
		return gone(err);
	if (number == SIGKILL && group == (pid_t)service_pid(process))
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
		               "KILL at the shell itself: terminate the process instead");
	/* the terminal knows best which group is in front; it sends few signals */
	if (number != SIGKILL && pty_send_signal(process->pty_fd, number) == 0)
		return 0;
	if (kill(-group, number) < 0)
		return uw_fail(err, errno == ESRCH ? UW_E_PROCESS_NOT_FOUND : UW_E_IO_ERROR, UW_STAGE_RUN,
		               UW_EFFECT_NONE, errno, "the group in front cannot be signalled");
	return 0;
}

int service_dispose(struct uw_process *process, struct uw_error *err)
{
	struct pump *pump;
	int lost;
	if (!process)
		return 0;
	pump = &process->provider->pump;
	(void)pthread_mutex_lock(&process->lock);
	process_end(process, CAUSE_CALLER, 0);
	(void)pthread_mutex_unlock(&process->lock);
	/* it ends: by the launcher, or else by the timer for one that does not answer */
	(void)service_wait(process, NULL, UW_WAIT_EMPTY, NULL, NULL);
	pump_leave(pump, process);
	for (size_t i = 0; i < UW_COUNT(process->streams); i++)
		copier_stop(process->streams[i].copier);
	(void)pthread_mutex_lock(&process->lock);
	process_await_child(process);
	process_close(process);
	lost = process->exit.phase == UW_PHASE_LOST;
	(void)pthread_mutex_unlock(&process->lock);
	process_release(process);
	if (lost)
		return uw_fail(err, UW_E_RANGE_LOST, UW_STAGE_RETIRE, UW_EFFECT_DONE, 0,
		               "the launcher was killed; what was seen of its range was ended");
	return 0;
}
