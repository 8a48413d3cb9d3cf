/*
 * The range: all descendants of the launcher, which as their subreaper (or as
 * process 1) is the parent of each orphan among them. A signal reaches them by a
 * walk over the children of children; as process 1 by kill(-1).
 */
#ifndef UL_RANGE_H
#define UL_RANGE_H

#include <stddef.h>
#include <sys/types.h>

enum ul_range_source {
	UL_RANGE_CHILDREN, /* /proc/PID/task/TID/children */
	UL_RANGE_STAT,     /* /proc/PID/stat of all processes, on kernels without it */
};

struct ul_range {
	int pid1; /* the launcher is process 1 of a namespace that is the range */
	enum ul_range_source source;
};

void ul_range_init(struct ul_range *range, int pid1);

/*
 * Sends the signal to each process of the range, parents before their children
 * (what was killed cannot fork between the two). only_group: none but the members
 * of that process group; 0: all. Never a process that is not a descendant:
 * direct children cannot vanish before they are reaped here, all others are held
 * by a pidfd and looked at again before they are signalled. 0; -1: there is no
 * /proc or no memory to walk with, nothing was sent.
 */
int ul_range_signal(struct ul_range *range, int number, pid_t only_group);

/* For tests: descendants now, at most `most`. */
size_t ul_range_list(struct ul_range *range, pid_t *ret_pids, size_t most);

#endif
