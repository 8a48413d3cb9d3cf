/*
 * The launcher's life after fork: waits without polling for the command's end,
 * for orphans, for what the host tells and for the host's death, and ends the
 * range when it must.
 */
#ifndef UL_KEEPER_H
#define UL_KEEPER_H

#include "launcher/job.h"
#include "launcher/landlock.h"
#include "launcher/range.h"

#include <sys/types.h>

struct ul_keeper {
	int control; /* the host's socket; -1 once it is gone */
	int status;  /* the child's pipe until exec; then -1 */
	pid_t leader;
	const struct ul_job *job;
	const struct ul_landlock *landlock;
	struct ul_range range;
	int ready;    /* the child has only exec left to do */
	int started;  /* STARTED was said */
	int failed;   /* the child said why it could not */
	int exited;   /* the leader was reaped */
	int ending;   /* 0 no, 1 TERM was sent, 2 KILL */
	int64_t started_us;
	int64_t deadline_ms; /* of the next step of ending */
	int pause_ms;        /* between rounds of KILL */
	uint32_t killed;
};

/* Before anything else: all signals blocked, SIGCHLD with a handler to interrupt the wait. */
int ul_keeper_block_signals(struct ul_failure *failure);
/* Returns the launcher's exit status: 0 the range is empty, 125 nothing was run. */
int ul_keeper_run(struct ul_keeper *keeper);

#endif
