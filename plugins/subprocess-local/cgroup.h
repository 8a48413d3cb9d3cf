/*
 * A control group for each range (P-11), where the host's own group is one of
 * version 2 in which it may make others. It holds what has neither the launcher
 * nor a session in common with the command any more. The launcher is in it too.
 *
 * cgroups_open writes the struct; afterwards it is constant but for its counter.
 */
#ifndef UW_SUBPROCESS_CGROUP_H
#define UW_SUBPROCESS_CGROUP_H

#include <stdatomic.h>
#include <stddef.h>

#define CGROUP_NAME_SIZE 64

/* dir_fd: the host's own group; -1: there is none to be had. */
struct cgroups {
	int dir_fd;
	unsigned random; /* sets this provider's names apart from another's of one process */
	atomic_uint next;
};

/* Finds the host's group and removes what earlier hosts that are gone left in it. */
void cgroups_open(struct cgroups *groups);
void cgroups_close(struct cgroups *groups);

/* A new group: its directory, close-on-exec, the caller's; -1: none can be had. */
int cgroup_make(struct cgroups *groups, char name[CGROUP_NAME_SIZE]);
/* Kills all that is in it. 0 or -1. */
int cgroup_kill(int fd);
/* Removes it; waits a moment for what was killed to be gone. */
void cgroup_remove(struct cgroups *groups, int fd, const char *name);

#endif
