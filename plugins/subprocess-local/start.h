/*
 * Starting one process with exactly the descriptors given. The only place of
 * this plugin where a process comes into being; the host never forks without
 * exec, and its memory is not copied (P-6).
 */
#ifndef UW_SUBPROCESS_START_H
#define UW_SUBPROCESS_START_H

#include <stddef.h>
#include <sys/types.h>

/* Descriptor fd of the host becomes `as` in the child. Each `as` once, any permutation. */
struct start_map {
	int fd;
	int as;
};

/*
 * path NULL: the program is the child's descriptor `exec_fd`. The child is leader
 * of a session of its own in `/`, with TERM, INT, HUP and QUIT ignored (S-63),
 * all other signals at their defaults, none blocked.
 */
struct start {
	const char *path;
	int exec_fd;
	const char *const *argv;
	const char *const *env;
	const struct start_map *map;
	size_t map_count;
	int cgroup_fd; /* >= 0: the group to be born in; *ret_cgroup says whether it was */
};

/*
 * 0, with the child's pid and a pidfd (close-on-exec, the caller's), or an errno:
 * then nothing was started; *ret_exec is 1 if it was exec that failed.
 */
int start_process(const struct start *start, pid_t *ret_pid, int *ret_pidfd, int *ret_exec,
                  int *ret_cgroup);

#endif
