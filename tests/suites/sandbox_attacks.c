/*
 * Attacks as a table. `attack` ends with 0 if it worked; `unharmed` is run by the
 * host afterwards and ends with 0 if the world is as it was. Each starts from the
 * same world, made by `prepare`, and must work unconfined: else it proves nothing.
 */
#include "tests/suites/sandbox_suite.h"

#include <check.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/enforcement.h"

enum { ROOT_ONLY = 1, FREE_MAY_FAIL = 2, READ_ONLY_TOO = 4 };

struct attack {
	const char *name; /* with ids of the cases */
	int operation;    /* the row that has to stop it; -1: always stopped */
	const char *attack;
	const char *unharmed; /* NULL: the exit code alone tells */
	int flags;
};

static const char prepare[] =
    "rm -rf \"$OUT\" \"$WS\"/* ; mkdir -p \"$OUT/d\" && echo good >\"$OUT/f\" && chmod 644 \"$OUT/f\" && "
    "touch -d @1000000 \"$OUT/f\" && echo mine >\"$WS/mine\"";

static int holds(struct fixture *fixture, const struct attack *attack)
{
	return attack->operation < 0 || fixture_row(fixture, attack->operation)->hold == UW_HOLD_FULL;
}

static void one_confined(struct fixture *fixture, const struct attack *attack, int mode)
{
	int exit_code;
	fixture->policy.mode = mode;
	ck_assert_int_eq(fixture_host(fixture, prepare), 0);
	exit_code = fixture_run(fixture, attack->attack);
	ck_assert_msg(fixture->result.started, "%s in %s did not start: %s %s%s", attack->name,
	              uw_mode_name(mode), fixture->err.message, fixture->result.refused.text,
	              fixture->result.out);
	if (!holds(fixture, attack)) {
		const struct uw_enforcement_row *row = fixture_row(fixture, attack->operation);
		ck_assert_msg(row->reason && row->reason[0], "row %s holds not and says not why",
		              uw_operation_name(attack->operation));
		return;
	}
	ck_assert_msg(exit_code != 0, "%s in %s worked, though row %s is full: %s", attack->name,
	              uw_mode_name(mode), attack->operation < 0 ? "-" : uw_operation_name(attack->operation),
	              fixture->result.out);
	if (attack->unharmed)
		ck_assert_msg(fixture_host(fixture, attack->unharmed) == 0,
		              "%s in %s changed the world: %s", attack->name, uw_mode_name(mode),
		              fixture->result.out);
}

static void run_attacks(struct fixture *fixture, const struct attack *attacks, size_t count, uid_t uid)
{
	for (size_t i = 0; i < count; i++) {
		const struct attack *attack = &attacks[i];
		if ((attack->flags & ROOT_ONLY) && uid != 0)
			continue;
		ck_assert_int_eq(fixture_host(fixture, prepare), 0);
		ck_assert_msg(fixture_run_free(fixture, attack->attack) == 0 || (attack->flags & FREE_MAY_FAIL),
		              "%s does not even work unconfined: %s%s", attack->name,
		              fixture->result.refused.text, fixture->result.out);
		one_confined(fixture, attack, UW_MODE_READ_ONLY);
		one_confined(fixture, attack, UW_MODE_WORKSPACE_WRITE);
	}
}

void sandbox_case_attacks_on_files_outside(uid_t uid)
{
	static const char good[] = "test \"$(cat \"$OUT/f\")\" = good && test ! -e \"$OUT/new\"";
	static const char meta[] = "test \"$(stat -c %a,%Y,%u,%g \"$OUT/f\")\" = \"644,1000000,$(id -u),$(id -g)\"";
	static const struct attack attacks[] = {
	    {"peer/E2 write", UW_OP_CONTENT, "echo bad >\"$OUT/f\"", good, 0},
	    {"peer/E2 append", UW_OP_CONTENT, "echo bad >>\"$OUT/f\"", good, 0},
	    {"peer/E11 truncate", UW_OP_CONTENT, "truncate -s 0 \"$OUT/f\"", good, 0},
	    {"peer/E2 create", UW_OP_CREATION, "echo bad >\"$OUT/new\"", good, 0},
	    {"peer/E11 unlink", UW_OP_CREATION, "rm -f \"$OUT/f\" && test ! -e \"$OUT/f\"", good, 0},
	    {"mkdir", UW_OP_CREATION, "mkdir \"$OUT/new\"", good, 0},
	    {"symlink", UW_OP_CREATION, "ln -s x \"$OUT/new\"", good, 0},
	    {"rmdir", UW_OP_CREATION, "rmdir \"$OUT/d\"", "test -d \"$OUT/d\"", 0},
	    {"rename outside", UW_OP_CREATION, "mv \"$OUT/f\" \"$OUT/new\"", good, 0},
	    {"rename out to in", UW_OP_CREATION, "mv -f \"$OUT/f\" \"$WS/f\" && test ! -e \"$OUT/f\"", good, 0},
	    {"rename in to out", UW_OP_CREATION, "mv \"$WS/mine\" \"$OUT/new\"", good, 0},
	    {"hard link inwards", UW_OP_CREATION, "ln \"$OUT/f\" \"$WS/l\" && echo bad >\"$WS/l\"", good, 0},
	    {"by a link in the workspace", UW_OP_CONTENT, "ln -sf \"$OUT/f\" \"$WS/l\" && echo bad >\"$WS/l\"", good, 0},
	    {"by dots", UW_OP_CONTENT, "echo bad >../out/f", good, 0},
	    {"peer/E14 by /proc/PID/root", UW_OP_CONTENT, "echo bad >/proc/$HOSTPID/root\"$OUT/f\"", good, 0},
	    {"by /proc/PID/cwd", UW_OP_CONTENT, "cd /proc/$HOSTPID/cwd/ && echo bad >\"/proc/$HOSTPID/cwd/$OUT/f\" || echo bad >\"/proc/$HOSTPID/root$OUT/f\"", good, 0},
	    {"peer/E10 chmod", UW_OP_METADATA, "chmod 600 \"$OUT/f\"", meta, 0},
	    {"peer/E10 touch", UW_OP_METADATA, "touch -d @5 \"$OUT/f\"", meta, 0},
	    {"peer/E10 chown", UW_OP_METADATA, "chown 1:1 \"$OUT/f\"", meta, ROOT_ONLY},
	    {"landrun #58 fchmod", UW_OP_METADATA, "$SELF --attack fchmod \"$OUT/f\"", meta, 0},
	    {"utimensat", UW_OP_METADATA, "$SELF --attack utimes \"$OUT/f\"", meta, 0},
	    {"setxattr", UW_OP_METADATA, "$SELF --attack setxattr \"$OUT/f\"", NULL, 0},
	    {"inode flags", UW_OP_METADATA, "$SELF --attack setflags \"$OUT/f\"", NULL, FREE_MAY_FAIL},
	    {"peer/E13 remount", -1, "mount -o remount,bind,rw / 2>/dev/null; echo bad >\"$OUT/f\"", good, ROOT_ONLY},
	    {"peer/E13 remount in a user namespace", -1, "unshare -Urm sh -c 'mount -o remount,bind,rw / ; echo bad >\"$OUT/f\"'; test \"$(cat \"$OUT/f\")\" = bad", good, FREE_MAY_FAIL},
	    {"mount over", -1, "mount -t tmpfs none \"$OUT\" && umount \"$OUT\"", good, ROOT_ONLY},
	    {"mknod", UW_OP_DEVICES, "$SELF --attack mknod \"$WS/null\"", NULL, ROOT_ONLY | FREE_MAY_FAIL},
	    {"disk", -1, "head -c 1 /dev/vda >/dev/null && : >>/dev/vda", NULL, ROOT_ONLY | FREE_MAY_FAIL},
	    {"kernel settings", -1, "echo \"$(cat /proc/sys/kernel/core_pattern)\" >/proc/sys/kernel/core_pattern", NULL, ROOT_ONLY},
	    {"sysrq", -1, "echo h >/proc/sysrq-trigger", NULL, ROOT_ONLY | FREE_MAY_FAIL},
	    {"cgroup", -1, "mkdir /sys/fs/cgroup/unified/umwelt-suite && rmdir /sys/fs/cgroup/unified/umwelt-suite", NULL, ROOT_ONLY | FREE_MAY_FAIL},
	};
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	run_attacks(&fixture, attacks, UW_COUNT(attacks), uid);
	fixture_close(&fixture);
}

void sandbox_case_attacks_on_processes_and_kernel(uid_t uid)
{
	static const struct attack attacks[] = {
	    {"peer/E15 kill -0", UW_OP_PROCESSES, "$SELF --attack kill $HOSTPID", NULL, 0},
	    {"peer/E15 kill -0, landlock too", -1, "$SELF --attack kill $HOSTPID", NULL, 0},
	    {"limits of others", UW_OP_LIMITS, "$SELF --attack prlimit $HOSTPID", NULL, 0},
	    {"priority of others", UW_OP_LIMITS, "$SELF --attack setpriority $HOSTPID", NULL, 0},
	    {"ptrace", -1, "$SELF --attack ptrace $HOSTPID", NULL, FREE_MAY_FAIL},
	    {"visible in /proc", UW_OP_PROCESSES, "test -d /proc/$HOSTPID/fd && ls /proc/$HOSTPID/fd >/dev/null", NULL, 0},
	    {"shared memory", UW_OP_SYSV_IPC, "$SELF --attack shm $SUITE_SHM", NULL, 0},
	    {"message queues", UW_OP_SYSV_IPC, "$SELF --attack mq /umwelt-suite-$HOSTPID", NULL, 0},
	    {"io_uring", -1, "$SELF --attack io-uring x", NULL, FREE_MAY_FAIL},
	};
	struct fixture fixture;
	char name[64];
	int shm = shmget(0x55770000 + (int)getpid() % 65536, 4096, IPC_CREAT | 0600);
	mqd_t queue;
	pid_t victim;
	fixture_open(&fixture, uid, NULL);
	(void)shm;
	/* made by the user itself, so that only the sandbox stands between */
	(void)snprintf(name, sizeof name, "/umwelt-suite-%d", (int)getpid());
	shm = shmget(0x55780000 + (int)getpid() % 65536, 4096, IPC_CREAT | 0600);
	queue = mq_open(name, O_RDWR | O_CREAT, 0600, NULL);
	ck_assert_int_ge(shm, 0);
	ck_assert_int_ge(queue, 0);
	victim = getpid();
	ck_assert_int_gt(victim, 1);
	for (size_t i = 0; i < UW_COUNT(attacks); i++) {
		struct attack attack = attacks[i];
		char *text;
		ck_assert_int_gt(asprintf(&text, "SUITE_SHM=%d; %s", 0x55780000 + (int)getpid() % 65536, attack.attack), 0);
		attack.attack = text;
		run_attacks(&fixture, &attack, 1, uid);
		free(text);
	}
	(void)shmctl(shm, IPC_RMID, NULL);
	(void)mq_close(queue);
	(void)mq_unlink(name);
	fixture_close(&fixture);
}

/* A listening or receiving unix socket; an abstract one if name starts with '@'. */
static int listen_unix(const char *name, int type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = strlen(name);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	ck_assert_uint_lt(len, sizeof address.sun_path - 1);
	memcpy(address.sun_path, name, len);
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address,
	                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (name[0] == '@' ? 0 : 1))), 0);
	if (type == SOCK_STREAM)
		ck_assert_int_eq(listen(fd, 64), 0);
	return fd;
}

static int listen_tcp(int *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	ck_assert_int_eq(listen(fd, 64), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	*ret_port = ntohs(address.sin_port);
	return fd;
}

void sandbox_case_attacks_by_sockets(uid_t uid)
{
	/* rows partial for what begins later must still stop what listens already: operation -1 */
	static const struct attack attacks[] = {
	    {"W19 a listening socket", -1, "$SELF --attack connect \"$BASE/s\"", NULL, 0},
	    {"a datagram socket by socketpair", -1, "$SELF --attack pair-dgram-send \"$BASE/g\"", NULL, 0},
	    {"a datagram socket by connect", -1, "$SELF --attack pair-dgram-connect \"$BASE/g\"", NULL, 0},
	    {"a datagram socket by a raw pair", -1, "$SELF --attack pair-raw-send \"$BASE/g\"", NULL, 0},
	    {"an abstract socket", -1, "$SELF --attack connect-abstract umwelt-suite-$HOSTPID", NULL, 0},
	    {"W19 TCP to the host", -1, "$SELF --attack connect-tcp $PORT", NULL, 0},
	    {"vsock", -1, "$SELF --attack socket 40", NULL, FREE_MAY_FAIL},
	    {"AF_ALG", -1, "$SELF --attack socket 38", NULL, FREE_MAY_FAIL},
	    {"AF_PACKET", -1, "$SELF --attack socket 17", NULL, FREE_MAY_FAIL},
	};
	struct fixture fixture;
	char path[320];
	int port, fds[4];
	fixture_open(&fixture, uid, NULL);
	(void)snprintf(path, sizeof path, "%s/s", fixture.base);
	fds[0] = listen_unix(path, SOCK_STREAM);
	(void)snprintf(path, sizeof path, "%s/g", fixture.base);
	fds[1] = listen_unix(path, SOCK_DGRAM);
	(void)snprintf(path, sizeof path, "@umwelt-suite-%d", (int)getpid());
	fds[2] = listen_unix(path, SOCK_STREAM);
	fds[3] = listen_tcp(&port);
	for (int sockets = UW_UNIX_OWN; sockets <= UW_UNIX_NONE; sockets += UW_UNIX_NONE - UW_UNIX_OWN) {
		fixture.policy.unix_sockets = sockets;
		for (size_t i = 0; i < UW_COUNT(attacks); i++) {
			struct attack attack = attacks[i];
			char *text;
			ck_assert_int_gt(asprintf(&text, "BASE=%s; PORT=%d; %s", fixture.base, port, attack.attack), 0);
			attack.attack = text;
			run_attacks(&fixture, &attack, 1, uid);
			free(text);
		}
	}
	for (size_t i = 0; i < UW_COUNT(fds); i++)
		uw_fd_close(&fds[i]);
	fixture_close(&fixture);
}

/* peer/E16, W18; bubblewrap #142 */
void sandbox_case_attacks_by_what_is_inherited(uid_t uid)
{
	struct fixture fixture;
	char path[320];
	int fd;
	fixture_open(&fixture, uid, NULL);
	ck_assert_int_eq(fixture_host(&fixture, prepare), 0);
	(void)snprintf(path, sizeof path, "%s/f", fixture.out);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_ge(dup2(fd, 200), 0); /* inherited on purpose */
	ck_assert_int_eq(fixture_host(&fixture, "bash -c 'echo bad >&200'"), 0);
	ck_assert_int_eq(fixture_host(&fixture, "grep -q bad \"$OUT/f\""), 0);
	for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_DANGER_FULL_ACCESS; mode++) {
		fixture.policy.mode = mode;
		ck_assert_int_ne(fixture_run(&fixture, "bash -c 'echo worse >&200'"), 0);
		ck_assert(fixture.result.started);
		ck_assert_int_ne(fixture_host(&fixture, "grep -q worse \"$OUT/f\""), 0);
	}
	(void)close(200);
	uw_fd_close(&fd);
	if (uid == 0) { /* an ordinary user may not push unless the kernel is told so */
		fixture.policy.mode = UW_MODE_DANGER_FULL_ACCESS;
		ck_assert_int_eq(fixture_run_pty(&fixture, "$SELF --attack tiocsti x"), 0);
	}
	for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_WORKSPACE_WRITE; mode++) {
		fixture.policy.mode = mode;
		ck_assert_int_ne(fixture_run_pty(&fixture, "$SELF --attack tiocsti x"), 0);
		ck_assert(fixture.result.started);
		ck_assert_int_eq(fixture_row(&fixture, UW_OP_TERMINAL)->hold, UW_HOLD_FULL);
	}
	fixture_close(&fixture);
}
