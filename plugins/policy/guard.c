/*
 * Protected paths (S-3). They are computed once for a session in a workspace and
 * kept: what a command of the session makes later (a repository, a hook path) is
 * not taken for the owner's.
 */
#include "policy.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/path_order.h"

/* Sessions whose guards are kept; an older one is computed again. */
#define GUARDS_MAX 64u
/* Names that one search for protected names may look at. */
#define WALK_MAX 1000000u

static void guard_free(struct guard *guard)
{
	if (!guard)
		return;
	texts_free(&guard->texts);
	free(guard->items);
	free(guard);
}

int guard_within(const struct guard *guard, const char *path)
{
	for (size_t i = 0; i < guard->root_count; i++)
		if (uw_path_within(path, guard->roots[i].path))
			return 1;
	return guard->git_root.path && uw_path_within(path, guard->git_root.path);
}

static int holds_a_root(const struct guard *guard, const char *path)
{
	for (size_t i = 0; i < guard->root_count; i++)
		if (uw_path_within(guard->roots[i].path, path))
			return 1;
	return 0;
}

static int add(struct guard *guard, const struct look *look, const char *rule, uint32_t flags,
               struct uw_error *err)
{
	struct uw_protected *item;
	if (holds_a_root(guard, look->path))
		return uw_fail(err, !strcmp(rule, "control-plane") ? UW_E_WORKSPACE_REFUSED : UW_E_POLICY_INVALID,
		               UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "%s is protected (%s) and holds a directory that is to be writable", look->path,
		               rule);
	if (!guard_within(guard, look->path))
		return 0;
	for (size_t i = 0; i < guard->count; i++)
		if (!strcmp(guard->items[i].path, look->path))
			return 0;
	if (guard->count >= POLICY_PROTECTED_MAX)
		return uw_fail(err, UW_E_POLICY_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "more than %u paths are protected; name a directory that holds many of them",
		               POLICY_PROTECTED_MAX);
	if (policy_grow(&guard->items, guard->count, &guard->room, sizeof *guard->items) < 0)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "no memory");
	item = &guard->items[guard->count++];
	*item = (struct uw_protected){texts_add(&guard->texts, "%s", look->path), rule,
	                              look->type != UW_FS_ABSENT, flags, look->dev, look->ino};
	return 0;
}

/* Protects each link among the directories of path that a command could replace. */
static int protect_links(const struct policy_plugin *plugin, const struct uw_call *call,
                         struct guard *guard, const char *path, const char *rule,
                         struct texts *texts, struct uw_error *err)
{
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		const char *prefix = texts_add(texts, "%.*s", (int)(slash - path), path);
		const char *name = strrchr(prefix, '/');
		struct look look;
		int failed;
		if (!name || !strcmp(name, "/.") || !strcmp(name, "/..") || !guard_within(guard, prefix))
			continue;
		failed = policy_look(plugin, call, prefix, 1, texts, &look, err);
		if (!failed && look.type == UW_FS_SYMLINK)
			failed = add(guard, &look, rule, UW_PROTECTED_LINK, err);
		if (failed)
			return failed;
	}
	return 0;
}

static int protect(const struct policy_plugin *plugin, const struct uw_call *call,
                   struct guard *guard, const char *path, const char *rule, struct texts *texts,
                   struct uw_error *err)
{
	struct look look;
	int failed = policy_look(plugin, call, path, 1, texts, &look, err);
	if (!failed && strcmp(look.path, path) != 0)
		failed = protect_links(plugin, call, guard, path, rule, texts, err);
	if (failed || look.type != UW_FS_SYMLINK)
		return failed ? failed : add(guard, &look, rule, 0, err);
	failed = add(guard, &look, rule, UW_PROTECTED_LINK, err);
	if (!failed)
		failed = policy_look(plugin, call, path, 0, texts, &look, err);
	return failed ? failed : add(guard, &look, rule, 0, err);
}

int guard_protect(const struct policy_plugin *plugin, const struct uw_call *call,
                  struct guard *guard, const char *path, const char *rule, struct uw_error *err)
{
	struct texts texts = {NULL, 0, 0, 0};
	int failed = protect(plugin, call, guard, path, rule, &texts, err);
	texts_free(&texts);
	return failed;
}

/* ---- names at any depth ---- */

struct walk {
	const struct policy_plugin *plugin;
	const struct uw_call *call;
	struct guard *guard;
	const char *dir;     /* being listed */
	struct texts dirs;   /* to be listed; grows while it is walked */
	size_t seen;
	struct uw_error *err;
};

static int matches(const struct policy_plugin *plugin, const char *name)
{
	for (size_t i = 0; i < plugin->protected_count; i++)
		if (!strchr(plugin->protected_names[i], '/') &&
		    fnmatch(plugin->protected_names[i], name, 0) == 0)
			return 1;
	return 0;
}

static int take_entry(void *arg, const char *name, int type)
{
	struct walk *walk = arg;
	const char *dir = !strcmp(walk->dir, "/") ? "" : walk->dir;
	if (++walk->seen > WALK_MAX)
		return uw_fail(walk->err, UW_E_POLICY_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "%s holds more than %u entries to be searched for protected names; name paths "
		               "in `protected` instead",
		               walk->guard->roots[0].path, WALK_MAX);
	if (matches(walk->plugin, name)) {
		const char *path = texts_add(&walk->guard->texts, "%s/%s", dir, name);
		return guard_protect(walk->plugin, walk->call, walk->guard, path, "bundle", walk->err);
	}
	/* git's own directory has rules of its own */
	if (type == UW_FS_DIRECTORY && strcmp(name, ".git") != 0)
		(void)texts_add(&walk->dirs, "%s/%s", dir, name);
	return 0;
}

static int protect_names(const struct policy_plugin *plugin, const struct uw_call *call,
                         struct guard *guard, struct uw_error *err)
{
	struct walk walk = {plugin, call, guard, NULL, {NULL, 0, 0, 0}, 0, err};
	int failed = 0;
	for (size_t i = 0; i < guard->root_count; i++)
		(void)texts_add(&walk.dirs, "%s", guard->roots[i].path);
	for (size_t i = 0; !failed && i < walk.dirs.count; i++) {
		walk.dir = walk.dirs.items[i];
		failed = policy_list(plugin, call, walk.dir, take_entry, &walk, err);
		/* what this user may not list holds nothing that a command could change */
		if (failed == UW_E_FS_PERMISSION_DENIED)
			failed = 0;
	}
	if (!failed && walk.dirs.failed)
		failed = uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "no memory");
	texts_free(&walk.dirs);
	return failed;
}

/* The bundle's own entries: paths of the workspace, absolute ones, and names at any depth. */
static int protect_listed(const struct policy_plugin *plugin, const struct uw_call *call,
                          struct guard *guard, struct uw_error *err)
{
	int names = 0, failed = 0;
	for (size_t i = 0; !failed && i < plugin->protected_count; i++) {
		const char *name = plugin->protected_names[i];
		const char *path = name[0] == '/'
		                       ? name
		                       : texts_add(&guard->texts, "%s/%s", guard->workspace, name);
		names |= strchr(name, '/') == NULL;
		/* a pattern is no path */
		if (strchr(name, '/') || !strpbrk(name, "*?["))
			failed = guard_protect(plugin, call, guard, path, "bundle", err);
	}
	return !failed && names ? protect_names(plugin, call, guard, err) : failed;
}

static int protect_control_plane(const struct policy_plugin *plugin, const struct uw_call *call,
                                 struct guard *guard, struct uw_error *err)
{
	static const int paths[] = {UW_PATH_LAUNCHER, UW_PATH_BWRAP, UW_PATH_CHECK_NONCE,
	                            UW_PATH_CHECK_FORBIDDEN};
	const struct uw_host_api *host = plugin->host;
	int failed = 0;
	for (size_t i = 0; !failed && i < sizeof paths / sizeof paths[0]; i++) {
		const char *path = host->path(plugin->context, paths[i]);
		if (path)
			failed = guard_protect(plugin, call, guard, path, "control-plane", err);
	}
	if (!UW_HAS(struct uw_host_api, host->size, control_plane) || !host->control_plane)
		return failed;
	for (size_t i = 0; !failed; i++) {
		const char *path = host->control_plane(plugin->context, i);
		if (!path)
			break;
		failed = guard_protect(plugin, call, guard, path, "control-plane", err);
	}
	return failed;
}

static int make(const struct policy_plugin *plugin, const struct uw_call *call, const char *session,
                const struct uw_place *roots, size_t root_count, struct guard **ret_guard,
                struct uw_error *err)
{
	struct guard *guard = calloc(1, sizeof *guard);
	int failed;
	if (!guard)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "no memory");
	guard->refs = 1;
	guard->session = session ? texts_add(&guard->texts, "%s", session) : NULL;
	guard->workspace = texts_add(&guard->texts, "%s", roots[0].path);
	guard->dev = roots[0].dev;
	guard->ino = roots[0].ino;
	guard->roots = roots;
	guard->root_count = root_count;
	failed = plugin->git == UW_GIT_FULL ? 0 : git_protect(plugin, call, guard, err);
	if (!failed)
		failed = protect_listed(plugin, call, guard, err);
	if (!failed)
		failed = protect_control_plane(plugin, call, guard, err);
	guard->roots = NULL;
	guard->root_count = 0;
	if (!failed && guard->texts.failed)
		failed = uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "no memory");
	if (failed)
		guard_free(guard);
	else
		*ret_guard = guard;
	return failed;
}

/* ---- the kept ones ---- */

/* Under the lock. */
static struct guard *find(struct policy_plugin *plugin, const char *session,
                          const struct uw_place *workspace)
{
	for (struct guard *guard = plugin->guards; guard; guard = guard->next)
		if (!strcmp(guard->session, session) && !strcmp(guard->workspace, workspace->path) &&
		    guard->dev == workspace->dev && guard->ino == workspace->ino)
			return guard;
	return NULL;
}

/* Under the lock: lets go of the oldest beyond GUARDS_MAX; returns what is to be freed, or NULL. */
static struct guard *trim(struct policy_plugin *plugin)
{
	struct guard **link = &plugin->guards, *last;
	for (size_t kept = 0; *link && kept < GUARDS_MAX; kept++)
		link = &(*link)->next;
	last = *link;
	*link = NULL;
	return last && --last->refs == 0 ? last : NULL;
}

int guard_get(struct policy_plugin *plugin, const struct uw_call *call, const char *session,
              const struct uw_place *roots, size_t root_count, struct guard **ret_guard,
              struct uw_error *err)
{
	struct guard *made = NULL, *found, *spent = NULL;
	int failed;
	if (session) {
		(void)pthread_mutex_lock(&plugin->lock);
		found = find(plugin, session, &roots[0]);
		if (found)
			found->refs++;
		(void)pthread_mutex_unlock(&plugin->lock);
		if (found) {
			*ret_guard = found;
			return 0;
		}
	}
	failed = make(plugin, call, session, roots, root_count, &made, err);
	if (failed || !session) {
		if (!failed)
			*ret_guard = made;
		return failed;
	}
	(void)pthread_mutex_lock(&plugin->lock);
	found = find(plugin, session, &roots[0]); /* another call was faster: the first counts */
	if (found) {
		spent = made;
	} else {
		found = made;
		found->refs++; /* the list's */
		found->next = plugin->guards;
		plugin->guards = found;
		spent = trim(plugin);
	}
	if (found != made)
		found->refs++;
	(void)pthread_mutex_unlock(&plugin->lock);
	guard_free(spent);
	*ret_guard = found;
	return 0;
}

void guard_drop(struct policy_plugin *plugin, struct guard *guard)
{
	unsigned left;
	if (!guard)
		return;
	(void)pthread_mutex_lock(&plugin->lock);
	left = --guard->refs;
	(void)pthread_mutex_unlock(&plugin->lock);
	if (left == 0)
		guard_free(guard);
}

void guard_forget_all(struct policy_plugin *plugin)
{
	struct guard *guard = plugin->guards;
	plugin->guards = NULL;
	while (guard) {
		struct guard *next = guard->next;
		guard->next = NULL;
		guard_drop(plugin, guard);
		guard = next;
	}
}
