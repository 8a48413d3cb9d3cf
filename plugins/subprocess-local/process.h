/*
 * One process with its range, as this provider keeps it.
 *
 * What is set before the process enters the pump is constant afterwards; all
 * else is guarded by `lock`. Functions named process_* below expect it held,
 * unless they say otherwise. References: one of the handle (dispose gives it
 * up), one of whoever works with the process at the moment.
 */
#ifndef UW_SUBPROCESS_PROCESS_H
#define UW_SUBPROCESS_PROCESS_H

#include <umwelt/launch.h>
#include <umwelt/plugin.h>
#include <umwelt/subprocess.h>

#include "cgroup.h"
#include "collector.h"
#include "environment.h"
#include "pump.h"
#include "spill.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct provider {
	const struct uw_host_api *host;
	struct uw_plugin_context *context;
	struct env_base env;
	int null_fd;
	uint32_t grace_ms, tail_ms, start_ms;
	struct cgroups cgroups;
	struct pump pump;
};

struct copier;

/* One collected stream. */
struct stream {
	struct uw_process *process;
	int collects;
	int fd;       /* the end to be read; -1 once it has ended */
	int is_pty;   /* shared with the caller, hence left blocking */
	int enlarged; /* the pipe was made larger */
	int copy_to;  /* of the caller; > 0: copied there */
	struct collector collector;
	struct spill spill;
	struct copier *copier; /* reads it on a thread of its own; NULL: the pump does */
};

/* A fact that becomes true once; its descriptor is made when somebody asks for it. */
struct event {
	int fd;
	int happened;
};

/* Why a range is being ended; the first cause that meets a running command is told. */
enum cause {
	CAUSE_NONE = 0,
	CAUSE_CALLER = 1,
	CAUSE_DEADLINE = 2,
	CAUSE_WALL = 3,
	CAUSE_OUTPUT = 4,
	CAUSE_TAIL = 5,
};

struct uw_process {
	struct provider *provider;
	atomic_int references;
	uint32_t slot, generation; /* of the pump's table */
	pthread_mutex_t lock;

	/* set by spawn */
	pid_t child;    /* the host's own child: the wrapper, or the launcher */
	int has_wrapper;
	pid_t launcher; /* as the host sees it */
	pid_t command;  /* as the launcher sees it */
	int32_t tail;
	uint32_t tail_ms, grace_ms;
	struct uw_limits limits;

	int control_fd;  /* the host's end; closed: the range ends */
	int child_fd, launcher_fd; /* pidfds */
	int cgroup_fd;   /* of the range; -1: it has none */
	char cgroup_name[CGROUP_NAME_SIZE];
	int cancel_fd;   /* a duplicate of the call's */
	int io[3];       /* host's ends of pipes */
	int channel_fd;  /* host's end of UMWELT_CONTROL_FD */
	int pty_fd;      /* master */
	struct stream streams[2]; /* of descriptor 1 and 2 */

	struct uw_exit exit;
	int ending; /* the launcher was told to end the range */
	int output_done;
	int tail_stage; /* 1: tail_ms after the exit; 2: once more tail_ms */
	struct event exited, empty, output;

	int64_t deadline_ns, wall_ns, tail_ns, stuck_ns; /* 0: not armed */
	_Atomic int64_t next_ns; /* the earliest of them; read by the pump without the lock */
};

/* New, with one reference, nothing started. NULL: memory. No lock needed. */
struct uw_process *process_new(struct provider *provider);
void process_hold(struct uw_process *process);
/* The last one closes and frees everything. No lock. */
void process_release(struct uw_process *process);
/* Closes every descriptor; no thread of a copier may run any more. */
void process_close(struct uw_process *process);

/* Called by the pump. */
void process_event(struct uw_process *process, enum pump_kind kind, char *buffer, size_t size);
void process_timers(struct uw_process *process, int64_t now);

/* Recomputes next_ns and wakes the pump if it became earlier. */
void process_arm(struct uw_process *process);
/* Looks whether the collected output is complete, and says so. */
void process_settle(struct uw_process *process);
/* The launcher vanished: what is seen of its range is ended. */
void process_lost(struct uw_process *process);
/* Reaps the child if it has ended. */
void process_reap(struct uw_process *process);
/* Waits for the child, whose range has ended, and ends one that stays. */
void process_await_child(struct uw_process *process);
/* Copies the facts as they are now. */
void process_facts(struct uw_process *process, struct uw_exit *ret_exit);

void event_set(struct event *event);
/* The descriptor, or -1 with errno. */
int event_fd(struct event *event);

/* ending.c: TERM, grace, KILL for the whole range. A second one has no effect. */
void process_end(struct uw_process *process, enum cause cause, uint32_t grace_ms);

/* control.c: what the launcher says. */
/* One packet: 1, 0 at the end of the socket, -1 with errno. ret_pid: the sender, 0 unknown. No lock. */
int control_receive(int fd, struct uw_launch_said *ret_said, pid_t *ret_pid);
void process_control(struct uw_process *process);
/* 0 or -1 with errno; never blocks. */
int process_tell(struct uw_process *process, uint32_t type, int32_t number, uint32_t grace_ms);

/* stream.c */
void stream_init(struct stream *stream, struct uw_process *process);
void stream_finish(struct stream *stream);
/* Takes bytes in: memory, spill, output limit. */
void stream_take(struct stream *stream, const char *data, size_t len);
/* One read: 1 something came, 0 nothing to be had now, -1 the stream has ended. */
int stream_pull(struct stream *stream, char *buffer, size_t size);
/* Reads what is there without waiting. */
void stream_drain(struct stream *stream, char *buffer, size_t size);
void stream_close(struct stream *stream);

#endif
