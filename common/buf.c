#include "common/buf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int uw_buf_reserve(struct uw_buf *buf, size_t more)
{
	size_t capacity = buf->capacity ? buf->capacity : 64;
	char *data;
	if (buf->failed)
		return -1;
	if (more >= SIZE_MAX / 2 || buf->len > SIZE_MAX / 2 - more - 1) {
		buf->failed = 1;
		return -1;
	}
	if (buf->data && buf->len + more + 1 <= buf->capacity)
		return 0;
	while (capacity < buf->len + more + 1)
		capacity *= 2;
	data = realloc(buf->data, capacity);
	if (!data) {
		buf->failed = 1;
		return -1;
	}
	data[buf->len] = '\0';
	buf->data = data;
	buf->capacity = capacity;
	return 0;
}

void uw_buf_add(struct uw_buf *buf, const void *data, size_t len)
{
	if (uw_buf_reserve(buf, len) < 0)
		return;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void uw_buf_text(struct uw_buf *buf, const char *text)
{
	uw_buf_add(buf, text, strlen(text));
}

void uw_buf_byte(struct uw_buf *buf, char byte)
{
	uw_buf_add(buf, &byte, 1);
}

void uw_buf_printf(struct uw_buf *buf, const char *format, ...)
{
	va_list args, again;
	int len;
	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		buf->failed = 1;
	else if (uw_buf_reserve(buf, (size_t)len) == 0)
		buf->len += (size_t)vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
	va_end(again);
}

void uw_buf_truncate(struct uw_buf *buf, size_t len)
{
	if (len < buf->len) {
		buf->len = len;
		buf->data[len] = '\0';
	}
}

void uw_buf_finish(struct uw_buf *buf)
{
	int saved = errno;
	free(buf->data);
	*buf = (struct uw_buf)UW_BUF_INIT;
	errno = saved;
}

char *uw_buf_steal(struct uw_buf *buf)
{
	char *data;
	if (uw_buf_reserve(buf, 0) < 0) {
		uw_buf_finish(buf);
		return NULL;
	}
	data = buf->data;
	*buf = (struct uw_buf)UW_BUF_INIT;
	return data;
}
