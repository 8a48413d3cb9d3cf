/*
 * The policy plugin's own: one provider, and the parts that resolve is made of.
 *
 * plugin.c   descriptor, keys, choice of mode, order of the steps
 * look.c     questions to the realm's fs, texts that live together
 * roots.c    the workspace and further roots, what is too wide
 * guard.c    protected paths, computed once per session and workspace
 * git.c      what of a git directory is protected, and where it stands
 * gitconfig.c  the few values of git's configuration that matter
 * value.c    the finished policy and its revision
 *
 * The fs handle is the realm's innermost provider: calls on it carry a policy of
 * their own (look.c), so that none has to be resolved for them.
 */
#ifndef UW_POLICY_PLUGIN_H
#define UW_POLICY_PLUGIN_H

#include <pthread.h>

#include <umwelt/fs.h>
#include <umwelt/plugin.h>
#include <umwelt/sandbox.h>

#include "common/buf.h"

/* Protected paths that one session may have (S-3). */
#define POLICY_PROTECTED_MAX 256u

/* Strings that live together. Additions that fail are remembered. */
struct texts {
	char **items;
	size_t count, room;
	int failed;
};
const char *texts_add(struct texts *texts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void texts_free(struct texts *texts);

/* Room for one more in an array that grows by doubling; 0 or -1. */
int policy_grow(void *array, size_t count, size_t *room, size_t size);

/* One writable root of the configuration. */
struct root_entry {
	const char *path; /* absolute */
	int create;       /* 1: made if missing; 0: skipped */
	const char *where;
};

struct guard;

struct policy_plugin {
	const struct uw_host_api *host;
	struct uw_plugin_context *context;
	const struct uw_fs *fs;
	const struct uw_sandbox *sandbox; /* may be NULL: no view */
	struct texts texts;
	/* the configuration, constant */
	int mode, max_mode, network, unix_sockets, protect, git, temp_kind;
	const char *workspace; /* may be NULL */
	struct root_entry *roots;
	size_t root_count, root_room;
	const char **protected_names; /* entries of `protected:` */
	size_t protected_count, protected_room;
	/* guarded by lock; no lock is held while fs or sandbox is called */
	pthread_mutex_t lock;
	struct guard *guards; /* newest first */
};

/* ---- look.c ---- */

/* A place as fs sees it now. */
struct look {
	int type; /* enum uw_fs_type; UW_FS_SYMLINK only if not followed */
	uint64_t dev, ino;
	const char *path; /* canonical; of the texts given */
};

/* A copy of the caller's call for use with fs: deadline and cancel, no fence, no view. */
struct uw_call policy_call(const struct uw_call *call);
/* An absent place is a success with type UW_FS_ABSENT. */
int policy_look(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                int nofollow, struct texts *texts, struct look *ret_look, struct uw_error *err);
/* A regular file of at most `max` bytes: 1 and its content, 0 if there is none such, or an error. */
int policy_read(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                uint64_t max, struct uw_buf *content, struct uw_error *err);
/* Each entry of a directory, links not followed; an absent one has none. entry fills err itself. */
int policy_list(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                int (*entry)(void *arg, const char *name, int type), void *arg, struct uw_error *err);
int policy_mkdir(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                 struct uw_error *err);
/* The home directory of this realm's user by its password file, canonical, or NULL. */
int policy_home(const struct policy_plugin *plugin, const struct uw_call *call, struct texts *texts,
                const char **ret_home, struct uw_error *err);

/* ---- roots.c ---- */

/* What makes a place too wide to be writable: WORKSPACE_REFUSED, naming the rule. */
int policy_check_width(const struct policy_plugin *plugin, const struct uw_call *call,
                       const char *path, struct uw_error *err);
/* The workspace of a call: WORKSPACE_INVALID. call: the caller's own, with its session. */
int policy_workspace(const struct policy_plugin *plugin, const struct uw_call *call,
                     const struct uw_session_facts *session, struct texts *texts,
                     struct look *ret_look, struct uw_error *err);
/* Calls add with each further root that exists or was created. */
int policy_roots(const struct policy_plugin *plugin, const struct uw_call *call,
                 struct texts *texts, int (*add)(void *arg, const struct look *root), void *arg,
                 struct uw_error *err);

/* ---- guard.c ---- */

/* The protected paths of a session in a workspace, and its git directory outside. Constant once made. */
struct guard {
	struct guard *next;
	unsigned refs;       /* under the plugin's lock */
	const char *session; /* NULL: not kept for a session */
	const char *workspace;
	uint64_t dev, ino;
	struct texts texts;
	struct uw_protected *items;
	size_t count, room;
	struct uw_place git_root; /* path NULL: none */
	/* while it is made: */
	const struct uw_place *roots;
	size_t root_count;
};

/* The guard of the session; roots: workspace first. Given back by guard_drop. */
int guard_get(struct policy_plugin *plugin, const struct uw_call *call, const char *session,
              const struct uw_place *roots, size_t root_count, struct guard **ret_guard,
              struct uw_error *err);
void guard_drop(struct policy_plugin *plugin, struct guard *guard);
void guard_forget_all(struct policy_plugin *plugin);
/* 1 if path is at or below a root of the guard, git_root among them. */
int guard_within(const struct guard *guard, const char *path);
/*
 * Protects a path, if it lies below a root. rule: static. A link on the way that
 * a command could replace is protected besides.
 */
int guard_protect(const struct policy_plugin *plugin, const struct uw_call *call,
                  struct guard *guard, const char *path, const char *rule, struct uw_error *err);

/* ---- git.c ---- */

/* Protects what S-3 names of the workspace's git directory; sets git_root where it is outside. */
int git_protect(const struct policy_plugin *plugin, const struct uw_call *call, struct guard *guard,
                struct uw_error *err);

/* ---- gitconfig.c ---- */

/*
 * Calls each(section, subsection, key, value) for every value of a text in git's
 * configuration syntax; section and key in lower case, sub "" if there is none.
 * Returns what each returned if not 0. A line that git would refuse ends it: 0.
 */
int gitconfig_parse(const char *text, size_t len,
                    int (*each)(void *arg, const char *section, const char *sub, const char *key,
                                const char *value),
                    void *arg);

/* ---- value.c ---- */

struct draft;
/* A policy under construction; NULL without memory. */
struct draft *draft_start(struct policy_plugin *plugin);
struct uw_policy *draft_policy(struct draft *draft);
struct texts *draft_texts(struct draft *draft);
/* Adds a root, the workspace first; one that is there already is left out. */
int draft_root(void *draft, const struct look *root);
/* All roots so far; [0] is the workspace. */
const struct uw_place *draft_roots(const struct draft *draft, size_t *ret_count);
/* Takes the guard over. */
void draft_guard(struct draft *draft, struct guard *guard);
int draft_view(void *draft, const struct uw_view_entry *entry);
void draft_dir(struct draft *draft, struct uw_dir *dir);
/* Seals it. The caller's from here on, released through the policy; else NO_MEMORY. */
int draft_finish(struct draft *draft, struct uw_policy **ret_policy, struct uw_error *err);
void draft_free(struct draft *draft);

#endif
