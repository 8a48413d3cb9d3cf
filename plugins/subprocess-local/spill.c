#include "spill.h"

#include "common/cleanup.h"
#include "common/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#define COPY_SIZE 65536u

void spill_init(struct spill *spill)
{
	memset(spill, 0, sizeof *spill);
	spill->fd = -1;
}

void spill_finish(struct spill *spill)
{
	uw_fd_close(&spill->fd);
	free(spill->dir);
	free(spill->inside);
	free(spill->inside_dir);
	spill_init(spill);
}

int spill_setup(struct spill *spill, uint64_t max, const struct uw_place *temp,
                const char *inside_dir, const char *suffix)
{
	uint64_t random = 0;
	if (!max || !temp->path || !inside_dir)
		return 0;
	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		return -1;
	(void)snprintf(spill->name, sizeof spill->name, "output-%016llx.%s", (unsigned long long)random,
	               suffix);
	spill->dir = strdup(temp->path);
	spill->inside_dir = strdup(inside_dir);
	spill->inside = malloc(strlen(inside_dir) + strlen(spill->name) + 2);
	if (!spill->dir || !spill->inside_dir || !spill->inside)
		return -1;
	(void)sprintf(spill->inside, "%s/%s", inside_dir, spill->name);
	spill->max = max < INT64_MAX ? max : INT64_MAX;
	spill->dev = temp->dev;
	spill->ino = temp->ino;
	return 0;
}

int spill_open(struct spill *spill)
{
	struct stat st;
	UW_AUTO_FD dir = -1;
	if (spill->fd >= 0)
		return 0;
	if (!spill->max || spill->failed)
		return -1;
	dir = open(spill->dir, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0 || fstat(dir, &st) < 0 ||
	    ((spill->dev || spill->ino) &&
	     ((uint64_t)st.st_dev != spill->dev || (uint64_t)st.st_ino != spill->ino))) {
		spill->failed = 1;
		return -1;
	}
	spill->fd = openat(dir, spill->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (spill->fd < 0)
		spill->failed = 1;
	return spill->fd < 0 ? -1 : 0;
}

static uint64_t half(const struct spill *spill)
{
	return spill->max / 2;
}

/* Where byte `offset` of the stream stands in the file, and how many follow it there. */
static uint64_t place_of(const struct spill *spill, uint64_t offset, uint64_t *ret_room)
{
	uint64_t first = half(spill), ring = spill->max - first, at;
	if (offset < spill->max) {
		*ret_room = spill->max - offset;
		return offset;
	}
	at = (offset - first) % ring;
	*ret_room = ring - at;
	return first + at;
}

static int write_at(int fd, const char *data, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t done = pwrite(fd, data, len, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		len -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

void spill_add(struct spill *spill, const char *data, size_t len)
{
	while (len && spill->fd >= 0 && !spill->failed) {
		uint64_t room, at = place_of(spill, spill->total, &room);
		size_t part = len < room ? len : (size_t)room;
		if (write_at(spill->fd, data, part, at) < 0) {
			spill->failed = spill->lossy = 1;
			return;
		}
		if (spill->total + part > spill->max)
			spill->lossy = 1;
		spill->total += part;
		data += part;
		len -= part;
	}
}

/* Copies len bytes between two places; within one file only towards the front. */
static int copy(int from, uint64_t from_at, int to, uint64_t to_at, uint64_t len)
{
	UW_AUTO_FREE char *buffer = malloc(COPY_SIZE);
	if (!buffer)
		return -1;
	while (len) {
		size_t part = len < COPY_SIZE ? (size_t)len : COPY_SIZE;
		if (uw_pread_full(from, buffer, part, (off_t)from_at) != (ssize_t)part ||
		    write_at(to, buffer, part, to_at) < 0)
			return -1;
		from_at += part;
		to_at += part;
		len -= part;
	}
	return 0;
}

/* A file without a name beside the spill file. */
static int open_aside(const struct spill *spill)
{
	return open(spill->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

void spill_end(struct spill *spill)
{
	uint64_t first = half(spill), ring = spill->max - first, newer;
	UW_AUTO_FD aside = -1;
	if (spill->fd < 0 || spill->failed || spill->total <= spill->max)
		return;
	newer = (spill->total - first) % ring; /* bytes at the ring's start that belong behind the others */
	if (!newer)
		return;
	aside = open_aside(spill);
	if (aside < 0 || copy(spill->fd, first, aside, 0, newer) < 0 ||
	    copy(spill->fd, first + newer, spill->fd, first, ring - newer) < 0 ||
	    copy(aside, 0, spill->fd, first + ring - newer, newer) < 0)
		spill->failed = 1;
	spill->total = first + ring; /* in order: a second call does nothing */
}
