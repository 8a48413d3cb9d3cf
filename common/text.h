/*
 * What can be said of bytes as text (F-12): UTF-8 or not, which line endings, how
 * many lines; and the one escape by which bytes that are no text are shown.
 * The scanner takes a content piece by piece; no allocation, no failure. Any
 * thread, one scanner per thread.
 */
#ifndef UW_COMMON_TEXT_H
#define UW_COMMON_TEXT_H

#include "common/buf.h"

#include <stddef.h>
#include <stdint.h>

/* A NUL in so many first bytes makes a content binary. */
#define UW_TEXT_SNIFF 8192

/*
 * Strict UTF-8 (no overlong forms, no surrogates, nothing over U+10FFFF) over
 * pieces. All zero is the start. Once `bad` is set it stays.
 */
struct uw_utf8 {
	uint32_t need;    /* continuation bytes that must follow */
	uint8_t low, high; /* bounds of the next one */
	uint8_t bad;
};

void uw_utf8_feed(struct uw_utf8 *state, const char *data, size_t len);
/* 1 if all that was fed is whole, valid UTF-8. */
int uw_utf8_ok(const struct uw_utf8 *state);
/* 1 if the bytes are whole, valid UTF-8. */
int uw_utf8_valid(const char *data, size_t len);
/* Length of the valid sequence at data (1..4), or 0. */
size_t uw_utf8_sequence(const char *data, size_t len);

/* Line facts over pieces. All zero is the start. */
struct uw_lines {
	uint64_t lf, crlf; /* endings; lf counts lone ones only */
	uint64_t bytes;
	char last; /* the last byte fed */
};

void uw_lines_feed(struct uw_lines *lines, const char *data, size_t len);
/* Endings, and one more if the last line does not end. */
uint64_t uw_lines_total(const struct uw_lines *lines);

/*
 * The escape of bytes (F-2): valid UTF-8 stays but for control bytes, DEL and the
 * backslash, which become \xHH as undecodable bytes do. Reversible.
 */
void uw_text_escape(struct uw_buf *out, const char *data, size_t len);
/* Undoes it; other backslashes stay as they are. */
void uw_text_unescape(struct uw_buf *out, const char *data, size_t len);
/* The value of \xHH at data (exactly 4 characters looked at), or -1. */
int uw_text_escaped_byte(const char *data, size_t len);

#endif
