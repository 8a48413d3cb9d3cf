#include "walk.h"

#include "common/cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define ROUNDS 8

struct member {
	pid_t pid, parent, session;
	unsigned long long started; /* with pid: the identity of a process */
	char state;
	int ours;
};

struct members {
	struct member *list;
	size_t count, capacity;
};

static int read_member(const char *pid, struct member *ret)
{
	char path[40], text[512], *after;
	ssize_t len;
	int parent, session;
	UW_AUTO_FD fd = -1;
	(void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (len <= 0)
		return -1;
	text[len] = '\0';
	/* the name may hold anything, also parentheses: the last one ends it */
	after = strrchr(text, ')');
	if (!after ||
	    sscanf(after + 1, " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
	           &ret->state, &parent, &session, &ret->started) != 4)
		return -1;
	ret->pid = (pid_t)atoi(pid);
	ret->parent = parent;
	ret->session = session;
	ret->ours = 0;
	return 0;
}

static void read_all(struct members *members)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	if (!proc)
		return;
	while ((entry = readdir(proc))) {
		struct member member;
		if (!isdigit((unsigned char)entry->d_name[0]) || read_member(entry->d_name, &member) < 0)
			continue;
		if (members->count == members->capacity) {
			size_t capacity = members->capacity ? 2 * members->capacity : 256;
			struct member *list = realloc(members->list, capacity * sizeof *list);
			if (!list)
				break;
			members->list = list;
			members->capacity = capacity;
		}
		members->list[members->count++] = member;
	}
	(void)closedir(proc);
}

static int is_ours(const struct members *members, pid_t pid)
{
	for (size_t i = 0; i < members->count; i++)
		if (members->list[i].ours && members->list[i].pid == pid)
			return 1;
	return 0;
}

static void mark(struct members *members, const struct walk_range *range)
{
	int found = 1;
	while (found) {
		found = 0;
		for (size_t i = 0; i < members->count; i++) {
			struct member *member = &members->list[i];
			if (member->ours || member->pid <= 1)
				continue;
			member->ours = (range->parent > 1 && member->parent == range->parent) ||
			               (range->session > 1 && member->session == range->session) ||
			               is_ours(members, member->parent);
			found |= member->ours;
		}
	}
}

/* The pid may have a new owner by now: it is pinned, then looked at once more. */
static int kill_member(const struct member *member)
{
	char pid[24];
	struct member now;
	int killed = 0;
	UW_AUTO_FD pidfd = (int)syscall(SYS_pidfd_open, member->pid, 0);
	(void)snprintf(pid, sizeof pid, "%d", (int)member->pid);
	if (pidfd >= 0 && read_member(pid, &now) == 0 && now.started == member->started)
		killed = syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0;
	return killed;
}

static uint32_t kill_round(const struct walk_range *range)
{
	struct members members = {NULL, 0, 0};
	uint32_t killed = 0;
	read_all(&members);
	mark(&members, range);
	for (size_t i = 0; i < members.count; i++)
		if (members.list[i].ours && members.list[i].state != 'Z' && members.list[i].state != 'X')
			killed += (uint32_t)kill_member(&members.list[i]);
	free(members.list);
	return killed;
}

uint32_t walk_kill_all(const struct walk_range *range)
{
	uint32_t total = 0, killed;
	int round = 0;
	if (range->parent <= 1 && range->session <= 1)
		return 0;
	do {
		killed = kill_round(range);
		total += killed;
	} while (killed && ++round < ROUNDS);
	return total;
}
