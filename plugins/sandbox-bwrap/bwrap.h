/*
 * sandbox-bwrap's own: the provider, and the parts that confine is made of.
 *
 * plan.c    what is mounted over the read-only root: writable roots, protected
 *           paths with their ancestors pinned, masks over sockets
 * sockets_linux.c  which sockets of others listen where a command could reach them
 * argv.c    the words of bwrap
 * table.c   what holds, row by row
 * status.c  what doctor says of this machine
 */
#ifndef UW_BWRAP_H
#define UW_BWRAP_H

#include <umwelt/plugin.h>
#include <umwelt/sandbox.h>

#include "common/confined.h"

/* Binds beyond the roots that one command may cost (S-64). */
#define BWRAP_EXTRA_MAX 16u

struct bwrap {
	const struct uw_host_api *host;
	struct uw_plugin_context *context;
	uint64_t keep_caps;
	int is_root;
	int nesting;
	int abi; /* of Landlock; 0: none */
	/* CLOCK_MONOTONIC: until then no masks are tried, since one broke off just now */
	_Atomic int64_t masks_off_until;
};

enum bwrap_kind {
	BWRAP_ROOT,      /* bound writable */
	BWRAP_SHOWN,     /* bound read-only, because its place is hidden else */
	BWRAP_PIN,       /* a directory bound on itself, writable, so that it cannot be renamed */
	BWRAP_READ_ONLY, /* protected */
	BWRAP_MASK_FILE, /* /dev/null over a socket */
	BWRAP_MASK_DIR,  /* an empty directory over one that holds many sockets */
};

struct bwrap_mount {
	int kind; /* enum bwrap_kind */
	const char *path;
};

/* How sockets of others are kept away, and why not as asked. */
enum bwrap_unix { BWRAP_UNIX_ALL, BWRAP_UNIX_MASKED, BWRAP_UNIX_LANDLOCK, BWRAP_UNIX_NONE };

/* What one command gets. Texts belong to the confining. */
struct bwrap_plan {
	struct bwrap_mount *mounts; /* in the order of mounting */
	size_t count, room;
	int private_tmp; /* /tmp is the session's temp, or an empty one */
	int private_run;
	int unix_way;       /* enum bwrap_unix */
	const char *unix_why; /* NULL: as asked */
	const char *folded; /* directories that became read-only as a whole, or NULL */
};

/* 0, NO_MEMORY or SANDBOX_UNAVAILABLE. plan_finish frees in any case. */
int bwrap_plan_make(const struct bwrap *bwrap, const struct uw_policy *policy,
                    struct uw_confining *confining, struct bwrap_plan *plan, struct uw_error *err);
void bwrap_plan_finish(struct bwrap_plan *plan);

/* 1 if a command finds something else than the host at this path by the plan's base mounts. */
int bwrap_plan_hides(const struct bwrap_plan *plan, const char *path);

/* Where the session's temp is found inside. */
const char *bwrap_temp_inside(const struct uw_policy *policy);
/* 1 if /tmp is the session's: temp is private and no writable root is or holds /tmp. */
int bwrap_tmp_is_private(const struct uw_policy *policy);

/*
 * Calls sink with each path at which a socket of the host listens or receives
 * (canonical, reachable by this user). 0; 1 if one has a name that cannot be
 * placed; or an error.
 */
int bwrap_sockets(int (*sink)(void *arg, const char *path), void *arg, struct uw_error *err);

void bwrap_words(const struct bwrap *bwrap, const char *program, const struct uw_policy *policy,
                 const struct bwrap_plan *plan, struct uw_confining *confining);

void bwrap_table(const struct bwrap *bwrap, const struct uw_policy *policy,
                 const struct bwrap_plan *plan, struct uw_confining *confining);

int bwrap_status(const struct bwrap *bwrap, struct uw_sandbox_status *ret_status);

#endif
