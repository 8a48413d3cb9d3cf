/*
 * queue: at most max_running commands of a world and max_per_session of a session
 * run at once (C-52); others wait, those of the session with the fewest running
 * first, then in order of arrival. A command that has ended gives its slot back
 * when somebody looks: here, or in wait. Guarded by the world's lock.
 */
#ifndef UW_CORE_QUEUE_H
#define UW_CORE_QUEUE_H

#include "core/gate.h"
#include "core/process.h"

/*
 * Waits until the process may run, and marks it. BUSY (more than max_queued of
 * its session wait already), CANCELLED, TIMED_OUT; effect none.
 */
int uwi_queue_enter(struct uwi_entry *entry, struct uw_process *process, struct uw_error *err);
/* Gives the slot back, if it is held. The world's lock is not held. */
void uwi_queue_leave(struct uw_process *process);
/* Something changed that those who wait must see: a command started, a session closes. */
void uwi_queue_wake(struct uw_world *world);

#endif
