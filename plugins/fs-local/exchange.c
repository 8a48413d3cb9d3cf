/*
 * F-7: replace-if-version against other processes. A rename alone would swallow
 * what someone writes between the last look and the rename. So staging and target
 * change places in one step, and the file that was displaced is looked at: is it
 * the one that was expected? If not, they change back, and others have seen the
 * new text for some microseconds. A writer that holds the old file open all the
 * while is seen only by a lease, where the system grants one.
 *
 * After the exchange the staging name, which carries the number of the staged
 * file's inode, names another inode: so a crash right then is told from a staging
 * file that was never published.
 */
#include "local.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CONFLICTS_MAX 1000

/* 1 if someone has it open for writing, as far as that can be known. */
static int has_writer(int fd)
{
	int busy;
	/* a lease breaks with a signal, by default one that would end the host: take one that is ignored */
	if (fcntl(fd, F_SETSIG, SIGURG) < 0)
		return 0;
	busy = fcntl(fd, F_SETLEASE, F_RDLCK) < 0 && errno == EAGAIN;
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return busy;
}

/* 0: it is the expected one. */
static int check_displaced(const struct uwi_fsl *self, const struct uwi_stage *stage, const struct stat *seen,
                           int settled, const struct uw_version *expected, struct uw_error *err)
{
	UW_AUTO_FD fd = uwi_fsl_open_name(stage->dir, stage->name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	if (fd < 0 && errno == EACCES)
		fd = uwi_fsl_open_name(stage->dir, stage->name, O_PATH);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return uwi_fsl_stale(err, UW_STAGE_PUBLISH, stage->path, expected, NULL);
	/* the exchange itself has moved ctime; the rest tells, if it is old enough to tell */
	if (settled && st.st_ino == seen->st_ino && st.st_dev == seen->st_dev && st.st_size == seen->st_size &&
	    st.st_mtim.tv_sec == seen->st_mtim.tv_sec && st.st_mtim.tv_nsec == seen->st_mtim.tv_nsec)
		return 0;
	if (!expected->has_digest) {
		/* metadata holds ctime: compare with what it was before the exchange */
		if (st.st_ino == seen->st_ino && st.st_dev == seen->st_dev && st.st_size == seen->st_size)
			st.st_ctim = seen->st_ctim;
	}
	return uwi_fsl_verify(self, fd, &st, UW_STAGE_PUBLISH, stage->path, expected, err);
}

/* Keeps a file under NAME.conflict-N; 0 and the name, or -1. */
static int keep_aside(const struct uwi_parent *at, const char *from, char *kept, size_t size)
{
	for (int n = 1; n <= CONFLICTS_MAX; n++) {
		int len = snprintf(kept, size, "%.200s.conflict-%d", at->name, n);
		if (len < 0 || (size_t)len >= size)
			return -1;
		if (uwi_fsl_rename_noreplace(at->dir, from, at->dir, kept) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

int uwi_fsl_exchange_back(const struct uwi_parent *at, struct uwi_stage *stage, int64_t exposed_ns,
                          struct uw_error *err)
{
	struct stat ours, back;
	char text[32], kept[NAME_MAX + 1];
	struct uw_bytes path = stage->path;
	if (uwi_fsl_rename_exchange(at->dir, stage->name, at->name) < 0) {
		/* what was displaced must not be lost with the staging name */
		int os_errno = errno, held = keep_aside(at, stage->name, kept, sizeof kept) == 0;
		stage->name[0] = '\0';
		uwi_fsl_os_error(err, UW_STAGE_PUBLISH, UW_EFFECT_UNKNOWN, os_errno, "give back a late change of", path);
		if (held)
			uw_error_detail(err, "kept", kept, strlen(kept));
		return uwi_fsl_os_code(os_errno);
	}
	(void)snprintf(text, sizeof text, "%lld", (long long)(exposed_ns / 1000));
	uw_error_detail(err, "exposed_us", text, strlen(text));
	if (fstat(stage->fd, &ours) == 0 && fstatat(at->dir, stage->name, &back, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_ino == back.st_ino && ours.st_dev == back.st_dev)
		return UW_E_FS_STALE_VERSION;
	/* a third one has put its own file over ours meanwhile: keep that as well, lose nothing */
	if (keep_aside(at, stage->name, kept, sizeof kept) == 0) {
		uwi_fsl_error(err, UW_E_FS_STALE_VERSION, UW_STAGE_PUBLISH, "change", path,
		              "two others changed it at the same moment; one content stands there, the other beside it");
		uw_error_detail(err, "kept", kept, strlen(kept));
		uw_error_detail(err, "exposed_us", text, strlen(text));
	}
	if (err)
		err->effect = UW_EFFECT_UNKNOWN;
	stage->name[0] = '\0';
	return UW_E_FS_STALE_VERSION;
}

int uwi_fsl_exchange(const struct uwi_fsl *self, const struct uwi_parent *at, struct uwi_stage *stage, int old,
                     const struct stat *seen, const struct uwi_guard *guard, struct uw_error *err)
{
	int64_t start;
	int code;
	if (guard->refuse_writers && has_writer(old))
		return uwi_fsl_error(err, UW_E_FS_BUSY, UW_STAGE_PUBLISH, "change", stage->path,
		                     "another process has it open for writing; what it writes would be lost");
	start = uw_now_ns();
	if (uwi_fsl_rename_exchange(at->dir, stage->name, at->name) < 0) {
		if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM)
			return UWI_FSL_NO_EXCHANGE;
		if (errno == ENOENT)
			return uwi_fsl_stale(err, UW_STAGE_PUBLISH, stage->path, guard->expected, NULL);
		return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, errno == EIO ? UW_EFFECT_UNKNOWN : UW_EFFECT_NONE, errno,
		                        "publish", stage->path);
	}
	code = check_displaced(self, stage, seen, guard->settled, guard->expected, err);
	if (code < 0)
		return uwi_fsl_exchange_back(at, stage, uw_now_ns() - start, err);
	(void)unlinkat(at->dir, stage->name, 0);
	stage->name[0] = '\0';
	return 0;
}
