#include "process.h"

#include "common/cleanup.h"
#include "copier.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

/* A wrapper or launcher whose range has ended has this much time to go. */
#define LEAVE_MS 2000

struct uw_process *process_new(struct provider *provider)
{
	struct uw_process *process = calloc(1, sizeof *process);
	if (!process)
		return NULL;
	if (pthread_mutex_init(&process->lock, NULL)) {
		free(process);
		return NULL;
	}
	process->provider = provider;
	atomic_init(&process->references, 1);
	process->control_fd = process->child_fd = process->launcher_fd = process->cancel_fd = -1;
	process->channel_fd = process->pty_fd = process->cgroup_fd = -1;
	process->io[0] = process->io[1] = process->io[2] = -1;
	process->exited.fd = process->empty.fd = process->output.fd = -1;
	process->exit.size = sizeof process->exit;
	process->exit.exit_code = -1;
	process->exit.range = UW_RANGE_SUBREAPER;
	for (size_t i = 0; i < UW_COUNT(process->streams); i++)
		stream_init(&process->streams[i], process);
	return process;
}

void process_hold(struct uw_process *process)
{
	(void)atomic_fetch_add(&process->references, 1);
}

void process_close(struct uw_process *process)
{
	struct pump *pump = &process->provider->pump;
	for (size_t i = 0; i < UW_COUNT(process->streams); i++)
		stream_close(&process->streams[i]);
	for (size_t i = 0; i < UW_COUNT(process->io); i++)
		uw_fd_close(&process->io[i]);
	uw_fd_close(&process->pty_fd);
	pump_close(pump, &process->cancel_fd);
	pump_close(pump, &process->launcher_fd);
	pump_close(pump, &process->child_fd);
	cgroup_remove(&process->provider->cgroups, process->cgroup_fd, process->cgroup_name);
	uw_fd_close(&process->cgroup_fd);
	uw_fd_close(&process->exited.fd);
	uw_fd_close(&process->empty.fd);
	uw_fd_close(&process->output.fd);
	/* control endpoints last (P-14) */
	uw_fd_close(&process->channel_fd);
	pump_close(pump, &process->control_fd);
}

void process_release(struct uw_process *process)
{
	if (!process || atomic_fetch_sub(&process->references, 1) > 1)
		return;
	process_close(process);
	for (size_t i = 0; i < UW_COUNT(process->streams); i++)
		stream_finish(&process->streams[i]);
	(void)pthread_mutex_destroy(&process->lock);
	free(process);
}

void event_set(struct event *event)
{
	uint64_t one = 1;
	if (!event->happened && event->fd >= 0)
		(void)!write(event->fd, &one, sizeof one);
	event->happened = 1;
}

int event_fd(struct event *event)
{
	if (event->fd < 0)
		event->fd = eventfd(event->happened ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
	return event->fd;
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (!a || !b)
		return a ? a : b;
	return a < b ? a : b;
}

void process_arm(struct uw_process *process)
{
	int64_t before = atomic_load(&process->next_ns);
	int64_t next = earlier(earlier(process->deadline_ns, process->wall_ns),
	                       earlier(process->tail_ns, process->stuck_ns));
	atomic_store(&process->next_ns, next);
	if (next && (!before || next < before))
		pump_wake(&process->provider->pump);
}

static int streams_ended(const struct uw_process *process, int only_copied)
{
	for (size_t i = 0; i < UW_COUNT(process->streams); i++) {
		const struct stream *stream = &process->streams[i];
		if (stream->collects && stream->fd >= 0 && (stream->copier || !only_copied))
			return 0;
	}
	return 1;
}

static int output_complete(const struct uw_process *process)
{
	if (process->exit.phase < UW_PHASE_EXITED)
		return 0;
	/* a copied stream is written to its last byte, however long its reader takes */
	if (process->exit.phase >= UW_PHASE_EMPTY)
		return streams_ended(process, 1);
	if (process->tail == UW_TAIL_KEEP)
		return process->tail_stage > 0 || streams_ended(process, 0);
	return process->tail_stage > 1;
}

void process_settle(struct uw_process *process)
{
	if (process->output_done || !output_complete(process))
		return;
	process->output_done = 1;
	event_set(&process->output);
}

void process_reap(struct uw_process *process)
{
	siginfo_t info;
	if (process->child_fd < 0)
		return;
	memset(&info, 0, sizeof info);
	/* where the host ignores SIGCHLD, or reaps everything itself, there is nothing to reap: ECHILD */
	if (waitid(P_PIDFD, (id_t)process->child_fd, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0)
		return;
	pump_close(&process->provider->pump, &process->child_fd);
}

void process_await_child(struct uw_process *process)
{
	struct pollfd ended = {process->child_fd, POLLIN, 0};
	siginfo_t info;
	if (process->child_fd < 0)
		return;
	pump_unwatch(&process->provider->pump, process->child_fd);
	if (poll(&ended, 1, LEAVE_MS) <= 0)
		(void)kill(-process->child, SIGKILL);
	(void)waitid(P_PIDFD, (id_t)process->child_fd, &info, WEXITED);
	uw_fd_close(&process->child_fd);
}

static void drain_all(struct uw_process *process, char *buffer, size_t size)
{
	for (size_t i = 0; i < UW_COUNT(process->streams); i++) {
		struct stream *stream = &process->streams[i];
		if (!stream->collects || stream->copier || stream->fd < 0)
			continue;
		stream_drain(stream, buffer, size);
		if (stream->fd >= 0)
			stream_close(stream);
	}
}

void process_event(struct uw_process *process, enum pump_kind kind, char *buffer, size_t size)
{
	switch (kind) {
	case PUMP_CONTROL: process_control(process); break;
	case PUMP_STREAM_1:
	case PUMP_STREAM_2: (void)stream_pull(&process->streams[kind - PUMP_STREAM_1], buffer, size); break;
	case PUMP_CANCEL: process_end(process, CAUSE_CALLER, 0); break;
	case PUMP_CHILD:
	case PUMP_LAUNCHER:
		/* what the launcher said before it went comes first */
		process_control(process);
		if (kind == PUMP_LAUNCHER || !process->has_wrapper)
			process_lost(process);
		if (kind == PUMP_CHILD)
			process_reap(process);
		break;
	}
	if (process->exit.phase >= UW_PHASE_EMPTY)
		drain_all(process, buffer, size);
	process_settle(process);
	process_arm(process);
}

void process_facts(struct uw_process *process, struct uw_exit *ret_exit)
{
	*ret_exit = process->exit;
	for (size_t i = 0; i < UW_COUNT(process->streams); i++) {
		struct stream *stream = &process->streams[i];
		struct uw_stream_facts *facts = i ? &ret_exit->err : &ret_exit->out;
		collector_facts(&stream->collector, facts);
		if (stream->spill.fd >= 0) {
			facts->spill = stream->spill.inside;
			facts->spill_lossy = (uint32_t)stream->spill.lossy;
		}
	}
}
