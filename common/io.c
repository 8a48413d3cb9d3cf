#include "common/io.h"

#include "common/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A single read(2) of many GiB is cut by the kernel; this keeps ssize_t safe too. */
#define STEP ((size_t)1 << 30)

ssize_t uw_read_full(int fd, void *data, size_t len)
{
	size_t done = 0;
	while (done < len) {
		size_t step = len - done < STEP ? len - done : STEP;
		ssize_t got = read(fd, (char *)data + done, step);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

ssize_t uw_pread_full(int fd, void *data, size_t len, off_t offset)
{
	size_t done = 0;
	while (done < len) {
		size_t step = len - done < STEP ? len - done : STEP;
		ssize_t got = pread(fd, (char *)data + done, step, offset + (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int uw_write_full(int fd, const void *data, size_t len)
{
	size_t done = 0;
	while (done < len) {
		size_t step = len - done < STEP ? len - done : STEP;
		ssize_t put = write(fd, (const char *)data + done, step);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			if (put == 0)
				errno = EIO;
			return -1;
		}
		done += (size_t)put;
	}
	return 0;
}

ssize_t uw_read_line_of(const char *path, char *line, size_t size)
{
	UW_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t got;
	size_t len;
	line[0] = '\0';
	if (fd < 0)
		return -1;
	got = uw_read_full(fd, line, size - 1);
	if (got < 0) {
		line[0] = '\0';
		return -1;
	}
	line[got] = '\0';
	len = strcspn(line, "\n");
	if (len == size - 1) {
		line[0] = '\0';
		errno = EMSGSIZE;
		return -1;
	}
	while (len > 0 && strchr(" \t\r", line[len - 1]))
		len--;
	line[len] = '\0';
	return (ssize_t)len;
}
