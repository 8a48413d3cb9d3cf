/*
 * An arena: many small allocations that end together. What it hands out is
 * zeroed and aligned for any object. Once an allocation failed, `failed` stays
 * set; a caller may check it once at the end instead of each pointer, as long as
 * it dereferences none before. Not thread-safe.
 */
#ifndef UW_COMMON_ARENA_H
#define UW_COMMON_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct uw_arena_block;

struct uw_arena {
	struct uw_arena_block *blocks; /* newest first */
	int failed;
};

#define UW_ARENA_INIT                                                                            \
	{                                                                                            \
		NULL, 0                                                                                  \
	}

/* count * size bytes, zeroed; NULL and failed if they cannot be had. */
void *uw_arena_alloc(struct uw_arena *arena, size_t count, size_t size);
/* A copy with a NUL after it. NULL data of length 0 is the empty string. */
char *uw_arena_copy(struct uw_arena *arena, const char *data, size_t len);
/* A copy of a string; NULL stays NULL and is no failure. */
char *uw_arena_text(struct uw_arena *arena, const char *text);
char *uw_arena_printf(struct uw_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Frees all of it; the arena can be used again. Keeps errno. */
void uw_arena_finish(struct uw_arena *arena);

#define UW_AUTO_ARENA __attribute__((cleanup(uw_arena_finish))) struct uw_arena

#endif
