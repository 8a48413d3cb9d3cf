/*
 * Calls that POSIX lacks. Each falls back to what every kernel has, with the same
 * guarantee where there is one: opening a path name by name with O_NOFOLLOW is
 * what RESOLVE_NO_SYMLINKS does in one step.
 */
#include "local.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1u
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2u
#endif

static int open2(int dir, const char *path, int flags, uint64_t resolve)
{
#ifdef SYS_openat2
	struct open_how how;
	memset(&how, 0, sizeof how);
	how.flags = (uint64_t)(flags | O_CLOEXEC);
	how.resolve = resolve;
	return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
#else
	(void)dir, (void)path, (void)flags, (void)resolve;
	errno = ENOSYS;
	return -1;
#endif
}

/* A filter may answer EPERM for a call that it does not know. */
static int missing(int os_errno)
{
	return os_errno == ENOSYS || os_errno == EPERM;
}

int uwi_fsl_open_name(int dir, const char *name, int flags)
{
	int fd = open2(dir, name, flags | O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	if (fd < 0 && missing(errno))
		fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

/* Name by name from the root. */
static int open_slowly(const char *path, int flags)
{
	UW_AUTO_FD dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_MAX + 1];
	while (dir >= 0) {
		size_t len;
		int next, last;
		struct stat st;
		path += strspn(path, "/");
		len = strcspn(path, "/");
		last = path[len] == '\0';
		if (len > NAME_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, path, len);
		name[len] = '\0';
		next = openat(dir, len ? name : ".", (last ? flags : O_PATH) | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0 || last)
			return next;
		(void)close(dir);
		dir = next;
		if (fstat(dir, &st) < 0)
			return -1;
		if (!S_ISDIR(st.st_mode)) {
			errno = S_ISLNK(st.st_mode) ? ELOOP : ENOTDIR;
			return -1;
		}
		path += len;
	}
	return -1;
}

int uwi_fsl_open_strict(const char *path, int flags)
{
	int fd = open2(AT_FDCWD, path, flags, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	if (fd >= 0 || !missing(errno))
		return fd;
	fd = open_slowly(path, flags);
	if (fd >= 0 && (flags & O_PATH) && !(flags & O_NOFOLLOW)) {
		struct stat st;
		if (fstat(fd, &st) == 0 && S_ISLNK(st.st_mode)) {
			uw_fd_close(&fd);
			errno = ELOOP;
		}
	}
	return fd;
}

int uwi_fsl_open_nameless(int dir, mode_t mode)
{
#ifdef O_TMPFILE
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	/* kernels and file systems without it say so in several ways */
	if (fd < 0 && (errno == EISDIR || errno == ENOENT || errno == EINVAL || errno == ENOSYS))
		errno = EOPNOTSUPP;
	return fd;
#else
	(void)dir, (void)mode;
	errno = EOPNOTSUPP;
	return -1;
#endif
}

int uwi_fsl_name_file(int fd, int dir, const char *name)
{
	char path[64];
	if (linkat(fd, "", dir, name, AT_EMPTY_PATH) == 0)
		return 0;
	/* the first form needs a capability on older kernels, the second needs /proc */
	if (errno != ENOENT && errno != EPERM && errno != EINVAL)
		return -1;
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW);
}

static int rename2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
#ifdef SYS_renameat2
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
#else
	(void)from_dir, (void)from, (void)to_dir, (void)to, (void)flags;
	errno = ENOSYS;
	return -1;
#endif
}

int uwi_fsl_rename_noreplace(int from_dir, const char *from, int to_dir, const char *to)
{
	return rename2(from_dir, from, to_dir, to, RENAME_NOREPLACE);
}

int uwi_fsl_rename_exchange(int dir, const char *a, const char *b)
{
	return rename2(dir, a, dir, b, RENAME_EXCHANGE);
}

#define ACL_ACCESS "system.posix_acl_access"

/* Never kept: a new content does not inherit the privileges or the seals of the old. */
static int left_behind(const char *name)
{
	return strcmp(name, "security.capability") == 0 || strcmp(name, "security.ima") == 0 ||
	       strcmp(name, "security.evm") == 0;
}

/* 0 kept, else the bits of what was lost. */
static uint32_t copy_one(int from, int to, const char *name)
{
	char small[512], *value = small;
	UW_AUTO_FREE char *large = NULL;
	ssize_t len;
	if (left_behind(name))
		return strcmp(name, "security.capability") == 0 ? UW_WROTE_DROPPED_SUID : 0;
	len = fgetxattr(from, name, small, sizeof small);
	if (len < 0 && errno == ERANGE) {
		large = malloc(XATTR_SIZE_MAX);
		value = large;
		len = large ? fgetxattr(from, name, large, XATTR_SIZE_MAX) : -1;
	}
	if (len < 0)
		return errno == ENODATA ? 0 : UW_WROTE_LOST_XATTR;
	if (fsetxattr(to, name, value, (size_t)len, 0) == 0)
		return 0;
	/* a label that the system itself gave alike is kept too */
	if (len <= (ssize_t)sizeof small && value == small) {
		char there[512];
		if (fgetxattr(to, name, there, sizeof there) == len && memcmp(there, value, (size_t)len) == 0)
			return 0;
	}
	return UW_WROTE_LOST_XATTR;
}

uint32_t uwi_fsl_copy_xattrs(int from, int to)
{
	char small[1024], *names = small;
	UW_AUTO_FREE char *large = NULL;
	uint32_t lost = 0;
	int has_acl = 0;
	ssize_t len = flistxattr(from, small, sizeof small);
	if (len < 0 && errno == ERANGE) {
		large = malloc(XATTR_LIST_MAX);
		names = large;
		len = large ? flistxattr(from, large, XATTR_LIST_MAX) : -1;
	}
	if (len < 0)
		return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : UW_WROTE_LOST_XATTR;
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		has_acl |= strcmp(name, ACL_ACCESS) == 0;
		lost |= copy_one(from, to, name);
	}
	/* what a default ACL of the directory gave the new file */
	if (!has_acl)
		(void)fremovexattr(to, ACL_ACCESS);
	return lost;
}

void uwi_fsl_random(void *data, size_t len)
{
	if (getrandom(data, len, GRND_NONBLOCK) != (ssize_t)len) {
		/* before the pool is ready: only a name's uniqueness is at stake, and O_EXCL guards it */
		uint64_t now = (uint64_t)uw_now_ns() * 0x9e3779b97f4a7c15u;
		for (size_t i = 0; i < len; i++)
			((unsigned char *)data)[i] = (unsigned char)(now >> (i % 8 * 8));
	}
}
