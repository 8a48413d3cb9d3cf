#include "common/fence.h"

#include "common/path.h"
#include "common/text.h"

#include <umwelt/fs.h>

#include <string.h>

int uw_fence_refuse(int mode, struct uw_bytes key, const char *rule, const char *why,
                    struct uw_error *err)
{
	UW_AUTO_BUF shown = UW_BUF_INIT;
	const char *name = uw_mode_name(mode);
	uw_text_escape(&shown, key.data, key.len);
	uw_fail(err, UW_E_FS_SANDBOX_DENIED, UW_STAGE_FENCE, UW_EFFECT_NONE, 0,
	        UW_DENIED_MARKER "\n" UW_DENIED_HINT "\n%.1024s %s", name ? name : "read-only",
	        shown.failed || !shown.data ? "the path" : shown.data, why);
	uw_error_detail(err, "path", key.data, key.len);
	uw_error_detail(err, "rule", rule, strlen(rule));
	return UW_E_FS_SANDBOX_DENIED;
}

static const struct uw_place *deepest(const struct uw_fence *fence, struct uw_bytes key)
{
	const struct uw_place *found = NULL;
	for (size_t i = 0; i < fence->root_count; i++) {
		const struct uw_place *root = &fence->roots[i];
		if (!root->path || !uw_path_contains(root->path, strlen(root->path), key.data, key.len))
			continue;
		if (!found || strlen(root->path) > strlen(found->path))
			found = root;
	}
	return found;
}

static const struct uw_protected *touched(const struct uw_fence *fence, struct uw_bytes key, int act)
{
	for (size_t i = 0; i < fence->protected_count; i++) {
		const struct uw_protected *rule = &fence->protected_paths[i];
		size_t len = rule->path ? strlen(rule->path) : 0;
		if (uw_path_contains(rule->path, len, key.data, key.len))
			return rule;
		if (act == UW_FENCE_MOVE && uw_path_contains(key.data, key.len, rule->path, len))
			return rule;
	}
	return NULL;
}

const struct uw_place *uw_fence_root(const struct uw_fence *fence, struct uw_bytes key, int act,
                                     int *ret_code, struct uw_error *err)
{
	const struct uw_place *root = deepest(fence, key);
	const struct uw_protected *rule = touched(fence, key, act);
	if (!root) {
		*ret_code = uw_fence_refuse(fence->mode, key, "outside-roots",
		                            "lies outside the places that may be written", err);
		return NULL;
	}
	if (act != UW_FENCE_CONTENT && key.len == uw_path_trim(root->path, strlen(root->path))) {
		*ret_code = uw_fence_refuse(fence->mode, key, "root-itself",
		                            "is the root of a writable place and stays as it is", err);
		return NULL;
	}
	if (rule) {
		const char *name = rule->rule ? rule->rule : "protected";
		*ret_code = uw_fence_refuse(fence->mode, key, name, "is protected, or holds what is", err);
		return NULL;
	}
	return root;
}
