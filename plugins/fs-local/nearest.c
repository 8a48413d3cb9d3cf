/*
 * The nearest text to one that was not found, for the error only: nothing is ever
 * written by likeness. Lines are compared with their white space squeezed, by how
 * many bytes they begin and end with alike. Work is bounded whatever the content.
 */
#include "content.h"

#include <string.h>

#define SQUEEZED   128          /* of a line, so much is compared */
#define LOOK_BYTES (4u << 20)
#define LOOK_LINES 50000u
#define NEAR_LINES 5
#define NEAR_BYTES 400

struct squeezed {
	char text[SQUEEZED];
	size_t len;
};

static int blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void squeeze(const char *line, size_t len, struct squeezed *out)
{
	out->len = 0;
	for (size_t i = 0; i < len && out->len < SQUEEZED; i++)
		if (!blank(line[i]))
			out->text[out->len++] = line[i];
}

/* 0..100: how much of the longer one the common beginning and end make up. */
static unsigned likeness(const struct squeezed *a, const struct squeezed *b)
{
	size_t shorter = a->len < b->len ? a->len : b->len, longer = a->len < b->len ? b->len : a->len;
	size_t head = 0, tail = 0;
	if (longer == 0)
		return 0;
	while (head < shorter && a->text[head] == b->text[head])
		head++;
	while (tail < shorter - head && a->text[a->len - 1 - tail] == b->text[b->len - 1 - tail])
		tail++;
	return (unsigned)((head + tail) * 100 / longer);
}

/* The line of the text that says most: the longest one squeezed; and which one it is. */
static size_t telling_line(struct uw_bytes text, struct squeezed *out)
{
	const char *at = text.data, *end = text.data + text.len;
	size_t best = 0;
	out->len = 0;
	for (size_t n = 0; at < end && n < 64; n++) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		struct squeezed line;
		squeeze(at, (size_t)((lf ? lf : end) - at), &line);
		if (line.len > out->len) {
			*out = line;
			best = n;
		}
		if (!lf)
			break;
		at = lf + 1;
	}
	return best;
}

/* From the start of `line` back `lines` more, and forward as far as is shown. */
static struct uw_bytes stretch(const struct uwi_content *content, const char *line, size_t back, uint64_t *number)
{
	const char *from = line, *to, *end = content->data + content->len;
	while (back > 0 && from > content->data) {
		from--;
		while (from > content->data && from[-1] != '\n')
			from--;
		back--;
		(*number)--;
	}
	to = from;
	for (size_t n = 0; n < NEAR_LINES && to < end && (size_t)(to - from) < NEAR_BYTES; n++) {
		const char *lf = memchr(to, '\n', (size_t)(end - to));
		to = lf ? lf + 1 : end;
	}
	if (to > from && to[-1] == '\n')
		to--;
	return (struct uw_bytes){from, (size_t)(to - from) < NEAR_BYTES ? (size_t)(to - from) : NEAR_BYTES};
}

int uwi_content_nearest(const struct uwi_content *content, struct uw_bytes text, uint64_t *ret_line,
                        struct uw_bytes *ret_near)
{
	const char *at = content->data, *end = content->data + content->len, *best_at = NULL;
	struct squeezed wanted;
	size_t which = telling_line(text, &wanted);
	unsigned best = 39; /* less is no likeness */
	uint64_t best_line = 0;
	if (content->len > LOOK_BYTES)
		end = content->data + LOOK_BYTES;
	for (uint64_t line = 1; at && at < end && line <= LOOK_LINES && wanted.len; line++) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		struct squeezed here;
		unsigned alike;
		squeeze(at, (size_t)((lf ? lf : end) - at), &here);
		alike = likeness(&wanted, &here);
		if (alike > best) {
			best = alike;
			best_at = at;
			best_line = line;
		}
		at = lf ? lf + 1 : end;
	}
	if (!best_at)
		return 0;
	*ret_near = stretch(content, best_at, which, &best_line);
	*ret_line = best_line;
	return 1;
}
