#include "common/text.h"

#include <string.h>

/* Starts a sequence by its first byte: how many must follow, and the bounds of the second. */
static void utf8_start(struct uw_utf8 *state, uint8_t byte)
{
	state->low = 0x80;
	state->high = 0xbf;
	if (byte >= 0xc2 && byte <= 0xdf) {
		state->need = 1;
	} else if (byte >= 0xe0 && byte <= 0xef) {
		state->need = 2;
		if (byte == 0xe0)
			state->low = 0xa0;
		if (byte == 0xed)
			state->high = 0x9f;
	} else if (byte >= 0xf0 && byte <= 0xf4) {
		state->need = 3;
		if (byte == 0xf0)
			state->low = 0x90;
		if (byte == 0xf4)
			state->high = 0x8f;
	} else {
		state->bad = 1;
	}
}

/* How many bytes from data are ASCII, eight at a time. */
static size_t ascii_run(const char *data, size_t len)
{
	size_t at = 0;
	while (at + 8 <= len) {
		uint64_t word;
		memcpy(&word, data + at, sizeof word);
		if (word & 0x8080808080808080u)
			break;
		at += 8;
	}
	while (at < len && (unsigned char)data[at] < 0x80)
		at++;
	return at;
}

void uw_utf8_feed(struct uw_utf8 *state, const char *data, size_t len)
{
	for (size_t i = 0; i < len && !state->bad; i++) {
		uint8_t byte = (uint8_t)data[i];
		if (state->need) {
			if (byte < state->low || byte > state->high) {
				state->bad = 1;
				return;
			}
			state->need--;
			state->low = 0x80;
			state->high = 0xbf;
		} else if (byte < 0x80) {
			i += ascii_run(data + i, len - i) - 1;
		} else {
			utf8_start(state, byte);
		}
	}
}

int uw_utf8_ok(const struct uw_utf8 *state)
{
	return !state->bad && !state->need;
}

int uw_utf8_valid(const char *data, size_t len)
{
	struct uw_utf8 state = {0};
	uw_utf8_feed(&state, data, len);
	return uw_utf8_ok(&state);
}

size_t uw_utf8_sequence(const char *data, size_t len)
{
	for (size_t take = 1; take <= 4 && take <= len; take++)
		if (uw_utf8_valid(data, take))
			return take;
	return 0;
}

void uw_lines_feed(struct uw_lines *lines, const char *data, size_t len)
{
	const char *at = data, *end = data + len;
	if (len == 0)
		return;
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		char before;
		if (!lf)
			break;
		before = lf > data ? lf[-1] : lines->bytes ? lines->last : '\0';
		if (before == '\r')
			lines->crlf++;
		else
			lines->lf++;
		at = lf + 1;
	}
	lines->last = end[-1];
	lines->bytes += len;
}

uint64_t uw_lines_total(const struct uw_lines *lines)
{
	return lines->lf + lines->crlf + (lines->bytes && lines->last != '\n' ? 1 : 0);
}

static void escape_byte(struct uw_buf *out, unsigned char byte)
{
	static const char hex[] = "0123456789abcdef";
	char text[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
	uw_buf_add(out, text, sizeof text);
}

void uw_text_escape(struct uw_buf *out, const char *data, size_t len)
{
	while (len > 0) {
		unsigned char byte = (unsigned char)*data;
		size_t take = uw_utf8_sequence(data, len);
		if (take == 0 || byte < 0x20 || byte == 0x7f || byte == '\\') {
			escape_byte(out, byte);
			take = 1;
		} else {
			uw_buf_add(out, data, take);
		}
		data += take;
		len -= take;
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int uw_text_escaped_byte(const char *data, size_t len)
{
	if (len < 4 || data[0] != '\\' || data[1] != 'x' || hex_value(data[2]) < 0 || hex_value(data[3]) < 0)
		return -1;
	return hex_value(data[2]) << 4 | hex_value(data[3]);
}

void uw_text_unescape(struct uw_buf *out, const char *data, size_t len)
{
	while (len > 0) {
		int byte = uw_text_escaped_byte(data, len);
		size_t take = byte < 0 ? 1 : 4;
		uw_buf_byte(out, byte < 0 ? *data : (char)byte);
		data += take;
		len -= take;
	}
}
