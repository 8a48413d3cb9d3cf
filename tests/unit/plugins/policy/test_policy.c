/* policy over the real fs-local, loaded as built. */
#include <dlfcn.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <umwelt/fs.h>
#include <umwelt/policy.h>
#include <umwelt/sandbox.h>

#include "tests/plugin_host.h"
#include "tests/temp.h"
#include "tests/unit.h"

struct world {
	char base[96], ws[112], state[112];
	struct uw_plugin_context fs_context, context;
	struct uw_config fs_config, config;
	struct uw_fs fs;
	void *self;
	const struct uw_policy_v1 *v;
	struct uw_session_facts session;
	struct uw_call call;
	struct uw_policy *policy;
	struct uw_error err;
	const char *control[4];
};

static struct world *current; /* for the host's table, which takes no argument of ours */

static const char *control_plane(struct uw_plugin_context *context, size_t index)
{
	(void)context;
	return index < 4 ? current->control[index] : NULL;
}

static void sh(struct world *w, const char *text)
{
	pid_t pid = fork();
	int status;
	if (pid == 0) {
		(void)setenv("WS", w->ws, 1);
		(void)setenv("BASE", w->base, 1);
		(void)setenv("HOME", w->base, 1);
		if (chdir(w->ws) == 0)
			execl("/bin/sh", "sh", "-ec", text, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "on the host: %s", text);
}

static void open_fs(struct world *w)
{
	const char *build = getenv("BUILD");
	char path[4096];
	void *object;
	uw_plugin_entry_fn *entry;
	const struct uw_plugin *plugin;
	(void)snprintf(path, sizeof path, "%s/plugins/fs-local.so", build && build[0] ? build : "build");
	if (path[0] != '/') {
		char whole[4096 + 2];
		(void)snprintf(whole, sizeof whole, "./%s", path);
		object = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
	} else {
		object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	ck_assert_msg(object != NULL, "%s", dlerror());
	*(void **)&entry = dlsym(object, UW_PLUGIN_ENTRY_NAME);
	ck_assert(entry != NULL);
	plugin = entry();
	w->fs_config.plugin = plugin;
	w->fs_context.paths[UW_PATH_STATE] = w->state;
	ck_assert_msg(plugin->create(&test_host_api, &w->fs_context, &w->fs_config, &w->fs.self, &w->err) == 0,
	              "fs-local: %s", w->err.message);
	for (size_t i = 0; i < plugin->provides_count; i++)
		if (!strcmp(plugin->provides[i].service, UW_FS_SERVICE))
			w->fs.v = plugin->provides[i].interface_table;
}

static int configure(struct world *w, const char *const *pairs)
{
	static struct uw_host_api api;
	const struct uw_plugin *plugin = uw_plugin_entry();
	api = test_host_api;
	api.control_plane = control_plane;
	current = w;
	w->config.plugin = plugin;
	w->config.pairs = pairs;
	w->context.services[0] = UW_FS_SERVICE;
	w->context.handles[0] = &w->fs;
	w->context.paths[UW_PATH_STATE] = w->state;
	w->v = plugin->provides[0].interface_table;
	w->err = (struct uw_error)UW_ERROR_INIT;
	return plugin->create(&api, &w->context, &w->config, &w->self, &w->err);
}

static void world_open(struct world *w, const char *const *pairs)
{
	struct stat found;
	memset(w, 0, sizeof *w);
	w->err = (struct uw_error)UW_ERROR_INIT;
	(void)snprintf(w->base, sizeof w->base, "%s", temp_make().path);
	(void)snprintf(w->ws, sizeof w->ws, "%s/ws", w->base);
	(void)snprintf(w->state, sizeof w->state, "%s/state", w->base);
	ck_assert_int_eq(mkdir(w->ws, 0755), 0);
	ck_assert_int_eq(mkdir(w->state, 0700), 0);
	open_fs(w);
	ck_assert_msg(configure(w, pairs) == 0, "create: %s", w->err.message);
	ck_assert_int_eq(stat(w->ws, &found), 0);
	w->session = (struct uw_session_facts){.size = sizeof w->session, .id = "s1", .mode = UW_MODE_WORKSPACE_WRITE};
	w->session.workspace = (struct uw_place){w->ws, found.st_dev, found.st_ino};
	w->call = (struct uw_call)UW_CALL_INIT;
	w->call.session = &w->session;
}

static int resolve(struct world *w)
{
	if (w->policy)
		w->policy->release(w->policy);
	w->policy = NULL;
	w->err = (struct uw_error)UW_ERROR_INIT;
	return w->v->resolve(w->self, &w->call, NULL, &w->policy, &w->err);
}

static void resolves(struct world *w)
{
	ck_assert_msg(resolve(w) == 0, "%s", w->err.message);
}

static void world_close(struct world *w)
{
	if (w->policy)
		w->policy->release(w->policy);
	ck_assert_int_eq(w->config.plugin->destroy(w->self, NULL), 0);
	ck_assert_int_eq(w->fs_config.plugin->destroy(w->fs.self, NULL), 0);
	temp_drop(w->base);
}

/* The protected entry at a path relative to the workspace, or NULL. */
static const struct uw_protected *protected_at(const struct world *w, const char *path)
{
	char whole[512];
	(void)snprintf(whole, sizeof whole, "%s/%s", w->ws, path);
	for (size_t i = 0; i < w->policy->protected_count; i++)
		if (!strcmp(w->policy->protected_paths[i].path, path[0] == '/' ? path : whole))
			return &w->policy->protected_paths[i];
	return NULL;
}

/* S-1 */
START_TEST(mode_of_the_call_wins_over_the_session_and_that_over_the_bundle)
{
	static const char *const pairs[] = {"mode", "danger-full-access", NULL};
	struct uw_policy_wish wish = {sizeof wish, UW_MODE_READ_ONLY, UW_NETWORK_HOST};
	struct world w;
	world_open(&w, pairs);
	w.session.mode = UW_MODE_UNSET;
	resolves(&w);
	ck_assert_int_eq(w.policy->mode, UW_MODE_DANGER_FULL_ACCESS);
	w.session.mode = UW_MODE_WORKSPACE_WRITE;
	resolves(&w);
	ck_assert_int_eq(w.policy->mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_int_eq(w.policy->network, UW_NETWORK_NONE);
	ck_assert_int_eq(w.policy->unix_sockets, UW_UNIX_OWN);
	w.policy->release(w.policy);
	w.policy = NULL;
	ck_assert_int_eq(w.v->resolve(w.self, &w.call, &wish, &w.policy, &w.err), 0);
	ck_assert_int_eq(w.policy->mode, UW_MODE_READ_ONLY);
	ck_assert_int_eq(w.policy->network, UW_NETWORK_HOST);
	ck_assert_str_eq(w.policy->workspace.path, w.ws);
	ck_assert_ptr_nonnull(w.policy->workspace_dir);
	ck_assert_uint_eq(w.policy->workspace_dir->ino, w.session.workspace.ino);
	world_close(&w);
}
END_TEST

START_TEST(max_mode_bounds_session_and_call)
{
	static const char *const pairs[] = {"max_mode", "workspace-write", NULL};
	struct world w;
	world_open(&w, pairs);
	resolves(&w);
	w.session.mode = UW_MODE_DANGER_FULL_ACCESS;
	ck_assert_int_eq(resolve(&w), UW_E_MODE_REFUSED);
	ck_assert_int_eq(w.err.effect, UW_EFFECT_NONE);
	world_close(&w);
}
END_TEST

/* S-4 */
START_TEST(a_workspace_that_is_missing_or_replaced_is_invalid)
{
	struct world w;
	world_open(&w, NULL);
	sh(&w, "mv \"$WS\" \"$WS.away\"");
	ck_assert_int_eq(resolve(&w), UW_E_WORKSPACE_INVALID);
	ck_assert_ptr_nonnull(strstr(w.err.message, "does not exist"));
	ck_assert_int_eq(mkdir(w.ws, 0755), 0);
	ck_assert_int_eq(resolve(&w), UW_E_WORKSPACE_INVALID);
	ck_assert_ptr_nonnull(strstr(w.err.message, "another directory"));
	ck_assert_int_eq(rmdir(w.ws), 0);
	sh(&(struct world){.ws = "/", .base = ""}, "true");
	w.session.workspace = (struct uw_place){"/etc/passwd", 0, 0};
	ck_assert_int_eq(resolve(&w), UW_E_WORKSPACE_INVALID);
	w.session.workspace = (struct uw_place){NULL, 0, 0};
	ck_assert_int_eq(resolve(&w), UW_E_WORKSPACE_INVALID);
	(void)mkdir(w.ws, 0755);
	world_close(&w);
}
END_TEST

START_TEST(a_workspace_that_is_too_wide_may_be_read_but_not_written)
{
	struct passwd *user = getpwuid(getuid());
	struct world w;
	const char *wide[4] = {"/", NULL, "/proc", user ? user->pw_dir : NULL};
	world_open(&w, NULL);
	wide[1] = w.base; /* an ancestor of the state directory */
	for (size_t i = 0; i < 4; i++) {
		if (!wide[i])
			continue;
		w.session.workspace = (struct uw_place){wide[i], 0, 0};
		w.session.mode = UW_MODE_WORKSPACE_WRITE;
		ck_assert_msg(resolve(&w) == UW_E_WORKSPACE_REFUSED, "%s: %s", wide[i], w.err.message);
		w.session.mode = UW_MODE_READ_ONLY;
		resolves(&w);
	}
	world_close(&w);
}
END_TEST

START_TEST(a_workspace_given_by_a_link_is_its_canonical_self)
{
	struct world w;
	char link[128];
	world_open(&w, NULL);
	sh(&w, "ln -s ws \"$BASE/link\"");
	(void)snprintf(link, sizeof link, "%s/link/", w.base);
	w.session.workspace = (struct uw_place){link, 0, 0};
	resolves(&w);
	ck_assert_str_eq(w.policy->workspace.path, w.ws);
	world_close(&w);
}
END_TEST

/* claude-code #39284, zeroclaw #10100: one that is missing drops not the others */
START_TEST(a_missing_root_is_skipped_and_the_others_stay)
{
	char present[128], absent[128];
	const char *pairs[] = {"writable", present, "writable", absent, NULL};
	struct world w;
	world_open(&w, NULL);
	(void)snprintf(present, sizeof present, "%s/more", w.base);
	(void)snprintf(absent, sizeof absent, "%s/absent", w.base);
	sh(&w, "mkdir \"$BASE/more\"");
	ck_assert_int_eq(w.config.plugin->destroy(w.self, NULL), 0);
	ck_assert_int_eq(configure(&w, pairs), 0);
	resolves(&w);
	ck_assert_uint_eq(w.policy->root_count, 1);
	ck_assert_str_eq(w.policy->roots[0].path, present);
	sh(&w, "echo x >\"$BASE/absent\"");
	ck_assert_int_eq(resolve(&w), UW_E_POLICY_INVALID);
	ck_assert_ptr_nonnull(strstr(w.err.message, absent));
	w.session.mode = UW_MODE_READ_ONLY;
	resolves(&w);
	ck_assert_uint_eq(w.policy->root_count, 0);
	world_close(&w);
}
END_TEST

/* S-3 */
START_TEST(hooks_and_configuration_of_git_are_protected)
{
	struct world w;
	world_open(&w, NULL);
	sh(&w, "git init -q . && mkdir -p .git/modules/a/b/objects .git/modules/a/b/hooks .git/worktrees/t && "
	       "echo ref >.git/modules/a/b/HEAD && echo c >.git/modules/a/b/config && touch .git/worktrees/t/config.worktree");
	resolves(&w);
	ck_assert(protected_at(&w, ".git/hooks")->exists);
	ck_assert_str_eq(protected_at(&w, ".git/hooks")->rule, "git-hooks");
	ck_assert(protected_at(&w, ".git/config")->exists);
	ck_assert(!protected_at(&w, ".git/config.worktree")->exists);
	ck_assert(protected_at(&w, ".git/modules/a/b/hooks")->exists);
	ck_assert(protected_at(&w, ".git/modules/a/b/config")->exists);
	ck_assert(protected_at(&w, ".git/worktrees/t/config.worktree")->exists);
	ck_assert_ptr_null(protected_at(&w, ".git"));
	world_close(&w);
}
END_TEST

START_TEST(git_full_leaves_them_out)
{
	static const char *const pairs[] = {"git", "full", NULL};
	struct world w;
	world_open(&w, pairs);
	sh(&w, "git init -q .");
	resolves(&w);
	ck_assert_uint_eq(w.policy->protected_count, 0);
	world_close(&w);
}
END_TEST

/* pmg #444: husky moves the hooks */
START_TEST(the_hook_path_in_force_and_included_files_are_protected)
{
	struct world w;
	world_open(&w, NULL);
	sh(&w, "git init -q . && git config core.hooksPath .husky/_ && git config include.path ../gitconfig && "
	       "mkdir -p .husky/_ other && printf '[core]\\n\\thooksPath = other\\n' >gitconfig");
	resolves(&w);
	ck_assert_str_eq(protected_at(&w, ".husky/_")->rule, "git-hooks");
	ck_assert_str_eq(protected_at(&w, "other")->rule, "git-hooks");
	ck_assert_str_eq(protected_at(&w, "gitconfig")->rule, "git-config");
	world_close(&w);
}
END_TEST

START_TEST(a_repository_that_the_session_makes_is_not_protected)
{
	struct world w;
	world_open(&w, NULL);
	resolves(&w);
	sh(&w, "git init -q .");
	resolves(&w);
	ck_assert_ptr_null(protected_at(&w, ".git/hooks"));
	w.session.id = "s2"; /* to the next session it is what stood there */
	resolves(&w);
	ck_assert_ptr_nonnull(protected_at(&w, ".git/hooks"));
	world_close(&w);
}
END_TEST

START_TEST(a_link_on_the_way_is_protected_as_a_link)
{
	struct world w;
	world_open(&w, NULL);
	sh(&w, "git init -q . && mv .git/hooks hooks && ln -s ../hooks .git/hooks");
	resolves(&w);
	ck_assert_uint_eq(protected_at(&w, ".git/hooks")->flags, UW_PROTECTED_LINK);
	ck_assert_uint_eq(protected_at(&w, "hooks")->flags, 0);
	sh(&w, "rm .git/hooks && mv .git real && ln -s real .git");
	w.session.id = "s2";
	resolves(&w);
	ck_assert_uint_eq(protected_at(&w, ".git")->flags, UW_PROTECTED_LINK);
	ck_assert_ptr_nonnull(protected_at(&w, "real/config"));
	world_close(&w);
}
END_TEST

START_TEST(a_linked_work_tree_may_write_its_repository_outside)
{
	struct world w;
	char common[128], hooks[160];
	world_open(&w, NULL);
	sh(&w, "cd \"$BASE\" && git init -q main && cd main && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && "
	       "rmdir \"$WS\" && git worktree add -q \"$WS\"");
	w.session.workspace.ino = 0;
	resolves(&w);
	(void)snprintf(common, sizeof common, "%s/main/.git", w.base);
	(void)snprintf(hooks, sizeof hooks, "%s/hooks", common);
	ck_assert_uint_eq(w.policy->root_count, 1);
	ck_assert_str_eq(w.policy->roots[0].path, common);
	ck_assert_ptr_nonnull(protected_at(&w, hooks));
	ck_assert_ptr_nonnull(protected_at(&w, ".git"));
	world_close(&w);
}
END_TEST

START_TEST(a_git_file_cannot_make_another_repository_writable)
{
	struct world w;
	world_open(&w, NULL);
	sh(&w, "git init -q \"$BASE/victim\" && echo \"gitdir: $BASE/victim/.git\" >.git");
	resolves(&w);
	ck_assert_uint_eq(w.policy->root_count, 0);
	ck_assert_ptr_nonnull(protected_at(&w, ".git"));
	world_close(&w);
}
END_TEST

START_TEST(a_submodule_may_write_its_directory_in_the_repository_above)
{
	struct world w;
	world_open(&w, NULL);
	sh(&w, "mkdir -p \"$BASE/.git/modules/ws/objects\" && echo ref >\"$BASE/.git/modules/ws/HEAD\" && "
	       "printf '[core]\\n\\tworktree = ../../../ws\\n' >\"$BASE/.git/modules/ws/config\" && "
	       "echo 'gitdir: ../.git/modules/ws' >.git");
	resolves(&w);
	ck_assert_uint_eq(w.policy->root_count, 1);
	ck_assert_ptr_nonnull(strstr(w.policy->roots[0].path, "/.git/modules/ws"));
	world_close(&w);
}
END_TEST

START_TEST(names_are_protected_at_any_depth_and_paths_where_they_are)
{
	static const char *const pairs[] = {"protected", ".env", "protected", "conf/a", "protected", "*.pem", NULL};
	struct world w;
	world_open(&w, pairs);
	sh(&w, "mkdir -p x/y conf z/conf && touch .env x/y/.env conf/a z/conf/a x/k.pem && ln -s x l");
	resolves(&w);
	ck_assert(protected_at(&w, ".env")->exists);
	ck_assert(protected_at(&w, "x/y/.env")->exists);
	ck_assert(protected_at(&w, "conf/a")->exists);
	ck_assert(protected_at(&w, "x/k.pem")->exists);
	ck_assert_ptr_null(protected_at(&w, "z/conf/a"));
	ck_assert_uint_eq(w.policy->protected_count, 4);
	world_close(&w);
}
END_TEST

START_TEST(more_than_256_matches_are_an_error)
{
	static const char *const pairs[] = {"protected", "f", NULL};
	struct world w;
	world_open(&w, pairs);
	sh(&w, "for i in $(seq 260); do mkdir d$i; : >d$i/f; done");
	ck_assert_int_eq(resolve(&w), UW_E_POLICY_INVALID);
	world_close(&w);
}
END_TEST

/* C-22 */
START_TEST(the_control_plane_below_a_root_is_protected)
{
	struct world w;
	char program[128];
	world_open(&w, NULL);
	(void)snprintf(program, sizeof program, "%s/build/umwelt", w.ws);
	sh(&w, "mkdir build && touch build/umwelt");
	w.control[0] = program;
	w.control[1] = "/usr/bin/env";
	resolves(&w);
	ck_assert_uint_eq(w.policy->protected_count, 1);
	ck_assert_str_eq(protected_at(&w, "build/umwelt")->rule, "control-plane");
	w.control[1] = w.base;
	w.session.id = "s2";
	ck_assert_int_eq(resolve(&w), UW_E_WORKSPACE_REFUSED);
	world_close(&w);
}
END_TEST

/* S-2, C-52 */
START_TEST(the_revision_changes_with_what_decides_and_with_nothing_else)
{
	struct world w;
	char first[33];
	world_open(&w, NULL);
	resolves(&w);
	memcpy(first, w.policy->revision, sizeof first);
	ck_assert_uint_eq(strlen(first), 32);
	resolves(&w);
	ck_assert_str_eq(w.policy->revision, first);
	w.session.mode = UW_MODE_READ_ONLY;
	resolves(&w);
	ck_assert_str_ne(w.policy->revision, first);
	w.session.mode = UW_MODE_WORKSPACE_WRITE;
	w.session.temp = (struct uw_place){"/var/tmp", 1, 2};
	resolves(&w);
	ck_assert_str_ne(w.policy->revision, first);
	ck_assert_str_eq(w.policy->temp.path, "/var/tmp");
	world_close(&w);
}
END_TEST

START_TEST(a_list_that_would_protect_everything_is_refused)
{
	static const char *const pairs[] = {"protected", "./", NULL};
	struct world w;
	world_open(&w, NULL);
	ck_assert_int_eq(w.config.plugin->destroy(w.self, NULL), 0);
	ck_assert_int_eq(configure(&w, pairs), UW_E_POLICY_INVALID);
	ck_assert_int_eq(configure(&w, NULL), 0);
	world_close(&w);
}
END_TEST

UW_TESTS("policy", mode_of_the_call_wins_over_the_session_and_that_over_the_bundle,
         max_mode_bounds_session_and_call, a_workspace_that_is_missing_or_replaced_is_invalid,
         a_workspace_that_is_too_wide_may_be_read_but_not_written,
         a_workspace_given_by_a_link_is_its_canonical_self,
         a_missing_root_is_skipped_and_the_others_stay,
         hooks_and_configuration_of_git_are_protected, git_full_leaves_them_out,
         the_hook_path_in_force_and_included_files_are_protected,
         a_repository_that_the_session_makes_is_not_protected,
         a_link_on_the_way_is_protected_as_a_link,
         a_linked_work_tree_may_write_its_repository_outside,
         a_git_file_cannot_make_another_repository_writable,
         a_submodule_may_write_its_directory_in_the_repository_above,
         names_are_protected_at_any_depth_and_paths_where_they_are, more_than_256_matches_are_an_error,
         the_control_plane_below_a_root_is_protected,
         the_revision_changes_with_what_decides_and_with_nothing_else,
         a_list_that_would_protect_everything_is_refused)
