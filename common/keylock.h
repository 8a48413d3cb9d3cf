/*
 * Locks by name, first come first served (F-10): holders of different keys never
 * wait for each other. A waiter gives up at its call's cancel or deadline and
 * leaves the queue as if it had never stood there. The mutex inside is held for
 * list work only, never while anybody waits or holds a key.
 */
#ifndef UW_COMMON_KEYLOCK_H
#define UW_COMMON_KEYLOCK_H

#include <umwelt/call.h>

#include <pthread.h>

#define UW_KEYLOCK_BUCKETS 64

struct uw_keylock_key;

struct uw_keylock {
	pthread_mutex_t mutex;
	struct uw_keylock_key *buckets[UW_KEYLOCK_BUCKETS];
};

/* A key that is held; {NULL} when not. */
struct uw_keylock_hold {
	struct uw_keylock *table;
	struct uw_keylock_key *key;
};

#define UW_KEYLOCK_HOLD_INIT                                                                     \
	{                                                                                            \
		NULL, NULL                                                                               \
	}

void uw_keylock_init(struct uw_keylock *table);
/* Nobody holds or waits any more. */
void uw_keylock_finish(struct uw_keylock *table);
/*
 * Waits until the key is the caller's. CANCELLED, TIMED_OUT, NO_MEMORY, IO_ERROR
 * (no descriptor to wait on), effect none. A thread that holds a key must not ask
 * for it again.
 */
int uw_keylock_take(struct uw_keylock *table, const struct uw_call *call, const void *key,
                    size_t len, struct uw_keylock_hold *ret_hold, struct uw_error *err);
/* Hands the key to the next in line. Does nothing on an empty hold. Also for UW_AUTO_HOLD. */
void uw_keylock_release(struct uw_keylock_hold *hold);

#define UW_AUTO_HOLD __attribute__((cleanup(uw_keylock_release))) struct uw_keylock_hold

#endif
