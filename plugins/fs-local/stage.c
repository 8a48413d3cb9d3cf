/*
 * A new content before it has its name. Wherever the file system can, it has no
 * name at all while it is written (O_TMPFILE), so a kill leaves nothing; a rename
 * needs one, which it gets in the last moment and which carries its inode number
 * (F-7), starts with a dot and is short, so that the longest target name works.
 */
#include "local.h"

#include "common/io.h"
#include "common/version.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define NAME_TRIES 16
/* between two looks at the call's cancel */
#define WRITE_STEP ((size_t)4 << 20)

static void make_name(struct uwi_stage *stage, uint64_t ino, char *name)
{
	uint64_t noise;
	(void)stage;
	uwi_fsl_random(&noise, sizeof noise);
	(void)snprintf(name, UWI_STAGE_NAME_MAX, UWI_STAGE_PREFIX "%" PRIx64 "-%016" PRIx64, ino, noise);
}

static int fail_os(const struct uwi_stage *stage, int os_errno, const char *verb, struct uw_error *err)
{
	return uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, os_errno, verb, stage->path);
}

/* Where there are no nameless files: named from the start; the inode joins the name once it is known. */
static int open_named(struct uwi_stage *stage, mode_t mode)
{
	char first[UWI_STAGE_NAME_MAX];
	struct stat st;
	for (int tries = 0; stage->fd < 0 && tries < NAME_TRIES; tries++) {
		make_name(stage, 0, first);
		stage->fd = openat(stage->dir, first, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (stage->fd < 0 && errno != EEXIST)
			return -1;
	}
	if (stage->fd < 0)
		return -1;
	memcpy(stage->name, first, sizeof first);
	if (fstat(stage->fd, &st) < 0)
		return -1;
	make_name(stage, st.st_ino, stage->name);
	if (renameat(stage->dir, first, stage->dir, stage->name) < 0)
		memcpy(stage->name, first, sizeof first);
	return 0;
}

int uwi_fsl_stage_open(struct uwi_stage *stage, const struct uw_call *call, int dir, struct uw_bytes path,
                       mode_t mode, int replaces, struct uw_error *err)
{
	struct rlimit limit;
	memset(stage, 0, sizeof *stage);
	stage->dir = dir;
	stage->path = path;
	stage->call = call;
	/* writing past RLIMIT_FSIZE raises a signal that would end the host: stop before it */
	stage->size_max = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
	                      ? (uint64_t)limit.rlim_cur
	                      : INT64_MAX;
	uw_blake2b_init(&stage->hash, UW_DIGEST_SIZE);
	stage->fd = uwi_fsl_open_nameless(dir, mode);
	if (stage->fd >= 0)
		return 0;
	/* a name shows the file while it is written: what it replaces may have been private */
	if (errno != EOPNOTSUPP || open_named(stage, replaces ? 0600 : mode) < 0) {
		int code = fail_os(stage, errno, "write", err);
		uwi_fsl_stage_finish(stage);
		return code;
	}
	return 0;
}

int uwi_fsl_stage_write(struct uwi_stage *stage, const char *data, size_t len, struct uw_error *err)
{
	if (len > stage->size_max - stage->size)
		return fail_os(stage, EFBIG, "write", err);
	while (len > 0) {
		size_t step = len < WRITE_STEP ? len : WRITE_STEP;
		int code = uwi_fsl_go_on(stage->call, UW_STAGE_STAGE, err);
		if (code < 0)
			return code;
		if (uw_write_full(stage->fd, data, step) < 0)
			return fail_os(stage, errno, "write", err);
		stage->size += step;
		/* larger contents have no digest */
		if (stage->size <= UW_VERSION_DIGEST_MAX)
			uw_blake2b_update(&stage->hash, data, step);
		data += step;
		len -= step;
	}
	return 0;
}

int uwi_fsl_stage_name(struct uwi_stage *stage, struct uw_error *err)
{
	struct stat st;
	if (stage->name[0])
		return 0;
	if (fstat(stage->fd, &st) < 0)
		return fail_os(stage, errno, "write", err);
	for (int tries = 0; tries < NAME_TRIES; tries++) {
		char name[UWI_STAGE_NAME_MAX];
		make_name(stage, st.st_ino, name);
		if (uwi_fsl_name_file(stage->fd, stage->dir, name) == 0) {
			memcpy(stage->name, name, sizeof name);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return fail_os(stage, errno, "write", err);
}

/* A file system without hard links, and without renames that never replace: claim the name first. */
static int claim_and_rename(struct uwi_stage *stage, const char *name)
{
	UW_AUTO_FD claim = openat(stage->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (claim < 0)
		return -1;
	if (renameat(stage->dir, stage->name, stage->dir, name) == 0)
		return 0;
	{
		int saved = errno;
		(void)unlinkat(stage->dir, name, 0);
		errno = saved;
	}
	return -1;
}

int uwi_fsl_stage_link(struct uwi_stage *stage, const char *name)
{
	if (!stage->name[0])
		return uwi_fsl_name_file(stage->fd, stage->dir, name);
	if (linkat(stage->dir, stage->name, stage->dir, name, 0) == 0) {
		(void)unlinkat(stage->dir, stage->name, 0);
		stage->name[0] = '\0';
		return 0;
	}
	if (errno == EEXIST)
		return -1;
	if (uwi_fsl_rename_noreplace(stage->dir, stage->name, stage->dir, name) < 0) {
		if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
			return -1;
		if (claim_and_rename(stage, name) < 0)
			return -1;
	}
	stage->name[0] = '\0';
	return 0;
}

void uwi_fsl_stage_finish(struct uwi_stage *stage)
{
	int saved = errno;
	if (stage->name[0])
		(void)unlinkat(stage->dir, stage->name, 0);
	stage->name[0] = '\0';
	uw_fd_close(&stage->fd);
	errno = saved;
}
