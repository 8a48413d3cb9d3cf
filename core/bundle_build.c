/*
 * bundle_build: the merged and checked document as struct uwi_bundle. Runs only
 * where no problem was reported before, so types are what the table says; what
 * it reports is how values fit together and below the host's ceilings.
 */
#include "core/bundle_internal.h"

#include "common/cleanup.h"

#include <stdlib.h>
#include <string.h>

struct building {
	struct uwi_loading *loading;
	struct uwi_bundle *bundle;
};

#define PROBLEM(building, node, path, ...)                                                         \
	uwi_problem((building)->loading->problems, UW_E_BUNDLE_INVALID, node, path, __VA_ARGS__)

static const struct uwi_node *at(const struct building *building, const char *map, const char *key)
{
	return uwi_node_get(uwi_node_get(building->loading->root, map), key);
}

/* A number of the document, or its default. */
static int number(const struct uwi_node *node, const char *path)
{
	int64_t value = strtoll(uwi_rule_at(path)->default_text, NULL, 10);
	if (node)
		(void)uwi_node_int(node, &value);
	return (int)value;
}

/* A NULL-terminated list; a text is a list of one. */
static int texts(struct building *building, const struct uwi_node *node, char ***ret_list)
{
	size_t count = !node ? 0 : node->kind == UWI_LIST ? node->count : 1;
	char **list = uw_arena_alloc(&building->bundle->arena, count + 1, sizeof *list);
	if (!list)
		return UW_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		const struct uwi_node *item = node->kind == UWI_LIST ? node->items[i] : node;
		list[i] = uw_arena_text(&building->bundle->arena, item->text);
		if (!list[i])
			return UW_E_NO_MEMORY;
	}
	*ret_list = list;
	return 0;
}

/* ---- providers ---- */

static const char *instance_name(const void *arg, size_t index)
{
	const struct uwi_node *providers = arg;
	return providers && index < providers->count ? providers->keys[index]->text : NULL;
}

static int shared_provider(struct building *building, const struct uwi_node *node, const char *path,
                           struct uwi_provider_spec *spec)
{
	const struct uwi_node *providers = uwi_node_get(building->loading->root, "providers");
	for (size_t i = 0; providers && i < providers->count; i++)
		if (!strcmp(providers->keys[i]->text, node->text)) {
			spec->instance = providers->keys[i]->text;
			spec->node = providers->items[i];
			spec->path = uw_arena_printf(&building->bundle->arena, "providers.%s", spec->instance);
			return spec->path ? 0 : UW_E_NO_MEMORY;
		}
	{
		const char *nearest = uwi_nearest(node->text, instance_name, providers);
		PROBLEM(building, node, path,
		        "`providers:` has no instance `%.100s`%s%s%s; one of its own is {plugin: %.100s}",
		        node->text, nearest ? "; did you mean `" : "", nearest ? nearest : "",
		        nearest ? "`?" : "", node->text);
	}
	return 0;
}

/* spec->plugin stays NULL where a problem was reported. */
static int provider(struct building *building, const struct uwi_node *node, const char *path,
                    struct uwi_provider_spec *spec)
{
	const struct uwi_node *plugin;
	int status = 0;
	*spec = (struct uwi_provider_spec){.node = node};
	if (node->kind == UWI_SCALAR)
		status = shared_provider(building, node, path, spec);
	else
		spec->path = uw_arena_text(&building->bundle->arena, path);
	if (status)
		return status;
	if (node->kind != UWI_SCALAR && !spec->path)
		return UW_E_NO_MEMORY;
	if (node->kind == UWI_SCALAR && !spec->instance)
		return 0;
	plugin = uwi_node_get(spec->node, "plugin");
	if (plugin)
		spec->plugin = plugin->text;
	else
		PROBLEM(building, spec->node, spec->path, "the key `plugin` is missing");
	return 0;
}

static int providers(struct building *building, const struct uwi_node *list, const char *path,
                     struct uwi_provider_spec **ret_specs, size_t *ret_count)
{
	struct uwi_provider_spec *specs =
	    uw_arena_alloc(&building->bundle->arena, list->count, sizeof *specs);
	char below[UWI_KEY_PATH_MAX];
	int status = specs ? 0 : UW_E_NO_MEMORY;
	if (!list->count)
		PROBLEM(building, list, path, "at least one provider is needed");
	for (size_t i = 0; i < list->count && !status; i++) {
		uwi_index_path(below, path, i);
		status = provider(building, list->items[i], below, &specs[i]);
	}
	if (!status) {
		*ret_specs = specs;
		*ret_count = list->count;
	}
	return status;
}

static int optional(struct building *building, const char *key, struct uwi_optional_spec *spec)
{
	const struct uwi_node *node = uwi_node_get(building->loading->root, key);
	spec->node = node;
	spec->present = node && !uwi_node_is(node, "none");
	return spec->present ? provider(building, node, key, &spec->provider) : 0;
}

/* ---- the parts ---- */

static int build_runner(struct building *building, const struct uwi_node *runner)
{
	struct uwi_sandbox_spec *sandbox = &building->bundle->sandbox;
	const struct uwi_node *failure = uwi_node_get(runner, "failure");
	const struct uwi_node *status_node = uwi_node_get(failure, "exit");
	int64_t code = -1;
	int status;
	sandbox->kind = UWI_SANDBOX_RUNNER;
	if (status_node)
		(void)uwi_node_int(status_node, &code);
	sandbox->failure_exit = (int)code;
	status = texts(building, uwi_node_get(runner, "argv"), &sandbox->runner_argv);
	if (!status)
		status = texts(building, uwi_node_get(failure, "signatures"), &sandbox->failure_signatures);
	if (!status && (!sandbox->runner_argv[0] || sandbox->runner_argv[0][0] != '/'))
		PROBLEM(building, runner, "world.sandbox.runner.argv",
		        "it begins with the absolute path of the runner");
	return status;
}

static int build_sandbox(struct building *building)
{
	struct uwi_sandbox_spec *sandbox = &building->bundle->sandbox;
	const struct uwi_node *node = at(building, "world", "sandbox");
	const struct uwi_node *chain = uwi_node_get(node, "chain");
	const struct uwi_node *runner = uwi_node_get(node, "runner");
	const char *path = "world.sandbox";
	sandbox->node = node;
	sandbox->failure_exit = -1;
	sandbox->kind = UWI_SANDBOX_NONE;
	if (uwi_node_is(node, "none"))
		return 0;
	if ((chain || runner) && node->count != 1) {
		PROBLEM(building, node, path, "`chain` and `runner` stand alone, without other keys");
		return 0;
	}
	if (runner)
		return build_runner(building, runner);
	sandbox->kind = chain ? UWI_SANDBOX_CHAIN : UWI_SANDBOX_PLUGIN;
	if (chain)
		return providers(building, chain, "world.sandbox.chain", &sandbox->providers,
		                 &sandbox->provider_count);
	sandbox->providers = uw_arena_alloc(&building->bundle->arena, 1, sizeof *sandbox->providers);
	sandbox->provider_count = 1;
	return sandbox->providers ? provider(building, node, path, sandbox->providers) : UW_E_NO_MEMORY;
}

static int build_world(struct building *building)
{
	struct uwi_bundle *bundle = building->bundle;
	const struct uwi_node *world = uwi_node_get(building->loading->root, "world");
	const struct uwi_node *retire = uwi_node_get(world, "on_retire");
	const struct uwi_node *terminals = uwi_node_get(retire, "terminals");
	int status;
	bundle->drain_ms = number(uwi_node_get(world, "drain_ms"), "world.drain_ms");
	bundle->retire_commands = uwi_node_is(uwi_node_get(retire, "commands"), "terminate");
	bundle->retire_terminals = !terminals || uwi_node_is(terminals, "terminate");
	status =
	    providers(building, uwi_node_get(world, "fs"), "world.fs", &bundle->fs, &bundle->fs_count);
	if (!status)
		status = provider(building, uwi_node_get(world, "subprocess"), "world.subprocess",
		                  &bundle->subprocess);
	return status ? status : build_sandbox(building);
}

static int mode_of(const struct uwi_node *node, int otherwise)
{
	for (int mode = UW_MODE_READ_ONLY; node && mode <= UW_MODE_DANGER_FULL_ACCESS; mode++)
		if (uwi_node_is(node, uw_mode_name(mode)))
			return mode;
	return otherwise;
}

/* Nobody gets past the document's max_mode or the host's ceiling, the caller neither. */
static void check_mode(struct building *building, const struct uwi_node *mode)
{
	struct uwi_bundle *bundle = building->bundle;
	int ceiling = building->loading->settings->max_mode;
	struct uwi_problems *problems = building->loading->problems;
	if (bundle->mode > bundle->max_mode)
		uwi_problem(problems,
		            building->loading->options->mode ? UW_E_MODE_REFUSED : UW_E_BUNDLE_INVALID,
		            mode, "policy.mode", "%s is wider than `max_mode`, which is %s",
		            uw_mode_name(bundle->mode), uw_mode_name(bundle->max_mode));
	if (!ceiling)
		return;
	if (bundle->mode > ceiling)
		uwi_problem(problems, UW_E_MODE_REFUSED, mode, "policy.mode",
		            "%s is wider than the host's configuration allows, which is %s",
		            uw_mode_name(bundle->mode), uw_mode_name(ceiling));
	if (bundle->max_mode > ceiling)
		bundle->max_mode = ceiling;
}

/* A path of the document, from where its file lies: no plugin needs to know that. */
static int make_absolute(struct building *building, struct uwi_node *node)
{
	char *absolute = uwi_path_absolute(&building->bundle->arena, node->dir, node->text);
	if (!absolute)
		return UW_E_NO_MEMORY;
	node->text = absolute;
	node->text_len = strlen(absolute);
	node->quoted = 1;
	return 0;
}

static int make_roots_absolute(struct building *building, struct uwi_node *writable)
{
	int status = 0;
	for (size_t i = 0; writable && i < writable->count && !status; i++) {
		struct uwi_node *root = writable->items[i];
		status = make_absolute(building, root->kind == UWI_MAP ? uwi_node_find(root, "path") : root);
	}
	return status;
}

static int build_policy(struct building *building)
{
	struct uwi_bundle *bundle = building->bundle;
	const struct uwi_node *policy = uwi_node_get(building->loading->root, "policy");
	const struct uwi_node *plugin = uwi_node_get(policy, "plugin");
	struct uwi_node *workspace = uwi_node_find(policy, "workspace");
	if (make_absolute(building, workspace) < 0 ||
	    make_roots_absolute(building, uwi_node_find(policy, "writable")) < 0)
		return UW_E_NO_MEMORY;
	bundle->workspace = workspace->text;
	bundle->workspace_is_default = !strcmp(workspace->file, UWI_ORIGIN_CWD);
	bundle->policy = (struct uwi_provider_spec){
	    .plugin = plugin ? plugin->text : uwi_rule_at("policy.plugin")->default_text,
	    .node = policy,
	    .path = "policy",
	};
	bundle->mode = mode_of(uwi_node_get(policy, "mode"), UW_MODE_READ_ONLY);
	bundle->max_mode = mode_of(uwi_node_get(policy, "max_mode"), UW_MODE_DANGER_FULL_ACCESS);
	check_mode(building, uwi_node_get(policy, "mode"));
	return 0;
}

static int build_services(struct building *building)
{
	struct uwi_bundle *bundle = building->bundle;
	const struct uwi_node *services = uwi_node_get(building->loading->root, "services");
	size_t count = services ? services->count : 0;
	char path[UWI_KEY_PATH_MAX];
	bundle->services = uw_arena_alloc(&bundle->arena, count, sizeof *bundle->services);
	if (!bundle->services)
		return UW_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		int status;
		bundle->services[i].service = services->keys[i]->text;
		uwi_key_path(path, "services", services->keys[i]->text);
		status = provider(building, services->items[i], path, &bundle->services[i].provider);
		if (status)
			return status;
	}
	bundle->service_count = count;
	return 0;
}

static int build_grants(struct building *building)
{
	struct uwi_bundle *bundle = building->bundle;
	const struct uwi_node *grants = uwi_node_get(building->loading->root, "grants");
	size_t count = grants ? grants->count : 0;
	bundle->grants = uw_arena_alloc(&bundle->arena, count, sizeof *bundle->grants);
	if (!bundle->grants)
		return UW_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		struct uwi_grant *grant = &bundle->grants[i];
		grant->plugin = grants->keys[i]->text;
		grant->node = grants->items[i];
		if (texts(building, grants->items[i], &grant->withheld) < 0)
			return UW_E_NO_MEMORY;
	}
	bundle->grant_count = count;
	return 0;
}

static int limit(struct building *building, const char *key, const char *path, int ceiling)
{
	const struct uwi_node *node = at(building, "limits", key);
	int value = number(node, path);
	if (ceiling <= 0 || value <= ceiling)
		return value;
	if (node)
		PROBLEM(building, node, path, "%d is above the host's ceiling, which is %d", value,
		        ceiling);
	return ceiling;
}

static void build_limits(struct building *building)
{
	const struct uwi_settings *settings = building->loading->settings;
	struct uwi_bundle *bundle = building->bundle;
	bundle->max_running =
	    limit(building, "max_running", "limits.max_running", settings->max_running);
	bundle->max_per_session =
	    limit(building, "max_per_session", "limits.max_per_session", settings->max_per_session);
	bundle->max_queued = limit(building, "max_queued", "limits.max_queued", settings->max_queued);
}

static int build_optionals(struct building *building)
{
	struct uwi_bundle *bundle = building->bundle;
	int status = optional(building, "guard", &bundle->guard);
	if (!status)
		status = optional(building, "approval", &bundle->approval);
	if (!status)
		status = optional(building, "trace", &bundle->trace);
	bundle->trace_required =
	    bundle->trace.present && !uwi_node_is(at(building, "trace", "required"), "false");
	if (building->loading->settings->trace_required && !bundle->trace_required)
		PROBLEM(building, bundle->trace.node ? bundle->trace.node : building->loading->root,
		        "trace", "the host's configuration wants a required trace");
	return status;
}

/* A list of the document, or what its rule has as choices, which is the default. */
static int tools(struct building *building, const struct uwi_node *node, const char *path,
                 char ***ret_list)
{
	const struct uwi_rule *rule = uwi_rule_at(path);
	size_t count = 0;
	char **list;
	if (node)
		return texts(building, node, ret_list);
	while (rule->choices[count])
		count++;
	list = uw_arena_alloc(&building->bundle->arena, count + 1, sizeof *list);
	for (size_t i = 0; list && i < count; i++)
		if (!(list[i] = uw_arena_text(&building->bundle->arena, rule->choices[i])))
			return UW_E_NO_MEMORY;
	*ret_list = list;
	return list ? 0 : UW_E_NO_MEMORY;
}

static int build_files(struct building *building)
{
	const struct uwi_loading *loading = building->loading;
	struct uwi_bundle *bundle = building->bundle;
	bundle->files =
	    uw_arena_alloc(&bundle->arena, loading->document_count + 1, sizeof *bundle->files);
	if (!bundle->files)
		return UW_E_NO_MEMORY;
	for (size_t i = 0; i < loading->document_count; i++)
		if (!(bundle->files[i] = uw_arena_text(&bundle->arena, loading->documents[i].path)))
			return UW_E_NO_MEMORY;
	return 0;
}

int uwi_bundle_build(struct uwi_loading *loading, struct uwi_bundle *bundle)
{
	static int (*const parts[])(struct building *) = {
	    build_world, build_policy, build_services, build_optionals, build_grants, build_files,
	};
	struct building building = {loading, bundle};
	int status = 0;
	bundle->root = loading->root;
	for (size_t i = 0; i < UW_COUNT(parts) && !status; i++)
		status = parts[i](&building);
	build_limits(&building);
	if (!status)
		status = tools(&building, uwi_node_get(loading->root, "tools"), "tools", &bundle->tools);
	if (!status)
		status = tools(&building, at(&building, "escalation", "tools"), "escalation.tools",
		               &bundle->escalation_tools);
	return status;
}
