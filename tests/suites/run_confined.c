#include "tests/suites/run_confined.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/cleanup.h"
#include "common/launch_job.h"

const char *run_launcher(void)
{
	static char path[4096];
	const char *build = getenv("BUILD");
	char joined[4000];
	if (path[0])
		return path; /* a test may have changed its directory since */
	(void)snprintf(joined, sizeof joined, "%s/umwelt-launch", build && build[0] ? build : "build");
	if (!realpath(joined, path))
		ck_abort_msg("no launcher at %s", joined);
	return path;
}

static int seal(const struct run_spec *spec)
{
	static const struct uw_launch_life plain = {0, 022, 300, 0}, on_pty = {UW_LAUNCH_LIFE_PTY, 022, 300, 0};
	struct uw_buf job = UW_BUF_INIT;
	struct uw_job_fault fault = {"", 0};
	int fd = -1, failed;
	uw_job_begin(&job);
	uw_job_text(&job, UW_LAUNCH_EXEC, spec->argv[0]);
	uw_job_words(&job, UW_LAUNCH_ARGV, spec->argv);
	uw_job_words(&job, UW_LAUNCH_ENV, spec->env);
	uw_job_life(&job, spec->pty ? &on_pty : &plain);
	uw_job_cwd(&job, -1, spec->cwd ? spec->cwd : "/");
	for (int i = 0; i < 3; i++)
		uw_job_pass(&job, UW_LAUNCH_FD_FIRST + i, i);
	failed = 0;
	if (spec->confined && spec->confined->profile_len)
		failed = uw_job_profile(&job, spec->confined->profile, spec->confined->profile_len, &fault);
	uw_job_end(&job);
	if (!failed)
		failed = uw_job_seal(&job, &fd, &fault);
	ck_assert_msg(!failed, "the job cannot be sealed: %s at %zu", fault.why, fault.at);
	uw_buf_finish(&job);
	return fd;
}

/* In the child: the descriptors of launch.h, then wrapper and launcher. */
static void become(const struct run_spec *spec, int job, int control, int in, int out)
{
	static const int ignored[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
	size_t wrapped = spec->confined ? spec->confined->wrapper_count : 0;
	const char **words = calloc(wrapped + 2, sizeof *words);
	int self = open(run_launcher(), O_PATH | O_CLOEXEC), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int wanted[] = {null, null, out, job, control, self, in, out, out};
	int high[UW_COUNT(wanted)];
	if (!words || self < 0)
		_exit(99);
	/* out of the way first, so that none is overwritten before it is copied */
	for (size_t i = 0; i < UW_COUNT(wanted); i++)
		high[i] = fcntl(wanted[i], F_DUPFD_CLOEXEC, 64);
	for (size_t i = 0; i < UW_COUNT(wanted); i++)
		if (high[i] < 0 || dup2(high[i], (int)i) < 0)
			_exit(98);
	for (size_t i = 0; i < UW_COUNT(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	for (size_t i = 0; i < wrapped; i++)
		words[i] = spec->confined->wrapper[i];
	words[wrapped] = "/proc/self/fd/5";
	execve(words[0], (char *const *)words, (char *[]){NULL});
	_exit(97);
}

static void hear(struct run_result *result, const struct uw_launch_said *said)
{
	if (said->type == UW_SAID_REFUSED || said->type == UW_SAID_EXEC_FAILED)
		result->refused = *said;
	if (said->type == UW_SAID_STARTED) {
		result->started = 1;
		result->said = *said;
	}
	if (said->type == UW_SAID_EXITED)
		result->status = said->status;
}

static void collect(int control, int out, struct run_result *result)
{
	struct pollfd polls[2] = {{control, POLLIN, 0}, {out, POLLIN, 0}};
	while (polls[0].fd >= 0 || polls[1].fd >= 0) {
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			ck_abort_msg("poll: %s", strerror(errno));
		if (polls[0].fd >= 0 && polls[0].revents) {
			struct uw_launch_said said = {0};
			ssize_t len = recv(control, &said, sizeof said, 0);
			if (len == (ssize_t)sizeof said)
				hear(result, &said);
			else
				polls[0].fd = -1;
		}
		if (polls[1].fd >= 0 && polls[1].revents) {
			char piece[4096];
			ssize_t len = read(out, piece, sizeof piece);
			size_t room = sizeof result->out - 1 - result->out_len;
			if (len <= 0) {
				polls[1].fd = -1;
				continue;
			}
			if ((size_t)len > room)
				len = (ssize_t)room;
			memcpy(result->out + result->out_len, piece, (size_t)len);
			result->out_len += (size_t)len;
		}
	}
	result->out[result->out_len] = '\0';
}

static int open_terminal(int *ret_slave)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	*ret_slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(*ret_slave, 0);
	return master;
}

void run_confined(const struct run_spec *spec, struct run_result *ret)
{
	int control[2], out[2], in, job = seal(spec);
	pid_t pid;
	memset(ret, 0, sizeof *ret);
	ret->status = -1;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
	if (spec->pty) {
		out[0] = open_terminal(&out[1]);
		in = fcntl(out[1], F_DUPFD_CLOEXEC, 3);
	} else {
		ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
		in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	}
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		become(spec, job, control[1], in, out[1]);
	uw_fd_close(&control[1]);
	uw_fd_close(&out[1]);
	uw_fd_close(&in);
	uw_fd_close(&job);
	collect(control[0], out[0], ret);
	uw_fd_close(&control[0]);
	uw_fd_close(&out[0]);
	while (waitpid(pid, &ret->runner_status, 0) < 0)
		ck_assert_int_eq(errno, EINTR);
}

int run_exit_code(const struct run_result *result)
{
	if (!result->started || result->status < 0)
		return -1;
	return WIFSIGNALED(result->status) ? 128 + WTERMSIG(result->status) : WEXITSTATUS(result->status);
}
