/*
 * A growing buffer of bytes. data is always followed by a NUL that len does not
 * count, so that text can be used as a C string; data is NULL until something
 * was added. Once an allocation failed, `failed` stays set and all further
 * additions do nothing: check it once at the end. Not thread-safe.
 */
#ifndef UW_COMMON_BUF_H
#define UW_COMMON_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct uw_buf {
	char *data;
	size_t len, capacity;
	int failed;
};

#define UW_BUF_INIT                                                                              \
	{                                                                                            \
		NULL, 0, 0, 0                                                                            \
	}

/* Makes room for `more` bytes beyond len. 0, or -1 and failed. */
int uw_buf_reserve(struct uw_buf *buf, size_t more);
void uw_buf_add(struct uw_buf *buf, const void *data, size_t len);
void uw_buf_text(struct uw_buf *buf, const char *text);
void uw_buf_byte(struct uw_buf *buf, char byte);
void uw_buf_printf(struct uw_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Drops all but the first `len` bytes. */
void uw_buf_truncate(struct uw_buf *buf, size_t len);
/* Frees the memory; the buffer can be used again. Also for UW_AUTO_BUF. */
void uw_buf_finish(struct uw_buf *buf);
/* The data as the caller's own (free), never NULL unless failed; the buffer is empty after. */
char *uw_buf_steal(struct uw_buf *buf);

#define UW_AUTO_BUF __attribute__((cleanup(uw_buf_finish))) struct uw_buf

#endif
