/*
 * process: core's handle of a command, around the provider's: it keeps the lease,
 * the policy and the confinement until the range is gone, and tells the verdict.
 *
 * In the world's list from creation to dispose. The list, session, users,
 * started, disposing, ending, slot_held, exit_fd, inner, confined and the verdict are guarded by
 * the world's lock; what describes the confinement is constant once started.
 */
#ifndef UW_CORE_PROCESS_H
#define UW_CORE_PROCESS_H

#include "common/arena.h"
#include "core/world.h"

struct uwi_entry;

struct uw_process {
	struct uw_process *next;
	struct uw_world *world;
	struct uwi_generation *generation; /* leased */
	struct uw_session *session;        /* whose command it is; NULL once that is closed */
	struct uwi_policy *policy;         /* referenced */
	struct uw_process *inner;          /* the provider's; NULL before and after it lives */
	struct uw_confined *confined;      /* until it was given back */
	size_t users;                      /* calls in flight */
	int started;                       /* the provider made it; before, the handle is nobody's */
	int disposing;                     /* no new call */
	int ending;                        /* session or world: 1 asked it to end, 2 ended it */
	int slot_held;                     /* counts against max_running (queue.c) */
	int exit_fd;                       /* the provider's; polls readable once the command ended */
	struct uw_arena arena;             /* the texts below, copies that live as long as the handle */
	const char *cwd;                   /* outside path it was started in */
	const char *rule;                  /* by which it was allowed */
	const char *backend;
	int32_t mode, enforcement;
	uint32_t dialect;
	struct uw_enforcement_row rows[UW_OP_COUNT];
	int stream;                        /* which collected stream holds its messages; 0: none */
	int has_final;                     /* `final` is the last word */
	struct uw_exit final;
};

/* In the world's list from now on, with lease and policy of the entry; not started. */
int uwi_process_create(struct uwi_entry *entry, struct uw_process **ret_process, struct uw_error *err);
/* Takes the confinement over and copies what it says. NO_MEMORY. */
int uwi_process_confined(struct uw_process *process, struct uw_confined *confined,
                         struct uw_error *err);
/* The provider's handle is there: the process can be used. */
void uwi_process_started(struct uw_process *process, struct uw_process *inner);
/* It never ran: off the list, slot and confinement given back, freed. NULL: nothing. */
void uwi_process_abandon(struct uw_process *process);
/* Gives back a confinement that broke off before the launcher; the process can be confined anew. */
void uwi_process_unconfine(struct uw_process *process);

/* A call on a handle that may be anything: WORLD_MISMATCH, PROCESS_NOT_FOUND; else in use until leave. */
int uwi_process_enter(struct uw_world *world, struct uw_process *process, struct uw_error *err);
void uwi_process_leave(struct uw_process *process);
/*
 * Fills in what only core knows of an exit that the provider told, keeps it once it
 * is the last word, and gives slot and confinement back when their time has come.
 * `complete`: the collected output is.
 */
void uwi_process_tell(struct uw_process *process, int complete, struct uw_exit *exit);
/* Ends the range, gives everything back; the handle stays, with its last word. In use by the caller. */
int uwi_process_end(struct uw_process *process, struct uw_error *err);
/* The same for a handle that was entered; it is freed. */
int uwi_process_dispose(struct uw_process *process, struct uw_error *err);

/* Ends all of a session (NULL: of the world); the handles stay. Failures are collected. */
void uwi_process_end_all(struct uw_world *world, struct uw_session *session, struct uw_error *all,
                         int *code);
/* Frees the objects whose handles nobody gave back; the world is being closed. */
void uwi_process_free_all(struct uw_world *world);
/* 1 if the pointer is a process of this world. */
int uwi_process_owned(struct uw_world *world, const void *process);

#endif
