/*
 * Atomic publish (F-6, F-8, F-9, F-14): type, intent, staging, intent again,
 * rename or link, sync. Before the rename every failure leaves all as it was;
 * after it nothing turns the commit into a failure (F-13).
 */
#include "local.h"

#include "common/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Older than this, a change would show in a file's times whatever the clock's tick. */
#define SETTLED_NS 2000000000

int uwi_fsl_stale(struct uw_error *err, int stage, struct uw_bytes path, const struct uw_version *expected,
                  const struct uw_version *found)
{
	char text[UW_VERSION_TEXT_SIZE];
	uwi_fsl_error(err, UW_E_FS_STALE_VERSION, stage, "change", path,
	              found ? "it is not the version that was expected; read it again"
	                    : "it does not exist any more");
	if (expected) {
		uw_version_text_format(expected, text);
		uw_error_detail(err, "expected", text, strlen(text));
	}
	if (found) {
		char size[24];
		uw_version_text_format(found, text);
		uw_error_detail(err, "found", text, strlen(text));
		(void)snprintf(size, sizeof size, "%llu", (unsigned long long)found->file_size);
		uw_error_detail(err, "found_size", size, strlen(size));
	} else {
		uw_error_detail(err, "found", "absent", 6);
	}
	return UW_E_FS_STALE_VERSION;
}

int uwi_fsl_verify(const struct uwi_fsl *self, int fd, const struct stat *st, int stage,
                   struct uw_bytes path, const struct uw_version *expected, struct uw_error *err)
{
	struct uw_version found;
	uw_version_of_stat(st, self->realm_id, &found);
	if (!uw_version_same_realm(expected, &found))
		return uwi_fsl_error(err, UW_E_WORLD_MISMATCH, stage, "change", path,
		                     "the version was seen in another world");
	if (expected->has_digest && found.file_size <= UW_VERSION_DIGEST_MAX && uwi_fsl_add_digest(fd, &found) < 0)
		return uwi_fsl_os_error(err, stage, UW_EFFECT_NONE, errno == EBADF ? EACCES : errno, "read", path);
	/* a digest is only ever taken of a small content: this one is large, so it is another */
	if (expected->has_digest && !found.has_digest)
		return uwi_fsl_stale(err, stage, path, expected, &found);
	return uw_version_same(expected, &found) ? 0 : uwi_fsl_stale(err, stage, path, expected, &found);
}

int uwi_fsl_open_existing(const struct uwi_parent *at, int *ret_fd, struct stat *ret_st,
                          struct uw_error *err)
{
	struct uw_bytes path = {at->spot->key.data, at->spot->key.len};
	UW_AUTO_FD fd = -1;
	struct stat st;
	*ret_fd = -1;
	if (fstatat(at->dir, at->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "look at", path);
	if (S_ISLNK(st.st_mode) && !(at->spot->flags & UW_TARGET_NOFOLLOW))
		return UWI_FSL_RETRY;
	if (!S_ISREG(st.st_mode))
		return uwi_fsl_error(err, UW_E_FS_NOT_REGULAR_FILE, UW_STAGE_STAGE, "write", path,
		                     "something else than a regular file is there");
	fd = uwi_fsl_open_name(at->dir, at->name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	/* a file that may be written but not read can still be replaced; only its attributes are needed */
	if (fd < 0 && errno == EACCES)
		fd = uwi_fsl_open_name(at->dir, at->name, O_PATH);
	if (fd < 0)
		return errno == ENOENT || errno == ELOOP
		           ? UWI_FSL_RETRY
		           : uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "open", path);
	if (fstat(fd, &st) < 0)
		return uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "look at", path);
	if (!S_ISREG(st.st_mode))
		return UWI_FSL_RETRY;
	*ret_fd = uw_fd_steal(&fd);
	*ret_st = st;
	return 0;
}

struct publishing {
	struct uwi_fsl *self;
	const struct uw_call *call;
	const struct uwi_parent *at;
	const struct uwi_publish *what;
	struct uw_bytes path;
	struct uwi_stage stage;
	int old;                /* what stands there; -1: nothing */
	struct stat old_st;
	struct stat checked_st; /* what was compared with the version */
	int checked;
	uint32_t flags;         /* UW_WROTE_* */
};

static int same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* 1 if times so old would tell of any change since: no two changes fall into one tick. */
static int settled(const struct stat *st)
{
	struct timespec now = {0, 0};
	int64_t age;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	age = ((int64_t)now.tv_sec - st->st_mtim.tv_sec) * 1000000000 + (now.tv_nsec - st->st_mtim.tv_nsec);
	return age > SETTLED_NS;
}

/*
 * Contents are not read again while the metadata stays: the last word is that on
 * the displaced file (exchange.c), or replace_old's own where nothing is displaced.
 */
static int check_version(struct publishing *job, int stage, struct uw_error *err)
{
	int code;
	if (job->checked && same_file(&job->checked_st, &job->old_st))
		return 0;
	code = uwi_fsl_verify(job->self, job->old, &job->old_st, stage, job->path, job->what->expected, err);
	job->checked = code == 0;
	job->checked_st = job->old_st;
	return code;
}

/* Looks at what stands there now, and asks whether the intent allows to go on. */
static int check_intent(struct publishing *job, int stage, struct uw_error *err)
{
	int code;
	uw_fd_close(&job->old);
	code = uwi_fsl_open_existing(job->at, &job->old, &job->old_st, err);
	if (job->what->intent == UW_WRITE_CREATE &&
	    (code == UWI_FSL_RETRY || code == UW_E_FS_NOT_REGULAR_FILE || job->old >= 0 ||
	     job->at->spot->flags & UW_TARGET_DANGLING))
		return uwi_fsl_error(err, UW_E_FS_EXISTS, stage, "create", job->path, "something is there already");
	if (code != 0)
		return code;
	if (job->what->intent != UW_WRITE_REPLACE)
		return 0;
	if (job->old < 0)
		return uwi_fsl_stale(err, stage, job->path, job->what->expected, NULL);
	return check_version(job, stage, err);
}

/*
 * F-9: what a new content keeps of the old file. Order matters: chown clears mode
 * bits and an ACL is part of the mode, so mode comes last. The new file is not
 * visible yet, or is 0600.
 */
static int keep_attributes(struct publishing *job, struct uw_error *err)
{
	int fd = job->stage.fd;
	mode_t mode = job->old_st.st_mode & 07777;
	struct stat st;
	if (fstat(fd, &st) < 0)
		return uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "write", job->path);
	job->flags &= ~(UW_WROTE_LOST_OWNER | UW_WROTE_DROPPED_SUID | UW_WROTE_LOST_XATTR | UW_WROTE_SPLIT_LINKS);
	if (st.st_uid != job->old_st.st_uid && fchown(fd, job->old_st.st_uid, (gid_t)-1) < 0)
		job->flags |= UW_WROTE_LOST_OWNER;
	if (st.st_gid != job->old_st.st_gid && fchown(fd, (uid_t)-1, job->old_st.st_gid) < 0)
		job->flags |= UW_WROTE_LOST_OWNER;
	if (mode & S_ISUID)
		job->flags |= UW_WROTE_DROPPED_SUID;
	mode &= ~(mode_t)S_ISUID;
	if (job->flags & UW_WROTE_LOST_OWNER)
		mode &= ~(mode_t)(S_ISGID | S_ISVTX);
	job->flags |= uwi_fsl_copy_xattrs(job->old, fd);
	if (fchmod(fd, mode) < 0 && (errno != EPERM || (st.st_mode & 0777) != (mode & 0777)))
		return uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "keep the mode of", job->path);
	if (job->old_st.st_nlink > 1)
		job->flags |= UW_WROTE_SPLIT_LINKS;
	return 0;
}

static int is_full(const struct publishing *job)
{
	int durability = job->what->durability ? job->what->durability : job->self->durability;
	return durability != UW_DURABILITY_NONE;
}

/* Over what stands there. 1: something else stands there now, look again. */
static int replace_old(struct publishing *job, struct uw_error *err)
{
	if (job->what->intent == UW_WRITE_REPLACE) {
		struct uwi_guard guard = {job->what->expected, settled(&job->old_st), job->what->refuse_writers};
		int code = uwi_fsl_exchange(job->self, job->at, &job->stage, job->old, &job->old_st, &guard, err);
		if (code != UWI_FSL_NO_EXCHANGE)
			return code;
		job->flags |= UW_WROTE_IN_PROCESS;
		if (!guard.settled)
			code = uwi_fsl_verify(job->self, job->old, &job->old_st, UW_STAGE_PUBLISH, job->path, guard.expected, err);
		if (code < 0)
			return code;
	}
	if (renameat(job->at->dir, job->stage.name, job->at->dir, job->at->name) == 0) {
		job->stage.name[0] = '\0';
		return 0;
	}
	if (errno == EISDIR || errno == ENOTDIR)
		return 1;
	return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, errno == EIO ? UW_EFFECT_UNKNOWN : UW_EFFECT_NONE, errno,
	                        "publish", job->path);
}

/* One try to give the content its name. 1: something came between, look again. */
static int name_it(struct publishing *job, struct uw_error *err)
{
	int code = job->old >= 0 ? keep_attributes(job, err) : 0;
	if (code == 0 && is_full(job) && fsync(job->stage.fd) < 0)
		code = uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "sync", job->path);
	if (code == 0 && job->old >= 0)
		code = uwi_fsl_stage_name(&job->stage, err);
	if (code == 0)
		code = uwi_fsl_go_on(job->call, UW_STAGE_PUBLISH, err);
	if (code != 0)
		return code;
	if (job->old >= 0)
		return replace_old(job, err);
	if (uwi_fsl_stage_link(&job->stage, job->at->name) == 0)
		return 0;
	if (errno == EEXIST)
		return 1;
	return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, errno == EIO ? UW_EFFECT_UNKNOWN : UW_EFFECT_NONE, errno,
	                        "publish", job->path);
}

static int publish_staged(struct publishing *job, struct uw_error *err)
{
	for (int tries = 0; tries < UWI_FSL_TRIES; tries++) {
		int code = check_intent(job, UW_STAGE_PUBLISH, err);
		if (code == UWI_FSL_RETRY && job->what->fill_once)
			break;
		if (code != 0)
			return code;
		code = name_it(job, err);
		if (code != 1)
			return code;
	}
	return uwi_fsl_error(err, UW_E_FS_BUSY, UW_STAGE_PUBLISH, "publish", job->path,
	                     "what stands there keeps changing; nothing was changed");
}

/*
 * F-14: of the very file, by its descriptor. A rename changes ctime, so it is
 * taken after it; if the content's own time moved as well, someone has written to
 * the published file already, and the version of before stands.
 */
static void version_of(struct publishing *job, const struct stat *staged, struct uw_version *version)
{
	struct stat now;
	if (fstat(job->stage.fd, &now) < 0 || now.st_mtim.tv_sec != staged->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != staged->st_mtim.tv_nsec || now.st_size != staged->st_size)
		now = *staged;
	uw_version_of_stat(&now, job->self->realm_id, version);
	if (job->stage.size <= UW_VERSION_DIGEST_MAX) {
		uw_blake2b_finish(&job->stage.hash, version->digest);
		version->has_digest = 1;
	}
}

/* The name has to survive a power loss as the content does. */
static void sync_name(struct publishing *job, struct uw_write_result *result)
{
	UW_AUTO_FD dir = -1;
	if (!is_full(job))
		return;
	dir = openat(job->at->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && fsync(dir) == 0)
		return;
	result->flags |= UW_WROTE_NOT_DURABLE;
	result->after.size = sizeof result->after;
	uwi_fsl_os_error(&result->after, UW_STAGE_PUBLISH, UW_EFFECT_DONE, errno, "sync the directory of", job->path);
}

static int stage_content(struct publishing *job, struct uw_error *err)
{
	mode_t mode = job->what->create_mode ? job->what->create_mode : 0666;
	int code = uwi_fsl_stage_open(&job->stage, job->call, job->at->dir, job->path, mode, job->old >= 0, err);
	if (code == 0)
		code = job->what->fill(job->what->arg, &job->stage, err);
	return code;
}

int uwi_fsl_publish(struct uwi_fsl *self, const struct uw_call *call, const struct uwi_parent *at,
                    const struct uwi_publish *what, struct uw_write_result *result,
                    struct uw_error *err)
{
	struct publishing job = {.self = self, .call = call, .at = at, .what = what, .old = -1};
	struct stat staged;
	int created, code;
	job.stage.fd = -1;
	job.path = (struct uw_bytes){at->spot->key.data, at->spot->key.len};
	if (what->verified) {
		job.checked = 1;
		job.checked_st = *what->verified;
	}
	if (at->spot->must_be_dir)
		return uwi_fsl_error(err, UW_E_FS_NOT_REGULAR_FILE, UW_STAGE_FENCE, "write", job.path,
		                     "a path that ends in a slash names a directory");
	code = check_intent(&job, UW_STAGE_STAGE, err);
	if (code == 0)
		code = stage_content(&job, err);
	if (code == 0 && fstat(job.stage.fd, &staged) < 0)
		code = uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "write", job.path);
	if (code == 0)
		code = publish_staged(&job, err);
	created = job.old < 0;
	if (code == 0) {
		memset(result, 0, sizeof *result);
		result->size = sizeof *result;
		result->bytes = job.stage.size;
		result->flags = job.flags | (created ? UW_WROTE_CREATED : 0) |
		                (at->spot->flags & UW_TARGET_VIA_LINK ? UW_WROTE_VIA_LINK : 0);
		version_of(&job, &staged, &result->version);
		sync_name(&job, result);
	}
	uwi_fsl_stage_finish(&job.stage);
	uw_fd_close(&job.old);
	return code;
}
