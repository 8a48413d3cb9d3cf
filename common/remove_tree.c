#include "common/remove_tree.h"

#include "common/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One removal in progress. */
struct removal {
	int top;              /* the directory that is emptied */
	unsigned long moved;  /* how many were moved up: makes their names */
	int first_errno;
	int progress;         /* something was removed or moved in this round */
};

static void note(struct removal *removal)
{
	if (!removal->first_errno)
		removal->first_errno = errno;
}

/*
 * FUSE gives a removed file that somebody holds open such a name, and gives it a new one each
 * time that it is removed again: no progress, or the removal would never end. (NFS says EBUSY.)
 */
static void note_file_removed(struct removal *removal, const char *name)
{
	if (strncmp(name, ".fuse_hidden", strlen(".fuse_hidden")) != 0)
		removal->progress = 1;
	else if (!removal->first_errno)
		removal->first_errno = EBUSY;
}

static int open_directory(int dir_fd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	int fd = openat(dir_fd, name, flags);
	/* Linux cannot chmod a name without following it: looked at first, and raced by nobody but the
	 * owner's own processes, whose link would have to point at a file that he owns as well */
	if (fd < 0 && errno == EACCES && fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode) && st.st_uid == geteuid() && fchmodat(dir_fd, name, 0700, 0) == 0)
		fd = openat(dir_fd, name, flags);
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700 && st.st_uid == geteuid())
		(void)fchmod(fd, st.st_mode | 0700);
	return fd;
}

static DIR *list(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	if (!dir)
		uw_fd_close(&copy);
	return dir;
}

/* A directory with something in it goes to the top under a name of its own. */
static int move_up(struct removal *removal, int fd, const char *name)
{
	char up[64];
	struct stat st;
	int inner = open_directory(fd, name); /* makes it writable: its `..` is going to change */
	uw_fd_close(&inner);
	for (int tries = 0; tries < 1000; tries++) {
		(void)snprintf(up, sizeof up, ".removing-%lu", removal->moved++);
		if (fstatat(removal->top, up, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
			return renameat(fd, name, removal->top, up);
	}
	errno = EEXIST;
	return -1;
}

/* Removes what a directory below the top holds; its directories are moved up. */
static void empty(struct removal *removal, int fd)
{
	struct dirent *entry;
	DIR *dir = list(fd);
	if (!dir) {
		note(removal);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0)
			note_file_removed(removal, entry->d_name);
		else if (errno == ENOENT || unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0 ||
		         ((errno == ENOTEMPTY || errno == EEXIST) && move_up(removal, fd, entry->d_name) == 0))
			removal->progress = 1;
		else
			note(removal);
	}
	(void)closedir(dir);
}

static void remove_entry(struct removal *removal, const char *name)
{
	int fd;
	if (unlinkat(removal->top, name, 0) == 0) {
		note_file_removed(removal, name);
		return;
	}
	if (unlinkat(removal->top, name, AT_REMOVEDIR) == 0) {
		removal->progress = 1;
		return;
	}
	if (errno == ENOENT)
		return;
	fd = open_directory(removal->top, name);
	if (fd < 0) {
		note(removal);
		return;
	}
	empty(removal, fd);
	uw_fd_close(&fd);
	if (unlinkat(removal->top, name, AT_REMOVEDIR) == 0)
		removal->progress = 1;
	else if (errno != ENOTEMPTY && errno != EEXIST)
		note(removal);
}

/* One round over the top; 1 if entries are left. */
static int sweep(struct removal *removal)
{
	struct dirent *entry;
	DIR *dir = list(removal->top);
	int left = 0;
	if (!dir) {
		note(removal);
		return 0;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		left = 1;
		remove_entry(removal, entry->d_name);
	}
	(void)closedir(dir);
	return left;
}

int uw_remove_tree(int dir_fd, const char *name)
{
	struct removal removal = {-1, 0, 0, 0};
	UW_AUTO_FD top = -1;
	if (unlinkat(dir_fd, name, 0) == 0 || unlinkat(dir_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	top = open_directory(dir_fd, name);
	if (top < 0)
		return -1;
	removal.top = top;
	do {
		removal.progress = 0;
		removal.first_errno = 0;
	} while (sweep(&removal) && removal.progress);
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (removal.first_errno)
		errno = removal.first_errno;
	return -1;
}
