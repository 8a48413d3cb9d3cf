#include "launcher/range.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_PROCESSES  ((size_t)4 << 20) /* the kernel's own bound of pids */
#define FEWEST_PROCESSES                                                                           \
	((size_t)1 << 12) /* a list that short still ends a range, in more rounds */
#define PATH_SIZE      64

/* A walk's list: visited processes with their parents. Memory is only touched as it grows. */
struct node {
	pid_t pid, parent;
};
struct list {
	struct node *nodes;
	size_t count, most;
};

void ul_range_init(struct ul_range *range, int pid1)
{
	range->pid1 = pid1;
	range->source = UL_RANGE_CHILDREN;
}

/* Under a limit of address space the list is shorter. */
static int list_open(struct list *list)
{
	size_t most;
	for (most = MOST_PROCESSES; most >= FEWEST_PROCESSES; most /= 4) {
		void *nodes = mmap(NULL, most * sizeof *list->nodes, PROT_READ | PROT_WRITE,
		                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (nodes != MAP_FAILED) {
			*list = (struct list){nodes, 0, most};
			return 0;
		}
	}
	return -1;
}

static void list_close(struct list *list)
{
	(void)munmap(list->nodes, list->most * sizeof *list->nodes);
}

static void list_add(struct list *list, pid_t pid, pid_t parent)
{
	if (list->count < list->most)
		list->nodes[list->count++] = (struct node){pid, parent};
}

/* "12 345 6 " of one thread, in pieces as they are read. -1 if the file is not there. */
static int read_children(const char *path, struct list *list, pid_t parent)
{
	char buffer[1024];
	long pid = 0;
	ssize_t n = 0, i;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while ((n = read(fd, buffer, sizeof buffer)) > 0) {
		for (i = 0; i < n; i++) {
			if (buffer[i] >= '0' && buffer[i] <= '9') {
				pid = pid * 10 + (buffer[i] - '0');
			} else if (pid > 0) {
				list_add(list, (pid_t)pid, parent);
				pid = 0;
			}
		}
	}
	(void)close(fd);
	return 0;
}

/* Children belong to the thread that forked them. */
static int add_children(struct list *list, pid_t parent)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *tasks;
	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
	tasks = opendir(path);
	if (!tasks)
		return -1;
	while ((entry = readdir(tasks)) != NULL) {
		char *end;
		long thread = strtol(entry->d_name, &end, 10);
		if (*end || thread <= 0)
			continue;
		(void)snprintf(path, sizeof path, "/proc/%d/task/%ld/children", (int)parent, thread);
		(void)read_children(path, list, parent);
	}
	(void)closedir(tasks);
	return 0;
}

/* The parent of pid; 0 if it is gone. The name in parentheses may hold anything. */
static pid_t parent_of(pid_t pid)
{
	char path[PATH_SIZE], buffer[256];
	const char *after;
	char state;
	int fd, parent;
	ssize_t n;
	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buffer, sizeof buffer - 1);
	(void)close(fd);
	if (n <= 0)
		return 0;
	buffer[n] = '\0';
	after = strrchr(buffer, ')');
	if (!after || sscanf(after + 1, " %c %d", &state, &parent) != 2)
		return 0;
	return (pid_t)parent;
}

/* All processes of this /proc with their parents. */
static int scan_all(struct list *all)
{
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	if (!proc)
		return -1;
	while ((entry = readdir(proc)) != NULL) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		if (!*end && pid > 0)
			list_add(all, (pid_t)pid, parent_of((pid_t)pid));
	}
	(void)closedir(proc);
	return 0;
}

static void add_children_of_scan(struct list *list, const struct list *all, pid_t parent)
{
	size_t i;
	for (i = 0; i < all->count; i++)
		if (all->nodes[i].parent == parent)
			list_add(list, all->nodes[i].pid, parent);
}

/* One signal to a process that was seen as a descendant. */
static void signal_node(const struct node *node, int number, pid_t only_group)
{
	const pid_t self = getpid();
	pid_t parent;
	int fd;
	if (only_group && getpgid(node->pid) != only_group)
		return;
	if (node->parent == self) {
		(void)kill(node->pid, number);
		return;
	}
	fd = (int)syscall(SYS_pidfd_open, node->pid, 0);
	if (fd < 0) {
		if (errno == ENOSYS) /* before 5.3 */
			(void)kill(node->pid, number);
		return;
	}
	/* an orphan meanwhile has come to the launcher */
	parent = parent_of(node->pid);
	if (parent == node->parent || parent == self)
		(void)syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
	(void)close(fd);
}

static int has_children_files(void)
{
	char path[PATH_SIZE];
	(void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	return access(path, R_OK) == 0;
}

/* Breadth first from the launcher; number 0 only lists. -1: /proc cannot be read. */
static int walk(struct ul_range *range, struct list *list, int number, pid_t only_group)
{
	struct list all = {NULL, 0, 0};
	int status = 0;
	size_t seen = 0, signalled = 0;
	pid_t at = getpid();
	if (range->source == UL_RANGE_CHILDREN && !has_children_files())
		range->source = UL_RANGE_STAT;
	if (range->source == UL_RANGE_STAT && (list_open(&all) < 0 || scan_all(&all) < 0))
		status = -1;
	while (status == 0) {
		if (range->source == UL_RANGE_STAT)
			add_children_of_scan(list, &all, at);
		else if (add_children(list, at) < 0 && at == getpid())
			status = -1;
		for (; number && signalled < list->count; signalled++)
			signal_node(&list->nodes[signalled], number, only_group);
		if (seen == list->count)
			break;
		at = list->nodes[seen++].pid;
	}
	if (all.nodes)
		list_close(&all);
	return status;
}

int ul_range_signal(struct ul_range *range, int number, pid_t only_group)
{
	struct list list;
	int status;
	if (range->pid1 && getpid() == 1 && !only_group) {
		(void)kill(-1, number); /* all of the namespace, but the caller */
		return 0;
	}
	if (list_open(&list) < 0)
		return -1;
	status = walk(range, &list, number, only_group);
	list_close(&list);
	return status;
}

size_t ul_range_list(struct ul_range *range, pid_t *ret_pids, size_t most)
{
	struct list list;
	size_t i, count;
	if (list_open(&list) < 0)
		return 0;
	(void)walk(range, &list, 0, 0);
	count = list.count < most ? list.count : most;
	for (i = 0; i < count; i++)
		ret_pids[i] = list.nodes[i].pid;
	list_close(&list);
	return count;
}
