#include "pump.h"

#include "common/cleanup.h"
#include "process.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#define BUFFER_SIZE (256u << 10)
#define STACK_SIZE  (256u << 10)
#define EVENTS      16

/* what epoll carries: generation 32, slot 24, kind 8; all ones: the wake descriptor */
#define WAKE UINT64_MAX

static uint64_t tag_of(const struct uw_process *process, enum pump_kind kind)
{
	return (uint64_t)process->generation << 32 | (uint64_t)process->slot << 8 | (uint64_t)kind;
}

int pump_init(struct pump *pump, struct uw_error *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKE};
	pump->epoll_fd = pump->wake_fd = -1;
	if (pthread_mutex_init(&pump->lock, NULL))
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory for a lock");
	pump->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	pump->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pump->epoll_fd >= 0 && pump->wake_fd >= 0 &&
	    epoll_ctl(pump->epoll_fd, EPOLL_CTL_ADD, pump->wake_fd, &event) == 0)
		return 0;
	int saved = errno;
	pump_finish(pump);
	return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, saved,
	               "cannot make an epoll descriptor");
}

void pump_finish(struct pump *pump)
{
	if (pump->running) {
		(void)pthread_mutex_lock(&pump->lock);
		pump->stopping = 1;
		(void)pthread_mutex_unlock(&pump->lock);
		pump_wake(pump);
		(void)pthread_join(pump->thread, NULL);
	}
	uw_fd_close(&pump->epoll_fd);
	uw_fd_close(&pump->wake_fd);
	free(pump->slots);
	free(pump->buffer);
	(void)pthread_mutex_destroy(&pump->lock);
}

void pump_wake(struct pump *pump)
{
	uint64_t one = 1;
	(void)!write(pump->wake_fd, &one, sizeof one);
}

/* The process of a tag, held; NULL if it has left. */
static struct uw_process *hold_slot(struct pump *pump, size_t slot, uint32_t generation, int any)
{
	struct uw_process *process = NULL;
	(void)pthread_mutex_lock(&pump->lock);
	if (slot < pump->slot_count && (any || pump->slots[slot].generation == generation)) {
		process = pump->slots[slot].process;
		if (process)
			process_hold(process);
	}
	(void)pthread_mutex_unlock(&pump->lock);
	return process;
}

static void handle(struct pump *pump, uint64_t tag)
{
	struct uw_process *process =
	    hold_slot(pump, (size_t)((tag >> 8) & 0xffffff), (uint32_t)(tag >> 32), 0);
	if (!process)
		return;
	(void)pthread_mutex_lock(&process->lock);
	process_event(process, (enum pump_kind)(tag & 0xff), pump->buffer, BUFFER_SIZE);
	(void)pthread_mutex_unlock(&process->lock);
	process_release(process);
}

static void run_timers(struct pump *pump, size_t slot, int64_t now)
{
	struct uw_process *process = hold_slot(pump, slot, 0, 1);
	if (!process)
		return;
	(void)pthread_mutex_lock(&process->lock);
	process_timers(process, now);
	process_settle(process);
	process_arm(process);
	(void)pthread_mutex_unlock(&process->lock);
	process_release(process);
}

/* Runs the timers that are due; milliseconds to the next one, -1: none. -2: stop. */
static int next_timeout(struct pump *pump)
{
	int64_t now = uw_now_ns(), next = 0;
	int stopping;
	(void)pthread_mutex_lock(&pump->lock);
	for (size_t i = 0; i < pump->slot_count; i++) {
		struct uw_process *process = pump->slots[i].process;
		int64_t at = process ? atomic_load(&process->next_ns) : 0;
		if (at && at <= now) {
			(void)pthread_mutex_unlock(&pump->lock);
			run_timers(pump, i, now);
			return 0;
		}
		if (at && (!next || at < next))
			next = at;
	}
	stopping = pump->stopping;
	(void)pthread_mutex_unlock(&pump->lock);
	if (stopping)
		return -2;
	if (!next)
		return -1;
	next = (next - now + 999999) / 1000000;
	return next < INT_MAX ? (int)next : INT_MAX;
}

static void *pump_main(void *argument)
{
	struct pump *pump = argument;
	for (;;) {
		struct epoll_event events[EVENTS];
		int timeout = next_timeout(pump), count;
		if (timeout == -2)
			return NULL;
		count = epoll_wait(pump->epoll_fd, events, EVENTS, timeout);
		for (int i = 0; i < count; i++) {
			uint64_t waste;
			if (events[i].data.u64 == WAKE)
				(void)!read(pump->wake_fd, &waste, sizeof waste);
			else
				handle(pump, events[i].data.u64);
		}
	}
}

static int start_thread(struct pump *pump)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int r = pthread_attr_init(&attributes);
	if (r)
		return r;
	(void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
	/* no handler of the host runs on our thread */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&pump->thread, &attributes, pump_main, pump);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attributes);
	return r;
}

int pump_start(struct pump *pump, struct uw_error *err)
{
	int r = 0;
	(void)pthread_mutex_lock(&pump->lock);
	if (!pump->running) {
		pump->buffer = pump->buffer ? pump->buffer : malloc(BUFFER_SIZE);
		r = pump->buffer ? start_thread(pump) : ENOMEM;
		pump->running = r == 0;
	}
	(void)pthread_mutex_unlock(&pump->lock);
	if (r)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SPAWN, UW_EFFECT_NONE, r,
		               "cannot start the thread that watches processes");
	return 0;
}

int pump_enter(struct pump *pump, struct uw_process *process, struct uw_error *err)
{
	size_t slot = 0;
	int r = 0;
	(void)pthread_mutex_lock(&pump->lock);
	while (slot < pump->slot_count && pump->slots[slot].process)
		slot++;
	if (slot == pump->slot_count) {
		size_t count = pump->slot_count ? 2 * pump->slot_count : 16;
		struct pump_slot *slots =
		    count < 0xffffff ? realloc(pump->slots, count * sizeof *slots) : NULL;
		if (slots) {
			for (size_t i = pump->slot_count; i < count; i++)
				slots[i] = (struct pump_slot){NULL, 0};
			pump->slots = slots;
			pump->slot_count = count;
		} else {
			r = UW_E_NO_MEMORY;
		}
	}
	if (r == 0) {
		pump->slots[slot].process = process;
		process->slot = (uint32_t)slot;
		process->generation = ++pump->slots[slot].generation;
	}
	(void)pthread_mutex_unlock(&pump->lock);
	if (r < 0)
		return uw_fail(err, r, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0, "no memory for a process");
	return 0;
}

void pump_leave(struct pump *pump, struct uw_process *process)
{
	(void)pthread_mutex_lock(&pump->lock);
	if (process->slot < pump->slot_count && pump->slots[process->slot].process == process)
		pump->slots[process->slot].process = NULL;
	(void)pthread_mutex_unlock(&pump->lock);
}

struct uw_process *pump_any(struct pump *pump)
{
	struct uw_process *found = NULL;
	(void)pthread_mutex_lock(&pump->lock);
	for (size_t i = 0; i < pump->slot_count && !found; i++)
		found = pump->slots[i].process;
	(void)pthread_mutex_unlock(&pump->lock);
	return found;
}

int pump_watch(struct pump *pump, struct uw_process *process, int fd, enum pump_kind kind)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag_of(process, kind)};
	return epoll_ctl(pump->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

void pump_unwatch(struct pump *pump, int fd)
{
	int saved = errno;
	if (fd >= 0)
		(void)epoll_ctl(pump->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	errno = saved;
}

void pump_close(struct pump *pump, int *fd)
{
	pump_unwatch(pump, *fd);
	uw_fd_close(fd);
}
