/*
 * Removes all below a directory, however deep, with two descriptors: names still
 * to be done wait in memory, level by level, and the way back up is `..`, proven
 * by device and inode. Links are removed, not followed; what another file system
 * is mounted on is not entered.
 */
#include "local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct level {
	struct level *up;
	dev_t dev;
	ino_t ino;
	struct uw_buf subdirs; /* names, each with its NUL */
	size_t at;             /* the next one in subdirs */
};

static struct level *push(struct level *up, int dir)
{
	struct level *level = calloc(1, sizeof *level);
	struct stat st;
	if (!level || fstat(dir, &st) < 0) {
		free(level);
		return NULL;
	}
	if (up && st.st_dev != up->dev) {
		free(level);
		errno = EBUSY;
		return NULL;
	}
	level->up = up;
	level->dev = st.st_dev;
	level->ino = st.st_ino;
	return level;
}

static struct level *pop(struct level *level)
{
	struct level *up = level->up;
	uw_buf_finish(&level->subdirs);
	free(level);
	return up;
}

static int over(const struct uw_call *call)
{
	if (uw_call_check(call, UW_STAGE_PUBLISH, NULL) == 0)
		return 0;
	errno = ECANCELED;
	return 1;
}

/* One entry: gone, or noted as a directory that has to be emptied first. */
static int clear_entry(struct level *level, int dir, const char *name, uint64_t *removed)
{
	if (unlinkat(dir, name, 0) == 0 || (errno == EISDIR && unlinkat(dir, name, AT_REMOVEDIR) == 0)) {
		(*removed)++;
		return 0;
	}
	/* POSIX says EPERM for a directory, Linux EISDIR */
	if (errno == EPERM && unlinkat(dir, name, AT_REMOVEDIR) == 0) {
		(*removed)++;
		return 0;
	}
	if (errno == ENOENT)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -1;
	uw_buf_add(&level->subdirs, name, strlen(name) + 1);
	if (level->subdirs.failed)
		errno = ENOMEM;
	return level->subdirs.failed ? -1 : 0;
}

/* Removes what goes at once, and notes the directories that are not empty. */
static int clear_level(const struct uw_call *call, struct level *level, int dir, uint64_t *removed)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int failed = 0, saved;
	if (!stream) {
		uw_fd_close(&fd);
		return -1;
	}
	while (!failed && (errno = 0, entry = readdir(stream)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			failed = over(call) || clear_entry(level, dir, entry->d_name, removed) < 0;
	failed |= errno != 0 && !entry;
	saved = errno;
	(void)closedir(stream);
	errno = saved;
	return failed ? -1 : 0;
}

/* Up again, and the name just emptied goes. */
static int go_up(struct level *level, int *dir, uint64_t *removed)
{
	struct level *up = level->up;
	const char *name = up->subdirs.data + up->at;
	struct stat st;
	int fd = openat(*dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	uw_fd_close(dir);
	*dir = fd;
	if (fstat(fd, &st) < 0)
		return -1;
	if (st.st_dev != up->dev || st.st_ino != up->ino) {
		errno = EBUSY; /* someone moved the directory away: its new place is none of ours */
		return -1;
	}
	if (unlinkat(fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return -1;
	(*removed)++;
	up->at += strlen(name) + 1;
	return 0;
}

int uwi_fsl_empty_tree(const struct uw_call *call, int top, uint64_t *removed)
{
	UW_AUTO_FD dir = fcntl(top, F_DUPFD_CLOEXEC, 3);
	struct level *level = dir < 0 ? NULL : push(NULL, dir);
	int failed = !level || clear_level(call, level, dir, removed) < 0, saved;
	while (!failed) {
		if (level->at < level->subdirs.len) {
			int next = uwi_fsl_open_name(dir, level->subdirs.data + level->at, O_RDONLY | O_DIRECTORY);
			struct level *below = next < 0 ? NULL : push(level, next);
			if (!below) {
				uw_fd_close(&next);
				failed = 1;
				break;
			}
			level = below;
			uw_fd_close(&dir);
			dir = next;
			failed = clear_level(call, level, dir, removed) < 0;
		} else if (level->up) {
			failed = go_up(level, &dir, removed) < 0;
			if (!failed)
				level = pop(level);
		} else {
			break;
		}
	}
	saved = errno;
	while (level)
		level = pop(level);
	errno = saved;
	return failed ? -1 : 0;
}
