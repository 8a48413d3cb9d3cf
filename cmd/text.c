/* Bytes as text. Pure functions over memory. */
#include "cmd/text.h"

#include <string.h>

static unsigned continuation(const char *data, size_t len, size_t at)
{
	return at < len && ((unsigned char)data[at] & 0xc0) == 0x80;
}

size_t cmd_utf8_length(const char *data, size_t len)
{
	unsigned char first, second;
	if (len == 0)
		return 0;
	first = (unsigned char)data[0];
	second = len > 1 ? (unsigned char)data[1] : 0;
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4 || !continuation(data, len, 1))
		return 0;
	if (first < 0xe0)
		return 2;
	if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
	    (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) ||
	    !continuation(data, len, 2))
		return 0;
	if (first < 0xf0)
		return 3;
	return continuation(data, len, 3) ? 4 : 0;
}

int cmd_text_is_plain(const char *data, size_t len)
{
	size_t at = 0, step;
	while (at < len) {
		step = cmd_utf8_length(data + at, len - at);
		if (step == 0 || data[at] == '\0')
			return 0;
		at += step;
	}
	return 1;
}

static void add_hex(struct uw_buf *buf, char byte)
{
	uw_buf_printf(buf, "\\x%02x", (unsigned)(unsigned char)byte);
}

void cmd_text_escape(struct uw_buf *buf, const char *data, size_t len)
{
	size_t at = 0;
	while (at < len) {
		size_t step = cmd_utf8_length(data + at, len - at);
		if (step == 0 || data[at] == '\0') {
			add_hex(buf, data[at]);
			step = 1;
		} else if (data[at] == '\\') {
			uw_buf_text(buf, "\\\\");
		} else {
			uw_buf_add(buf, data + at, step);
		}
		at += step;
	}
}

static int hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}

int cmd_text_unescape(struct uw_buf *buf, const char *text, size_t len)
{
	size_t at = 0;
	while (at < len) {
		if (text[at] != '\\') {
			uw_buf_byte(buf, text[at++]);
		} else if (at + 1 < len && text[at + 1] == '\\') {
			uw_buf_byte(buf, '\\');
			at += 2;
		} else if (at + 3 < len && text[at + 1] == 'x' && hex_value(text[at + 2]) >= 0 &&
		           hex_value(text[at + 3]) >= 0) {
			uw_buf_byte(buf, (char)(hex_value(text[at + 2]) * 16 + hex_value(text[at + 3])));
			at += 4;
		} else {
			return -1;
		}
	}
	return 0;
}

/* Control characters of ASCII, of C1 (two bytes in UTF-8), and the line separators. */
static int is_control(const char *data, size_t step)
{
	unsigned char first = (unsigned char)data[0], second = step > 1 ? (unsigned char)data[1] : 0;
	if (step == 1)
		return first < 0x20 || first == 0x7f;
	if (step == 2)
		return first == 0xc2 && second < 0xa0;
	/* U+2028..202E and U+2066..2069: separators and overrides of direction */
	if (step == 3 && first == 0xe2 && second == 0x80)
		return (unsigned char)data[2] >= 0xa8 && (unsigned char)data[2] <= 0xae;
	return step == 3 && first == 0xe2 && second == 0x81 && (unsigned char)data[2] >= 0xa6 &&
	       (unsigned char)data[2] <= 0xa9;
}

void cmd_text_show(struct uw_buf *buf, const char *data, size_t len, const char *indent)
{
	size_t at = 0;
	while (at < len) {
		size_t step = cmd_utf8_length(data + at, len - at);
		if (indent && data[at] == '\n') {
			uw_buf_byte(buf, '\n');
			uw_buf_text(buf, indent);
		} else if (step == 0 || is_control(data + at, step)) {
			step = step ? step : 1;
			for (size_t i = 0; i < step; i++)
				add_hex(buf, data[at + i]);
		} else {
			uw_buf_add(buf, data + at, step);
		}
		at += step;
	}
}
