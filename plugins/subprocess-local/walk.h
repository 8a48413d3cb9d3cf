/*
 * Looking through /proc for what is left of a range without its launcher (P-12).
 * Only where no launcher, PID namespace or cgroup can do it.
 */
#ifndef UW_SUBPROCESS_WALK_H
#define UW_SUBPROCESS_WALK_H

#include <stdint.h>
#include <sys/types.h>

/* 0: not known. Children of `parent` and members of `session`, with all below them. */
struct walk_range {
	pid_t parent;
	pid_t session;
};

/* Kills what it finds, again until nothing is found. How many were killed. */
uint32_t walk_kill_all(const struct walk_range *range);

#endif
