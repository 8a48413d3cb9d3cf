#include "copier.h"

#include "common/cleanup.h"
#include "process.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define BUFFER_SIZE (64u << 10)
#define STACK_SIZE  (256u << 10)

/* how a write to the target can be kept from blocking */
enum target_kind {
	TARGET_FREE = 0,   /* never blocks for long (a file), or a description of our own */
	TARGET_SOCKET = 1, /* MSG_DONTWAIT */
	TARGET_SHARED = 2, /* small pieces, after poll */
};

enum order { ORDER_NONE = 0, ORDER_DRAIN = 1, ORDER_STOP = 2 };

struct copier {
	struct stream *stream;
	pthread_t thread;
	int running;
	int source;  /* the stream's end; owned by the thread alone */
	int target;  /* -1: copying failed */
	enum target_kind kind;
	int order_fd;
	atomic_int order;
	char *buffer;
};

/*
 * A pipe or a terminal can be opened once more, which gives a description whose
 * O_NONBLOCK is ours alone.
 */
static int open_again(int fd)
{
	char path[40];
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int open_target(struct copier *copier, int target)
{
	struct stat st;
	if (fstat(target, &st) < 0)
		return errno;
	copier->kind = S_ISSOCK(st.st_mode) ? TARGET_SOCKET : TARGET_FREE;
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) {
		copier->target = open_again(target);
		copier->kind = copier->target < 0 ? TARGET_SHARED : TARGET_FREE;
	}
	if (copier->target < 0)
		copier->target = fcntl(target, F_DUPFD_CLOEXEC, 0);
	return copier->target < 0 ? errno : 0;
}

/* The strongest order so far; waits for the descriptor or a new order. */
static enum order wait_for(struct copier *copier, int fd, short events)
{
	struct pollfd fds[2] = {{copier->order_fd, POLLIN, 0}, {fd, events, 0}};
	uint64_t count;
	enum order order = (enum order)atomic_load(&copier->order);
	/* draining waits for nothing that may not come */
	int timeout = order == ORDER_DRAIN && events == POLLIN ? 0 : -1;
	if (order == ORDER_STOP)
		return order;
	if (poll(fds, 2, timeout) > 0 && fds[0].revents)
		(void)!read(copier->order_fd, &count, sizeof count);
	return (enum order)atomic_load(&copier->order);
}

static ssize_t write_some(struct copier *copier, const char *data, size_t len)
{
	if (copier->kind == TARGET_SOCKET)
		return send(copier->target, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (copier->kind == TARGET_SHARED && len > PIPE_BUF)
		len = PIPE_BUF;
	return write(copier->target, data, len);
}

/* -1: the target has no reader any more. */
static int copy_out(struct copier *copier, const char *data, size_t len)
{
	while (len && copier->target >= 0) {
		ssize_t done = -1;
		if (copier->kind != TARGET_SHARED)
			done = write_some(copier, data, len);
		if (done < 0 && (copier->kind == TARGET_SHARED || errno == EAGAIN || errno == EINTR)) {
			if (wait_for(copier, copier->target, POLLOUT) == ORDER_STOP)
				return 0;
			if (copier->kind != TARGET_SHARED)
				continue;
			done = write_some(copier, data, len);
			if (done < 0 && (errno == EAGAIN || errno == EINTR))
				continue;
		}
		if (done <= 0) {
			int unread = done < 0 && errno == EPIPE;
			uw_fd_close(&copier->target);
			return unread ? -1 : 0;
		}
		data += done;
		len -= (size_t)done;
	}
	return 0;
}

/* 1: something was read; 0: nothing is there now; -1: the end. */
static int copy_once(struct copier *copier)
{
	struct uw_process *process = copier->stream->process;
	struct pollfd ready = {copier->source, POLLIN, 0};
	ssize_t got;
	if (poll(&ready, 1, 0) <= 0)
		return 0;
	got = read(copier->source, copier->buffer, BUFFER_SIZE);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0)
		return -1;
	(void)pthread_mutex_lock(&process->lock);
	stream_take(copier->stream, copier->buffer, (size_t)got);
	(void)pthread_mutex_unlock(&process->lock);
	/* a pipe that nobody reads ends for the command too, as if it had written there itself */
	return copy_out(copier, copier->buffer, (size_t)got) < 0 && !copier->stream->is_pty ? -1 : 1;
}

static void *copier_main(void *argument)
{
	struct copier *copier = argument;
	struct uw_process *process = copier->stream->process;
	for (;;) {
		enum order order = wait_for(copier, copier->source, POLLIN);
		int r;
		if (order == ORDER_STOP)
			break;
		r = copy_once(copier);
		if (r < 0 || (r == 0 && order == ORDER_DRAIN))
			break;
	}
	uw_fd_close(&copier->target);
	(void)pthread_mutex_lock(&process->lock);
	stream_close(copier->stream);
	process_settle(process);
	(void)pthread_mutex_unlock(&process->lock);
	process_release(process);
	return NULL;
}

static int start_thread(struct copier *copier)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int r = pthread_attr_init(&attributes);
	if (r)
		return r;
	(void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	process_hold(copier->stream->process);
	r = pthread_create(&copier->thread, &attributes, copier_main, copier);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attributes);
	copier->running = r == 0;
	if (r)
		process_release(copier->stream->process);
	return r;
}

int copier_start(struct stream *stream, int target)
{
	struct copier *copier = calloc(1, sizeof *copier);
	int r;
	if (!copier)
		return ENOMEM;
	copier->stream = stream;
	copier->source = stream->fd;
	copier->target = copier->order_fd = -1;
	copier->buffer = malloc(BUFFER_SIZE);
	copier->order_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = !copier->buffer ? ENOMEM : copier->order_fd < 0 ? errno : open_target(copier, target);
	stream->copier = copier;
	if (r == 0)
		r = start_thread(copier);
	return r;
}

static void give_order(struct copier *copier, enum order order)
{
	uint64_t one = 1;
	if (atomic_load(&copier->order) < (int)order)
		atomic_store(&copier->order, order);
	(void)!write(copier->order_fd, &one, sizeof one);
}

void copier_drain(struct copier *copier)
{
	give_order(copier, ORDER_DRAIN);
}

void copier_stop(struct copier *copier)
{
	if (!copier || !copier->running)
		return;
	give_order(copier, ORDER_STOP);
	(void)pthread_join(copier->thread, NULL);
	copier->running = 0;
}

void copier_free(struct copier *copier)
{
	if (!copier)
		return;
	uw_fd_close(&copier->target);
	uw_fd_close(&copier->order_fd);
	free(copier->buffer);
	free(copier);
}
