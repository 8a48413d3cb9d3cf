/*
 * Drives the real umwelt-launch from unit tests: builds a job, starts the
 * launcher with it (as root or as an ordinary user), reads its messages. The
 * command is mostly this test program itself: a function of the table `deeds`,
 * which each test file defines, called by name in the new process.
 */
#ifndef UW_TESTS_LAUNCHER_DRIVER_H
#define UW_TESTS_LAUNCHER_DRIVER_H

#include "tests/temp.h"
#include "tests/unit.h"

#include "common/cleanup.h"
#include "common/launch_job.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ORDINARY_UID 54321
#define PATIENCE_MS  60000 /* no test depends on speed: this only ends a broken one */
#define UNUSED       __attribute__((unused))

/* What the command does: its exit status. words: after the deed's name. */
struct deed {
	const char *name;
	int (*run)(char **words);
};
extern const struct deed deeds[];
extern const size_t deed_count;

/* Runs before check's main, in a process that was started to do a deed. */
__attribute__((constructor)) static void do_deed(int argc, char **argv)
{
	size_t i;
	if (argc < 3 || strcmp(argv[1], "deed") != 0)
		return;
	for (i = 0; i < deed_count; i++)
		if (strcmp(deeds[i].name, argv[2]) == 0)
			_exit(deeds[i].run(argv + 3));
	_exit(99);
}

struct run {
	struct uw_buf job;
	uid_t uid;        /* 0: as the test itself */
	int fds[8];       /* extra descriptors, as 6.. of the launcher */
	size_t fd_count;
	int out;          /* reading end of the command's standard output; -1 */
	int control;
	int job_as_pipe;
	const char *const *wrapper; /* words before the launcher; NULL: none */
	pid_t launcher;
};

static char place[96]; /* a directory of this test, mode 755 */
static char program[112]; /* a copy of this program that any user can execute */

UNUSED static void make_place(void)
{
	(void)snprintf(place, sizeof place, "%s", temp_make().path);
	snprintf(program, sizeof program, "%s/program", place);
	temp_copy("/proc/self/exe", program);
}

UNUSED static void drop_place(void)
{
	temp_drop(place);
}

/* A directory below place that the given user owns. */
UNUSED static const char *make_dir(const char *name, uid_t owner)
{
	static char paths[8][128];
	static size_t next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s", place, name);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert_int_eq(owner ? chown(path, owner, owner) : 0, 0);
	return path;
}

static int open_launcher(void)
{
	const char *build = getenv("BUILD");
	char path[256];
	int fd;
	snprintf(path, sizeof path, "%s/umwelt-launch", build ? build : "build");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* a sanitizer's build is a folder deeper, the working directory is the same */
		ck_abort_msg("no launcher at %s", path);
	return fd;
}

/* Starts a job with program and words; the rest is the test's, finished by launch(). */
UNUSED static void job_begin(struct run *run, const char *path, const char *const *argv)
{
	static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
	memset(run, 0, sizeof *run);
	run->out = run->control = -1;
	uw_job_begin(&run->job);
	uw_job_text(&run->job, UW_LAUNCH_EXEC, path);
	uw_job_words(&run->job, UW_LAUNCH_ARGV, argv);
	uw_job_words(&run->job, UW_LAUNCH_ENV, env);
}

/* The command: a deed with up to three words. */
UNUSED static void job_deed(struct run *run, const char *deed, const char *a, const char *b,
                            const char *c)
{
	const char *const argv[] = {program, "deed", deed, a, b, c, NULL};
	job_begin(run, program, argv);
}

UNUSED static void job_shell(struct run *run, const char *text)
{
	const char *const argv[] = {"sh", "-c", text, NULL};
	job_begin(run, "/bin/sh", argv);
}

static int job_fd(struct run *run)
{
	int fd = -1, ends[2];
	struct uw_job_fault fault = {"", 0};
	if (!run->job_as_pipe) {
		if (uw_job_seal(&run->job, &fd, &fault) < 0)
			ck_abort_msg("the job cannot be sealed: %s", fault.why);
		return fd;
	}
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	if (fork() == 0) {
		(void)!write(ends[1], run->job.data, run->job.len);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

/* In the forked child: descriptors to their numbers, the user, exec. */
static _Noreturn void become_launcher(struct run *run, int job, int control, int self, int out)
{
	int base = 200, i;
	const int wanted[3] = {job, control, self};
	for (i = 0; i < 3; i++)
		(void)dup2(wanted[i], base + i);
	for (i = 0; i < (int)run->fd_count; i++)
		(void)dup2(run->fds[i], base + 3 + i);
	if (out >= 0)
		(void)dup2(out, 1);
	for (i = 0; i < 3 + (int)run->fd_count; i++) {
		(void)dup2(base + i, 3 + i);
		(void)close(base + i);
	}
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	if (run->uid && getuid() == 0 &&
	    (setgroups(0, NULL) < 0 || setresgid(run->uid, run->uid, run->uid) < 0 ||
	     setresuid(run->uid, run->uid, run->uid) < 0))
		_exit(98);
	if (run->wrapper) {
		const char *words[64];
		size_t n;
		for (n = 0; run->wrapper[n] && n < 60; n++)
			words[n] = run->wrapper[n];
		words[n++] = "/proc/self/fd/5";
		words[n] = NULL;
		execvp(words[0], (char **)(uintptr_t)words);
		_exit(96);
	}
	execve("/proc/self/fd/5", (char *const[]){(char *)(uintptr_t) "umwelt-launch", NULL},
	       (char *const[]){NULL});
	_exit(97);
}

/* Adds LIFE (unless the test did) and END, and starts. with_out: collect its stdout. */
static void launch_with(struct run *run, const struct uw_launch_life *life, int with_out)
{
	static const struct uw_launch_life plain = {0, 022, 300, 0};
	int pair[2], out[2] = {-1, -1}, job, self = open_launcher();
	uw_job_life(&run->job, life ? life : &plain);
	uw_job_end(&run->job);
	job = job_fd(run);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	if (with_out)
		ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	run->launcher = fork();
	ck_assert_int_ge(run->launcher, 0);
	if (run->launcher == 0)
		become_launcher(run, job, pair[1], self, out[1]);
	close(pair[1]);
	close(job);
	close(self);
	if (with_out)
		close(out[1]);
	run->out = out[0];
	run->control = pair[0];
}

UNUSED static void launch(struct run *run)
{
	launch_with(run, NULL, 0);
}

/* The next message; type 0 at the end of file. */
UNUSED static struct uw_launch_said hear(struct run *run)
{
	struct uw_launch_said said;
	struct pollfd ready = {run->control, POLLIN, 0};
	ssize_t n;
	memset(&said, 0, sizeof said);
	ck_assert_msg(poll(&ready, 1, PATIENCE_MS) == 1, "the launcher says nothing");
	n = recv(run->control, &said, sizeof said, 0);
	ck_assert_msg(n == (ssize_t)sizeof said || n == 0, "a packet of %zd bytes, errno %d", n, errno);
	return said;
}

UNUSED static struct uw_launch_said hear_type(struct run *run, uint32_t type)
{
	struct uw_launch_said said = hear(run);
	ck_assert_msg(said.type == type, "wanted message %u, got %u what %u errno %d: %s", type,
	              said.type, said.what, said.os_errno, said.text);
	return said;
}

UNUSED static void tell(struct run *run, uint32_t type, int number, uint32_t grace)
{
	const struct uw_launch_tell message = {type, number, grace, 0};
	ck_assert_int_eq((int)send(run->control, &message, sizeof message, MSG_NOSIGNAL),
	                 (int)sizeof message);
}

/* The launcher's own exit status, and the end of the run. */
UNUSED static int finish(struct run *run)
{
	int status = 0;
	ck_assert_int_eq(waitpid(run->launcher, &status, 0), run->launcher);
	if (run->control >= 0)
		close(run->control);
	if (run->out >= 0)
		close(run->out);
	uw_buf_finish(&run->job);
	ck_assert_msg(WIFEXITED(status), "the launcher died of signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

/* All of its standard output, to the end of file. */
UNUSED static size_t read_out(struct run *run, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;
	while (len + 1 < size && (n = read(run->out, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return len;
}

/* Runs it to its end: raw status; launcher must exit 0. */
UNUSED static int run_to_end(struct run *run)
{
	struct uw_launch_said said;
	launch(run);
	hear_type(run, UW_SAID_STARTED);
	said = hear_type(run, UW_SAID_EXITED);
	hear_type(run, UW_SAID_EMPTY);
	ck_assert_int_eq(finish(run), 0);
	return said.status;
}

UNUSED static struct uw_launch_said run_to_refusal(struct run *run, uint32_t type, uint32_t what)
{
	struct uw_launch_said said;
	launch(run);
	said = hear_type(run, type);
	ck_assert_msg(said.what == what, "wanted what %u, got %u errno %d: %s", what, said.what,
	              said.os_errno, said.text);
	ck_assert_int_eq((int)hear(run).type, 0);
	ck_assert_int_eq(finish(run), 125);
	return said;
}

/* 1: no such process, or one that only waits to be reaped. */
UNUSED static int is_gone(pid_t pid)
{
	char path[64], buffer[256], *after;
	ssize_t n;
	int fd;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 1;
	n = read(fd, buffer, sizeof buffer - 1);
	close(fd);
	if (n <= 0)
		return 1;
	buffer[n] = '\0';
	after = strrchr(buffer, ')');
	return after && (after[2] == 'Z' || after[2] == 'X');
}

#endif
