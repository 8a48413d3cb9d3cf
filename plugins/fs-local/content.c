#include "content.h"

#include "common/cleanup.h"

#include <stdlib.h>
#include <string.h>

void uwi_content_finish(struct uwi_content *content)
{
	int saved = errno;
	free(content->data);
	free(content->crlf);
	memset(content, 0, sizeof *content);
	errno = saved;
}

int uwi_content_reserve(struct uwi_content *content, size_t capacity)
{
	char *data;
	if (capacity <= content->capacity)
		return 0;
	/* large blocks move by their page tables: no second copy exists meanwhile */
	data = realloc(content->data, capacity);
	if (!data)
		return -1;
	content->data = data;
	content->capacity = capacity;
	return 0;
}

static int bit(const uint8_t *bits, size_t at)
{
	return bits[at / 8] >> (at % 8) & 1;
}

static void set_bit(uint8_t *bits, size_t at, int value)
{
	if (value)
		bits[at / 8] |= (uint8_t)(1u << at % 8);
}

static size_t count_lf(const char *data, size_t len)
{
	size_t count = 0;
	const char *at = data, *end = data + len;
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		count++;
		at++;
	}
	return count;
}

int uwi_content_fold(struct uwi_content *content)
{
	char *from = content->data, *to, *end = content->data + content->len;
	size_t line = 0;
	if (content->folded || content->len == 0 || !memmem(content->data, content->len, "\r\n", 2))
		return 0;
	content->endings = count_lf(content->data, content->len);
	content->crlf = calloc(content->endings / 8 + 1, 1);
	if (!content->crlf)
		return -1;
	for (to = from; from < end; line++) {
		char *lf = memchr(from, '\n', (size_t)(end - from));
		char *stop = lf ? lf : end;
		int crlf = lf && lf > from && lf[-1] == '\r';
		size_t take = (size_t)(stop - from) - (size_t)crlf;
		memmove(to, from, take);
		to += take;
		if (!lf)
			break;
		*to++ = '\n';
		set_bit(content->crlf, line, crlf);
		from = lf + 1;
	}
	content->len = (size_t)(to - content->data);
	content->folded = 1;
	return 0;
}

int uwi_content_unfold(struct uwi_content *content)
{
	size_t crlfs = 0, line = 0;
	char *from, *to, *end;
	if (!content->folded)
		return 0;
	for (size_t i = 0; i < content->endings; i++)
		crlfs += (size_t)bit(content->crlf, i);
	if (uwi_content_reserve(content, content->len + crlfs) < 0)
		return -1;
	/* out of the way to the end, then forward: what is written never catches up with what is read */
	from = content->data + crlfs;
	memmove(from, content->data, content->len);
	end = from + content->len;
	for (to = content->data; from < end; line++) {
		char *lf = memchr(from, '\n', (size_t)(end - from));
		size_t take = (size_t)((lf ? lf : end) - from);
		memmove(to, from, take);
		to += take;
		if (!lf)
			break;
		if (bit(content->crlf, line))
			*to++ = '\r';
		*to++ = '\n';
		from = lf + 1;
	}
	content->len += crlfs;
	content->folded = 0;
	free(content->crlf);
	content->crlf = NULL;
	content->endings = 0;
	return 0;
}

static const char *next_match(const char *data, size_t len, struct uw_bytes text)
{
	return len < text.len ? NULL : memmem(data, len, text.data, text.len);
}

void uwi_content_find(const struct uwi_content *content, struct uw_bytes text, struct uwi_found *found)
{
	const char *at = content->data, *end = content->data + content->len, *counted = at;
	uint64_t line = 1;
	memset(found, 0, sizeof *found);
	while (text.len && at && (at = next_match(at, (size_t)(end - at), text)) != NULL) {
		if (found->count == 0)
			found->first = (size_t)(at - content->data);
		if (found->count < UWI_CONTENT_LINES) {
			line += count_lf(counted, (size_t)(at - counted));
			counted = at;
			found->lines[found->count] = line;
		}
		found->count++;
		at += text.len;
	}
}

/* One replacement of many in progress: bytes move from src to dst, endings from one bitmap to another. */
struct splicing {
	struct uwi_content *content;
	const char *src, *src_end;
	char *dst;
	struct uw_bytes insert;
	uint8_t *bits; /* NULL: not folded */
	size_t line_in, line_out;
};

static void pass(struct splicing *job, const char *to)
{
	size_t len = (size_t)(to - job->src);
	if (job->bits)
		for (size_t n = count_lf(job->src, len); n > 0; n--)
			set_bit(job->bits, job->line_out++, bit(job->content->crlf, job->line_in++));
	memmove(job->dst, job->src, len);
	job->dst += len;
	job->src = to;
}

/* The ending for the n-th new line: of the line it replaces, else of its neighbour above, else below. */
static int local_ending(const struct splicing *job, size_t n, size_t removed)
{
	const struct uwi_content *content = job->content;
	if (removed)
		return bit(content->crlf, job->line_in + (n < removed ? n : removed - 1));
	if (job->line_in > 0)
		return bit(content->crlf, job->line_in - 1);
	return content->endings ? bit(content->crlf, 0) : 0;
}

static void put_new(struct splicing *job, size_t skip)
{
	size_t removed = job->bits ? count_lf(job->src, skip) : 0, n = 0;
	for (size_t i = 0; job->bits && i < job->insert.len; i++) {
		if (job->insert.data[i] != '\n')
			continue;
		/* a CR that the new text has itself stays a byte of its own before a bare LF */
		set_bit(job->bits, job->line_out++,
		        i > 0 && job->insert.data[i - 1] == '\r' ? 0 : local_ending(job, n, removed));
		n++;
	}
	if (job->insert.len)
		memcpy(job->dst, job->insert.data, job->insert.len);
	job->dst += job->insert.len;
	job->src += skip;
	job->line_in += removed;
}

/* How many bytes both begin, then end with. */
static size_t alike_before(struct uw_bytes a, struct uw_bytes b)
{
	size_t n = 0;
	while (n < a.len && n < b.len && a.data[n] == b.data[n])
		n++;
	return n;
}

/* A common LF that the new text has a CR before is a change of its ending: not alike. */
static size_t alike_after(struct uw_bytes a, struct uw_bytes b, size_t before)
{
	size_t n = 0;
	while (n < a.len - before && n < b.len - before && a.data[a.len - 1 - n] == b.data[b.len - 1 - n])
		n++;
	while (n > 0 && b.data[b.len - n] == '\n' && b.len > n && b.data[b.len - n - 1] == '\r')
		n--;
	return n;
}

int uwi_content_replace(struct uwi_content *content, struct uw_bytes old_text, struct uw_bytes new_text,
                        size_t count, size_t size_max)
{
	size_t before = alike_before(old_text, new_text), after = alike_after(old_text, new_text, before);
	size_t gone = old_text.len - before - after, come = new_text.len - before - after;
	struct splicing job = {.content = content, .insert = {new_text.data + before, come}};
	size_t len, new_lfs = count_lf(new_text.data + before, come);
	if (come > gone && (come - gone) > (SIZE_MAX / 4 - content->len) / (count ? count : 1))
		return -2;
	len = content->len + count * come - count * gone;
	if (len > size_max)
		return -2;
	if (content->folded) {
		if (new_lfs > (SIZE_MAX / 4 - content->endings) / (count ? count : 1))
			return -1;
		job.bits = calloc((content->endings + count * new_lfs) / 8 + 1, 1);
		if (!job.bits)
			return -1;
	}
	if (uwi_content_reserve(content, len) < 0) {
		free(job.bits);
		return -1;
	}
	job.dst = content->data;
	job.src = content->data;
	if (len > content->len) {
		job.src = content->data + (len - content->len);
		memmove(content->data + (len - content->len), content->data, content->len);
	}
	job.src_end = job.src + content->len;
	for (const char *from = job.src; count > 0; count--) {
		const char *at = next_match(from, (size_t)(job.src_end - from), old_text);
		if (!at)
			break; /* cannot be: they were counted on these very bytes */
		from = at + old_text.len;
		pass(&job, at + before);
		put_new(&job, gone);
	}
	pass(&job, job.src_end);
	content->len = len;
	if (content->folded) {
		free(content->crlf);
		content->crlf = job.bits;
		content->endings = job.line_out;
	}
	return 0;
}
