/*
 * The reading ends of targets. A key is opened with links refused; if one has
 * appeared in it, the target is resolved again, a bounded number of times. What is
 * not a regular file is known by O_PATH before it is opened, so that no FIFO is
 * touched, no tape rewound and no watchdog started (F-4).
 */
#include "local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

int uwi_fsl_look(const struct uwi_fsl *self, const struct uw_call *call, const struct uw_target *target,
                 int *ret_fd, struct stat *ret_st, struct uw_error *err)
{
	UWI_AUTO_SPOT spot = UWI_SPOT_INIT;
	const char *key = target->key.data;
	int flags = O_PATH | (target->flags & UW_TARGET_NOFOLLOW ? O_NOFOLLOW : 0);
	for (int attempt = 0; attempt < UWI_FSL_TRIES; attempt++) {
		UW_AUTO_FD fd = uwi_fsl_open_strict(key, flags);
		int code;
		if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
			*ret_fd = -1;
			return 0;
		}
		if (fd < 0 && errno != ELOOP)
			return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno, "look at", target->display);
		if (fd >= 0 && fstat(fd, ret_st) < 0)
			return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno, "look at", target->display);
		if (fd >= 0) {
			*ret_fd = uw_fd_steal(&fd);
			return 0;
		}
		code = uwi_fsl_spot_again(self, call, target, &spot, err);
		if (code < 0)
			return code;
		key = spot.key.data;
	}
	return uwi_fsl_error(err, UW_E_FS_LOOP, UW_STAGE_READ, "look at", target->display, "the path keeps changing");
}

/* Opens for reading what an O_PATH descriptor holds: the very object, by /proc, else by name. */
static int reopen(int fd, const char *key, int flags)
{
	char path[64];
	int opened;
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	opened = open(path, flags | O_CLOEXEC | O_NOCTTY);
	if (opened < 0 && errno == ENOENT)
		opened = uwi_fsl_open_strict(key, flags | O_NOCTTY);
	return opened;
}

/* One try; UWI_FSL_RETRY if it went away between the look and the opening, as over FUSE or NFS it may. */
static int open_once(const struct uwi_fsl *self, const struct uw_call *call, const struct uw_target *target,
                     mode_t type, int flags, int *ret_fd, struct stat *ret_st, struct uw_error *err)
{
	UW_AUTO_FD place = -1;
	UW_AUTO_FD fd = -1;
	struct stat st;
	int code = uwi_fsl_look(self, call, target, &place, &st, err);
	if (code < 0)
		return code;
	if (place < 0)
		return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, ENOENT, "open", target->display);
	if ((st.st_mode & S_IFMT) != type)
		return uwi_fsl_error(err, type == S_IFDIR ? UW_E_FS_NOT_DIRECTORY : UW_E_FS_NOT_REGULAR_FILE,
		                     UW_STAGE_READ, "open", target->display,
		                     type == S_IFDIR ? "it is not a directory" : "it is not a regular file");
	fd = reopen(place, target->key.data, flags);
	if (fd < 0 || fstat(fd, &st) < 0) {
		int os_errno = errno;
		uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, os_errno, "open", target->display);
		return os_errno == ENOENT || os_errno == ESTALE ? UWI_FSL_RETRY : uwi_fsl_os_code(os_errno);
	}
	if ((st.st_mode & S_IFMT) != type)
		return UWI_FSL_RETRY;
	*ret_fd = uw_fd_steal(&fd);
	*ret_st = st;
	return 0;
}

static int open_as(const struct uwi_fsl *self, const struct uw_call *call, const struct uw_target *target,
                   mode_t type, int flags, int *ret_fd, struct stat *ret_st, struct uw_error *err)
{
	for (int tries = 0; tries < UWI_FSL_TRIES; tries++) {
		int code = open_once(self, call, target, type, flags, ret_fd, ret_st, err);
		if (code != UWI_FSL_RETRY)
			return code;
	}
	return uwi_fsl_error(err, UW_E_FS_BUSY, UW_STAGE_READ, "open", target->display, "it keeps being replaced");
}

int uwi_fsl_open_file(const struct uwi_fsl *self, const struct uw_call *call,
                      const struct uw_target *target, int *ret_fd, struct stat *ret_st,
                      struct uw_error *err)
{
	return open_as(self, call, target, S_IFREG, O_RDONLY | O_NONBLOCK, ret_fd, ret_st, err);
}

int uwi_fsl_open_directory(const struct uwi_fsl *self, const struct uw_call *call,
                           const struct uw_target *target, int *ret_fd, struct stat *ret_st,
                           struct uw_error *err)
{
	return open_as(self, call, target, S_IFDIR, O_RDONLY | O_DIRECTORY, ret_fd, ret_st, err);
}

int uwi_fsl_open(void *self, const struct uw_call *call, const struct uw_target *target, int *ret_fd,
                 struct uw_stat *ret_stat, struct uw_error *err)
{
	struct stat st;
	int fd, code = uw_call_check(call, UW_STAGE_READ, err);
	if (code == 0)
		code = uwi_fsl_open_file(self, call, target, &fd, &st, err);
	if (code < 0)
		return code;
	if (ret_stat) {
		struct uw_stat stat;
		uwi_fsl_fill_stat(self, &st, &stat);
		uwi_fsl_copy_out(ret_stat, &stat, sizeof stat);
	}
	*ret_fd = fd;
	return 0;
}

static void release_dir(struct uw_dir *dir)
{
	if (!dir)
		return;
	uw_fd_close(&dir->fd);
	free(dir);
}

int uwi_fsl_open_dir(void *self, const struct uw_call *call, const struct uw_target *target,
                     struct uw_dir **ret_dir, struct uw_error *err)
{
	UW_AUTO_FD fd = -1;
	struct uw_dir *dir;
	struct stat st;
	int code = uw_call_check(call, UW_STAGE_READ, err);
	if (code == 0)
		code = uwi_fsl_look(self, call, target, &fd, &st, err);
	if (code < 0)
		return code;
	if (fd < 0)
		return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, ENOENT, "open", target->display);
	if (!S_ISDIR(st.st_mode))
		return uwi_fsl_error(err, UW_E_FS_NOT_DIRECTORY, UW_STAGE_READ, "open", target->display,
		                     "it is not a directory");
	dir = calloc(1, sizeof *dir + target->key.len + 1);
	if (!dir)
		return uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_READ, "open", target->display, "no memory");
	memcpy(dir + 1, target->key.data, target->key.len);
	dir->size = sizeof *dir;
	dir->dev = st.st_dev;
	dir->ino = st.st_ino;
	dir->path = (const char *)(dir + 1);
	dir->release = release_dir;
	/* the O_PATH descriptor will do for entering it; one that can be listed is better */
	dir->fd = reopen(fd, dir->path, O_RDONLY | O_DIRECTORY);
	if (dir->fd < 0)
		dir->fd = uw_fd_steal(&fd);
	*ret_dir = dir;
	return 0;
}
