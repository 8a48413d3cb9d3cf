#include "collector.h"

#include "common/utf8_cut.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 4096u

void collector_init(struct collector *collector, uint64_t head_max, uint64_t tail_max)
{
	memset(collector, 0, sizeof *collector);
	collector->head_max = head_max < SIZE_MAX / 4 ? head_max : SIZE_MAX / 4;
	collector->tail_max = tail_max < SIZE_MAX / 4 ? tail_max : SIZE_MAX / 4;
}

void collector_finish(struct collector *collector)
{
	free(collector->head);
	free(collector->ring);
	collector->head = collector->ring = NULL;
	collector->head_len = collector->ring_len = 0;
	collector->head_capacity = collector->ring_capacity = 0;
}

static size_t grown(size_t capacity, size_t wanted, uint64_t max)
{
	size_t size = capacity ? capacity : FIRST_CAPACITY;
	while (size < wanted)
		size *= 2;
	return size < max ? size : (size_t)max;
}

/* Bytes that went to the head: contiguous from 0. */
static size_t add_head(struct collector *collector, const char *data, size_t len)
{
	size_t room, wanted;
	if (collector->total > collector->head_len || collector->head_len >= collector->head_max)
		return 0;
	room = (size_t)collector->head_max - collector->head_len;
	if (len > room)
		len = room;
	wanted = collector->head_len + len;
	if (wanted > collector->head_capacity) {
		size_t capacity = grown(collector->head_capacity, wanted, collector->head_max);
		char *head = realloc(collector->head, capacity);
		if (!head)
			return 0;
		collector->head = head;
		collector->head_capacity = capacity;
	}
	memcpy(collector->head + collector->head_len, data, len);
	collector->head_len += len;
	return len;
}

/* Makes the ring larger, its oldest byte first. What cannot be had is done without. */
static void ring_grow(struct collector *collector, size_t more)
{
	size_t wanted, capacity, first;
	char *ring;
	if (collector->ring_capacity >= collector->tail_max ||
	    (collector->ring && more <= collector->ring_capacity - collector->ring_len))
		return;
	wanted = more < collector->tail_max ? collector->ring_len + more : (size_t)collector->tail_max;
	capacity = grown(collector->ring_capacity, wanted, collector->tail_max);
	ring = malloc(capacity);
	if (!ring)
		return;
	first = collector->ring_capacity - collector->ring_at;
	if (first > collector->ring_len)
		first = collector->ring_len;
	if (collector->ring_len) {
		memcpy(ring, collector->ring + collector->ring_at, first);
		memcpy(ring + first, collector->ring, collector->ring_len - first);
	}
	free(collector->ring);
	collector->ring = ring;
	collector->ring_at = 0;
	collector->ring_capacity = capacity;
}

static void add_tail(struct collector *collector, const char *data, size_t len)
{
	size_t capacity, at, first;
	ring_grow(collector, len);
	capacity = collector->ring_capacity;
	if (!capacity)
		return;
	if (len >= capacity) {
		memcpy(collector->ring, data + (len - capacity), capacity);
		collector->ring_at = 0;
		collector->ring_len = capacity;
		return;
	}
	at = (collector->ring_at + collector->ring_len) % capacity;
	first = capacity - at < len ? capacity - at : len;
	memcpy(collector->ring + at, data, first);
	memcpy(collector->ring, data + first, len - first);
	if (collector->ring_len + len <= capacity) {
		collector->ring_len += len;
	} else {
		collector->ring_at = (collector->ring_at + collector->ring_len + len) % capacity;
		collector->ring_len = capacity;
	}
}

void collector_add(struct collector *collector, const char *data, size_t len)
{
	size_t taken = len ? add_head(collector, data, len) : 0;
	collector->total += taken;
	if (len > taken) {
		add_tail(collector, data + taken, len - taken);
		collector->total += len - taken;
	}
}

static uint64_t ring_offset(const struct collector *collector)
{
	return collector->total - collector->ring_len;
}

int collector_lossy(const struct collector *collector)
{
	return ring_offset(collector) > collector->head_len;
}

static char ring_byte(const struct collector *collector, size_t index)
{
	return collector->ring[(collector->ring_at + index) % collector->ring_capacity];
}

void collector_facts(const struct collector *collector, struct uw_stream_facts *ret_facts)
{
	ret_facts->total = collector->total;
	ret_facts->head_len = collector->head_len;
	ret_facts->tail_offset = ring_offset(collector);
	ret_facts->lossy = (uint32_t)collector_lossy(collector);
	if (!ret_facts->lossy)
		return;
	ret_facts->head_len -= uw_utf8_partial_end(collector->head, collector->head_len);
	if (collector->ring_len >= 4) {
		char first[4];
		for (size_t i = 0; i < sizeof first; i++)
			first[i] = ring_byte(collector, i);
		ret_facts->tail_offset += uw_utf8_partial_start(first, sizeof first);
	}
}

size_t collector_raw(const struct collector *collector, uint64_t offset, char *data, size_t max)
{
	size_t copied = 0;
	uint64_t ring_start = ring_offset(collector);
	if (offset < collector->head_len) {
		copied = collector->head_len - (size_t)offset;
		copied = copied < max ? copied : max;
		memcpy(data, collector->head + offset, copied);
	}
	offset += copied;
	if (offset >= ring_start && offset < collector->total && copied < max) {
		size_t index = (size_t)(offset - ring_start), count = collector->ring_len - index, at, first;
		count = count < max - copied ? count : max - copied;
		at = (collector->ring_at + index) % collector->ring_capacity;
		first = collector->ring_capacity - at < count ? collector->ring_capacity - at : count;
		memcpy(data + copied, collector->ring + at, first);
		memcpy(data + copied + first, collector->ring, count - first);
		copied += count;
	}
	return copied;
}

size_t collector_read(const struct collector *collector, uint64_t offset, char *data, size_t max,
                      uint64_t *ret_offset)
{
	struct uw_stream_facts facts = {0};
	size_t len, partial;
	collector_facts(collector, &facts);
	if (offset > collector->total)
		offset = collector->total;
	if (facts.lossy && offset >= facts.head_len && offset < facts.tail_offset)
		offset = facts.tail_offset;
	*ret_offset = offset;
	if (facts.lossy && offset < facts.head_len && max > facts.head_len - offset)
		max = (size_t)(facts.head_len - offset);
	len = collector_raw(collector, offset, data, max);
	/* the end of the stream is not the middle of a character that will go on */
	if (collector->ended && offset + len == collector->total)
		return len;
	partial = uw_utf8_partial_end(data, len);
	/* a window narrower than one character must not stand still for ever */
	return partial < len || offset + len == collector->total ? len - partial : len;
}
