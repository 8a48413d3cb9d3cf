/* Looking a directory up through fs, by whatever realm it acts on. */
#include "core/gate.h"
#include "core/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int take_stat(void *arg, size_t index, const struct uw_stat *stat, const struct uw_error *err)
{
	struct uw_stat *kept = arg;
	(void)index;
	if (stat && (!err || err->code == 0))
		*kept = *stat;
	return 0;
}

/* A workspace that cannot be looked up is WORKSPACE_INVALID, with the reason in the text. */
static int invalid(const char *path, const char *why, int os_errno, struct uw_error *err)
{
	(void)uw_fail(err, UW_E_WORKSPACE_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, os_errno,
	              "the workspace %s %s", path, why);
	uw_error_detail(err, "path", path, strlen(path));
	return UW_E_WORKSPACE_INVALID;
}

int uwi_place_find(struct uwi_generation *generation, const struct uw_call *call, const char *path,
                   char **ret_path, struct uw_place *ret_place, struct uw_error *err)
{
	const struct uw_fs *fs = &generation->fs_gates[0].handle.fs;
	struct uw_call plain = UW_CALL_INIT;
	struct uw_stat stat;
	struct uw_stat_sink sink = {take_stat, &stat};
	struct uw_target *target = NULL;
	struct uw_error inner = UW_ERROR_INIT;
	char *found;
	int code;
	memset(&stat, 0, sizeof stat);
	if (call) {
		plain.deadline_ns = call->deadline_ns;
		plain.cancel_fd = call->cancel_fd;
	}
	if (path[0] != '/')
		return invalid(path, "is not an absolute path", 0, err);
	code = fs->v->resolve(fs->self, &plain, (struct uw_bytes){path, strlen(path)}, NULL, 0, &target, &inner);
	if (code < 0)
		return invalid(path, inner.message, inner.os_errno, err);
	code = fs->v->stat_many(fs->self, &plain, (const struct uw_target *const *)&target, 1, 0, sink, &inner);
	found = code == 0 ? strndup(target->key.data, target->key.len) : NULL;
	target->release(target);
	if (code < 0)
		return invalid(path, inner.message, inner.os_errno, err);
	if (!found)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, ENOMEM, "no memory for a path");
	if (stat.type != UW_FS_DIRECTORY) {
		free(found);
		return invalid(path, stat.type == UW_FS_ABSENT ? "does not exist" : "is not a directory", 0, err);
	}
	ret_place->path = found;
	ret_place->dev = stat.dev;
	ret_place->ino = stat.ino;
	*ret_path = found;
	return 0;
}
