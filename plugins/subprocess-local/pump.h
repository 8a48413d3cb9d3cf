/*
 * One thread per provider, started with its first process, that waits for all
 * events of all its processes (P-6, P-16): launchers' messages, output to be
 * collected, cancellation, deadlines. It blocks in epoll and costs nothing while
 * nothing happens. It never blocks anywhere else: a stream that is copied to a
 * descriptor has a thread of its own (copier.h).
 *
 * Locks: pump->lock guards the table of processes and the thread's start; a
 * process's own lock guards the rest of it. The pump takes one after the other,
 * never both: it finds a process under pump->lock, holds it by a reference, and
 * takes its lock then. An event of a process that has left meanwhile finds its
 * slot empty, or of another generation, and is dropped.
 */
#ifndef UW_SUBPROCESS_PUMP_H
#define UW_SUBPROCESS_PUMP_H

#include <umwelt/error.h>

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct uw_process;

enum pump_kind {
	PUMP_CONTROL = 0,  /* the launcher's socket */
	PUMP_CHILD = 1,    /* pidfd of the wrapper, or of the launcher where there is none */
	PUMP_LAUNCHER = 2, /* pidfd of a launcher inside a wrapper */
	PUMP_STREAM_1 = 3,
	PUMP_STREAM_2 = 4,
	PUMP_CANCEL = 5,
};

struct pump_slot {
	struct uw_process *process;
	uint32_t generation;
};

struct pump {
	pthread_mutex_t lock;
	int epoll_fd, wake_fd;
	pthread_t thread;
	int running, stopping;
	struct pump_slot *slots;
	size_t slot_count;
	char *buffer; /* of the thread alone */
};

int pump_init(struct pump *pump, struct uw_error *err);
/* No process may be left. Ends the thread. */
void pump_finish(struct pump *pump);
/* Starts the thread if it does not run yet. Any thread. */
int pump_start(struct pump *pump, struct uw_error *err);
/* Puts a process into the table; then its descriptors can be watched. */
int pump_enter(struct pump *pump, struct uw_process *process, struct uw_error *err);
/* Takes it out; after this no event reaches it. */
void pump_leave(struct pump *pump, struct uw_process *process);
/* The first process of the table, or NULL: for the end of the provider. */
struct uw_process *pump_any(struct pump *pump);
/* Level-triggered. 0 or -1 with errno. */
int pump_watch(struct pump *pump, struct uw_process *process, int fd, enum pump_kind kind);
/*
 * Ends it. Closing alone would not do while a fork of the host holds a copy.
 * A descriptor that is not watched, or -1: nothing.
 */
void pump_unwatch(struct pump *pump, int fd);
/* Ends it and closes the descriptor. */
void pump_close(struct pump *pump, int *fd);
/* The thread looks at all timers again. */
void pump_wake(struct pump *pump);

#endif
