#include "core/queue.h"

#include "common/cleanup.h"
#include "core/host_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define DEFAULT_RUNNING     4
#define DEFAULT_PER_SESSION 4
#define DEFAULT_QUEUED      256
#define WATCHED_MAX         62 /* running commands a waiter watches; more are seen when one of these ends */

/* One command in the queue, on the stack of its thread. */
struct uwi_waiter {
	struct uwi_waiter *next;
	const struct uw_session *session;
	int wake_fd;
};

static int limit(int wanted, int ceiling, int fallback)
{
	int value = wanted > 0 ? wanted : fallback;
	return ceiling > 0 && ceiling < value ? ceiling : value;
}

static int has_ended(const struct uw_process *process)
{
	struct pollfd ended = {process->exit_fd, POLLIN, 0};
	return process->exit_fd >= 0 && poll(&ended, 1, 0) > 0;
}

/* Takes the slots of ended commands back and counts what runs. The lock is held. */
static size_t running(struct uw_world *world, const struct uw_session *session)
{
	size_t count = 0;
	for (struct uw_process *process = world->processes; process; process = process->next) {
		if (process->slot_held && has_ended(process))
			process->slot_held = 0;
		if (process->slot_held && (!session || process->session == session))
			count++;
	}
	return count;
}

static void wake_all(struct uw_world *world)
{
	const uint64_t one = 1;
	for (struct uwi_waiter *waiter = world->waiters; waiter; waiter = waiter->next)
		(void)!write(waiter->wake_fd, &one, sizeof one);
}

/* 1 if this one may go now: there is room, and nobody comes before it. The lock is held. */
static int may_go(struct uw_world *world, const struct uwi_waiter *mine, size_t per_session,
                  size_t total)
{
	size_t own = running(world, mine->session);
	int before = 1; /* waiters seen so far arrived earlier */
	if (running(world, NULL) >= total || own >= per_session)
		return 0;
	for (const struct uwi_waiter *other = world->waiters; other; other = other->next) {
		size_t theirs;
		if (other == mine) {
			before = 0;
			continue;
		}
		theirs = running(world, other->session);
		if (theirs < per_session && (theirs < own || (theirs == own && before)))
			return 0;
	}
	return 1;
}

/* Descriptors that tell of an end, duplicated: their processes may go while we wait. */
static nfds_t watch(struct uw_world *world, struct pollfd *set)
{
	nfds_t count = 0;
	for (struct uw_process *process = world->processes; process && count < WATCHED_MAX;
	     process = process->next) {
		int fd = process->slot_held && process->exit_fd >= 0 ? fcntl(process->exit_fd, F_DUPFD_CLOEXEC, 3) : -1;
		if (fd >= 0)
			set[count++] = (struct pollfd){fd, POLLIN, 0};
	}
	return count;
}

static int wait_turn(struct uwi_entry *entry, const struct uwi_waiter *mine, struct pollfd *set,
                     nfds_t count, struct uw_error *err)
{
	uint64_t drained;
	int code;
	set[count] = (struct pollfd){mine->wake_fd, POLLIN, 0};
	set[count + 1] = (struct pollfd){entry->call.cancel_fd, POLLIN, 0}; /* poll ignores -1 */
	if (poll(set, count + 2, uw_call_poll_ms(&entry->call)) < 0 && errno != EINTR)
		code = uw_fail(err, UW_E_IO_ERROR, UW_STAGE_QUEUE, UW_EFFECT_NONE, errno,
		               "waiting for a free slot failed: %s", strerror(errno));
	else
		code = uw_call_check(&entry->call, UW_STAGE_QUEUE, err);
	(void)!read(mine->wake_fd, &drained, sizeof drained);
	for (nfds_t i = 0; i < count; i++)
		(void)close(set[i].fd);
	return code;
}

static void append(struct uw_world *world, struct uwi_waiter *mine)
{
	struct uwi_waiter **at = &world->waiters;
	while (*at)
		at = &(*at)->next;
	*at = mine;
}

static void unlink_waiter(struct uw_world *world, const struct uwi_waiter *mine)
{
	for (struct uwi_waiter **at = &world->waiters; *at; at = &(*at)->next)
		if (*at == mine) {
			*at = mine->next;
			break;
		}
}

static size_t queued(const struct uw_world *world, const struct uw_session *session)
{
	size_t count = 0;
	for (const struct uwi_waiter *waiter = world->waiters; waiter; waiter = waiter->next)
		count += waiter->session == session;
	return count;
}

static int still_open(const struct uw_process *process, struct uw_error *err)
{
	if (!process->world->closing && !(process->session && process->session->closing))
		return 0;
	return uw_fail(err, UW_E_WORLD_CLOSED, UW_STAGE_QUEUE, UW_EFFECT_NONE, 0,
	               "the session or its world was closed while the command waited");
}

/*
 * The slow way: in the queue until it may go. The lock is held on entry and on
 * return. Closing wakes who waits already; who comes after that must see it himself.
 */
static int stand(struct uwi_entry *entry, struct uw_process *process, struct uwi_waiter *mine,
                 size_t per_session, size_t total, struct uw_error *err)
{
	struct uw_world *world = process->world;
	struct pollfd set[WATCHED_MAX + 2];
	int code;
	append(world, mine);
	while ((code = still_open(process, err)) == 0 && !may_go(world, mine, per_session, total)) {
		nfds_t count = watch(world, set);
		(void)pthread_mutex_unlock(&world->lock);
		code = wait_turn(entry, mine, set, count, err);
		(void)pthread_mutex_lock(&world->lock);
		if (code < 0)
			break;
	}
	unlink_waiter(world, mine);
	wake_all(world); /* another may be first now */
	return code;
}

int uwi_queue_enter(struct uwi_entry *entry, struct uw_process *process, struct uw_error *err)
{
	const struct uwi_bundle *bundle = entry->generation->bundle;
	const struct uwi_settings *settings = process->world->host->settings;
	size_t total = (size_t)limit(bundle->max_running, settings->max_running, DEFAULT_RUNNING);
	size_t each = (size_t)limit(bundle->max_per_session, settings->max_per_session, DEFAULT_PER_SESSION);
	size_t most = (size_t)limit(bundle->max_queued, settings->max_queued, DEFAULT_QUEUED);
	struct uw_world *world = process->world;
	struct uwi_waiter mine = {NULL, process->session, -1};
	int code = 0;
	(void)pthread_mutex_lock(&world->lock);
	if (world->waiters || !may_go(world, &mine, each, total)) {
		if (queued(world, process->session) >= most)
			code = uw_fail(err, UW_E_BUSY, UW_STAGE_QUEUE, UW_EFFECT_NONE, 0,
			               "%zu commands of this session wait already (limits.max_queued); nothing was run", most);
		else if ((mine.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
			code = uw_fail(err, UW_E_BUSY, UW_STAGE_QUEUE, UW_EFFECT_NONE, errno,
			               "no descriptor to wait with: %s", strerror(errno));
		else
			code = stand(entry, process, &mine, each, total, err);
	}
	if (code == 0)
		process->slot_held = 1;
	(void)pthread_mutex_unlock(&world->lock);
	uw_fd_close(&mine.wake_fd);
	return code;
}

void uwi_queue_leave(struct uw_process *process)
{
	struct uw_world *world = process->world;
	(void)pthread_mutex_lock(&world->lock);
	if (process->slot_held) {
		process->slot_held = 0;
		wake_all(world);
	}
	(void)pthread_mutex_unlock(&world->lock);
}

void uwi_queue_wake(struct uw_world *world)
{
	(void)pthread_mutex_lock(&world->lock);
	wake_all(world);
	(void)pthread_mutex_unlock(&world->lock);
}
