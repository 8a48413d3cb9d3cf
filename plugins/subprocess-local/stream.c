/* One collected stream: reading it, and what becomes of the bytes. */
#include "process.h"

#include "common/cleanup.h"
#include "copier.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* A pipe that was found this full is made larger: fewer, longer reads. */
#define PIPE_BUSY  (60u << 10)
#define PIPE_LARGE (1 << 20)
/* Reading to the end stops here where somebody outside the range goes on writing. */
#define DRAIN_READS 64

void stream_init(struct stream *stream, struct uw_process *process)
{
	stream->process = process;
	stream->fd = -1;
	spill_init(&stream->spill);
	collector_init(&stream->collector, 0, 0);
}

void stream_finish(struct stream *stream)
{
	copier_free(stream->copier);
	stream->copier = NULL;
	collector_finish(&stream->collector);
	spill_finish(&stream->spill);
}

/* What was kept until now goes to the file first: it is all of the stream, this once. */
static int begin_spill(struct stream *stream)
{
	char part[4096];
	uint64_t offset = 0;
	size_t len;
	if (spill_open(&stream->spill) < 0)
		return -1;
	while ((len = collector_raw(&stream->collector, offset, part, sizeof part)) > 0) {
		spill_add(&stream->spill, part, len);
		offset += len;
	}
	return 0;
}

static void check_limit(struct uw_process *process)
{
	uint64_t total = process->streams[0].collector.total + process->streams[1].collector.total;
	if (process->limits.output_bytes && total > process->limits.output_bytes)
		process_end(process, CAUSE_OUTPUT, 0);
}

void stream_take(struct stream *stream, const char *data, size_t len)
{
	struct collector *collector = &stream->collector;
	uint64_t room = collector->head_max + collector->tail_max;
	if (stream->spill.max && !stream->spill.failed && stream->spill.fd < 0 &&
	    collector->total + len > room)
		(void)begin_spill(stream);
	spill_add(&stream->spill, data, len);
	collector_add(collector, data, len);
	check_limit(stream->process);
}

void stream_close(struct stream *stream)
{
	if (stream->fd < 0)
		return;
	stream->collector.ended = 1;
	spill_end(&stream->spill);
	pump_unwatch(&stream->process->provider->pump, stream->fd);
	if (!stream->is_pty)
		uw_fd_close(&stream->fd);
	stream->fd = -1;
}

int stream_pull(struct stream *stream, char *buffer, size_t size)
{
	ssize_t got;
	if (stream->fd < 0)
		return -1;
	if (stream->is_pty) {
		struct pollfd ready = {stream->fd, POLLIN, 0};
		if (poll(&ready, 1, 0) <= 0)
			return 0;
	}
	got = read(stream->fd, buffer, size);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0) {
		/* a PTY without a slave says EIO */
		stream_close(stream);
		return -1;
	}
	if ((size_t)got >= PIPE_BUSY && !stream->enlarged && !stream->is_pty) {
		(void)fcntl(stream->fd, F_SETPIPE_SZ, PIPE_LARGE);
		stream->enlarged = 1;
	}
	stream_take(stream, buffer, (size_t)got);
	return 1;
}

void stream_drain(struct stream *stream, char *buffer, size_t size)
{
	int reads = 0;
	while (reads++ < DRAIN_READS && stream_pull(stream, buffer, size) > 0)
		;
}
