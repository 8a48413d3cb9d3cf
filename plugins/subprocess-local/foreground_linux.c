/*
 * Who holds the terminal, and whether it waits there for input (T-6): evidence
 * from /proc, by the terminal's device, never by a descriptor's number alone and
 * never by what was printed.
 */
#include "pty.h"

#include "common/cleanup.h"
#include "common/io.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>

#define POLL_MAX 256

struct blocked {
	pid_t pid, task;
	dev_t terminal;
	long number;
	unsigned long args[6];
};

static int is_terminal(const struct blocked *blocked, long fd)
{
	char path[64];
	struct stat st;
	if (fd < 0 || fd > 0xffff)
		return 0;
	(void)snprintf(path, sizeof path, "/proc/%d/fd/%ld", (int)blocked->pid, fd);
	if (stat(path, &st) < 0 || !S_ISCHR(st.st_mode))
		return 0;
	/* /dev/tty is the terminal of the process that opened it */
	return st.st_rdev == blocked->terminal || st.st_rdev == makedev(5, 0);
}

static int copy_from(const struct blocked *blocked, unsigned long address, void *data, size_t len)
{
	struct iovec here = {data, len}, there = {(void *)address, len};
	return process_vm_readv(blocked->pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

static int polls_terminal(const struct blocked *blocked)
{
	struct pollfd fds[POLL_MAX];
	size_t count = blocked->args[1] < POLL_MAX ? blocked->args[1] : POLL_MAX;
	if (!copy_from(blocked, blocked->args[0], fds, count * sizeof fds[0]))
		return 0;
	for (size_t i = 0; i < count; i++)
		if ((fds[i].events & POLLIN) && is_terminal(blocked, fds[i].fd))
			return 1;
	return 0;
}

static int selects_terminal(const struct blocked *blocked)
{
	unsigned char bits[FD_SETSIZE / 8];
	size_t count = blocked->args[0] < FD_SETSIZE ? blocked->args[0] : FD_SETSIZE;
	size_t len = (count + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long);
	if (!blocked->args[1] || !copy_from(blocked, blocked->args[1], bits, len))
		return 0;
	for (size_t fd = 0; fd < count; fd++)
		if ((bits[fd / 8] & (1u << (fd % 8))) && is_terminal(blocked, (long)fd))
			return 1;
	return 0;
}

static int epoll_has_terminal(const struct blocked *blocked)
{
	char path[64], line[256];
	FILE *info;
	int found = 0;
	(void)snprintf(path, sizeof path, "/proc/%d/fdinfo/%lu", (int)blocked->pid, blocked->args[0]);
	info = fopen(path, "re");
	while (info && !found && fgets(line, sizeof line, info)) {
		long fd;
		unsigned events;
		if (sscanf(line, "tfd: %ld events: %x", &fd, &events) == 2 && (events & POLLIN))
			found = is_terminal(blocked, fd);
	}
	if (info)
		(void)fclose(info);
	return found;
}

static int waits_in(const struct blocked *blocked)
{
	switch (blocked->number) {
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll: return polls_terminal(blocked);
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6: return selects_terminal(blocked);
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait: return epoll_has_terminal(blocked);
	case SYS_read:
	case SYS_readv: return is_terminal(blocked, (long)blocked->args[0]);
	default: return 0;
	}
}

/* 1 it waits, 0 it does not, -1 it may not be looked at. */
static int task_waits(struct blocked *blocked)
{
	char path[64], line[256];
	(void)snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)blocked->pid, (int)blocked->task);
	if (uw_read_line_of(path, line, sizeof line) < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	if (sscanf(line, "%ld %lx %lx %lx %lx %lx %lx", &blocked->number, &blocked->args[0],
	           &blocked->args[1], &blocked->args[2], &blocked->args[3], &blocked->args[4],
	           &blocked->args[5]) != 7)
		return 0; /* "running" */
	return waits_in(blocked);
}

static int process_waits(pid_t pid, dev_t terminal)
{
	char path[32];
	struct dirent *entry;
	DIR *tasks;
	int result = 0;
	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && result <= 0 && (entry = readdir(tasks))) {
		struct blocked blocked = {.pid = pid, .terminal = terminal};
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		blocked.task = (pid_t)atoi(entry->d_name);
		int waits = task_waits(&blocked);
		result = waits > 0 || result == 0 ? waits : result;
	}
	if (tasks)
		(void)closedir(tasks);
	return result;
}

static pid_t group_of(const char *pid)
{
	char path[40], line[512], *after;
	int parent, group;
	(void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	if (uw_read_line_of(path, line, sizeof line) < 0)
		return 0;
	after = strrchr(line, ')');
	return after && sscanf(after + 1, " %*c %d %d", &parent, &group) == 2 ? group : 0;
}

/* Any process of the foreground group will do. */
static int group_waits(pid_t group, dev_t terminal)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int result = 0;
	while (proc && result <= 0 && (entry = readdir(proc))) {
		int waits;
		if (!isdigit((unsigned char)entry->d_name[0]) || group_of(entry->d_name) != group)
			continue;
		waits = process_waits((pid_t)atoi(entry->d_name), terminal);
		result = waits > 0 || result == 0 ? waits : result;
	}
	if (proc)
		(void)closedir(proc);
	return result;
}

static dev_t slave_device(int master)
{
	int number = 0;
	return ioctl(master, TIOCGPTN, &number) < 0 ? 0 : makedev(136 + (unsigned)number / 256, (unsigned)number % 256);
}

void pty_facts(int master, pid_t command, struct uw_foreground *ret)
{
	struct termios modes;
	char path[40];
	pid_t group = tcgetpgrp(master);
	memset(ret, 0, sizeof *ret);
	ret->size = sizeof *ret;
	ret->pgid = group > 0 ? group : 0;
	ret->shell_pgid = command;
	ret->waits_input = -1;
	if (tcgetattr(master, &modes) == 0) {
		ret->canonical = (modes.c_lflag & ICANON) != 0;
		ret->echo = (modes.c_lflag & ECHO) != 0;
	}
	if (group <= 0)
		return;
	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)group);
	(void)uw_read_line_of(path, ret->program, sizeof ret->program);
	ret->waits_input = group_waits(group, slave_device(master));
}
