/*
 * policy: what a call may do (S-1..S-4). One verb, resolve; its answer is a value
 * that fs and sandbox receive alike.
 *
 * Any thread may resolve. What is kept between calls is the protected paths of
 * each session (guard.c), under one lock that is never held across a call of fs
 * or sandbox.
 */
#include "policy.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* ---- resolve ---- */

static int choose_mode(const struct policy_plugin *plugin, const struct uw_call *call,
                       const struct uw_policy_wish *wish, int *ret_mode, struct uw_error *err)
{
	const struct uw_session_facts *session = call ? call->session : NULL;
	int mode = plugin->mode;
	if (session && session->mode != UW_MODE_UNSET)
		mode = session->mode;
	if (wish && wish->mode != UW_MODE_UNSET)
		mode = wish->mode;
	if (!uw_mode_name(mode))
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "%d is not a mode", mode);
	if (mode > plugin->max_mode)
		return uw_fail(err, UW_E_MODE_REFUSED, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "mode %s is wider than this world allows (max_mode: %s)", uw_mode_name(mode),
		               uw_mode_name(plugin->max_mode));
	*ret_mode = mode;
	return 0;
}

/* The handle of the workspace, which must be what was looked at. */
static int open_workspace(const struct policy_plugin *plugin, const struct uw_call *call,
                          const struct look *workspace, struct draft *draft, struct uw_error *err)
{
	struct uw_bytes path = {workspace->path, strlen(workspace->path)};
	struct uw_target *target;
	struct uw_dir *dir = NULL;
	int failed = plugin->fs->v->resolve(plugin->fs->self, call, path, "/", 0, &target, err);
	if (failed)
		return failed;
	failed = plugin->fs->v->open_dir(plugin->fs->self, call, target, &dir, err);
	if (target->release)
		target->release(target);
	if (failed)
		return failed;
	draft_dir(draft, dir);
	if (dir->dev != workspace->dev || dir->ino != workspace->ino)
		return uw_fail(err, UW_E_WORKSPACE_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "the workspace %s was replaced while it was opened", workspace->path);
	return 0;
}

/* temp: host makes /tmp a root like others. */
static int add_host_temp(const struct policy_plugin *plugin, const struct uw_call *call,
                         struct draft *draft, struct uw_error *err)
{
	struct look look;
	int failed = policy_look(plugin, call, "/tmp", 0, draft_texts(draft), &look, err);
	return !failed && look.type == UW_FS_DIRECTORY ? draft_root(draft, &look) : failed;
}

static int add_git_root(struct draft *draft, const struct guard *guard)
{
	struct look look = {UW_FS_DIRECTORY, guard->git_root.dev, guard->git_root.ino, NULL};
	if (!guard->git_root.path)
		return 0;
	look.path = texts_add(draft_texts(draft), "%s", guard->git_root.path);
	return draft_root(draft, &look);
}

/* Everything that only workspace-write needs: roots and what is protected below them. */
static int add_writable(struct policy_plugin *plugin, const struct uw_call *call,
                        const struct uw_session_facts *session, const struct look *workspace,
                        struct draft *draft, struct uw_error *err)
{
	const struct uw_place *roots;
	struct guard *guard = NULL;
	size_t count;
	int failed = policy_check_width(plugin, call, workspace->path, err);
	if (!failed)
		failed = policy_roots(plugin, call, draft_texts(draft), draft_root, draft, err);
	if (!failed && plugin->temp_kind == UW_TEMP_HOST)
		failed = add_host_temp(plugin, call, draft, err);
	if (failed)
		return failed;
	roots = draft_roots(draft, &count);
	if (count == 0)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "no memory");
	failed = guard_get(plugin, call, session ? session->id : NULL, roots, count, &guard, err);
	if (failed)
		return failed;
	draft_guard(draft, guard);
	return add_git_root(draft, guard);
}

/* The view of a process under this policy, as far as it is made (S-15). */
static int add_view(const struct policy_plugin *plugin, const struct uw_call *call,
                    struct draft *draft, struct uw_error *err)
{
	struct uw_policy so_far = *draft_policy(draft);
	size_t count;
	const struct uw_place *roots = draft_roots(draft, &count);
	if (!plugin->sandbox || so_far.mode == UW_MODE_DANGER_FULL_ACCESS)
		return 0;
	if (count > 0) {
		so_far.workspace = roots[0];
		so_far.roots = roots + 1;
		so_far.root_count = count - 1;
	}
	return plugin->sandbox->v->view(plugin->sandbox->self, call, &so_far, draft_view, draft, err);
}

static void fill_keys(const struct policy_plugin *plugin, const struct uw_session_facts *session,
                      const struct uw_policy_wish *wish, struct draft *draft)
{
	struct uw_policy *policy = draft_policy(draft);
	const char *state = plugin->host->path(plugin->context, UW_PATH_STATE);
	policy->network = wish && wish->network ? wish->network : plugin->network;
	policy->unix_sockets = plugin->unix_sockets;
	policy->protect = plugin->protect;
	policy->git = plugin->git;
	policy->temp_kind = plugin->temp_kind;
	if (session && session->temp.path) {
		policy->temp = session->temp;
		policy->temp.path = texts_add(draft_texts(draft), "%s", session->temp.path);
	}
	policy->state_dir = state ? texts_add(draft_texts(draft), "%s", state) : NULL;
}

static int fill(struct policy_plugin *plugin, const struct uw_call *call,
                const struct uw_session_facts *session, const struct uw_policy_wish *wish,
                struct draft *draft, struct uw_error *err)
{
	struct look workspace;
	int failed = policy_workspace(plugin, call, session, draft_texts(draft), &workspace, err);
	if (failed)
		return failed;
	fill_keys(plugin, session, wish, draft);
	(void)draft_root(draft, &workspace);
	if (draft_policy(draft)->mode == UW_MODE_WORKSPACE_WRITE)
		failed = add_writable(plugin, call, session, &workspace, draft, err);
	if (!failed)
		failed = open_workspace(plugin, call, &workspace, draft, err);
	return failed ? failed : add_view(plugin, call, draft, err);
}

/* The members that the caller's wish has, the rest unset. */
static struct uw_policy_wish known_part(const struct uw_policy_wish *wish)
{
	struct uw_policy_wish known = {sizeof known, UW_MODE_UNSET, 0};
	if (wish && UW_HAS(struct uw_policy_wish, wish->size, mode))
		known.mode = wish->mode;
	if (wish && UW_HAS(struct uw_policy_wish, wish->size, network))
		known.network = wish->network;
	return known;
}

static int policy_resolve(void *self, const struct uw_call *call, const struct uw_policy_wish *wish,
                          struct uw_policy **ret_policy, struct uw_error *err)
{
	struct policy_plugin *plugin = self;
	struct uw_policy_wish known = known_part(wish);
	struct uw_call own = policy_call(call);
	struct draft *draft;
	int mode = UW_MODE_UNSET, failed = uw_call_check(call, UW_STAGE_POLICY, err);
	if (!failed && known.network && known.network != UW_NETWORK_NONE && known.network != UW_NETWORK_HOST)
		failed = uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		                 "%d is no network choice", known.network);
	if (!failed)
		failed = choose_mode(plugin, call, &known, &mode, err);
	if (failed)
		return failed;
	draft = draft_start(plugin);
	if (!draft)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "no memory for a policy");
	draft_policy(draft)->mode = mode;
	failed = fill(plugin, &own, call ? call->session : NULL, &known, draft, err);
	if (!failed)
		failed = draft_finish(draft, ret_policy, err);
	if (failed)
		draft_free(draft);
	return failed;
}

/* ---- configuration ---- */

static const char *const modes[] = {"read-only", "workspace-write", "danger-full-access", NULL};
static const char *const networks[] = {"none", "host", NULL};
static const char *const unix_choices[] = {"own", "all", "none", NULL};
static const char *const protects[] = {"detect", "enforce", NULL};
static const char *const gits[] = {"safe", "full", NULL};
static const char *const temps[] = {"private", "host", NULL};

static const struct uw_key policy_keys[] = {
    {.name = "mode",
     .type = UW_KEY_CHOICE,
     .narrowing = UW_KEY_NARROWING,
     .default_value = "read-only",
     .choices = modes,
     .help = "what commands and file tools may write, unless session or call say otherwise"},
    {.name = "workspace", .type = UW_KEY_PATH, .help = "directory in which the agent works"},
    {.name = "writable",
     .type = UW_KEY_TREE,
     .help = "further writable roots: paths, or {path, missing: create | skip}"},
    {.name = "protected",
     .type = UW_KEY_STRINGS,
     .narrowing = UW_KEY_NARROWING,
     .help = "kept read-only besides git's hooks and configuration: paths, or names at any depth"},
    {.name = "protect",
     .type = UW_KEY_CHOICE,
     .narrowing = UW_KEY_NARROWING,
     .default_value = "detect",
     .choices = protects,
     .help = "enforce refuses a sandbox that can only detect changes of protected paths"},
    {.name = "network",
     .type = UW_KEY_CHOICE,
     .narrowing = UW_KEY_NARROWING,
     .default_value = "none",
     .choices = networks,
     .help = "none cuts all of the network but a loopback of one's own"},
    {.name = "unix_sockets",
     .type = UW_KEY_CHOICE,
     .narrowing = UW_KEY_NARROWING,
     .default_value = "own",
     .choices = unix_choices,
     .help = "which unix sockets a command may connect to"},
    {.name = "git",
     .type = UW_KEY_CHOICE,
     .default_value = "safe",
     .choices = gits,
     .help = "full lets commands change git's hooks and configuration"},
    {.name = "max_mode",
     .type = UW_KEY_CHOICE,
     .narrowing = UW_KEY_NARROWING,
     .default_value = "danger-full-access",
     .choices = modes,
     .help = "the widest mode that session or approval may reach"},
    {.name = "temp",
     .type = UW_KEY_CHOICE,
     .default_value = "private",
     .choices = temps,
     .help = "host makes /tmp itself writable in workspace-write"},
};

/* The number (from 1) of a key's value among its choices. */
static int choice(const struct uw_host_api *host, const struct uw_config *config, const char *key,
                  const char *const *choices)
{
	const char *value = host->config_string(config, key);
	for (int i = 0; value && choices[i]; i++)
		if (!strcmp(choices[i], value))
			return i + 1;
	return 1;
}

static int bad_root(struct uw_error *err, const char *where, const char *why)
{
	return uw_fail(err, UW_E_POLICY_INVALID, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
	               "%s: policy.writable %s", where, why);
}

/* Relative to the file in "file:line:column"; NULL where that is no file. */
static const char *beside(struct policy_plugin *plugin, const char *where, const char *path)
{
	const char *slash = strrchr(where, '/');
	if (path[0] == '/')
		return texts_add(&plugin->texts, "%s", path);
	if (where[0] != '/' || !slash)
		return NULL;
	return texts_add(&plugin->texts, "%.*s/%s", (int)(slash - where), where, path);
}

static int add_root(struct policy_plugin *plugin, const char *where, const char *path, int create,
                    struct uw_error *err)
{
	struct root_entry entry = {path ? beside(plugin, where, path) : NULL, create,
	                           texts_add(&plugin->texts, "%s", where)};
	if (!path || !path[0] || !entry.path)
		return bad_root(err, where, path && path[0] ? "has a relative path, and no file that it is relative to"
		                                            : "has an entry without a path");
	if (policy_grow(&plugin->roots, plugin->root_count, &plugin->root_room, sizeof *plugin->roots) < 0)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory");
	plugin->roots[plugin->root_count++] = entry;
	return 0;
}

/* A map {path, missing}. */
static int add_root_map(struct policy_plugin *plugin, const struct uw_tree *node, struct uw_error *err)
{
	const struct uw_host_api *host = plugin->host;
	const char *where = host->tree_where(node), *path = NULL, *missing = "skip";
	for (size_t i = 0; i < host->tree_count(node); i++) {
		const char *name = host->tree_name(node, i), *text = host->tree_text(host->tree_item(node, i));
		if (text && !strcmp(name, "path"))
			path = text;
		else if (text && !strcmp(name, "missing"))
			missing = text;
		else
			return bad_root(err, where, "has a key other than `path` and `missing`");
	}
	if (strcmp(missing, "create") != 0 && strcmp(missing, "skip") != 0)
		return bad_root(err, where, "has a `missing` other than `create` and `skip`");
	return add_root(plugin, where, path, !strcmp(missing, "create"), err);
}

static int add_root_node(struct policy_plugin *plugin, const struct uw_tree *node, struct uw_error *err)
{
	const struct uw_host_api *host = plugin->host;
	if (host->tree_kind(node) == UW_TREE_MAP)
		return add_root_map(plugin, node, err);
	if (host->tree_kind(node) == UW_TREE_SCALAR)
		return add_root(plugin, host->tree_where(node), host->tree_text(node), 0, err);
	return bad_root(err, host->tree_where(node), "has an entry that is neither a path nor a map");
}

static int read_roots(struct policy_plugin *plugin, const struct uw_config *config, struct uw_error *err)
{
	const struct uw_host_api *host = plugin->host;
	const struct uw_tree *tree;
	int failed = 0;
	if (!UW_HAS(struct uw_host_api, host->size, tree_where) || !host->config_tree) {
		/* a host without trees: a list of paths */
		for (size_t i = 0; !failed && i < host->config_count(config, "writable"); i++)
			failed = add_root(plugin, host->config_where(config, "writable"),
			                  host->config_item(config, "writable", i), 0, err);
		return failed;
	}
	tree = host->config_tree(config, "writable");
	if (host->tree_kind(tree) == UW_TREE_NONE)
		return 0;
	if (host->tree_kind(tree) != UW_TREE_LIST)
		return bad_root(err, host->tree_where(tree), "is not a list");
	for (size_t i = 0; !failed && i < host->tree_count(tree); i++)
		failed = add_root_node(plugin, host->tree_item(tree, i), err);
	return failed;
}

/* Less what says nothing: "./" at its start, slashes at its end. */
static const char *trimmed(struct policy_plugin *plugin, const char *name)
{
	size_t len;
	while (name[0] == '.' && name[1] == '/')
		name += name[2] == '/' ? 1 : 2;
	len = strlen(name);
	while (len > 1 && name[len - 1] == '/')
		len--;
	return texts_add(&plugin->texts, "%.*s", (int)len, name);
}

static int read_protected(struct policy_plugin *plugin, const struct uw_config *config,
                          struct uw_error *err)
{
	for (size_t i = 0; i < plugin->host->config_count(config, "protected"); i++) {
		const char *given = plugin->host->config_item(config, "protected", i);
		const char *name = trimmed(plugin, given);
		if (!name[0] || !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "/"))
			return uw_fail(err, UW_E_POLICY_INVALID, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
			               "%s: policy.protected names \"%s\", which would protect everything",
			               plugin->host->config_where(config, "protected"), given);
		if (policy_grow(&plugin->protected_names, plugin->protected_count, &plugin->protected_room,
		                sizeof *plugin->protected_names) < 0)
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory");
		plugin->protected_names[plugin->protected_count++] = name;
	}
	return 0;
}

static int read_config(struct policy_plugin *plugin, const struct uw_config *config,
                       struct uw_error *err)
{
	const struct uw_host_api *host = plugin->host;
	const char *workspace = host->config_string(config, "workspace");
	int failed;
	plugin->mode = choice(host, config, "mode", modes);
	plugin->max_mode = choice(host, config, "max_mode", modes);
	plugin->network = choice(host, config, "network", networks);
	plugin->unix_sockets = choice(host, config, "unix_sockets", unix_choices);
	plugin->protect = choice(host, config, "protect", protects);
	plugin->git = choice(host, config, "git", gits);
	plugin->temp_kind = choice(host, config, "temp", temps);
	plugin->workspace = workspace ? texts_add(&plugin->texts, "%s", workspace) : NULL;
	failed = read_roots(plugin, config, err);
	if (!failed)
		failed = read_protected(plugin, config, err);
	if (!failed && plugin->texts.failed)
		failed = uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory");
	return failed;
}

static int policy_destroy(void *self, struct uw_error *err)
{
	struct policy_plugin *plugin = self;
	(void)err;
	guard_forget_all(plugin);
	(void)pthread_mutex_destroy(&plugin->lock);
	texts_free(&plugin->texts);
	free(plugin->roots);
	free(plugin->protected_names);
	free(plugin);
	return 0;
}

static int policy_create(const struct uw_host_api *host, struct uw_plugin_context *context,
                         const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	struct policy_plugin *plugin = calloc(1, sizeof *plugin);
	int failed;
	if (!plugin || pthread_mutex_init(&plugin->lock, NULL) != 0) {
		free(plugin);
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory for policy");
	}
	plugin->host = host;
	plugin->context = context;
	plugin->fs = host->service(context, UW_FS_SERVICE);
	plugin->sandbox = host->service(context, UW_SANDBOX_SERVICE);
	failed = plugin->fs ? read_config(plugin, config, err)
	                    : uw_fail(err, UW_E_SERVICE_MISSING, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
	                              "policy needs %s of the world's realm", UW_FS_SERVICE);
	if (failed)
		(void)policy_destroy(plugin, NULL);
	else
		*ret_self = plugin;
	return failed;
}

static const struct uw_policy_v1 policy_v1 = {.size = sizeof policy_v1, .resolve = policy_resolve};

static const struct uw_provides policy_provides[] = {
    {UW_POLICY_SERVICE, UW_THREADS_PARALLEL, 0, &policy_v1},
};
static const char *const policy_requires[] = {UW_FS_SERVICE, NULL};
static const char *const policy_optional[] = {UW_SANDBOX_SERVICE, NULL};

static const struct uw_plugin policy_plugin = {
    .size = sizeof policy_plugin,
    .abi_major = UW_ABI_MAJOR,
    .name = "policy",
    .version = UW_VERSION,
    .summary = "modes, writable roots and protected paths of a session",
    .provides = policy_provides,
    .provides_count = 1,
    .requires_services = policy_requires,
    .optional_services = policy_optional,
    .keys = policy_keys,
    .key_count = UW_COUNT(policy_keys),
    .create = policy_create,
    .destroy = policy_destroy,
};

const struct uw_plugin *uw_plugin_entry(void)
{
	return &policy_plugin;
}
