/* Bytes as text. Pure functions over memory. */
#include "cmd/text.h"

#include <string.h>

int cmd_text_is_plain(const char *data, size_t len)
{
	return uw_utf8_valid(data, len) && (len == 0 || !memchr(data, '\0', len));
}

static void add_hex(struct uw_buf *buf, char byte)
{
	uw_buf_printf(buf, "\\x%02x", (unsigned)(unsigned char)byte);
}

void cmd_text_escape(struct uw_buf *buf, const char *data, size_t len)
{
	size_t at = 0;
	while (at < len) {
		size_t step = uw_utf8_sequence(data + at, len - at);
		if (step == 0 || data[at] == '\0' || data[at] == '\\') {
			add_hex(buf, data[at]);
			step = 1;
		} else {
			uw_buf_add(buf, data + at, step);
		}
		at += step;
	}
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
		size_t step = uw_utf8_sequence(data + at, len - at);
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
