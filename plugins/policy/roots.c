/*
 * Where a command may write: the workspace and the further roots, each canonical,
 * each narrow enough (S-4).
 */
#include "policy.h"

#include <string.h>

#include "common/path_order.h"

static int refuse(struct uw_error *err, const char *path, const char *why)
{
	return uw_fail(err, UW_E_WORKSPACE_REFUSED, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
	               "%s may not be writable: %s; choose a directory below it", path, why);
}

int policy_check_width(const struct policy_plugin *plugin, const struct uw_call *call,
                       const char *path, struct uw_error *err)
{
	const char *state = plugin->host->path(plugin->context, UW_PATH_STATE);
	const char *temps = plugin->host->path(plugin->context, UW_PATH_TEMP);
	struct texts texts = {NULL, 0, 0, 0};
	const char *home;
	int failed = 0;
	if (!strcmp(path, "/"))
		return refuse(err, path, "it is the root of the file system");
	if (uw_path_within(path, "/proc") || uw_path_within(path, "/sys") || !strcmp(path, "/dev"))
		return refuse(err, path, "it is the kernel's");
	if (state && uw_path_within(state, path))
		return refuse(err, path, "it holds Umwelt's state directory");
	if (state && uw_path_within(path, state))
		return refuse(err, path, "it lies in Umwelt's state directory");
	if (temps && uw_path_within(temps, path))
		return refuse(err, path, "it holds the temps of all sessions");
	failed = policy_home(plugin, call, &texts, &home, err);
	if (!failed && home && !strcmp(home, path))
		failed = refuse(err, path, "it is a home directory itself");
	texts_free(&texts);
	return failed;
}

int policy_workspace(const struct policy_plugin *plugin, const struct uw_call *call,
                     const struct uw_session_facts *session, struct texts *texts,
                     struct look *ret_look, struct uw_error *err)
{
	const struct uw_place *given = session && session->workspace.path ? &session->workspace : NULL;
	const char *path = given ? given->path : plugin->workspace;
	struct uw_error why = UW_ERROR_INIT;
	int failed;
	if (!path || path[0] != '/')
		return uw_fail(err, UW_E_WORKSPACE_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               path ? "the workspace %s is not an absolute path"
		                    : "neither session nor bundle names a workspace",
		               path);
	failed = policy_look(plugin, call, path, 0, texts, ret_look, &why);
	if (failed == UW_E_CANCELLED || failed == UW_E_TIMED_OUT || failed == UW_E_CONNECTION_LOST) {
		if (err)
			*err = why;
		return failed;
	}
	if (failed)
		return uw_fail(err, UW_E_WORKSPACE_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, why.os_errno,
		               "the workspace %s cannot be looked at: %s", path, why.message);
	if (ret_look->type != UW_FS_DIRECTORY)
		return uw_fail(err, UW_E_WORKSPACE_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               ret_look->type == UW_FS_ABSENT ? "the workspace %s does not exist"
		                                              : "the workspace %s is not a directory",
		               path);
	if (given && given->ino && (given->dev != ret_look->dev || given->ino != ret_look->ino))
		return uw_fail(err, UW_E_WORKSPACE_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "the workspace %s is another directory than when the session opened", path);
	return 0;
}

static int invalid(struct uw_error *err, const struct root_entry *entry, const char *why)
{
	return uw_fail(err, UW_E_POLICY_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
	               "%s: the writable root %s %s", entry->where, entry->path, why);
}

/* One entry of `writable`; ret_look->type stays ABSENT where it is skipped. */
static int one_root(const struct policy_plugin *plugin, const struct uw_call *call,
                    const struct root_entry *entry, struct texts *texts, struct look *ret_look,
                    struct uw_error *err)
{
	int failed = policy_look(plugin, call, entry->path, 0, texts, ret_look, err);
	if (failed)
		return failed;
	if (ret_look->type == UW_FS_ABSENT && entry->create) {
		failed = policy_check_width(plugin, call, ret_look->path, err);
		if (!failed)
			failed = policy_mkdir(plugin, call, ret_look->path, err);
		if (!failed)
			failed = policy_look(plugin, call, entry->path, 0, texts, ret_look, err);
		if (failed)
			return failed;
	}
	if (ret_look->type == UW_FS_ABSENT)
		return 0;
	if (ret_look->type != UW_FS_DIRECTORY)
		return invalid(err, entry, "is not a directory");
	return policy_check_width(plugin, call, ret_look->path, err);
}

int policy_roots(const struct policy_plugin *plugin, const struct uw_call *call,
                 struct texts *texts, int (*add)(void *arg, const struct look *root), void *arg,
                 struct uw_error *err)
{
	for (size_t i = 0; i < plugin->root_count; i++) {
		struct look look;
		int failed = one_root(plugin, call, &plugin->roots[i], texts, &look, err);
		if (!failed && look.type != UW_FS_ABSENT)
			failed = add(arg, &look);
		if (failed)
			return failed;
	}
	return 0;
}
