/*
 * mkdir, remove, rename: entries, not contents. All act on a parent's descriptor
 * and a last name that is not followed.
 */
#include "local.h"

#include "common/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct entry_work {
	struct uwi_mutation frame; /* first */
	uint32_t flags;
};

static struct uw_bytes path_of(const struct uwi_parent *at)
{
	return (struct uw_bytes){at->spot->key.data, at->spot->key.len};
}

static int make_one(struct uwi_mutation *mutation, const struct uwi_parent *at, struct uw_error *err)
{
	const struct entry_work *work = (struct entry_work *)mutation;
	struct stat st;
	if (mkdirat(at->dir, at->name, 0777) == 0)
		return 0;
	if (errno == EEXIST && work->flags & UW_MKDIR_PARENTS && fstatat(at->dir, at->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode))
		return 0;
	return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, UW_EFFECT_NONE, errno, "make the directory", path_of(at));
}

/* A directory that stands already needs no fence passed: nothing is changed. */
static int is_directory(const struct uw_target *target)
{
	struct stat st;
	return fstatat(AT_FDCWD, target->key.data, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

int uwi_fsl_mkdir(void *self, const struct uw_call *call, const struct uw_target *target,
                  uint32_t flags, struct uw_error *err)
{
	int parents = (flags & UW_MKDIR_PARENTS) != 0;
	struct entry_work work = {{UW_FENCE_ENTRY, parents, make_one, self, call, target}, flags};
	if (target->flags & UW_TARGET_DANGLING)
		return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, UW_EFFECT_NONE, EEXIST, "make the directory", target->display);
	if (parents && is_directory(target))
		return uwi_fsl_go_on(call, UW_STAGE_PUBLISH, err);
	return uwi_fsl_mutate(&work.frame, err);
}

static int remove_tree(struct uwi_mutation *mutation, const struct uwi_parent *at, struct uw_error *err)
{
	UW_AUTO_FD dir = uwi_fsl_open_name(at->dir, at->name, O_RDONLY | O_DIRECTORY);
	uint64_t removed = 0;
	int effect, os_errno;
	if (dir >= 0 && uwi_fsl_empty_tree(mutation->call, dir, &removed) == 0) {
		if (unlinkat(at->dir, at->name, AT_REMOVEDIR) == 0)
			return 0;
	}
	os_errno = errno;
	effect = removed ? UW_EFFECT_UNKNOWN : UW_EFFECT_NONE;
	if (os_errno == ECANCELED) {
		char why[96];
		int code = uw_call_check(mutation->call, UW_STAGE_PUBLISH, err);
		(void)snprintf(why, sizeof why, "the call ended after %llu entries were removed", (unsigned long long)removed);
		if (removed == 0 && code == UW_E_CANCELLED)
			code = UW_E_FS_ABORTED;
		uwi_fsl_error(err, code < 0 ? code : UW_E_CANCELLED, UW_STAGE_PUBLISH, "remove all of", path_of(at), why);
		if (err)
			err->effect = effect;
		return code < 0 ? code : UW_E_CANCELLED;
	}
	return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, effect, os_errno, "remove all of", path_of(at));
}

static int remove_one(struct uwi_mutation *mutation, const struct uwi_parent *at, struct uw_error *err)
{
	const struct entry_work *work = (struct entry_work *)mutation;
	struct stat st;
	int os_errno;
	if (fstatat(at->dir, at->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, UW_EFFECT_NONE, errno, "remove", path_of(at));
	if (at->spot->must_be_dir && !S_ISDIR(st.st_mode))
		return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, UW_EFFECT_NONE, ENOTDIR, "remove", path_of(at));
	if (unlinkat(at->dir, at->name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) == 0)
		return 0;
	os_errno = errno == EEXIST ? ENOTEMPTY : errno;
	if (os_errno == ENOTEMPTY && work->flags & UW_REMOVE_RECURSIVE)
		return remove_tree(mutation, at, err);
	return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, UW_EFFECT_NONE, os_errno, "remove", path_of(at));
}

static int need_nofollow(const struct uw_target *target, const char *verb, struct uw_error *err)
{
	if (target->flags & UW_TARGET_NOFOLLOW)
		return 0;
	return uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_NONE, verb, target->display,
	                     "its target was resolved through a link at its last name");
}

int uwi_fsl_remove(void *self, const struct uw_call *call, const struct uw_target *target,
                   uint32_t flags, struct uw_error *err)
{
	struct entry_work work = {{UW_FENCE_MOVE, 0, remove_one, self, call, target}, flags};
	int code = need_nofollow(target, "remove", err);
	return code < 0 ? code : uwi_fsl_mutate(&work.frame, err);
}

struct renaming {
	struct uwi_fsl *self;
	const struct uw_call *call;
	const struct uw_target *target[2]; /* from, to */
	struct uwi_spot spot[2];
	uint32_t flags;
};

/* Where renameat2 cannot: a hard link never replaces either, and a directory is looked for first. */
static int rename_by_hand(const struct uwi_parent *from, const struct uwi_parent *to)
{
	struct stat st;
	if (linkat(from->dir, from->name, to->dir, to->name, 0) == 0)
		return unlinkat(from->dir, from->name, 0);
	if (errno != EPERM && errno != EOPNOTSUPP)
		return -1;
	if (fstatat(to->dir, to->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from->dir, from->name, to->dir, to->name);
}

static int rename_one(const struct renaming *work, const struct uwi_parent *from, const struct uwi_parent *to,
                      struct uw_error *err)
{
	int done, code = uwi_fsl_go_on(work->call, UW_STAGE_PUBLISH, err);
	if (code < 0)
		return code;
	if (work->flags & UW_RENAME_NOREPLACE) {
		done = uwi_fsl_rename_noreplace(from->dir, from->name, to->dir, to->name);
		if (done < 0 && (errno == ENOSYS || errno == EINVAL))
			done = rename_by_hand(from, to);
	} else {
		done = renameat(from->dir, from->name, to->dir, to->name);
		/* some file systems say so of a directory that is not empty */
		if (done < 0 && errno == EEXIST)
			errno = ENOTEMPTY;
	}
	if (done == 0)
		return 0;
	if (errno == EINVAL)
		return uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_PUBLISH, "rename", path_of(from),
		                     "a directory cannot be moved into itself");
	return uwi_fsl_os_error(err, UW_STAGE_PUBLISH, UW_EFFECT_NONE, errno, "rename", path_of(from));
}

static int rename_attempt(struct renaming *work, struct uw_error *err)
{
	UW_AUTO_HOLD first = UW_KEYLOCK_HOLD_INIT;
	UW_AUTO_HOLD second = UW_KEYLOCK_HOLD_INIT;
	struct uwi_parent from, to;
	const struct uw_buf *a = &work->spot[0].key, *b = &work->spot[1].key;
	int order = strcmp(a->data, b->data), code;
	const struct uw_buf *low = order <= 0 ? a : b, *high = order <= 0 ? b : a;
	code = uw_keylock_take(&work->self->locks, work->call, low->data, low->len, &first, err);
	if (code == 0 && order != 0)
		code = uw_keylock_take(&work->self->locks, work->call, high->data, high->len, &second, err);
	if (code == 0)
		code = uwi_fsl_parent_open(work->call, &work->spot[0], UW_FENCE_MOVE, 0, &from, err);
	if (code != 0)
		return code;
	code = uwi_fsl_parent_open(work->call, &work->spot[1], UW_FENCE_MOVE, 0, &to, err);
	if (code == 0) {
		code = rename_one(work, &from, &to, err);
		uwi_fsl_parent_finish(&to);
	}
	uwi_fsl_parent_finish(&from);
	return code;
}

static int rename_loop(struct renaming *work, struct uw_error *err)
{
	int code = 0;
	for (int i = 0; i < 2 && code == 0; i++)
		code = uwi_fsl_spot_of(work->target[i], &work->spot[i], err);
	for (int tries = 1; code == 0; tries++) {
		code = rename_attempt(work, err);
		if (code != UWI_FSL_RETRY)
			break;
		if (tries == UWI_FSL_TRIES)
			return uwi_fsl_error(err, UW_E_FS_BUSY, UW_STAGE_FENCE, "rename", work->target[0]->display,
			                     "the directories above it keep changing; nothing was changed");
		code = 0;
		for (int i = 0; i < 2 && code == 0; i++)
			code = uwi_fsl_spot_again(work->self, work->call, work->target[i], &work->spot[i], err);
	}
	return code;
}

int uwi_fsl_rename(void *self, const struct uw_call *call, const struct uw_target *from,
                   const struct uw_target *to, uint32_t flags, struct uw_error *err)
{
	struct renaming work = {self, call, {from, to}, {UWI_SPOT_INIT, UWI_SPOT_INIT}, flags};
	int code = need_nofollow(from, "rename", err);
	if (code == 0)
		code = need_nofollow(to, "rename to", err);
	if (code == 0)
		code = uwi_fsl_go_on(call, UW_STAGE_QUEUE, err);
	if (code == 0)
		code = rename_loop(&work, err);
	if (code == UW_E_CANCELLED)
		code = uw_fail(err, UW_E_FS_ABORTED, UW_STAGE_QUEUE, UW_EFFECT_NONE, 0,
		               "the call was cancelled; nothing was changed");
	uwi_fsl_spot_finish(&work.spot[0]);
	uwi_fsl_spot_finish(&work.spot[1]);
	return code;
}
