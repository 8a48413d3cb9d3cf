/*
 * What is kept of one output stream in memory: its first head_max and its last
 * tail_max bytes, under offsets of the whole stream (P-4). Memory grows with the
 * output up to head_max + tail_max and never beyond. Where it cannot be had, less
 * is kept and the stream is lossy earlier; adding never fails.
 *
 * Not thread-safe: the process's lock guards it.
 */
#ifndef UW_SUBPROCESS_COLLECTOR_H
#define UW_SUBPROCESS_COLLECTOR_H

#include <umwelt/subprocess.h>

#include <stddef.h>
#include <stdint.h>

struct collector {
	uint64_t head_max, tail_max;
	uint64_t total; /* bytes of the stream */
	char *head;
	size_t head_len, head_capacity;
	char *ring; /* the last ring_len bytes, the oldest at ring_at */
	size_t ring_len, ring_at, ring_capacity;
	int ended; /* no more bytes come: a partial character is delivered as it is */
};

void collector_init(struct collector *collector, uint64_t head_max, uint64_t tail_max);
void collector_finish(struct collector *collector);
void collector_add(struct collector *collector, const char *data, size_t len);

/* 1 if bytes between head and tail are gone. */
int collector_lossy(const struct collector *collector);
/* Fills total, head_len, tail_offset and lossy; ends of what is kept lie between characters. */
void collector_facts(const struct collector *collector, struct uw_stream_facts *ret_facts);
/*
 * Copies up to max bytes of one contiguous run from `offset` on, or from the next
 * kept byte after it, into data; ends between characters where it can.
 */
size_t collector_read(const struct collector *collector, uint64_t offset, char *data, size_t max,
                      uint64_t *ret_offset);
/* Copies bytes as they are, without regard to characters: for the spill file. */
size_t collector_raw(const struct collector *collector, uint64_t offset, char *data, size_t max);

#endif
