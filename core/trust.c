#include "core/trust.h"

#include "common/cleanup.h"
#include "core/loader.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

/* One check in progress. */
struct check {
	const struct uwi_trust_ask *ask;
	const char *path; /* real path of the file */
	struct uw_error *err;
};

static int refuse(const struct check *check, const char *rule, const char *where, const char *expected,
                  const char *found, const char *advice)
{
	uw_fail(check->err, check->ask->code, check->ask->stage, UW_EFFECT_NONE, 0,
	        "%s %s is not trusted: %s %s, wanted %s%s%s", check->ask->what, check->path, where, found,
	        expected, advice ? "; " : "", advice ? advice : "");
	uw_error_detail(check->err, "rule", rule, strlen(rule));
	uw_error_detail(check->err, "path", where, strlen(where));
	uw_error_detail(check->err, "expected", expected, strlen(expected));
	uw_error_detail(check->err, "found", found, strlen(found));
	return check->ask->code;
}

static int fail_io(const struct check *check, const char *path, const char *verb)
{
	int saved = errno;
	return uw_fail(check->err, check->ask->code, check->ask->stage, UW_EFFECT_NONE, saved,
	               "%s: cannot %s %s: %s", check->ask->what, verb, path, strerror(saved));
}

/* Owner and mode of the file or of one directory above it. */
static int check_owner(const struct check *check, const struct stat *stat, const char *where)
{
	uid_t self = geteuid();
	char expected[64], found[64];
	int sticky = S_ISDIR(stat->st_mode) && (stat->st_mode & S_ISVTX);
	if (stat->st_uid != 0 && stat->st_uid != self) {
		(void)snprintf(expected, sizeof expected, self ? "root or uid %lu" : "root", (unsigned long)self);
		(void)snprintf(found, sizeof found, "belongs to uid %lu", (unsigned long)stat->st_uid);
		return refuse(check, "owner", where, expected, found, NULL);
	}
	if ((stat->st_mode & (S_IWGRP | S_IWOTH)) && !sticky) {
		(void)snprintf(found, sizeof found, "has mode %04o", (unsigned)(stat->st_mode & 07777));
		return refuse(check, "writable-by-others", where, "it not writable by group or others", found,
		              "chmod go-w it");
	}
	return 0;
}

static int is_trusted_dir(const struct uwi_trust_ask *ask, const struct stat *dir)
{
	struct stat trusted;
	for (size_t i = 0; ask->within && ask->within[i]; i++)
		if (stat(ask->within[i], &trusted) == 0 && trusted.st_dev == dir->st_dev &&
		    trusted.st_ino == dir->st_ino)
			return 1;
	return 0;
}

/* Shortens a path to its parent, "/" at last. */
static void to_parent(char *path)
{
	char *slash = strrchr(path, '/');
	slash[slash == path ? 1 : 0] = '\0';
}

/*
 * From the directory that holds the file up to the root. `where` follows for
 * messages; identity, not text, says when the root is reached.
 */
static int check_ancestors(const struct check *check, int dir, char *where)
{
	struct stat here, above;
	int inside = check->ask->within == NULL;
	UW_AUTO_FD at = dir;
	if (fstat(at, &here) < 0)
		return fail_io(check, where, "examine");
	for (;;) {
		int parent, result = check_owner(check, &here, where);
		if (result < 0)
			return result;
		inside = inside || is_trusted_dir(check->ask, &here);
		parent = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (parent < 0)
			return fail_io(check, where, "open the directory above");
		uw_fd_close(&at);
		at = parent;
		if (fstat(at, &above) < 0)
			return fail_io(check, where, "examine the directory above");
		if (above.st_dev == here.st_dev && above.st_ino == here.st_ino)
			break;
		here = above;
		to_parent(where);
	}
	if (inside)
		return 0;
	return refuse(check, "outside", check->path, "a place below a trusted directory", "lies elsewhere",
	              "move it there, or list its directory in umwelt.conf");
}

static int check_file(const struct check *check, const struct stat *stat)
{
	if (!S_ISREG(stat->st_mode))
		return refuse(check, "regular", check->path, "a regular file", "is something else", NULL);
	if (check->ask->executable && !(stat->st_mode & 0111))
		return refuse(check, "executable", check->path, "an executable bit", "has none", "chmod +x it");
	return check_owner(check, stat, check->path);
}

/* Opens the directory and makes sure that it holds the very file that was opened. */
static int check_place(const struct check *check, const struct stat *file)
{
	UW_AUTO_FREE char *where = strdup(check->path);
	struct stat entry;
	UW_AUTO_FD dir = -1;
	if (!where)
		return uw_fail(check->err, UW_E_NO_MEMORY, check->ask->stage, UW_EFFECT_NONE, ENOMEM, "out of memory");
	to_parent(where);
	dir = open(where, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return fail_io(check, where, "open");
	if (fstatat(dir, strrchr(check->path, '/') + 1, &entry, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_io(check, check->path, "examine");
	if (entry.st_dev != file->st_dev || entry.st_ino != file->st_ino)
		return refuse(check, "replaced", check->path, "one file", "was replaced while it was checked", NULL);
	return check_ancestors(check, uw_fd_steal(&dir), where);
}

int uwi_trust_open(const char *path, const struct uwi_trust_ask *ask, struct uwi_trusted *ret,
                   struct uw_error *err)
{
	/* O_NONBLOCK: a FIFO must not hold us up; no effect on a regular file */
	int flags = ask->executable ? O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY;
	struct check check = {ask, path, err};
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	int result;
	if (path[0] != '/')
		return uw_fail(err, ask->code, ask->stage, UW_EFFECT_NONE, EINVAL,
		               "%s %s: the path must be absolute", ask->what, path);
	trusted.path = realpath(path, NULL);
	if (!trusted.path)
		return fail_io(&check, path, "find");
	check.path = trusted.path;
	trusted.fd = open(trusted.path, flags | O_NOFOLLOW | O_CLOEXEC);
	if (trusted.fd < 0)
		return fail_io(&check, trusted.path, "open");
	if (fstat(trusted.fd, &trusted.stat) < 0)
		return fail_io(&check, trusted.path, "examine");
	result = check_file(&check, &trusted.stat);
	if (result == 0)
		result = check_place(&check, &trusted.stat);
	if (result < 0)
		return result;
	*ret = trusted;
	trusted = (struct uwi_trusted)UWI_TRUSTED_INIT;
	return 0;
}

void uwi_trusted_finish(struct uwi_trusted *trusted)
{
	int saved = errno;
	uw_fd_close(&trusted->fd);
	free(trusted->path);
	trusted->path = NULL;
	errno = saved;
}

int uwi_trust_open_executable(const char *path, int *ret_fd, struct uw_error *err)
{
	const struct uwi_trust_ask ask = {"program", UW_E_LAUNCHER_FAILED, UW_STAGE_LOAD, 1, NULL};
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	int result = uwi_trust_open(path, &ask, &trusted, err);
	if (result < 0)
		return result;
	*ret_fd = uw_fd_steal(&trusted.fd);
	return 0;
}
