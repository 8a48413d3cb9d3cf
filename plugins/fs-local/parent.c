/*
 * F-32: check and mutation are one. The fence is checked on the canonical path;
 * then the way from the fence's root to the parent directory is gone name by name
 * on descriptors, links refused, the root's device and inode compared first. So
 * the directory that is acted on lies below the root, whatever is swapped on the
 * way; a link that turns up means that the path has changed, and all starts again
 * at F-1. Existing protected paths are known by inode too: a bind mount or a name
 * in other letters of a file system that folds case leads to no way around.
 */
#include "local.h"

#include "common/fence.h"
#include "common/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

void uwi_fsl_parent_finish(struct uwi_parent *parent)
{
	uw_fd_close(&parent->dir);
}

void uwi_fsl_parent_undo(struct uwi_parent *parent)
{
	const struct uw_buf *key = &parent->spot->key;
	char name[NAME_MAX + 1];
	for (; parent->made > 0; parent->made--) {
		size_t start = uw_path_name(key->data, parent->reached), len = parent->reached - start;
		int up = openat(parent->dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0)
			return;
		memcpy(name, key->data + start, len);
		name[len] = '\0';
		uw_fd_close(&parent->dir);
		parent->dir = up;
		/* only empty ones go: what others put there meanwhile stays */
		if (unlinkat(up, name, AT_REMOVEDIR) < 0)
			return;
		parent->reached = uw_path_parent(key->data, parent->reached);
	}
}

int uwi_fsl_go_on(const struct uw_call *call, int stage, struct uw_error *err)
{
	int code = uw_call_check(call, stage, err);
	if (code == UW_E_CANCELLED)
		return uw_fail(err, UW_E_FS_ABORTED, stage, UW_EFFECT_NONE, 0,
		               "the call was cancelled; nothing was changed");
	return code;
}

static struct uw_bytes key_of(const struct uwi_spot *spot)
{
	return (struct uw_bytes){spot->key.data, spot->key.len};
}

/* The root's directory, proven to be the one the policy means. */
static int open_root(const struct uw_fence *fence, const struct uw_place *root, struct uw_bytes key,
                     struct uw_error *err)
{
	UW_AUTO_FD fd = uwi_fsl_open_strict(root->path, O_PATH);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return uw_fence_refuse(fence->mode, key, "root-missing",
		                       "lies below a writable place that is no longer there", err);
	if (st.st_dev != root->dev || st.st_ino != root->ino)
		return uw_fence_refuse(fence->mode, key, "root-replaced",
		                       "lies below a writable place that was replaced by another", err);
	return uw_fd_steal(&fd);
}

/* 0, or the refusal: this object is itself a protected one, whatever its path here. */
static int known_by_inode(const struct uw_fence *fence, const struct stat *st, struct uw_bytes key,
                          struct uw_error *err)
{
	for (size_t i = 0; i < fence->protected_count; i++) {
		const struct uw_protected *rule = &fence->protected_paths[i];
		if (rule->exists && rule->ino == st->st_ino && rule->dev == st->st_dev)
			return uw_fence_refuse(fence->mode, key, rule->rule ? rule->rule : "protected",
			                       "is protected under another name, or holds what is", err);
	}
	return 0;
}

/* The same of one entry, a link not followed; what is not there is not known. */
static int known_entry(const struct uw_fence *fence, int dir, const char *name, struct uw_bytes key,
                       struct uw_error *err)
{
	struct stat st;
	if (!fence || !fence->protected_count || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) < 0)
		return 0;
	return known_by_inode(fence, &st, key, err);
}

/* Syncs what a new name was made in, as far as it can be opened; best effort, the write itself tells. */
static void sync_directory(int dir)
{
	UW_AUTO_FD fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
}

/* One directory down; made if asked for. -1 and errno. */
static int step(int dir, const char *name, int make, uint32_t *made)
{
	int fd = uwi_fsl_open_name(dir, name, O_PATH | O_DIRECTORY);
	if (fd >= 0 || errno != ENOENT || !make)
		return fd;
	if (mkdirat(dir, name, 0777) == 0) {
		(*made)++;
		sync_directory(dir);
	} else if (errno != EEXIST) {
		return -1;
	}
	return uwi_fsl_open_name(dir, name, O_PATH | O_DIRECTORY);
}

/* ENOTDIR may be a link as well, since O_DIRECTORY is asked for together with O_NOFOLLOW. */
static int not_reached(int dir, const char *name, int os_errno, struct uw_bytes key, int make,
                       struct uw_error *err)
{
	struct stat st;
	if (os_errno == ELOOP || os_errno == EXDEV || (os_errno == ENOENT && make))
		return UWI_FSL_RETRY;
	if (os_errno == ENOTDIR && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		return UWI_FSL_RETRY;
	return uwi_fsl_os_error(err, UW_STAGE_FENCE, UW_EFFECT_NONE, os_errno, make ? "make the directory of" : "reach", key);
}

/* From an open root along `rest` (the key's part between root and last name). */
static int descend(const struct uw_fence *fence, struct uwi_parent *parent, const char *rest, size_t len,
                   int make, struct uw_error *err)
{
	struct uw_bytes key = key_of(parent->spot);
	char name[NAME_MAX + 1];
	while (len > 0) {
		size_t take = 0;
		int next, code;
		while (len > 0 && *rest == '/')
			rest++, len--;
		while (take < len && rest[take] != '/')
			take++;
		if (take == 0)
			break;
		if (take > NAME_MAX)
			return uwi_fsl_os_error(err, UW_STAGE_FENCE, UW_EFFECT_NONE, ENAMETOOLONG, "reach", key);
		memcpy(name, rest, take);
		name[take] = '\0';
		next = step(parent->dir, name, make, &parent->made);
		if (next < 0)
			return not_reached(parent->dir, name, errno, key, make, err);
		uw_fd_close(&parent->dir);
		parent->dir = next;
		parent->reached = (size_t)(rest - key.data) + take;
		code = known_entry(fence, parent->dir, "", key, err);
		if (code < 0)
			return code;
		rest += take;
		len -= take;
	}
	return 0;
}

/* The target is the fence's root, or `/`: there is no parent to act in. */
static int is_a_root(const struct uw_fence *fence, int act, int root, struct uw_bytes key, struct uw_error *err)
{
	struct stat st;
	if (fstat(root, &st) == 0 && S_ISDIR(st.st_mode))
		return act == UW_FENCE_CONTENT
		           ? uwi_fsl_error(err, UW_E_FS_NOT_REGULAR_FILE, UW_STAGE_FENCE, "write", key, "it is a directory")
		       : act == UW_FENCE_ENTRY
		           ? uwi_fsl_os_error(err, UW_STAGE_FENCE, UW_EFFECT_NONE, EEXIST, "make", key)
		           : uwi_fsl_os_error(err, UW_STAGE_FENCE, UW_EFFECT_NONE, EBUSY, "move or remove", key);
	return uw_fence_refuse(fence ? fence->mode : 0, key, "root-itself",
	                       "is a single file; replacing it would change its directory, which may not be written",
	                       err);
}

int uwi_fsl_parent_open(const struct uw_call *call, const struct uwi_spot *spot, int act, int make,
                        struct uwi_parent *ret_parent, struct uw_error *err)
{
	const struct uw_fence *fence = call ? call->fence : NULL;
	const struct uw_place *root = NULL;
	struct uw_bytes key = key_of(spot);
	struct uwi_parent parent = {-1, NULL, spot, 0, 0};
	size_t name = uw_path_name(key.data, key.len), start = 0;
	int code = 0;
	if (fence) {
		root = uw_fence_root(fence, key, act, &code, err);
		if (!root)
			return code;
		parent.dir = open_root(fence, root, key, err);
		start = uw_path_trim(root->path, strlen(root->path));
	} else {
		parent.dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		start = 1;
	}
	if (parent.dir < 0)
		return fence ? parent.dir : uwi_fsl_os_error(err, UW_STAGE_FENCE, UW_EFFECT_NONE, errno, "reach", key);
	if (key.len <= start)
		code = is_a_root(fence, act, parent.dir, key, err);
	else
		code = descend(fence, &parent, key.data + start, name > start ? name - start : 0, make, err);
	if (code == 0)
		code = known_entry(fence, parent.dir, key.data + name, key, err);
	if (code != 0) {
		uwi_fsl_parent_undo(&parent);
		uwi_fsl_parent_finish(&parent);
		return code;
	}
	parent.name = key.data + name;
	*ret_parent = parent;
	return 0;
}

static int attempt(struct uwi_mutation *mutation, const struct uwi_spot *spot, struct uw_error *err)
{
	UW_AUTO_HOLD hold = UW_KEYLOCK_HOLD_INIT;
	struct uwi_parent parent;
	int code = uw_keylock_take(&mutation->self->locks, mutation->call, spot->key.data, spot->key.len, &hold, err);
	if (code < 0)
		return code;
	code = uwi_fsl_go_on(mutation->call, UW_STAGE_FENCE, err);
	if (code < 0)
		return code;
	code = uwi_fsl_parent_open(mutation->call, spot, mutation->act, mutation->make, &parent, err);
	if (code != 0)
		return code;
	code = mutation->run(mutation, &parent, err);
	if (code != 0)
		uwi_fsl_parent_undo(&parent);
	uwi_fsl_parent_finish(&parent);
	return code;
}

int uwi_fsl_mutate(struct uwi_mutation *mutation, struct uw_error *err)
{
	UWI_AUTO_SPOT spot = UWI_SPOT_INIT;
	int code = uwi_fsl_go_on(mutation->call, UW_STAGE_QUEUE, err);
	if (code == 0)
		code = uwi_fsl_spot_of(mutation->target, &spot, err);
	for (int tries = 1; code == 0; tries++) {
		code = attempt(mutation, &spot, err);
		if (code != UWI_FSL_RETRY)
			break;
		if (tries == UWI_FSL_TRIES)
			return uwi_fsl_error(err, UW_E_FS_BUSY, UW_STAGE_FENCE, "change", mutation->target->display,
			                     "the directories above it keep changing; nothing was changed");
		code = uwi_fsl_spot_again(mutation->self, mutation->call, mutation->target, &spot, err);
	}
	if (code == UW_E_CANCELLED)
		code = uw_fail(err, UW_E_FS_ABORTED, UW_STAGE_QUEUE, UW_EFFECT_NONE, 0,
		               "the call was cancelled; nothing was changed");
	return code;
}
