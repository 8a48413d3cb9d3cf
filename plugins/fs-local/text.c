/*
 * read_text: a page of lines, and what the whole content is as text (F-12). The
 * file passes once through a small buffer: class, endings and digest are gathered
 * of all of it, the lines asked for go to the sink on the way.
 */
#include "local.h"

#include "common/text.h"
#include "common/version.h"

#include <errno.h>
#include <string.h>

#define CHUNK (64u << 10)

struct scan {
	const struct uw_text_request *request;
	struct uw_sink sink;
	struct uw_utf8 utf8;
	struct uw_lines lines;
	struct uw_blake2b hash;
	uint64_t line; /* 1-based number of the line that the next byte belongs to */
	uint64_t delivered_first, delivered_last;
	int binary, bom, sink_code;
};

static int wanted(const struct scan *scan, uint64_t line)
{
	uint64_t first = scan->request->first_line, last = scan->request->last_line;
	return line >= (first ? first : 1) && (last == 0 || line <= last);
}

/* Lines of a chunk to the sink, those that are wanted; neighbours go together. */
static int deliver(struct scan *scan, const char *data, size_t len)
{
	const char *at = data, *end = data + len, *from = NULL;
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		const char *next = lf ? lf + 1 : end;
		int take = wanted(scan, scan->line);
		if (take) {
			if (!from)
				from = at;
			if (!scan->delivered_first)
				scan->delivered_first = scan->line;
			scan->delivered_last = scan->line;
		}
		if (from && (!take || next == end)) {
			const char *to = take ? next : at;
			scan->sink_code = scan->sink.write(scan->sink.arg, from, (size_t)(to - from));
			if (scan->sink_code < 0)
				return scan->sink_code;
			from = NULL;
		}
		if (lf)
			scan->line++;
		at = next;
	}
	return 0;
}

/* The first piece holds at least the sniffed bytes, or all there is. */
static void sniff(struct scan *scan, const char *data, size_t len)
{
	size_t look = len < UW_TEXT_SNIFF ? len : UW_TEXT_SNIFF;
	scan->binary = memchr(data, '\0', look) != NULL;
	scan->bom = len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0;
}

static int take(struct scan *scan, const char *data, size_t len)
{
	size_t skip = 0;
	if (scan->lines.bytes == 0) {
		sniff(scan, data, len);
		skip = scan->bom ? 3 : 0;
	}
	if (scan->lines.bytes + len <= UW_VERSION_DIGEST_MAX)
		uw_blake2b_update(&scan->hash, data, len);
	uw_utf8_feed(&scan->utf8, data, len);
	uw_lines_feed(&scan->lines, data, len);
	return scan->binary ? 0 : deliver(scan, data + skip, len - skip);
}

static int too_large(const struct uw_target *target, struct uw_error *err)
{
	return uwi_fsl_error(err, UW_E_FS_TOO_LARGE, UW_STAGE_READ, "read", target->display,
	                     "it is larger than 64 MiB; read it in pieces, by offset and length");
}

/* All of the file through take(). The first chunk is filled, so that the sniff sees enough. */
static int scan_file(struct scan *scan, const struct uw_call *call, const struct uw_target *target, int fd,
                     uint64_t limit, struct uw_error *err)
{
	UW_AUTO_FREE char *data = malloc(CHUNK);
	uint64_t done = 0;
	size_t held = 0;
	if (!data)
		return uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_READ, "read", target->display, "no memory");
	for (;;) {
		uint64_t left = limit - done - held;
		size_t room = CHUNK - held < left ? CHUNK - held : (size_t)left;
		ssize_t got;
		int code = uw_call_check(call, UW_STAGE_READ, err);
		if (code < 0)
			return code;
		got = room ? pread(fd, data + held, room, (off_t)(done + held)) : 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return uwi_fsl_error(err, UW_E_FS_NOT_REGULAR_FILE, UW_STAGE_READ, "read", target->display,
			                     "a read of it would wait");
		if (got < 0)
			return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno, "read", target->display);
		held += (size_t)got;
		if (got > 0 && held < CHUNK)
			continue;
		if (held && take(scan, data, held) < 0)
			return uw_fail(err, scan->sink_code, UW_STAGE_READ, UW_EFFECT_NONE, 0,
			               "the receiver of the content gave up");
		done += held;
		held = 0;
		if (done >= UW_FS_TEXT_MAX + 1)
			return too_large(target, err);
		if (got == 0)
			return 0;
	}
}

static void conclude(const struct uwi_fsl *self, struct scan *scan, const struct stat *st,
                     struct uw_text_info *info)
{
	memset(info, 0, sizeof *info);
	info->size = sizeof *info;
	info->text_class = scan->binary ? UW_TEXT_BINARY : uw_utf8_ok(&scan->utf8) ? UW_TEXT_UTF8 : UW_TEXT_BYTES;
	info->eol = scan->lines.lf && scan->lines.crlf ? UW_EOL_MIXED
	            : scan->lines.crlf                 ? UW_EOL_CRLF
	            : scan->lines.lf                   ? UW_EOL_LF
	                                               : UW_EOL_NONE;
	info->has_bom = scan->bom && !scan->binary;
	info->last_line_ends = scan->lines.bytes == 0 || scan->lines.last == '\n';
	info->total_lines = uw_lines_total(&scan->lines);
	if (info->has_bom && scan->lines.bytes == 3)
		info->total_lines = 0;
	info->total_bytes = scan->lines.bytes;
	info->first_line = scan->delivered_first;
	info->last_line = scan->delivered_last;
	uw_version_of_stat(st, self->realm_id, &info->version);
	if (scan->lines.bytes <= UW_VERSION_DIGEST_MAX) {
		uw_blake2b_finish(&scan->hash, info->version.digest);
		info->version.has_digest = 1;
	}
}

int uwi_fsl_read_text(void *self, const struct uw_call *call, const struct uw_target *target,
                      const struct uw_text_request *request, struct uw_sink sink,
                      struct uw_text_info *ret_info, struct uw_error *err)
{
	static const struct uw_text_request all = {sizeof all, 0, 0};
	struct scan scan;
	struct uw_text_info info;
	struct stat st;
	UW_AUTO_FD fd = -1;
	int code = uw_call_check(call, UW_STAGE_READ, err);
	if (code == 0)
		code = uwi_fsl_open_file(self, call, target, &fd, &st, err);
	if (code < 0)
		return code;
	if ((uint64_t)st.st_size > UW_FS_TEXT_MAX)
		return too_large(target, err);
	memset(&scan, 0, sizeof scan);
	scan.request = request ? request : &all;
	scan.sink = sink;
	scan.line = 1;
	uw_blake2b_init(&scan.hash, UW_DIGEST_SIZE);
	/* what grows meanwhile is read as far as it was; what has no size, as in /proc, to its end */
	code = scan_file(&scan, call, target, fd, st.st_size ? (uint64_t)st.st_size : UW_FS_TEXT_MAX + 1, err);
	if (code < 0)
		return code;
	conclude(self, &scan, &st, &info);
	if (ret_info)
		uwi_fsl_copy_out(ret_info, &info, sizeof info);
	return 0;
}
