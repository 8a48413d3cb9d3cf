/*
 * Policy: what a call may do. A value that travels with the call; never a
 * property of a provider (S-2). The same value goes to fs and to sandbox.
 *
 * policy/1 has one verb, resolve: session and wish in, policy out. The policy is
 * immutable and belongs to the caller until released.
 */
#ifndef UMWELT_POLICY_H
#define UMWELT_POLICY_H

#include <umwelt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uw_call;

#define UW_POLICY_SERVICE "policy/1"

enum uw_network { UW_NETWORK_NONE = 1, UW_NETWORK_HOST = 2 };
enum uw_unix_sockets { UW_UNIX_OWN = 1, UW_UNIX_ALL = 2, UW_UNIX_NONE = 3 };
enum uw_protect { UW_PROTECT_DETECT = 1, UW_PROTECT_ENFORCE = 2 };
enum uw_git { UW_GIT_SAFE = 1, UW_GIT_FULL = 2 };
enum uw_temp { UW_TEMP_PRIVATE = 1, UW_TEMP_HOST = 2 };

/*
 * One entry of a view (S-15): what is found at `inside` by a confined process is
 * what stands at `outside` on the host. fs resolves through the same list: path
 * components are walked over it, and again from the start at each absolute link
 * and `..`; a rewrite of prefixes before realpath would be wrong.
 */
struct uw_view_entry {
	const char *inside;
	const char *outside;
	uint32_t writable; /* as far as the mode allows */
	uint32_t reserved;
};

struct uw_view {
	const struct uw_view_entry *entries; /* longest `inside` need not come first */
	size_t count;
};

/*
 * A protected path (S-3): not to be changed below a writable root. LINK: what
 * stands at path is a symbolic link below a writable root, or is reached by one,
 * so that replacing the link would replace what is protected; path is then the
 * link itself. A sandbox that cannot hold the link refuses.
 */
#define UW_PROTECTED_LINK 1u

struct uw_protected {
	const char *path;  /* canonical, outside */
	const char *rule;  /* why: "git-hooks", "git-config", "control-plane", "bundle" */
	uint32_t exists;   /* 1: it stood when the session opened */
	uint32_t flags;    /* UW_PROTECTED_* */
	uint64_t dev, ino; /* if it exists */
};

/*
 * size: bytes of the struct its maker knew. All pointers live until release.
 * workspace and roots are writable in workspace-write; temp is the session's
 * private directory, writable in every mode; nothing else is, but in
 * danger-full-access.
 */
struct uw_policy {
	size_t size;
	int32_t mode;         /* enum uw_mode */
	int32_t network;      /* enum uw_network */
	int32_t unix_sockets; /* enum uw_unix_sockets */
	int32_t protect;      /* enum uw_protect */
	int32_t git;          /* enum uw_git */
	int32_t temp_kind;    /* enum uw_temp */
	struct uw_place workspace;
	const struct uw_dir *workspace_dir; /* the handle that was verified; NULL in tests of fs alone */
	const struct uw_place *roots;       /* further writable roots; all exist */
	size_t root_count;
	const struct uw_protected *protected_paths;
	size_t protected_count;
	struct uw_place temp; /* path NULL: the session has none */
	struct uw_view view;  /* count 0: inside equals outside */
	const char *state_dir; /* to be masked from confined processes; may be NULL */
	char revision[33];    /* hex; changes with anything above */
	void (*release)(struct uw_policy *policy);
};

/*
 * What the resolver is asked for. mode: UW_MODE_UNSET, or the wider or narrower
 * mode of this call (which the caller was allowed: policy decides nothing about
 * approval). network 0: as the bundle says.
 */
struct uw_policy_wish {
	size_t size;
	int32_t mode;
	int32_t network;
};

struct uw_policy_v1 {
	size_t size;
	/*
	 * Thread: any. Errors: WORKSPACE_INVALID, WORKSPACE_REFUSED, POLICY_INVALID
	 * (message names the entry), MODE_REFUSED. Effect none, but that a further
	 * root marked `create` is created.
	 */
	int (*resolve)(void *self, const struct uw_call *call, const struct uw_policy_wish *wish,
	               struct uw_policy **ret_policy, struct uw_error *err);
};

struct uw_policy_service {
	const struct uw_policy_v1 *v;
	void *self;
};

#ifdef __cplusplus
}
#endif
#endif
