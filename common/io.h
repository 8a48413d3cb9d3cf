/*
 * Reading and writing descriptors to the end, whatever signals and short counts
 * come between. All return what read(2) and write(2) would: -1 with errno.
 */
#ifndef UW_COMMON_IO_H
#define UW_COMMON_IO_H

#include <stddef.h>
#include <sys/types.h>

/* Up to len bytes; fewer only at the end of the file. */
ssize_t uw_read_full(int fd, void *data, size_t len);
/* The same at an offset. */
ssize_t uw_pread_full(int fd, void *data, size_t len, off_t offset);
/* All of them: 0, or -1. A write of nothing where something was asked for is EIO. */
int uw_write_full(int fd, const void *data, size_t len);
/*
 * The first line of a small file, white space at its end cut off, always with a
 * NUL. Its length, or -1 (also EMSGSIZE where it does not fit).
 */
ssize_t uw_read_line_of(const char *path, char *line, size_t size);

#endif
