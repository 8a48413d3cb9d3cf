#include "common/keylock.h"

#include "common/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* One in line. Lives on its thread's stack; granted is guarded by the table's mutex. */
struct waiter {
	struct waiter *next;
	int wake; /* written to once granted */
	int granted;
};

/* Exists while the key is held. */
struct uw_keylock_key {
	struct uw_keylock_key *next;
	struct waiter *first, *last;
	size_t bucket, len;
	char bytes[];
};

void uw_keylock_init(struct uw_keylock *table)
{
	memset(table->buckets, 0, sizeof table->buckets);
	(void)pthread_mutex_init(&table->mutex, NULL);
}

void uw_keylock_finish(struct uw_keylock *table)
{
	(void)pthread_mutex_destroy(&table->mutex);
}

static size_t bucket_of(const void *key, size_t len)
{
	const unsigned char *bytes = key;
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash % UW_KEYLOCK_BUCKETS;
}

static struct uw_keylock_key *find(struct uw_keylock *table, size_t bucket, const void *bytes, size_t len)
{
	struct uw_keylock_key *key = table->buckets[bucket];
	while (key && !(key->len == len && memcmp(key->bytes, bytes, len) == 0))
		key = key->next;
	return key;
}

/* With the mutex held: the key for a first holder, or NULL. */
static struct uw_keylock_key *add(struct uw_keylock *table, size_t bucket, const void *bytes, size_t len)
{
	struct uw_keylock_key *key = calloc(1, sizeof *key + len);
	if (!key)
		return NULL;
	memcpy(key->bytes, bytes, len);
	key->len = len;
	key->bucket = bucket;
	key->next = table->buckets[bucket];
	table->buckets[bucket] = key;
	return key;
}

/* With the mutex held: gives the key to the next in line, or drops it. */
static void pass_on(struct uw_keylock *table, struct uw_keylock_key *key)
{
	struct waiter *next = key->first;
	struct uw_keylock_key **link = &table->buckets[key->bucket];
	if (next) {
		key->first = next->next;
		if (!key->first)
			key->last = NULL;
		next->granted = 1;
		/* one byte into an empty pipe; the waiter is alive as long as the mutex is held */
		while (write(next->wake, "", 1) < 0 && errno == EINTR)
			;
		return;
	}
	while (*link != key)
		link = &(*link)->next;
	*link = key->next;
	free(key);
}

static void leave(struct uw_keylock_key *key, struct waiter *self)
{
	struct waiter *before = NULL;
	for (struct waiter *at = key->first; at != self; at = at->next)
		before = at;
	if (before)
		before->next = self->next;
	else
		key->first = self->next;
	if (key->last == self)
		key->last = before;
}

/* Until granted, or the call is over. */
static int wait_for(const struct uw_call *call, int wake, struct uw_error *err)
{
	struct pollfd fds[2] = {{wake, POLLIN, 0}, {call ? call->cancel_fd : -1, POLLIN, 0}};
	for (;;) {
		int got = poll(fds, 2, uw_call_poll_ms(call));
		int code;
		if (got > 0 && fds[0].revents)
			return 0;
		if (got < 0 && errno != EINTR)
			return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_QUEUE, UW_EFFECT_NONE, errno,
			               "waiting for another change of the same file failed: %s", strerror(errno));
		code = uw_call_check(call, UW_STAGE_QUEUE, err);
		if (code < 0)
			return code;
	}
}

/* With the mutex held, which is let go: stands in line for a key that is held. */
static int stand_in_line(struct uw_keylock *table, const struct uw_call *call,
                         struct uw_keylock_key *key, int read_end, int write_end,
                         struct uw_error *err)
{
	struct waiter self = {NULL, write_end, 0};
	int code;
	if (key->last)
		key->last->next = &self;
	else
		key->first = &self;
	key->last = &self;
	(void)pthread_mutex_unlock(&table->mutex);
	code = wait_for(call, read_end, err);
	(void)pthread_mutex_lock(&table->mutex);
	if (code < 0 && self.granted)
		pass_on(table, key);
	else if (code < 0)
		leave(key, &self);
	(void)pthread_mutex_unlock(&table->mutex);
	return code;
}

int uw_keylock_take(struct uw_keylock *table, const struct uw_call *call, const void *bytes,
                    size_t len, struct uw_keylock_hold *ret_hold, struct uw_error *err)
{
	size_t bucket = bucket_of(bytes, len);
	struct uw_keylock_key *key;
	int ends[2], code = 0;
	(void)pthread_mutex_lock(&table->mutex);
	key = find(table, bucket, bytes, len);
	if (!key) {
		key = add(table, bucket, bytes, len);
		(void)pthread_mutex_unlock(&table->mutex);
		if (!key)
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_QUEUE, UW_EFFECT_NONE, ENOMEM,
			               "no memory to hold a lock");
	} else if (pipe2(ends, O_CLOEXEC) < 0) {
		(void)pthread_mutex_unlock(&table->mutex);
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_QUEUE, UW_EFFECT_NONE, errno,
		               "no descriptor to wait on: %s", strerror(errno));
	} else {
		code = stand_in_line(table, call, key, ends[0], ends[1], err);
		uw_fd_close(&ends[0]);
		uw_fd_close(&ends[1]);
	}
	if (code < 0)
		return code;
	ret_hold->table = table;
	ret_hold->key = key;
	return 0;
}

void uw_keylock_release(struct uw_keylock_hold *hold)
{
	int saved = errno;
	if (!hold->key)
		return;
	(void)pthread_mutex_lock(&hold->table->mutex);
	pass_on(hold->table, hold->key);
	(void)pthread_mutex_unlock(&hold->table->mutex);
	hold->table = NULL;
	hold->key = NULL;
	errno = saved;
}
