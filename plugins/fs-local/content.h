/*
 * A file's content in memory while it is edited: one buffer, changed in place, so
 * that the peak stays near the size of the larger of old and new (F-11).
 *
 * Folded, each CRLF stands as a LF in data, and one bit per line ending remembers
 * which were CRLF: texts given with LF match, and every ending outside a change
 * stays as it was. A lone CR is a byte like any other. Owned by one call.
 */
#ifndef UWI_FSL_CONTENT_H
#define UWI_FSL_CONTENT_H

#include <umwelt/types.h>

#include <stddef.h>
#include <stdint.h>

struct uwi_content {
	char *data;
	size_t len, capacity;
	int folded;
	uint8_t *crlf;  /* bit per line ending, while folded */
	size_t endings;
};

#define UWI_CONTENT_LINES 20

/* What a search found. Lines are 1-based, the first UWI_CONTENT_LINES of them. */
struct uwi_found {
	size_t count;
	size_t first; /* where the first one starts */
	uint64_t lines[UWI_CONTENT_LINES];
};

void uwi_content_finish(struct uwi_content *content);
#define UWI_AUTO_CONTENT __attribute__((cleanup(uwi_content_finish))) struct uwi_content

/* Room for so many bytes in all: 0, or -1 without memory. */
int uwi_content_reserve(struct uwi_content *content, size_t capacity);
/* Both do nothing where nothing is to be done. 0, or -1 without memory. */
int uwi_content_fold(struct uwi_content *content);
int uwi_content_unfold(struct uwi_content *content);
/* Non-overlapping occurrences from left to right. */
void uwi_content_find(const struct uwi_content *content, struct uw_bytes text, struct uwi_found *found);
/*
 * Replaces `count` occurrences from the first on. Bytes that old and new begin and
 * end with alike are not touched; a LF of the new text that no CR precedes takes
 * the local ending. 0; -1 without memory; -2 if it grew over size_max.
 */
int uwi_content_replace(struct uwi_content *content, struct uw_bytes old_text, struct uw_bytes new_text,
                        size_t count, size_t size_max);
/*
 * The stretch of text nearest to what was not found, within a bounded amount of
 * work: 1, or 0 if nothing is alike.
 */
int uwi_content_nearest(const struct uwi_content *content, struct uw_bytes text, uint64_t *ret_line,
                        struct uw_bytes *ret_near);

#endif
