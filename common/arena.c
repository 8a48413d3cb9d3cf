#include "common/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)4000)
#define ALIGNMENT  alignof(max_align_t)

struct uw_arena_block {
	struct uw_arena_block *next;
	size_t used, capacity;
	max_align_t data[];
};

static struct uw_arena_block *add_block(struct uw_arena *arena, size_t capacity)
{
	struct uw_arena_block *block;
	if (capacity > SIZE_MAX - sizeof *block)
		return NULL;
	block = calloc(1, sizeof *block + capacity);
	if (!block)
		return NULL;
	block->capacity = capacity;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

void *uw_arena_alloc(struct uw_arena *arena, size_t count, size_t size)
{
	struct uw_arena_block *block = arena->blocks;
	size_t need;
	void *pointer;
	if (arena->failed || (size && count > (SIZE_MAX / 2 - ALIGNMENT) / size)) {
		arena->failed = 1;
		return NULL;
	}
	need = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (need == 0)
		need = ALIGNMENT;
	if (!block || block->capacity - block->used < need)
		block = add_block(arena, need > BLOCK_SIZE ? need : BLOCK_SIZE);
	if (!block) {
		arena->failed = 1;
		return NULL;
	}
	pointer = (char *)block->data + block->used;
	block->used += need;
	return pointer;
}

char *uw_arena_copy(struct uw_arena *arena, const char *data, size_t len)
{
	char *copy = len < SIZE_MAX ? uw_arena_alloc(arena, len + 1, 1) : NULL;
	if (copy && len)
		memcpy(copy, data, len);
	return copy;
}

char *uw_arena_text(struct uw_arena *arena, const char *text)
{
	return text ? uw_arena_copy(arena, text, strlen(text)) : NULL;
}

char *uw_arena_printf(struct uw_arena *arena, const char *format, ...)
{
	va_list args, again;
	char *text;
	int len;
	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = len >= 0 ? uw_arena_alloc(arena, (size_t)len + 1, 1) : NULL;
	if (text)
		(void)vsnprintf(text, (size_t)len + 1, format, again);
	else
		arena->failed = 1;
	va_end(again);
	return text;
}

void uw_arena_finish(struct uw_arena *arena)
{
	int saved = errno;
	struct uw_arena_block *block = arena->blocks;
	while (block) {
		struct uw_arena_block *next = block->next;
		free(block);
		block = next;
	}
	*arena = (struct uw_arena)UW_ARENA_INIT;
	errno = saved;
}
