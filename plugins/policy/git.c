/*
 * What git runs or obeys when a person works in the workspace later: hooks, the
 * configuration, and what leads to them (S-3). All else of a git directory stays
 * writable, so that add, commit, branch, stash, gc and worktree work.
 */
#include "policy.h"

#include <stdlib.h>
#include <string.h>

#include "common/path_order.h"

#define CONFIG_MAX     (1u << 20)
#define INCLUDE_DEPTH  8
#define MODULES_DEPTH  8
/* Beyond so many modules the directory of all is protected as a whole. */
#define MODULES_MAX 60u

struct repository {
	const struct policy_plugin *plugin;
	const struct uw_call *call;
	struct guard *guard;
	const char *git_dir;  /* of this work tree */
	const char *common;   /* of all work trees: hooks, config, objects */
	const char *worktree; /* core.worktree seen in the configuration, or NULL */
	const char *home;     /* or NULL */
	struct texts texts;
	struct uw_error *err;
};

static int protect(struct repository *repo, const char *dir, const char *name, const char *rule)
{
	const char *path = texts_add(&repo->texts, "%s/%s", dir, name);
	return guard_protect(repo->plugin, repo->call, repo->guard, path, rule, repo->err);
}

static const char *join(struct repository *repo, const char *dir, const char *path)
{
	if (path[0] == '/')
		return texts_add(&repo->texts, "%s", path);
	return texts_add(&repo->texts, "%s/%s", dir, path);
}

/* ---- configuration: the hook path in force, and files that are included ---- */

struct config_file {
	struct repository *repo;
	const char *dir; /* of the file */
	int depth;
};

static int read_config(struct repository *repo, const char *path, int depth);

/* A path of a value: ~/ is the user's home; relative to `dir`. NULL where it cannot be told. */
static const char *value_path(struct repository *repo, const char *dir, const char *value)
{
	if (value[0] == '~' && value[1] == '/')
		return repo->home ? texts_add(&repo->texts, "%s%s", repo->home, value + 1) : NULL;
	return value[0] && value[0] != '~' ? join(repo, dir, value) : NULL;
}

static int take_value(void *arg, const char *section, const char *sub, const char *key,
                      const char *value)
{
	struct config_file *file = arg;
	struct repository *repo = file->repo;
	const char *path;
	int failed;
	(void)sub;
	if (!strcmp(section, "core") && !strcmp(key, "worktree"))
		repo->worktree = texts_add(&repo->texts, "%s", value);
	if (!strcmp(section, "core") && !strcmp(key, "hookspath")) {
		path = value_path(repo, repo->guard->workspace, value);
		/* the last one is in force; the others were, or will be elsewhere */
		return path ? guard_protect(repo->plugin, repo->call, repo->guard, path, "git-hooks", repo->err)
		            : 0;
	}
	if (strcmp(key, "path") != 0 || (strcmp(section, "include") != 0 && strcmp(section, "includeif") != 0))
		return 0;
	path = value_path(repo, file->dir, value);
	if (!path)
		return 0;
	failed = guard_protect(repo->plugin, repo->call, repo->guard, path, "git-config", repo->err);
	return failed ? failed : read_config(repo, path, file->depth + 1);
}

static int read_config(struct repository *repo, const char *path, int depth)
{
	struct config_file file = {repo, NULL, depth};
	struct uw_buf content = UW_BUF_INIT;
	int found, failed = 0;
	if (depth > INCLUDE_DEPTH)
		return 0;
	file.dir = texts_add(&repo->texts, "%.*s", (int)(strrchr(path, '/') - path), path);
	found = policy_read(repo->plugin, repo->call, path, CONFIG_MAX, &content, repo->err);
	if (found > 0)
		failed = gitconfig_parse(content.data, content.len, take_value, &file);
	uw_buf_finish(&content);
	return found < 0 ? found : failed;
}

static int read_configs(struct repository *repo)
{
	const char *paths[5] = {"/etc/gitconfig", NULL, NULL, NULL, NULL};
	int failed = policy_home(repo->plugin, repo->call, &repo->texts, &repo->home, repo->err);
	if (repo->home) {
		paths[1] = texts_add(&repo->texts, "%s/.config/git/config", repo->home);
		paths[2] = texts_add(&repo->texts, "%s/.gitconfig", repo->home);
	}
	paths[3] = texts_add(&repo->texts, "%s/config", repo->common);
	paths[4] = texts_add(&repo->texts, "%s/config.worktree", repo->git_dir);
	for (size_t i = 0; !failed && i < sizeof paths / sizeof paths[0]; i++)
		if (paths[i])
			failed = read_config(repo, paths[i], 0);
	return failed;
}

/* ---- modules and worktrees ---- */

struct names {
	struct repository *repo;
	struct texts found;
};

static int take_directory(void *arg, const char *name, int type)
{
	struct names *names = arg;
	if (type == UW_FS_DIRECTORY)
		(void)texts_add(&names->found, "%s", name);
	return 0;
}

/* The directories in dir; freed by the caller. */
static int directories(struct repository *repo, const char *dir, struct names *names)
{
	*names = (struct names){repo, {NULL, 0, 0, 0}};
	return policy_list(repo->plugin, repo->call, dir, take_directory, names, repo->err);
}

static int is_git_dir(struct repository *repo, const char *dir)
{
	struct look head, objects;
	return policy_look(repo->plugin, repo->call, join(repo, dir, "HEAD"), 1, &repo->texts, &head, NULL) == 0 &&
	       policy_look(repo->plugin, repo->call, join(repo, dir, "objects"), 0, &repo->texts, &objects, NULL) == 0 &&
	       head.type != UW_FS_ABSENT && objects.type == UW_FS_DIRECTORY;
}

/* modules/NAME, where NAME may have slashes, and modules of modules. */
static int protect_modules(struct repository *repo, const char *dir, int depth, size_t *seen)
{
	struct names names;
	int failed = depth > MODULES_DEPTH ? 0 : directories(repo, dir, &names);
	if (depth > MODULES_DEPTH || failed)
		return failed;
	for (size_t i = 0; !failed && i < names.found.count && *seen <= MODULES_MAX; i++) {
		const char *path = join(repo, dir, names.found.items[i]);
		if (!is_git_dir(repo, path)) {
			failed = protect_modules(repo, path, depth + 1, seen);
			continue;
		}
		if (++*seen > MODULES_MAX)
			break;
		failed = protect(repo, path, "hooks", "git-hooks");
		if (!failed)
			failed = protect(repo, path, "config", "git-config");
		if (!failed)
			failed = protect_modules(repo, join(repo, path, "modules"), depth + 1, seen);
	}
	texts_free(&names.found);
	return failed;
}

static int protect_worktrees(struct repository *repo)
{
	const char *dir = join(repo, repo->common, "worktrees");
	struct names names;
	int failed = directories(repo, dir, &names);
	for (size_t i = 0; !failed && i < names.found.count; i++)
		failed = protect(repo, join(repo, dir, names.found.items[i]), "config.worktree", "git-config");
	texts_free(&names.found);
	return failed;
}

static int protect_git_dir(struct repository *repo)
{
	const char *modules = join(repo, repo->common, "modules");
	size_t seen = 0, before;
	int failed = protect(repo, repo->common, "hooks", "git-hooks");
	if (!failed)
		failed = protect(repo, repo->common, "config", "git-config");
	if (!failed)
		failed = protect(repo, repo->common, "config.worktree", "git-config");
	if (!failed && strcmp(repo->git_dir, repo->common) != 0)
		failed = protect(repo, repo->git_dir, "config.worktree", "git-config");
	if (!failed)
		failed = protect_worktrees(repo);
	before = repo->guard->count;
	if (!failed)
		failed = protect_modules(repo, modules, 0, &seen);
	if (!failed && seen > MODULES_MAX) {
		repo->guard->count = before;
		failed = guard_protect(repo->plugin, repo->call, repo->guard, modules, "git-config", repo->err);
	}
	return failed;
}

/* ---- where it stands ---- */

/* The one line of a small file, less what is before it and white space at its end; NULL if absent. */
static const char *line_of(struct repository *repo, const char *path, const char *prefix)
{
	struct uw_buf content = UW_BUF_INIT;
	const char *line = NULL;
	size_t skip = strlen(prefix);
	if (policy_read(repo->plugin, repo->call, path, 65536, &content, NULL) > 0 &&
	    content.len > skip && !strncmp(content.data, prefix, skip)) {
		while (content.len > skip && strchr(" \t\r\n", content.data[content.len - 1]))
			uw_buf_truncate(&content, content.len - 1);
		while (content.data[skip] == ' ')
			skip++;
		line = texts_add(&repo->texts, "%s", content.data + skip);
	}
	uw_buf_finish(&content);
	return line;
}

/* Canonical, if it is a directory; else NULL. */
static const char *directory(struct repository *repo, const char *path)
{
	struct look look;
	if (policy_look(repo->plugin, repo->call, path, 0, &repo->texts, &look, NULL) != 0 ||
	    look.type != UW_FS_DIRECTORY)
		return NULL;
	return look.path;
}

static int same_place(struct repository *repo, const char *a, const char *b)
{
	struct look left, right;
	return policy_look(repo->plugin, repo->call, a, 0, &repo->texts, &left, NULL) == 0 &&
	       policy_look(repo->plugin, repo->call, b, 0, &repo->texts, &right, NULL) == 0 &&
	       left.type != UW_FS_ABSENT && left.dev == right.dev && left.ino == right.ino;
}

/*
 * A `.git` file is the workspace's own and could name any repository: the git
 * directory must name the workspace in turn, which nobody can write from inside.
 */
static int points_back(struct repository *repo, const char *dot_git)
{
	const char *back = line_of(repo, join(repo, repo->git_dir, "gitdir"), "");
	struct config_file file = {repo, repo->git_dir, INCLUDE_DEPTH};
	struct uw_buf content = UW_BUF_INIT;
	int same = 0;
	if (back)
		return same_place(repo, join(repo, repo->git_dir, back), dot_git);
	/* a submodule: core.worktree of its own configuration */
	if (policy_read(repo->plugin, repo->call, join(repo, repo->git_dir, "config"), CONFIG_MAX, &content, NULL) > 0) {
		(void)gitconfig_parse(content.data, content.len, take_value, &file);
		same = repo->worktree && same_place(repo, join(repo, repo->git_dir, repo->worktree),
		                                    repo->guard->workspace);
	}
	uw_buf_finish(&content);
	return same;
}

/* `.git` is a file: a linked work tree or a submodule. */
static int follow_file(struct repository *repo, const char *dot_git)
{
	const char *line = line_of(repo, dot_git, "gitdir:"), *common;
	struct look look;
	repo->git_dir = line ? directory(repo, join(repo, repo->guard->workspace, line)) : NULL;
	if (!repo->git_dir)
		return 0;
	common = line_of(repo, join(repo, repo->git_dir, "commondir"), "");
	repo->common = common ? directory(repo, join(repo, repo->git_dir, common)) : repo->git_dir;
	if (!repo->common || !is_git_dir(repo, repo->common) || !points_back(repo, dot_git)) {
		repo->git_dir = NULL;
		return 0;
	}
	if (guard_within(repo->guard, repo->common))
		return 0;
	if (policy_look(repo->plugin, repo->call, repo->common, 0, &repo->texts, &look, repo->err) != 0)
		return repo->err ? repo->err->code : UW_E_POLICY_INVALID;
	repo->guard->git_root = (struct uw_place){texts_add(&repo->guard->texts, "%s", look.path), look.dev, look.ino};
	return policy_check_width(repo->plugin, repo->call, look.path, repo->err);
}

static int find(struct repository *repo)
{
	const char *workspace = repo->guard->workspace;
	const char *dot_git = join(repo, workspace, ".git");
	struct look look;
	int failed = policy_look(repo->plugin, repo->call, dot_git, 0, &repo->texts, &look, repo->err);
	if (failed)
		return failed;
	if (look.type == UW_FS_DIRECTORY) {
		struct look self;
		repo->git_dir = repo->common = look.path;
		/* a link instead of a directory could be replaced by another */
		failed = policy_look(repo->plugin, repo->call, dot_git, 1, &repo->texts, &self, repo->err);
		if (!failed && self.type == UW_FS_SYMLINK)
			failed = guard_protect(repo->plugin, repo->call, repo->guard, dot_git, "git-config", repo->err);
		return failed;
	}
	if (look.type == UW_FS_FILE) {
		/* it decides which hooks run */
		failed = guard_protect(repo->plugin, repo->call, repo->guard, dot_git, "git-config", repo->err);
		return failed ? failed : follow_file(repo, dot_git);
	}
	if (is_git_dir(repo, workspace))
		repo->git_dir = repo->common = workspace;
	return 0;
}

int git_protect(const struct policy_plugin *plugin, const struct uw_call *call, struct guard *guard,
                struct uw_error *err)
{
	struct uw_error own = UW_ERROR_INIT;
	struct repository repo = {.plugin = plugin, .call = call, .guard = guard, .err = err ? err : &own};
	int failed = find(&repo);
	if (!failed && repo.git_dir)
		failed = protect_git_dir(&repo);
	if (!failed && repo.git_dir)
		failed = read_configs(&repo);
	if (!failed && repo.texts.failed)
		failed = uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "no memory");
	texts_free(&repo.texts);
	return failed;
}
