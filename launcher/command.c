#include "launcher/command.h"

#include "launcher/caps.h"
#include "launcher/checks.h"
#include "launcher/filter.h"
#include "launcher/passing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNALS 64

/* Pointers into the job's words, and a NULL. */
static char **point_at(const struct uw_job_item *item, char **vector)
{
	size_t at = 0;
	while (at < item->text_len) {
		*vector++ = (char *)(uintptr_t)(item->text + at); /* exec changes nothing of it */
		at += strlen(item->text + at) + 1;
	}
	*vector++ = NULL;
	return vector;
}

int ul_command_prepare(const struct ul_job *job, const struct ul_landlock *landlock,
                       struct ul_command *ret_command, struct ul_failure *failure)
{
	size_t count = uw_job_word_count(&job->argv) + uw_job_word_count(&job->env) + 2;
	char **vectors = mmap(NULL, count * sizeof *vectors, PROT_READ | PROT_WRITE,
	                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (vectors == MAP_FAILED)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno, "no memory for %zu words", count);
	ret_command->job = job;
	ret_command->landlock = landlock;
	ret_command->argv = vectors;
	ret_command->env = point_at(&job->argv, vectors);
	(void)point_at(&job->env, ret_command->env);
	return 0;
}

/*
 * The launcher may be killed where nothing hides it (danger mode): then at least
 * the command itself goes too.
 */
static int follow(pid_t launcher, struct ul_failure *failure)
{
	if (setsid() < 0)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno, "no session of its own for the command");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno,
		               "the command cannot be bound to the launcher's life");
	if (getppid() != launcher)
		_exit(125); /* it died before; nobody is left to tell */
	return 0;
}

static int confine(const struct ul_command *command, struct ul_failure *failure)
{
	if (ul_landlock_apply(command->landlock, failure) < 0)
		return -1;
	if (ul_caps_limit_command(command->job, failure) < 0)
		return -1;
	return ul_filter_apply(command->job, failure);
}

static int cannot_enter(const char *path, int os_errno, struct ul_failure *failure)
{
	return ul_fail(failure, UW_WHAT_CWD, os_errno, "the working directory cannot be entered: %s",
	               *path ? path : "(by its handle)");
}

static int enter_cwd(const struct ul_job *job, struct ul_failure *failure)
{
	struct stat meant, found;
	const char *path = job->cwd_path;
	if (!job->has_cwd)
		return 0;
	if (!*path)
		return fchdir(job->cwd.fd) < 0 ? cannot_enter(path, errno, failure) : 0;
	if (chdir(path) < 0)
		return cannot_enter(path, errno, failure);
	if (job->cwd.fd < 0)
		return 0;
	if (fstat(job->cwd.fd, &meant) < 0 || stat(".", &found) < 0)
		return cannot_enter(path, errno, failure);
	if (meant.st_dev != found.st_dev || meant.st_ino != found.st_ino)
		return ul_fail(failure, UW_WHAT_CWD, ESTALE, "another directory than was meant is at %s",
		               path);
	return 0;
}

static int set_limits(const struct ul_job *job, struct ul_failure *failure)
{
	struct uw_job_item item;
	size_t at = 0;
	while (ul_job_each(job, UW_LAUNCH_LIMIT, &at, &item)) {
		struct uw_launch_limit wanted;
		struct rlimit limit;
		memcpy(&wanted, item.payload, sizeof wanted);
		limit.rlim_cur = wanted.soft;
		limit.rlim_max = wanted.hard;
		if (setrlimit((int)wanted.resource, &limit) < 0)
			return ul_fail(failure, UW_WHAT_LIMIT, errno, "limit %u cannot be set to %llu",
			               wanted.resource, (unsigned long long)wanted.soft);
	}
	return 0;
}

static int take_terminal(const struct ul_job *job, struct ul_failure *failure)
{
	if ((job->life.flags & UW_LAUNCH_LIFE_PTY) && ioctl(0, TIOCSCTTY, 0) < 0)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno,
		               "descriptor 0 cannot become the controlling terminal");
	return 0;
}

/* By the kernel's own call, so that the two signals that a C library hides are reset too. */
static void reset_signals(void)
{
	static const unsigned long defaults[8]; /* SIG_DFL, no flags, no mask, on every architecture */
	static const unsigned long none[1];
	int number;
	for (number = 1; number <= SIGNALS; number++)
		(void)syscall(SYS_rt_sigaction, number, defaults, NULL, SIGNALS / 8);
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, SIGNALS / 8);
}

static int take_place(const struct ul_job *job, int *status, struct ul_failure *failure)
{
	if (job->life.umask != 0xffffffffu)
		(void)umask((mode_t)job->life.umask);
	if (enter_cwd(job, failure) < 0)
		return -1;
	if (ul_passing_apply(job, status, failure) < 0)
		return -1;
	if (take_terminal(job, failure) < 0)
		return -1;
	return set_limits(job, failure);
}

static void tell(int status, const struct ul_failure *failure)
{
	/* less than PIPE_BUF: one piece, or the launcher is gone */
	(void)!write(status, failure, sizeof *failure);
}

static _Noreturn void be_the_command(const struct ul_command *command, pid_t launcher, int status)
{
	const struct ul_job *job = command->job;
	static struct ul_failure failure;
	if (follow(launcher, &failure) < 0 || confine(command, &failure) < 0 ||
	    ul_check_all(job, &failure) < 0 || take_place(job, &status, &failure) < 0) {
		tell(status, &failure);
		_exit(125);
	}
	tell(status, &failure);
	reset_signals();
	(void)execve(job->exec, command->argv, command->env);
	(void)ul_fail(&failure, UW_WHAT_EXEC, errno, "it cannot be executed: %s", job->exec);
	tell(status, &failure);
	_exit(125);
}

int ul_command_start(const struct ul_command *command, pid_t *ret_pid, int *ret_status,
                     struct ul_failure *failure)
{
	int ends[2];
	pid_t launcher = getpid(), pid;
	if (pipe2(ends, O_CLOEXEC) < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno, "no pipe to the command");
	pid = fork();
	if (pid == 0)
		be_the_command(command, launcher, ends[1]);
	(void)close(ends[1]);
	if (pid < 0) {
		int saved = errno;
		(void)close(ends[0]);
		return ul_fail(failure, UW_WHAT_SYSTEM, saved, "the command cannot be forked");
	}
	*ret_pid = pid;
	*ret_status = ends[0];
	return 0;
}
