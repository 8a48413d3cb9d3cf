/*
 * bundle_set: what the caller overrides (C-11): --set PATH=VALUE, --mode and
 * --workspace; and the workspace where nobody named one, the current directory. A value replaces what
 * stood at its path; the caller is trusted.
 */
#include "core/bundle_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where one override is applied. */
struct setting {
	struct uwi_loading *loading;
	const char *said;   /* "--set world.sandbox" */
	char *path;         /* PATH */
	struct uwi_node at; /* for messages */
};

static int bad(struct setting *setting, const char *path, const char *why)
{
	uwi_problem(setting->loading->problems, UW_E_BUNDLE_INVALID, &setting->at, path, "%s", why);
	return 0;
}

static struct uwi_node *new_map(struct setting *setting)
{
	struct uwi_node *map = uw_arena_alloc(setting->loading->arena, 1, sizeof *map);
	if (map) {
		*map = setting->at;
		map->kind = UWI_MAP;
	}
	return map;
}

/* One step of a path: its key, and the indices after it. */
struct step {
	char *key;
	size_t index[4];
	size_t index_count;
};

/* Cuts the next step off *rest. 0, or -1 where it is malformed. */
static int next_step(char **rest, struct step *step)
{
	size_t len = strcspn(*rest, ".[");
	char *at = *rest + len, *end;
	step->key = *rest;
	step->index_count = 0;
	if (!len)
		return -1;
	while (*at == '[') {
		*at++ = '\0';
		if (*at < '0' || *at > '9' || step->index_count == 4)
			return -1;
		step->index[step->index_count++] = strtoul(at, &end, 10);
		if (*end != ']')
			return -1;
		at = end + 1;
	}
	if (*at == '.') {
		*at++ = '\0';
		if (!*at)
			return -1;
	} else if (*at) {
		return -1;
	}
	*rest = at;
	return 0;
}

/*
 * The place of the value of `step` in `map`; a missing key is made where the path
 * goes on to a map. NULL in *ret_place: reported.
 */
static int find_place(struct setting *setting, struct uwi_node *map, const struct step *step,
                      int more, struct uwi_node ***ret_place)
{
	struct uwi_node *item = uwi_node_find(map, step->key);
	struct uwi_node **place = NULL;
	int status;
	*ret_place = NULL;
	if (!item || (item->kind == UWI_NULL && more)) {
		item = new_map(setting);
		status = item ? uwi_map_put(setting->loading->arena, map, step->key, item) : UW_E_NO_MEMORY;
		if (status)
			return status;
	}
	for (size_t i = 0; i < map->count; i++)
		if (uwi_node_is(map->keys[i], step->key))
			place = &map->items[i];
	for (size_t i = 0; place && i < step->index_count; i++) {
		if ((*place)->kind != UWI_LIST || step->index[i] >= (*place)->count)
			return bad(setting, step->key, "there is no list member of this index");
		place = &(*place)->items[step->index[i]];
	}
	*ret_place = place;
	return 0;
}

static int put_value(struct setting *setting, struct uwi_node *value)
{
	struct uwi_node *map = setting->loading->root;
	char *rest = uw_arena_text(setting->loading->arena, setting->path);
	struct uwi_node **place;
	struct step step;
	if (!rest)
		return UW_E_NO_MEMORY;
	while (*rest) {
		int status;
		if (next_step(&rest, &step) < 0)
			return bad(setting, setting->path, "a path reads KEY.KEY or KEY[INDEX].KEY");
		if (map->kind != UWI_MAP)
			return bad(setting, setting->path, "the path leads into a value that is no map");
		status = find_place(setting, map, &step, *rest != '\0', &place);
		if (status || !place)
			return status;
		if (!*rest && value->kind == UWI_NULL && !step.index_count)
			uwi_map_remove(map, step.key);
		else if (!*rest)
			*place = value;
		else
			map = *place;
	}
	return 0;
}

static int start(struct setting *setting, struct uwi_loading *loading, const char *path, size_t len)
{
	setting->loading = loading;
	setting->path = uw_arena_copy(loading->arena, path, len);
	setting->said =
	    uw_arena_printf(loading->arena, "--set %.*s", (int)(len < 300 ? len : 300), path);
	if (!setting->path || !setting->said)
		return UW_E_NO_MEMORY;
	setting->at = (struct uwi_node){.kind = UWI_BROKEN,
	                                .file = "--set",
	                                .dir = loading->cwd,
	                                .where = setting->said,
	                                .trusted = 1};
	return 0;
}

/* VALUE without its nulls: below a replaced value there is nothing to remove. */
static int clean(struct uwi_loading *loading, struct uwi_node **value)
{
	if ((*value)->kind != UWI_MAP)
		return 0;
	return uwi_merge(loading, NULL, *value, value);
}

static int apply_set(struct uwi_loading *loading, const char *text)
{
	const char *equals = strchr(text, '=');
	struct setting setting;
	struct uwi_source source;
	struct uwi_node *value = NULL;
	size_t problems = loading->problems->count;
	int status = start(&setting, loading, text, equals ? (size_t)(equals - text) : strlen(text));
	if (status)
		return status;
	if (!equals || equals == text)
		return bad(&setting, "", "an override reads PATH=VALUE");
	if (!strcmp(setting.path, "extends") || !strcmp(setting.path, "umwelt"))
		return bad(&setting, "", "this key cannot be overridden; name another bundle");
	source = (struct uwi_source){"--set", loading->cwd, setting.said, 1};
	status = uwi_yaml_parse(loading->arena, &source, equals + 1, strlen(equals + 1),
	                        loading->problems, &value);
	if (status || loading->problems->count != problems)
		return status;
	if (!value) {
		value = uwi_node_make(loading->arena, "", setting.said, loading->cwd);
		if (!value)
			return UW_E_NO_MEMORY;
		value->kind = UWI_NULL;
	}
	status = clean(loading, &value);
	return status ? status : put_value(&setting, value);
}

/* policy.KEY by the caller's own option, or as the default. */
static int put_policy(struct uwi_loading *loading, const char *key, const char *text,
                      const char *origin)
{
	struct uwi_node *policy = uwi_node_find(loading->root, "policy");
	struct uwi_node *value = uwi_node_make(loading->arena, text, origin, loading->cwd);
	if (!value)
		return UW_E_NO_MEMORY;
	value->literal = 1;
	if (!policy) {
		policy = uwi_node_make(loading->arena, "", origin, loading->cwd);
		if (!policy)
			return UW_E_NO_MEMORY;
		policy->kind = UWI_MAP;
		if (uwi_map_put(loading->arena, loading->root, "policy", policy) < 0)
			return UW_E_NO_MEMORY;
	}
	if (policy->kind != UWI_MAP)
		return 0; /* reported by the check */
	return uwi_map_put(loading->arena, policy, key, value);
}

/* --workspace, else the bundle's own, else the current directory, if there still is one. */
static int set_workspace(struct uwi_loading *loading, const char *wanted)
{
	if (!wanted && uwi_node_get(uwi_node_get(loading->root, "policy"), "workspace"))
		return 0;
	if (wanted && !*wanted) {
		uwi_problem(loading->problems, UW_E_INVALID_ARGS, NULL, "",
		            "the workspace is an empty path");
		return 0;
	}
	if (loading->cwd_gone && (!wanted || *wanted != '/')) {
		uwi_problem(loading->problems, UW_E_WORKSPACE_INVALID, NULL, "",
		            "the current directory was removed or cannot be named");
		return 0;
	}
	return wanted ? put_policy(loading, "workspace", wanted, "--workspace")
	              : put_policy(loading, "workspace", loading->cwd, UWI_ORIGIN_CWD);
}

int uwi_apply_options(struct uwi_loading *loading)
{
	const struct uw_world_options *options = loading->options;
	int status = 0;
	for (const char *const *set = options->sets; set && *set && !status; set++)
		status = apply_set(loading, *set);
	if (!status && options->mode != UW_MODE_UNSET) {
		const char *mode = uw_mode_name(options->mode);
		if (mode)
			status = put_policy(loading, "mode", mode, "--mode");
		else
			uwi_problem(loading->problems, UW_E_INVALID_ARGS, NULL, "", "%d is no mode",
			            options->mode);
	}
	return status ? status : set_workspace(loading, options->workspace);
}
