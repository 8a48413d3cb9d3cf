#include "cgroup.h"

#include "common/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX  "umwelt-"
#define GONE_MS 1000

/* The path of our group below its hierarchy: the line "0::/path" of /proc/self/cgroup. */
static int own_path(char *path, size_t size)
{
	char line[1024];
	FILE *file = fopen("/proc/self/cgroup", "re");
	int found = 0;
	while (file && !found && fgets(line, sizeof line, file)) {
		size_t len = strcspn(line, "\n");
		line[len] = '\0';
		found = !strncmp(line, "0::/", 4) && len - 3 < size;
		if (found)
			memcpy(path, line + 3, len - 2);
	}
	if (file)
		(void)fclose(file);
	return found ? 0 : -1;
}

/* Where the whole hierarchy is mounted: in mountinfo, "... root mountpoint ... - cgroup2 ...". */
static int mount_point(char *path, size_t size)
{
	char line[4096], root[1024], point[1024];
	FILE *file = fopen("/proc/self/mountinfo", "re");
	int found = 0;
	while (file && !found && fgets(line, sizeof line, file)) {
		found = strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %1023s %1023s", root, point) == 2 &&
		        !strcmp(root, "/") && !strchr(point, '\\') && strlen(point) < size;
		if (found)
			(void)strcpy(path, point);
	}
	if (file)
		(void)fclose(file);
	return found ? 0 : -1;
}

/* Groups of hosts that were killed are empty by now, but nobody was left to remove them. */
static void remove_stale(int dir_fd)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	if (!dir)
		uw_fd_close(&copy);
	while (dir && (entry = readdir(dir))) {
		int pid;
		if (sscanf(entry->d_name, PREFIX "%d-", &pid) == 1 && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			(void)unlinkat(dir_fd, entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		(void)closedir(dir);
}

void cgroups_open(struct cgroups *groups)
{
	char path[1024], point[1024], full[2100];
	UW_AUTO_FD dir = -1;
	atomic_init(&groups->next, 0);
	groups->dir_fd = -1;
	if (getrandom(&groups->random, sizeof groups->random, 0) != (ssize_t)sizeof groups->random ||
	    own_path(path, sizeof path) < 0 || mount_point(point, sizeof point) < 0)
		return;
	(void)snprintf(full, sizeof full, "%s%s", point, path);
	dir = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* a process may move only where both groups' lists of processes are writable */
	if (dir < 0 || faccessat(dir, ".", W_OK, AT_EACCESS) < 0 ||
	    faccessat(dir, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return;
	remove_stale(dir);
	groups->dir_fd = uw_fd_steal(&dir);
}

void cgroups_close(struct cgroups *groups)
{
	uw_fd_close(&groups->dir_fd);
}

int cgroup_make(struct cgroups *groups, char name[CGROUP_NAME_SIZE])
{
	int fd;
	if (groups->dir_fd < 0)
		return -1;
	(void)snprintf(name, CGROUP_NAME_SIZE, PREFIX "%d-%08x-%u", (int)getpid(), groups->random,
	               atomic_fetch_add(&groups->next, 1));
	if (mkdirat(groups->dir_fd, name, 0755) < 0)
		return -1;
	fd = openat(groups->dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* cgroup.kill is of Linux 5.14 */
	if (fd < 0 || faccessat(fd, "cgroup.kill", W_OK, AT_EACCESS) < 0) {
		uw_fd_close(&fd);
		(void)unlinkat(groups->dir_fd, name, AT_REMOVEDIR);
	}
	return fd;
}

int cgroup_kill(int fd)
{
	UW_AUTO_FD file = fd < 0 ? -1 : openat(fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	return file >= 0 && write(file, "1", 1) == 1 ? 0 : -1;
}

void cgroup_remove(struct cgroups *groups, int fd, const char *name)
{
	UW_AUTO_FD events = -1;
	if (fd < 0 || unlinkat(groups->dir_fd, name, AT_REMOVEDIR) == 0)
		return;
	events = openat(fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	for (int looks = 0; events >= 0 && looks < 8; looks++) {
		struct pollfd changed = {events, POLLPRI, 0};
		char text[128];
		if (pread(events, text, sizeof text, 0) < 0 || unlinkat(groups->dir_fd, name, AT_REMOVEDIR) == 0 ||
		    poll(&changed, 1, GONE_MS) <= 0)
			return;
	}
}
