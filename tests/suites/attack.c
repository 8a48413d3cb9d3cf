/*
 * Attacks that a shell has no words for. The test program itself is the tool: with
 * --attack as its first argument it does one thing and ends, with 0 if the thing
 * could be done, before main.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/suites/sandbox_suite.h"

void suite_attack(void)
{
}

static socklen_t unix_name(struct sockaddr_un *name, const char *path, int is_abstract)
{
	size_t len = strlen(path);
	memset(name, 0, sizeof *name);
	name->sun_family = AF_UNIX;
	if (len + 2 > sizeof name->sun_path)
		exit(2);
	memcpy(name->sun_path + (is_abstract ? 1 : 0), path, len);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
}

static int connect_unix(const char *path, int is_abstract)
{
	struct sockaddr_un name;
	socklen_t len = unix_name(&name, path, is_abstract);
	return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, len);
}

/* a datagram end of a socketpair can still name a stranger */
static int send_unix(const char *path, int type, int by_connect)
{
	struct sockaddr_un name;
	socklen_t len = unix_name(&name, path, 0);
	int pair[2];
	if (socketpair(AF_UNIX, type, 0, pair) < 0)
		return -1;
	if (by_connect)
		return connect(pair[0], (struct sockaddr *)&name, len);
	return sendto(pair[0], "x", 1, 0, (struct sockaddr *)&name, len) == 1 ? 0 : -1;
}

static int connect_tcp(const char *port)
{
	struct sockaddr_in name = {.sin_family = AF_INET,
	                           .sin_port = htons((uint16_t)atoi(port)),
	                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	return connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof name);
}

static int limit_other(pid_t pid)
{
	struct rlimit limit = {1, 1};
	return prlimit(pid, RLIMIT_CORE, &limit, NULL);
}

static int set_flags(const char *path)
{
	int flags = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return -1;
	flags |= FS_NOATIME_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

static int open_queue(const char *name)
{
	mqd_t queue = mq_open(name, O_WRONLY);
	return queue < 0 ? -1 : mq_send(queue, "x", 1, 0);
}

static int one(const char *what, const char *arg)
{
	struct timespec now[2] = {{1, 0}, {1, 0}};
	if (!strcmp(what, "connect"))
		return connect_unix(arg, 0);
	if (!strcmp(what, "connect-abstract"))
		return connect_unix(arg, 1);
	if (!strcmp(what, "pair-dgram-send"))
		return send_unix(arg, SOCK_DGRAM, 0);
	if (!strcmp(what, "pair-dgram-connect"))
		return send_unix(arg, SOCK_DGRAM, 1);
	if (!strcmp(what, "pair-raw-send"))
		return send_unix(arg, SOCK_RAW, 0);
	if (!strcmp(what, "connect-tcp"))
		return connect_tcp(arg);
	if (!strcmp(what, "socket"))
		return socket(atoi(arg), SOCK_STREAM, 0) < 0 ? -1 : 0;
	if (!strcmp(what, "prlimit"))
		return limit_other(atoi(arg));
	if (!strcmp(what, "setpriority"))
		return setpriority(PRIO_PROCESS, (id_t)atoi(arg), 10);
	if (!strcmp(what, "kill"))
		return kill(atoi(arg), 0);
	if (!strcmp(what, "ptrace"))
		return (int)ptrace(PTRACE_SEIZE, atoi(arg), NULL, NULL);
	if (!strcmp(what, "shm"))
		return shmat(shmget(atoi(arg), 0, 0), NULL, 0) == (void *)-1 ? -1 : 0;
	if (!strcmp(what, "mq"))
		return open_queue(arg);
	if (!strcmp(what, "setflags"))
		return set_flags(arg);
	if (!strcmp(what, "setxattr"))
		return setxattr(arg, "user.umwelt", "x", 1, 0);
	if (!strcmp(what, "utimes"))
		return utimensat(AT_FDCWD, arg, now, 0);
	if (!strcmp(what, "fchmod"))
		return fchmod(open(arg, O_RDONLY | O_CLOEXEC), 0600);
	if (!strcmp(what, "mknod"))
		return mknod(arg, S_IFCHR | 0666, 1 << 8 | 3);
	if (!strcmp(what, "tiocsti"))
		return ioctl(0, TIOCSTI, "x");
	if (!strcmp(what, "io-uring"))
		return syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == EFAULT ? 0 : -1;
	if (!strcmp(what, "flock"))
		return open(arg, O_RDONLY | O_CLOEXEC) < 0 ? -1 : 0;
	fprintf(stderr, "no attack %s\n", what);
	return -1;
}

__attribute__((constructor)) static void attack(int argc, char **argv)
{
	if (argc != 4 || strcmp(argv[1], "--attack") != 0)
		return;
	if (one(argv[2], argv[3]) == 0)
		_exit(0);
	fprintf(stderr, "attack %s %s: %s\n", argv[2], argv[3], strerror(errno));
	_exit(1);
}
