/*
 * What a test shares with the stub plugin: counters that the providers keep and
 * faults that they show. The plugin's key `state` holds the address: both live in
 * one process. All fields start as zero, which means: behave.
 */
#ifndef UW_TESTS_STUB_H
#define UW_TESTS_STUB_H

#include <stdatomic.h>
#include <stdint.h>
#include <umwelt/subprocess.h>

#define STUB_PROCESSES 64

struct stub_state {
	/* counters */
	atomic_int created, destroyed;
	atomic_int fs_calls, writes, policies, policies_released;
	atomic_int confines, releases, releases_unrun, spawns, terminates, disposes;
	atomic_int inside, most_inside; /* calls at one time in fs */
	/* facts */
	uint64_t workspace_ino; /* what fs says of every directory; 0: 7 */
	char order[256];        /* "+tag " for each create */
	char spawned[256];      /* argv[1] of the last spawn, as the provider saw it */
	int spawned_mode;
	int prove_fails;        /* umwelt-launch --prove exits with 1 in this many first probes */
	/* faults */
	int realm_of;           /* 1 sandbox, 2 subprocess: its uid is another one */
	int create_fails, destroy_fails;
	int fs_returns;         /* that code, without a word */
	int resolve_gives_null;
	atomic_int slow_ms;     /* of an fs call */
	int policy_fails;       /* WORKSPACE_REFUSED */
	int policy_mode;        /* instead of the one asked for */
	int confine_fails, confine_lies; /* lies: 1 unconfined, 2 relative wrapper, 3 no in-run check, 4 NULL */
	void (*in_confine)(void *arg);   /* called there */
	void *in_confine_arg;
	int spawn_fails, spawn_gives_null;
	int unusable;           /* sandbox status */
	int asked_unlisted;     /* 1: service() gave a handle that the descriptor does not list */
	const void *given_fs;   /* handles that create got */
	const void *given_subprocess;
	/* processes */
	int exit_fds[STUB_PROCESSES]; /* eventfds; a test writes to end one */
};

#endif
