/*
 * umwelt-launch: what confinement stops (S-51..S-55, C-39). Each attack is run
 * twice, as root and as an ordinary user: unconfined, where it must succeed, and
 * confined, where it must fail as it says. A deed's exit status is 0 when the
 * attack succeeded, else the errno it met.
 */
#include "tests/unit/launcher/driver.h"

#include <linux/capability.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include "tests/unit.h"

UW_NEEDS_THE_MACHINE;

static int outcome(long status)
{
	return status < 0 ? errno : 0;
}

/* ---- metadata ---- */

static int deed_chmod(char **w) { return outcome(chmod(w[0], 0640)); }
static int deed_chown(char **w) { return outcome(chown(w[0], geteuid(), getegid())); }
static int deed_lchown(char **w) { return outcome(lchown(w[0], geteuid(), getegid())); }
static int deed_utimens(char **w) { return outcome(utimensat(AT_FDCWD, w[0], NULL, 0)); }
static int deed_utimes(char **w) { return outcome(syscall(SYS_utimes, w[0], NULL)); }
static int deed_setxattr(char **w)
{
	return outcome(syscall(SYS_setxattr, w[0], "user.a", "b", 1, 0));
}

static int deed_fchmod(char **w)
{
	return outcome(fchmod(open(w[0], O_RDONLY | O_CLOEXEC), 0640));
}

static int deed_fchmodat2(char **w) { return outcome(syscall(452, AT_FDCWD, w[0], 0640, 0)); }

static int deed_fchown(char **w)
{
	return outcome(fchown(open(w[0], O_RDONLY | O_CLOEXEC), geteuid(), getegid()));
}

static int deed_futimens(char **w)
{
	return outcome(syscall(SYS_utimensat, open(w[0], O_RDONLY | O_CLOEXEC), NULL, NULL, 0));
}

static int deed_removexattr(char **w)
{
	long status = syscall(SYS_removexattr, w[0], "user.none");
	return status < 0 && errno == ENODATA ? 0
	                                      : outcome(status); /* it was looked for: not refused */
}

static int deed_setxattrat(char **w)
{
	const struct {
		uint64_t value;
		uint32_t size, flags;
	} args = {(uint64_t)(uintptr_t)"b", 1, 0};
	return outcome(syscall(463, AT_FDCWD, w[0], 0, "user.a", &args, sizeof args));
}

/* A 32-bit call of this 64-bit program; its strings must lie below 4 GiB. */
static long call_i386(long number, const char *text, long b, long c)
{
#if defined(__x86_64__)
	long status;
	char *low =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		return -1;
	if (text)
		strcpy(low, text);
	__asm__ volatile("int $0x80"
	                 : "=a"(status)
	                 : "a"(number), "b"(text ? (long)(uintptr_t)low : b), "c"(c), "d"(0)
	                 : "memory", "r8", "r9", "r10", "r11");
	if ((int)status < 0) {
		errno = -(int)status;
		return -1;
	}
	return status;
#else
	(void)number, (void)text, (void)b, (void)c;
	errno = EPERM;
	return -1;
#endif
}

static int deed_i386_chmod(char **w) { return outcome(call_i386(15, w[0], 0, 0640)); }
static int deed_i386_chown(char **w) { return outcome(call_i386(212, w[0], 0, (long)geteuid())); }
static int deed_i386_socket(char **w)
{
	(void)w;
	return outcome(call_i386(359, NULL, AF_INET, SOCK_DGRAM));
}

static int deed_i386_socketcall(char **w)
{
	int args[3] = {AF_INET, SOCK_DGRAM, 0};
	char packed[sizeof args + 1] = {0};
	void *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | 0x40, -1, 0);
	(void)w, (void)packed;
	if (low == MAP_FAILED)
		return 98;
	memcpy(low, args, sizeof args);
	return outcome(call_i386(102, NULL, 1, (long)(uintptr_t)low));
}

/* 0: other 32-bit calls pass */
static int deed_i386_getpid(char **w)
{
	(void)w;
	return call_i386(20, NULL, 0, 0) == getpid() ? 0 : 1;
}

/* ---- ioctls ---- */

static int set_flags(const char *path, unsigned long upper)
{
	int flags = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return 98;
	flags ^= FS_NODUMP_FL;
	return outcome(syscall(SYS_ioctl, fd, upper | FS_IOC_SETFLAGS, &flags));
}

static int deed_setflags(char **w) { return set_flags(w[0], 0); }
/* the kernel drops the upper half of the number; so must the filter */
static int deed_setflags_upper(char **w) { return set_flags(w[0], 0xdeadbeefUL << 32); }

static int deed_inject(char **w)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	(void)w;
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return 98;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		return 97;
	return outcome(ioctl(slave, TIOCSTI, "x"));
}

/* ---- other processes ---- */

static int deed_io_uring(char **w)
{
	char params[120] = {0};
	(void)w;
	return outcome(syscall(425, 1, params));
}

/* A key in the keyring of the user (-4), which outlives the command. */
static int deed_add_key(char **w)
{
	long key = syscall(SYS_add_key, "user", "umwelt-test", "x", 1, -4);
	(void)w;
	if (key >= 0)
		(void)syscall(SYS_keyctl, 9, key, -4); /* unlink it again */
	return outcome(key);
}

static int deed_keyctl(char **w)
{
	(void)w;
	return outcome(syscall(SYS_keyctl, 0, -4, 1)); /* the id of the user's keyring, made if absent */
}

static int deed_request_key(char **w)
{
	/* that there is no such key is an answer of the keyring too */
	long key = syscall(SYS_request_key, "user", "umwelt-none", NULL, 0);
	(void)w;
	return key < 0 && errno == ENOSYS ? ENOSYS : 0;
}

static int deed_prlimit(char **w)
{
	const struct rlimit limit = {1000, 1000};
	return outcome(prlimit(atoi(w[0]), RLIMIT_CPU, &limit, NULL));
}

static int deed_affinity(char **w)
{
	unsigned long mask[16];
	long len = syscall(SYS_sched_getaffinity, atoi(w[0]), sizeof mask, mask);
	return len < 0 ? 98 : outcome(syscall(SYS_sched_setaffinity, atoi(w[0]), len, mask));
}

static int deed_scheduler(char **w)
{
	const struct {
		int priority;
	} none = {0};
	return outcome(syscall(SYS_sched_setscheduler, atoi(w[0]), 3 /* SCHED_BATCH */, &none));
}

static int deed_priority(char **w)
{
	return outcome(setpriority(PRIO_PROCESS, (id_t)atoi(w[0]), 5));
}
static int deed_priority_user(char **w)
{
	(void)w;
	return outcome(setpriority(PRIO_USER, 0, getpriority(PRIO_PROCESS, 0)));
}
static int deed_ioprio(char **w)
{
	return outcome(syscall(SYS_ioprio_set, 1, atoi(w[0]), 2 << 13 | 7));
}
static int deed_kill(char **w) { return outcome(kill(atoi(w[0]), SIGURG)); }
static int deed_kill_launcher(char **w)
{
	(void)w;
	return outcome(kill(getppid(), SIGURG));
}

static int deed_trace_launcher(char **w)
{
	(void)w;
	return outcome(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
}

/* Whatever of the launcher's descriptors and memory can be had. */
static int deed_open_launcher(char **w)
{
	char path[64];
	const char *const names[] = {"mem", "fd/4", "environ", "maps"};
	int worst = 0;
	(void)w;
	for (size_t i = 0; i < UW_COUNT(names); i++) {
		char byte;
		int fd;
		snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && (i == 1 || read(fd, &byte, 1) >= 0))
			return 0;
		worst = errno;
	}
	return worst;
}

/* Its own limits, priority and affinity stay its own. 0: all allowed. */
static int deed_own_limits(char **w)
{
	const struct rlimit limit = {1000, 1000};
	struct rlimit got;
	unsigned long mask[16];
	long len = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
	if (setrlimit(RLIMIT_CPU, &limit) < 0 || prlimit(atoi(w[0]), RLIMIT_CPU, NULL, &got) < 0)
		return errno;
	return outcome(setpriority(PRIO_PROCESS, 0, 3)) |
	       outcome(syscall(SYS_sched_setaffinity, 0, len, mask));
}

/* ---- sockets ---- */

static int deed_socket(char **w)
{
	return outcome(socket(atoi(w[0]), SOCK_DGRAM | SOCK_CLOEXEC, 0));
}
static int deed_pair(char **w)
{
	int pair[2];
	return outcome(socketpair(AF_UNIX, atoi(w[0]) | SOCK_CLOEXEC, 0, pair));
}

/* One end of a pair of datagram sockets reaches a socket with a name. */
static int deed_pair_send(char **w)
{
	struct sockaddr_un address = {AF_UNIX, {0}};
	int pair[2];
	strncpy(address.sun_path, w[0], sizeof address.sun_path - 1);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		return errno;
	return outcome(sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, sizeof address));
}

/* ---- files ---- */

static int deed_create(char **w)
{
	return outcome(open(w[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static int deed_write(char **w)
{
	int fd = open(w[0], O_WRONLY | O_TRUNC | O_CLOEXEC);
	return outcome(fd < 0 ? fd : write(fd, "x", 1));
}

static int deed_truncate(char **w) { return outcome(truncate(w[0], 0)); }
static int deed_rename(char **w) { return outcome(rename(w[0], w[1])); }
static int deed_read(char **w)
{
	char byte;
	int fd = open(w[0], O_RDONLY | O_CLOEXEC);
	return outcome(fd < 0 ? fd : read(fd, &byte, 1));
}
static int deed_devices(char **w)
{
	const char *const names[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/urandom"};
	(void)w;
	for (size_t i = 0; i < UW_COUNT(names); i++)
		if (open(names[i], O_RDWR | O_TRUNC | O_CLOEXEC) < 0)
			return errno;
	return 0;
}

/* ---- privilege ---- */

/* 0: a capability beyond `kept` (hex) is there, in any set */
static int deed_capable(char **w)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct sets[2];
	unsigned long long kept = strtoull(w[0], NULL, 16);
	if (syscall(SYS_capget, &header, sets) < 0)
		return 98;
	for (unsigned i = 0; i < 2; i++)
		if ((sets[i].permitted | sets[i].effective | sets[i].inheritable) &
		    ~(uint32_t)(kept >> (32 * i)))
			return 0;
	for (int cap = 0; cap < 64; cap++)
		if (geteuid() == 0 && !((kept >> cap) & 1) && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			return 0;
	return EPERM;
}

static int deed_new_privileges(char **w)
{
	(void)w;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? 0 : EPERM;
}

#define D(name)                                                                                  \
	{                                                                                            \
		#name, deed_##name                                                                       \
	}
const struct deed deeds[] = {
	D(chmod),           D(fchmod),      D(fchmodat2),      D(chown),          D(lchown),
	D(fchown),          D(utimens),     D(futimens),       D(utimes),         D(setxattr),
	D(removexattr),     D(setxattrat),  D(i386_chmod),     D(i386_chown),     D(i386_socket),
	D(i386_socketcall), D(i386_getpid), D(setflags),       D(setflags_upper), D(inject),
	D(io_uring),        D(prlimit),     D(affinity),       D(scheduler),      D(priority),
	D(priority_user),   D(ioprio),      D(kill),           D(kill_launcher),  D(trace_launcher),
	D(open_launcher),   D(own_limits),  D(socket),         D(pair),           D(pair_send),
	D(create),          D(write),       D(truncate),       D(rename),         D(read),
	D(devices),         D(capable),     D(new_privileges), D(add_key),        D(keyctl),
	D(request_key),
};
const size_t deed_count = UW_COUNT(deeds);

static const uid_t users[] = {0, ORDINARY_UID};
#define EACH_USER(user) (size_t user##_i = 0; user##_i < (getuid() ? 1u : 2u); user##_i++)

/* ---- the tests ---- */

static const struct uw_launch_confine unconfined = {0, 0, 0, 0};

/* Runs a deed under a profile: `rules` may be NULL. Raw status of a command that ran. */
static int run_deed(uid_t uid, const char *deed, const char *a, const char *b,
                    const struct uw_launch_confine *confine, const char *writable)
{
	struct run run;
	job_deed(&run, deed, a, b, NULL);
	run.uid = uid;
	if (confine->flags)
		uw_job_confine(&run.job, confine);
	if (confine->flags & UW_LAUNCH_LANDLOCK) {
		uw_job_rule(&run.job, UW_LAUNCH_READ, 1, "/");
		for (size_t i = 0; i < 3; i++)
			uw_job_rule(&run.job, UW_LAUNCH_DEVICE, 1,
			            ((const char *const[]){"/dev/null", "/dev/zero", "/dev/full"})[i]);
		uw_job_rule(&run.job, UW_LAUNCH_DEVICE, 1, "/dev/urandom");
		uw_job_rule(&run.job, UW_LAUNCH_DEVICE, 0, "/dev/nonexistent");
		if (writable)
			uw_job_rule(&run.job, UW_LAUNCH_WRITE, 1, writable);
	}
	int status = run_to_end(&run);
	ck_assert_msg(WIFEXITED(status), "%s died of signal %d", deed, WTERMSIG(status));
	return WEXITSTATUS(status);
}

/* The attack succeeds unconfined and meets `denied` under `flags`. */
static void attack(uid_t uid, const char *deed, const char *a, const char *b, uint64_t flags,
                   int denied)
{
	const struct uw_launch_confine confine = {flags, 0, 0, 0};
	int open = run_deed(uid, deed, a, b, &unconfined, NULL);
	int closed = run_deed(uid, deed, a, b, &confine, NULL);
	ck_assert_msg(open == 0, "%s of uid %u fails unconfined: %s", deed, (unsigned)uid,
	              strerror(open));
	ck_assert_msg(closed == denied, "%s of uid %u confined: wanted %d, got %d (%s)", deed,
	              (unsigned)uid, denied, closed, strerror(closed));
}

static const char *make_file(const char *dir, const char *name, uid_t owner)
{
	static char paths[8][192];
	static size_t next;
	char *path = paths[next++ % 8];
	int fd;
	snprintf(path, sizeof paths[0], "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)write(fd, "content", 7), 7);
	ck_assert_int_eq(owner ? fchown(fd, owner, owner) : 0, 0);
	close(fd);
	return path;
}

/* A process of that user outside of any range. */
static pid_t start_victim(uid_t as)
{
	const uid_t uid = as ? as : getuid();
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (as && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
		           setresuid(uid, uid, uid) < 0))
			_exit(1);
		execl("/bin/sleep", "sleep", "600", (char *)NULL);
		_exit(1);
	}
	while (1) { /* until it has taken its user */
		char path[64];
		struct stat st;
		snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
		char target[64];
		ssize_t n = readlink(path, target, sizeof target - 1);
		ck_assert_int_gt((int)n, 0);
		target[n] = '\0';
		snprintf(path, sizeof path, "/proc/%d", (int)pid);
		if (strstr(target, "sleep") && stat(path, &st) == 0 && st.st_uid == uid)
			return pid;
	}
}

static void end_victim(pid_t pid)
{
	int status;
	ck_assert_int_eq(kill(pid, 0), 0); /* it survived */
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
}

START_TEST(metadata_calls_are_refused_by_path_and_by_descriptor)
{
	static const char *const by_any[] = {"chmod",  "fchmod",   "fchmodat2",   "chown",
	                                     "lchown", "fchown",   "utimens",     "futimens",
	                                     "utimes", "setxattr", "removexattr", "setxattrat"};
	make_place();
	for EACH_USER (u) {
		const char *dir = make_dir(u_i ? "user" : "root", users[u_i]);
		const char *file = make_file(dir, "file", users[u_i]);
		for (size_t i = 0; i < UW_COUNT(by_any); i++)
			attack(users[u_i], by_any[i], file, NULL, UW_LAUNCH_FILTER | UW_LAUNCH_NO_METADATA,
				   EPERM);
	}
	drop_place();
}
END_TEST

#if defined(__x86_64__)
START_TEST(calls_of_a_foreign_architecture_are_mediated_too)
{
	make_place();
	for EACH_USER (u) {
		const char *dir = make_dir(u_i ? "user" : "root", users[u_i]);
		const char *file = make_file(dir, "file", users[u_i]);
		const struct uw_launch_confine all = {
			UW_LAUNCH_FILTER | UW_LAUNCH_NO_METADATA | UW_LAUNCH_NO_INET, 0, 0, 0};
		attack(users[u_i], "i386_chmod", file, NULL, UW_LAUNCH_FILTER | UW_LAUNCH_NO_METADATA,
			   EPERM);
		attack(users[u_i], "i386_socket", NULL, NULL, UW_LAUNCH_FILTER | UW_LAUNCH_NO_INET, EPERM);
		attack(users[u_i], "i386_socketcall", NULL, NULL, UW_LAUNCH_FILTER, EPERM);
		ck_assert_int_eq(run_deed(users[u_i], "i386_chown", file, NULL, &all, NULL), EPERM);
		ck_assert_int_eq(run_deed(users[u_i], "i386_getpid", NULL, NULL, &all, NULL), 0);
	}
	drop_place();
}
END_TEST
#else
START_TEST(calls_of_a_foreign_architecture_are_mediated_too)
{
}
END_TEST
#endif

START_TEST(inode_flags_are_refused_whatever_the_upper_half_says)
{
	make_place();
	for EACH_USER (u) {
		const char *dir = make_dir(u_i ? "user" : "root", users[u_i]);
		const char *file = make_file(dir, "file", users[u_i]);
		if (run_deed(users[u_i], "setflags", file, NULL, &unconfined, NULL) == 98)
			continue; /* this file system has none */
		attack(users[u_i], "setflags", file, NULL, UW_LAUNCH_FILTER | UW_LAUNCH_NO_IOCTL_FS, EPERM);
		attack(users[u_i], "setflags_upper", file, NULL, UW_LAUNCH_FILTER | UW_LAUNCH_NO_IOCTL_FS,
			   EPERM);
	}
	drop_place();
}
END_TEST

START_TEST(input_cannot_be_put_into_a_terminal)
{
	const struct uw_launch_confine confine = {UW_LAUNCH_FILTER, 0, 0, 0};
	make_place();
	for EACH_USER (u) {
		int open = run_deed(users[u_i], "inject", NULL, NULL, &unconfined, NULL);
		/* EIO: this kernel has it switched off for this user already */
		ck_assert_msg(open == 0 || (open == EIO && (users[u_i] || getuid())), "inject: %d", open);
		ck_assert_int_eq(run_deed(users[u_i], "inject", NULL, NULL, &confine, NULL), EPERM);
	}
	drop_place();
}
END_TEST

START_TEST(io_uring_is_absent)
{
	make_place();
	for EACH_USER (u)
		attack(users[u_i], "io_uring", NULL, NULL, UW_LAUNCH_FILTER, ENOSYS);
	drop_place();
}
END_TEST

/* Keyrings belong to the user, not to a place: no fence of files holds them. */
START_TEST(keyrings_are_absent)
{
	static const char *const ways[] = {"add_key", "keyctl", "request_key"};
	make_place();
	for EACH_USER (u)
		for (size_t i = 0; i < UW_COUNT(ways); i++)
			attack(users[u_i], ways[i], NULL, NULL, UW_LAUNCH_FILTER, ENOSYS);
	drop_place();
}
END_TEST

/* Limits and scheduling of a process outside: a confined command killed the host by RLIMIT_CPU. */
START_TEST(other_processes_keep_their_limits_and_their_schedule)
{
	static const char *const ways[] = {"prlimit", "affinity", "scheduler", "priority", "ioprio"};
	const struct uw_launch_confine confine = {UW_LAUNCH_FILTER, 0, 0, 0};
	make_place();
	for EACH_USER (u) {
		pid_t victim = start_victim(users[u_i]);
		char pid[16];
		snprintf(pid, sizeof pid, "%d", (int)victim);
		for (size_t i = 0; i < UW_COUNT(ways); i++)
			attack(users[u_i], ways[i], pid, NULL, UW_LAUNCH_FILTER, EPERM);
		ck_assert_int_eq(run_deed(users[u_i], "priority_user", NULL, NULL, &confine, NULL), EPERM);
		ck_assert_int_eq(run_deed(users[u_i], "own_limits", pid, NULL, &confine, NULL), 0);
		end_victim(victim);
	}
	drop_place();
}
END_TEST

START_TEST(signals_stay_within_the_range)
{
	make_place();
	for EACH_USER (u) {
		pid_t victim = start_victim(users[u_i]);
		char pid[16];
		snprintf(pid, sizeof pid, "%d", (int)victim);
		attack(users[u_i], "kill", pid, NULL, UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE, EPERM);
		attack(users[u_i], "kill_launcher", NULL, NULL, UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE,
			   EPERM);
		end_victim(victim);
	}
	drop_place();
}
END_TEST

/* The launcher is not dumpable and one Landlock layer above: root needs its capabilities dropped too. */
START_TEST(the_launcher_cannot_be_traced_or_opened)
{
	make_place();
	for EACH_USER (u) {
			const struct uw_launch_confine confine = {
				UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE | UW_LAUNCH_DROP_CAPS, 0, 0, 0};
			int denied = run_deed(users[u_i], "trace_launcher", NULL, NULL, &confine, NULL);
			ck_assert_int_eq(denied, EPERM);
			denied = run_deed(users[u_i], "open_launcher", NULL, NULL, &confine, NULL);
			ck_assert_msg(denied == EPERM || denied == EACCES, "open: %d", denied);
			/* unconfined, an ordinary user meets the dumpable bit; root can */
			denied = run_deed(users[u_i], "trace_launcher", NULL, NULL, &unconfined, NULL);
			ck_assert_int_eq(denied, users[u_i] || getuid() ? EPERM : 0);
			denied = run_deed(users[u_i], "open_launcher", NULL, NULL, &unconfined, NULL);
			ck_assert_int_eq(denied, users[u_i] || getuid() ? EACCES : 0);
	}
	drop_place();
}
END_TEST

START_TEST(socket_families_are_held)
{
	static const struct {
		const char *family;
		uint64_t flag;
	} held[] = {{"2", UW_LAUNCH_NO_INET},
	            {"10", UW_LAUNCH_NO_INET},
	            {"1", UW_LAUNCH_NO_UNIX},
	            {"38", UW_LAUNCH_NO_FAMILIES}};
	static const struct {
		const char *family;
		uint64_t flags;
	} free_[] = {{"1", UW_LAUNCH_NO_INET},
	             {"16", UW_LAUNCH_NO_INET | UW_LAUNCH_NO_UNIX | UW_LAUNCH_NO_FAMILIES},
	             {"2", UW_LAUNCH_NO_UNIX | UW_LAUNCH_NO_FAMILIES},
	             {"10", UW_LAUNCH_NO_FAMILIES},
	             {"1", UW_LAUNCH_NO_FAMILIES}};
	make_place();
	for EACH_USER (u) {
		for (size_t i = 0; i < UW_COUNT(held); i++) {
			const struct uw_launch_confine confine = {UW_LAUNCH_FILTER | held[i].flag, 0, 0, 0};
			int open = run_deed(users[u_i], "socket", held[i].family, NULL, &unconfined, NULL);
			/* 38 is AF_ALG: it has no datagrams, or is not in this kernel; both are later than the filter */
			ck_assert_msg(open == 0 || strcmp(held[i].family, "38") == 0, "family %s: %d",
				          held[i].family, open);
			ck_assert_int_ne(open, EPERM);
			ck_assert_int_eq(run_deed(users[u_i], "socket", held[i].family, NULL, &confine, NULL),
				             EPERM);
		}
		for (size_t i = 0; i < UW_COUNT(free_); i++) {
			const struct uw_launch_confine confine = {UW_LAUNCH_FILTER | free_[i].flags, 0, 0, 0};
			int status = run_deed(users[u_i], "socket", free_[i].family, NULL, &confine, NULL);
			ck_assert_msg(status == 0 || status == ESOCKTNOSUPPORT, "family %s: %d",
				          free_[i].family, status);
		}
	}
	drop_place();
}
END_TEST

START_TEST(a_pair_of_sockets_stays_but_reaches_nobody_else)
{
	struct sockaddr_un address = {AF_UNIX, {0}};
	int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct uw_launch_confine confine = {UW_LAUNCH_FILTER | UW_LAUNCH_NO_UNIX, 0, 0, 0};
	make_place();
	snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", place);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	ck_assert_int_eq(chmod(address.sun_path, 0666), 0);
	for EACH_USER (u) {
		attack(users[u_i], "pair_send", address.sun_path, NULL, confine.flags, EPERM);
		ck_assert_int_eq(run_deed(users[u_i], "pair", "1", NULL, &confine, NULL),
			             0); /* SOCK_STREAM */
		ck_assert_int_eq(run_deed(users[u_i], "pair", "5", NULL, &confine, NULL),
			             0); /* SOCK_SEQPACKET */
		ck_assert_int_eq(run_deed(users[u_i], "pair", "3", NULL, &confine, NULL),
			             EPERM); /* RAW is DGRAM here */
	}
	close(listener);
	drop_place();
}
END_TEST

START_TEST(landlock_holds_files_and_lets_the_workspace_work)
{
	const struct uw_launch_confine confine = {UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE, 0, 1, 0};
	make_place();
	for EACH_USER (u) {
		const uid_t uid = users[u_i];
		const char *ws = make_dir(u_i ? "ws-user" : "ws-root", uid),
				   *out = make_dir(u_i ? "out-user" : "out-root", uid);
		const char *outside = make_file(out, "file", uid);
		char in[192], a[192], b[192], made[192];
		snprintf(made, sizeof made, "%s/made", out);
		attack(uid, "create", made, NULL, confine.flags, EACCES);
		attack(uid, "write", outside, NULL, confine.flags, EACCES);
		attack(uid, "truncate", outside, NULL, confine.flags, EACCES);
		ck_assert_int_eq(run_deed(uid, "read", "/etc/passwd", NULL, &confine, ws), 0);
		ck_assert_int_eq(run_deed(uid, "devices", NULL, NULL, &confine, ws), 0);
		snprintf(in, sizeof in, "%s/in", ws);
		ck_assert_int_eq(run_deed(uid, "create", in, NULL, &confine, ws), 0);
		ck_assert_int_eq(run_deed(uid, "truncate", in, NULL, &confine, ws), 0);
		/* REFER: mv a/x b/x */
		snprintf(a, sizeof a, "%s/a", ws);
		snprintf(b, sizeof b, "%s/b", ws);
		ck_assert_int_eq(mkdir(a, 0777) | mkdir(b, 0777) |
			                 (uid ? chown(a, uid, uid) | chown(b, uid, uid) : 0),
			             0);
		(void)make_file(a, "x", uid);
		strcat(a, "/x");
		strcat(b, "/x");
		ck_assert_int_eq(run_deed(uid, "rename", a, b, &confine, ws), 0);
		ck_assert_int_ne(run_deed(uid, "rename", b, made, &confine, ws), 0);
		/* a single file can be a rule: rights of directories are not asked for it */
		ck_assert_int_eq(run_deed(uid, "write", outside, NULL, &confine, outside), 0);
	}
	drop_place();
}
END_TEST

START_TEST(capabilities_and_new_privileges_are_gone)
{
	const struct uw_launch_confine none = {UW_LAUNCH_DROP_CAPS, 0, 0, 0};
	const struct uw_launch_confine some = {UW_LAUNCH_DROP_CAPS, 1 << CAP_CHOWN | 1 << CAP_SETUID, 0,
	                                       0};
	make_place();
	for EACH_USER (u)
		attack(users[u_i], "new_privileges", NULL, NULL, UW_LAUNCH_DROP_CAPS, EPERM);
	if (getuid() == 0) {
		ck_assert_int_eq(run_deed(0, "capable", "0", NULL, &unconfined, NULL), 0);
		ck_assert_int_eq(run_deed(0, "capable", "0", NULL, &none, NULL), EPERM);
		ck_assert_int_eq(run_deed(0, "capable", "81", NULL, &some, NULL), EPERM);
		ck_assert_int_eq(run_deed(0, "capable", "80", NULL, &some, NULL), 0);
	}
	ck_assert_int_eq(run_deed(ORDINARY_UID, "capable", "0", NULL, &none, NULL), EPERM);
	drop_place();
}
END_TEST

/* ---- C-39 ---- */

static const uint8_t nonce[UW_LAUNCH_NONCE_SIZE] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6};

static void write_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ck_assert_int_eq((int)write(fd, data, len), (int)len);
	close(fd);
}

/* The profile of a run with checks; the command would leave a mark. */
static void job_checked(struct run *run, uid_t uid, const char *mark, const char *writable,
                        int landlock)
{
	const struct uw_launch_confine confine = {
		UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE | UW_LAUNCH_FILTER, 0, 1, 0};
	job_deed(run, "create", mark, NULL, NULL);
	run->uid = uid;
	if (landlock) {
		uw_job_confine(&run->job, &confine);
		uw_job_rule(&run->job, UW_LAUNCH_READ, 1, "/");
		uw_job_rule(&run->job, UW_LAUNCH_WRITE, 1, writable);
	}
}

START_TEST(each_run_checks_nonce_and_forbidden_place_under_its_own_confinement)
{
	make_place();
	for EACH_USER (u) {
		const uid_t uid = users[u_i];
		const char *ws = make_dir(u_i ? "ws-user" : "ws-root", uid),
				   *forbidden = make_dir(u_i ? "f-user" : "f-root", uid);
		char mark[192], file[192];
		struct run run;
		snprintf(mark, sizeof mark, "%s/mark", ws);
		snprintf(file, sizeof file, "%s/nonce%zu", place, u_i);
		write_file(file, nonce, sizeof nonce);
		/* unconfined, the forbidden create succeeds: refused, and nothing is left behind */
		job_checked(&run, uid, mark, ws, 0);
		uw_job_text(&run.job, UW_LAUNCH_FORBIDDEN, forbidden);
		ck_assert_int_eq(run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_FORBIDDEN).os_errno, 0);
		ck_assert_int_eq(
			rmdir(forbidden) | mkdir(forbidden, 0777) | (uid ? chown(forbidden, uid, uid) : 0), 0);
		/* a place that is not there proves nothing */
		job_checked(&run, uid, mark, ws, 1);
		uw_job_text(&run.job, UW_LAUNCH_FORBIDDEN, "/nonexistent/place");
		ck_assert_int_eq(run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_FORBIDDEN).os_errno, ENOENT);
		/* another nonce, a longer one, none */
		for (size_t i = 0; i < 3; i++) {
			uint8_t other[UW_LAUNCH_NONCE_SIZE + 1] = {0};
			memcpy(other, nonce, sizeof nonce);
			other[3] ^= i == 0;
			write_file(file, other, i == 1 ? sizeof other : sizeof nonce);
			if (i == 2)
				unlink(file);
			job_checked(&run, uid, mark, ws, 1);
			uw_job_nonce(&run.job, nonce, file);
			run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_NONCE);
		}
		ck_assert_int_ne(access(mark, F_OK), 0);
		/* as it should be */
		write_file(file, nonce, sizeof nonce);
		job_checked(&run, uid, mark, ws, 1);
		uw_job_nonce(&run.job, nonce, file);
		uw_job_text(&run.job, UW_LAUNCH_FORBIDDEN, forbidden);
		launch(&run);
		ck_assert_uint_eq(hear_type(&run, UW_SAID_STARTED).checks,
			              UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN);
		ck_assert_int_eq(hear_type(&run, UW_SAID_EXITED).status, 0);
		ck_assert_int_eq(finish(&run), 0);
		ck_assert_int_eq(access(mark, F_OK), 0);
	}
	drop_place();
}
END_TEST

START_TEST(a_root_that_was_exchanged_is_never_granted)
{
	const char *ws, *victim;
	char path[192], mark[192];
	struct stat st;
	struct run run;
	make_place();
	ws = make_dir("ws", 0);
	victim = make_dir("victim", 0);
	snprintf(path, sizeof path, "%s/root", ws);
	snprintf(mark, sizeof mark, "%s/mark", victim);
	ck_assert_int_eq(mkdir(path, 0755) | stat(path, &st), 0);
	for (size_t i = 0; i < 2; i++) {
		if (i == 1)
			ck_assert_int_eq(rmdir(path) | symlink(victim, path), 0);
		job_checked(&run, 0, mark, path, 1);
		uw_job_place(&run.job, st.st_dev, st.st_ino, path);
		if (i == 1)
			run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_PLACE);
		else
			ck_assert_int_eq(WEXITSTATUS(run_to_end(&run)), EACCES);
	}
	/* without the record the link would have been followed */
	job_checked(&run, 0, mark, path, 1);
	ck_assert_int_eq(run_to_end(&run), 0);
	drop_place();
}
END_TEST

START_TEST(a_rule_for_what_is_not_there_is_skipped_or_refused)
{
	const struct uw_launch_confine confine = {UW_LAUNCH_LANDLOCK, 0, 0, 0},
								   future = {UW_LAUNCH_LANDLOCK, 0, 999, 0};
	struct run run;
	for (int required = 0; required < 2; required++) {
		job_shell(&run, "exit 0");
		uw_job_confine(&run.job, &confine);
		uw_job_rule(&run.job, UW_LAUNCH_READ, 1, "/");
		uw_job_rule(&run.job, UW_LAUNCH_WRITE, required, "/nonexistent");
		if (required)
			ck_assert_int_eq(run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_PROFILE).os_errno,
			                 ENOENT);
		else
			ck_assert_int_eq(run_to_end(&run), 0);
	}
	job_shell(&run, "exit 0");
	uw_job_confine(&run.job, &future);
	run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_PROFILE);
}
END_TEST

/* P-10 with S-51: the launcher, confined itself, still ends what the command started. */
START_TEST(a_confined_range_can_be_ended_and_signalled)
{
	const struct uw_launch_confine confine = {UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE |
	                                              UW_LAUNCH_FILTER | UW_LAUNCH_DROP_CAPS |
	                                              UW_LAUNCH_NO_METADATA,
	                                          0, 0, 0};
	for EACH_USER (u) {
		struct run run;
		job_shell(&run, "trap '' TERM; setsid sh -c \"trap '' TERM; (sleep 600 & sleep 600)\" & "
			            "sleep 600 & wait");
		run.uid = users[u_i];
		uw_job_confine(&run.job, &confine);
		uw_job_rule(&run.job, UW_LAUNCH_READ, 1, "/");
		uw_job_rule(&run.job, UW_LAUNCH_DEVICE, 1, "/dev/null");
		launch(&run);
		hear_type(&run, UW_SAID_STARTED);
		tell(&run, UW_TELL_TERMINATE, 0, 50);
		hear_type(&run, UW_SAID_EXITED);
		hear_type(&run, UW_SAID_EMPTY);
		ck_assert_int_eq(finish(&run), 0);
	}
}
END_TEST

/* A root command that becomes another user stays in the range: the launcher keeps KILL for it. */
START_TEST(a_command_that_changed_its_user_is_ended_too)
{
	const uint64_t keep = 1 << CAP_SETUID | 1 << CAP_SETGID;
	const struct uw_launch_confine confine = {
		UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE | UW_LAUNCH_DROP_CAPS, keep, 0, 0};
	struct run run;
	if (getuid() != 0)
		return;
	job_shell(
		&run,
		"exec setpriv --reuid 54321 --regid 54321 --clear-groups sh -c 'echo; exec sleep 600'");
	uw_job_confine(&run.job, &confine);
	uw_job_rule(&run.job, UW_LAUNCH_READ, 1, "/");
	launch_with(&run, NULL, 1);
	hear_type(&run, UW_SAID_STARTED);
	char byte;
	ck_assert_int_eq((int)read(run.out, &byte, 1), 1);
	tell(&run, UW_TELL_TERMINATE, 0, PATIENCE_MS);
	ck_assert_int_eq(WTERMSIG(hear_type(&run, UW_SAID_EXITED).status), SIGTERM);
	hear_type(&run, UW_SAID_EMPTY);
	ck_assert_int_eq(finish(&run), 0);
}
END_TEST

UW_TESTS("launcher/confine", metadata_calls_are_refused_by_path_and_by_descriptor,
         calls_of_a_foreign_architecture_are_mediated_too,
         inode_flags_are_refused_whatever_the_upper_half_says, input_cannot_be_put_into_a_terminal,
         io_uring_is_absent, keyrings_are_absent,
         other_processes_keep_their_limits_and_their_schedule,
         signals_stay_within_the_range, the_launcher_cannot_be_traced_or_opened,
         socket_families_are_held, a_pair_of_sockets_stays_but_reaches_nobody_else,
         landlock_holds_files_and_lets_the_workspace_work, capabilities_and_new_privileges_are_gone,
         each_run_checks_nonce_and_forbidden_place_under_its_own_confinement,
         a_root_that_was_exchanged_is_never_granted,
         a_rule_for_what_is_not_there_is_skipped_or_refused,
         a_confined_range_can_be_ended_and_signalled, a_command_that_changed_its_user_is_ended_too)
