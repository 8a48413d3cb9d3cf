/*
 * Where a run of bytes may be cut without splitting a UTF-8 character. Bytes that
 * are no UTF-8 are never held back for long: at most three, and only those that
 * could begin a character. No state, any thread.
 */
#ifndef UW_COMMON_UTF8_CUT_H
#define UW_COMMON_UTF8_CUT_H

#include <stddef.h>

/* How many bytes at the end (0..3) begin a character whose rest is missing. */
size_t uw_utf8_partial_end(const char *data, size_t len);
/* How many bytes at the start (0..3) belong to a character that began before. */
size_t uw_utf8_partial_start(const char *data, size_t len);

#endif
