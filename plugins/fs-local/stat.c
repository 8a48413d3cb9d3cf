/* stat_many, and what a struct stat is in the service's words. */
#include "local.h"

#include "common/io.h"
#include "common/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

int32_t uwi_fsl_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return UW_FS_FILE;
	case S_IFDIR: return UW_FS_DIRECTORY;
	case S_IFLNK: return UW_FS_SYMLINK;
	case S_IFIFO: return UW_FS_FIFO;
	case S_IFSOCK: return UW_FS_SOCKET;
	case S_IFCHR: return UW_FS_CHAR_DEVICE;
	case S_IFBLK: return UW_FS_BLOCK_DEVICE;
	default: return UW_FS_ABSENT;
	}
}

void uwi_fsl_fill_stat(const struct uwi_fsl *self, const struct stat *st, struct uw_stat *out)
{
	memset(out, 0, sizeof *out);
	out->size = sizeof *out;
	out->type = uwi_fsl_type(st->st_mode);
	out->mode = st->st_mode & 07777;
	out->file_size = (uint64_t)st->st_size;
	out->dev = st->st_dev;
	out->ino = st->st_ino;
	out->links = st->st_nlink;
	out->uid = st->st_uid;
	out->gid = st->st_gid;
	uw_version_of_stat(st, self->realm_id, &out->version);
	out->mtime_ns = out->version.mtime_ns;
	out->ctime_ns = out->version.ctime_ns;
}

int uwi_fsl_add_digest(int fd, struct uw_version *version)
{
	char data[16384];
	struct uw_blake2b hash;
	uint64_t done = 0;
	uw_blake2b_init(&hash, UW_DIGEST_SIZE);
	for (;;) {
		ssize_t got = uw_pread_full(fd, data, sizeof data, (off_t)done);
		if (got < 0)
			return -1;
		uw_blake2b_update(&hash, data, (size_t)got);
		done += (uint64_t)got;
		if (done > UW_VERSION_DIGEST_MAX)
			return 0;
		if ((size_t)got < sizeof data)
			break;
	}
	uw_blake2b_finish(&hash, version->digest);
	version->has_digest = 1;
	return 0;
}

static int stat_one(const struct uwi_fsl *self, const struct uw_call *call, const struct uw_target *target,
                    uint32_t want_digest, struct uw_stat *out, struct uw_error *err)
{
	UW_AUTO_FD place = -1;
	struct stat st;
	int code = uwi_fsl_look(self, call, target, &place, &st, err);
	if (code < 0)
		return code;
	if (place < 0) {
		memset(out, 0, sizeof *out);
		out->size = sizeof *out;
		return 0;
	}
	uwi_fsl_fill_stat(self, &st, out);
	if (want_digest && S_ISREG(st.st_mode) && out->file_size <= UW_VERSION_DIGEST_MAX) {
		UW_AUTO_FD fd = -1;
		code = uwi_fsl_open_file(self, call, target, &fd, &st, err);
		if (code < 0)
			return code;
		uwi_fsl_fill_stat(self, &st, out);
		if (uwi_fsl_add_digest(fd, &out->version) < 0)
			return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno, "read", target->display);
	}
	return 0;
}

int uwi_fsl_stat_many(void *self, const struct uw_call *call, const struct uw_target *const *targets,
                      size_t count, uint32_t want_digest, struct uw_stat_sink sink,
                      struct uw_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct uw_error one = UW_ERROR_INIT;
		struct uw_stat stat;
		int code = uw_call_check(call, UW_STAGE_READ, err);
		if (code < 0)
			return code;
		code = stat_one(self, call, targets[i], want_digest, &stat, &one);
		code = sink.stat(sink.arg, i, code < 0 ? NULL : &stat, &one);
		if (code < 0)
			return uw_fail(err, code, UW_STAGE_READ, UW_EFFECT_NONE, 0, "the receiver of the facts gave up");
	}
	return 0;
}
