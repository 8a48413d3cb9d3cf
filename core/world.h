/*
 * world: a published generation, the sessions in it, the commands it runs.
 *
 * One short lock per world guards: current, leases, sessions with their call
 * counts and cached policies, processes, running slots. `changed` is signalled
 * whenever one of these falls. It is never held across a plugin call, an
 * allocation of unbounded size or another lock but that of a process.
 */
#ifndef UW_CORE_WORLD_H
#define UW_CORE_WORLD_H

#include "core/generation.h"
#include "core/host_internal.h"

#include <pthread.h>
#include <umwelt/umwelt.h>

/* A resolved policy, shared by the calls of one session (S-2). refs: the world's lock. */
struct uwi_policy {
	struct uw_policy *value;
	size_t refs;
};

struct uw_session {
	struct uw_session *next;
	struct uw_world *world;
	struct uw_session_facts facts;
	char id[40];
	char *user, *workspace, *temp;
	int temp_lock;   /* flock on the temp: tells a later start that it is in use */
	int closing;
	size_t calls;    /* in flight */
	int32_t cached_mode;
	struct uwi_policy *cached;
};

struct uw_process;
struct uwi_waiter;

struct uw_world {
	struct uwi_host_link link;
	struct uw_host *host;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int closing;
	struct uwi_generation *current;
	struct uw_session *sessions;
	struct uw_process *processes;
	struct uwi_waiter *waiters; /* commands waiting for a slot, in order of arrival (queue.c) */
	struct uwi_gate gates[UWI_SERVICE_COUNT]; /* guarded handles */
};

/*
 * 1 if another world of the same host says 1. Lock order: the host's, then a
 * world's; a world's lock is never held when the host is asked for anything.
 */
int uwi_world_another(const struct uw_world *world,
                      int (*owns)(struct uw_world *world, const void *object), const void *object);

/* A lease on the current generation. WORLD_CLOSED. */
int uwi_lease_take(struct uw_world *world, int stage, struct uwi_generation **ret_generation,
                   struct uw_error *err);
/* One more on a generation that is leased already. */
void uwi_lease_again(struct uwi_generation *generation);
void uwi_lease_drop(struct uwi_generation *generation);

/*
 * The policy of a session for this call, from the cache where nothing changed.
 * `wish` NULL: the standing mode. The caller drops it.
 */
int uwi_policy_get(struct uwi_generation *generation, struct uw_session *session,
                   const struct uw_call *call, struct uwi_policy **ret_policy, struct uw_error *err);
/* Asks the provider and checks its answer; not cached. */
int uwi_policy_resolve(struct uwi_generation *generation, const struct uw_call *call,
                       const struct uw_policy_wish *wish, struct uw_policy **ret_policy,
                       struct uw_error *err);
void uwi_policy_ref(struct uw_world *world, struct uwi_policy *policy);
void uwi_policy_drop(struct uw_world *world, struct uwi_policy *policy);
/* WORKSPACE_INVALID if another directory stands at the workspace's path now (C-40). */
int uwi_workspace_verify(struct uwi_generation *generation, const struct uw_call *call,
                         const struct uw_policy *policy, int stage, struct uw_error *err);

/*
 * An absolute path of the realm as the directory it is: canonical (*ret_path, the
 * caller's to free, is also place->path), device and inode. WORKSPACE_INVALID.
 */
int uwi_place_find(struct uwi_generation *generation, const struct uw_call *call, const char *path,
                   char **ret_path, struct uw_place *ret_place, struct uw_error *err);

/*
 * The live session whose facts these are, counted as in use until uwi_session_leave.
 * WORLD_MISMATCH if it lives in another world of this host, SESSION_NOT_FOUND.
 */
int uwi_session_enter(struct uw_world *world, const struct uw_session_facts *facts, int stage,
                      struct uw_session **ret_session, struct uw_error *err);
void uwi_session_leave(struct uw_session *session);

#endif
