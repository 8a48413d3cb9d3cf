/* common/keylock (F-10): first come, first served, per key. */
#include "tests/unit.h"

#include "common/cleanup.h"
#include "common/keylock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

static struct uw_keylock table;
static atomic_int standing;
static int order[8], ordered;

static void take(const char *key, struct uw_keylock_hold *hold)
{
	ck_assert_int_eq(uw_keylock_take(&table, NULL, key, strlen(key), hold, NULL), 0);
}

/* Not started before all earlier ones stand in line, so the expected order is known. */
static void *in_line(void *arg)
{
	UW_AUTO_HOLD hold = UW_KEYLOCK_HOLD_INIT;
	atomic_fetch_add(&standing, 1);
	take("k", &hold);
	order[ordered++] = (int)(intptr_t)arg;
	return NULL;
}

/* How many wait is visible from outside only as held pipes; count descriptors. */
static int open_descriptors(void)
{
	int count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

START_TEST(waiters_are_served_in_the_order_they_came)
{
	struct uw_keylock_hold first = UW_KEYLOCK_HOLD_INIT;
	pthread_t threads[8];
	int before = open_descriptors();
	uw_keylock_init(&table);
	take("k", &first);
	for (int i = 0; i < 8; i++) {
		ck_assert_int_eq(pthread_create(&threads[i], NULL, in_line, (void *)(intptr_t)i), 0);
		/* in line once its pipe exists and the mutex is free again */
		while (open_descriptors() < before + 2 * (i + 1))
			sched_yield();
		(void)pthread_mutex_lock(&table.mutex);
		(void)pthread_mutex_unlock(&table.mutex);
	}
	uw_keylock_release(&first);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(order[i], i);
	ck_assert_int_eq(open_descriptors(), before);
	uw_keylock_finish(&table);
}
END_TEST

START_TEST(other_keys_do_not_wait)
{
	struct uw_keylock_hold a = UW_KEYLOCK_HOLD_INIT, b = UW_KEYLOCK_HOLD_INIT;
	uw_keylock_init(&table);
	take("a", &a);
	take("b", &b);
	uw_keylock_release(&a);
	uw_keylock_release(&b);
	uw_keylock_release(&b);
	uw_keylock_finish(&table);
}
END_TEST

START_TEST(cancel_and_deadline_end_the_waiting_and_leave_no_trace)
{
	struct uw_keylock_hold held = UW_KEYLOCK_HOLD_INIT, again = UW_KEYLOCK_HOLD_INIT;
	struct uw_call call = UW_CALL_INIT;
	struct uw_error err = UW_ERROR_INIT;
	int ends[2];
	uw_keylock_init(&table);
	take("k", &held);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(write(ends[1], "", 1), 1);
	call.cancel_fd = ends[0];
	ck_assert_int_eq(uw_keylock_take(&table, &call, "k", 1, &again, &err), UW_E_CANCELLED);
	call.cancel_fd = -1;
	call.deadline_ns = uw_now_ns() + 10000000;
	ck_assert_int_eq(uw_keylock_take(&table, &call, "k", 1, &again, &err), UW_E_TIMED_OUT);
	ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
	ck_assert_ptr_null(again.key);
	uw_keylock_release(&held);
	take("k", &again);
	uw_keylock_release(&again);
	for (size_t i = 0; i < UW_KEYLOCK_BUCKETS; i++)
		ck_assert_ptr_null(table.buckets[i]);
	uw_keylock_finish(&table);
}
END_TEST

UW_TESTS("common/keylock", waiters_are_served_in_the_order_they_came, other_keys_do_not_wait,
         cancel_and_deadline_end_the_waiting_and_leave_no_trace)
