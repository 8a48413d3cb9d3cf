/*
 * umwelt-launch: last stage of every command, parent and keeper of its range.
 * The order of steps, and why it is this one, is in README.md.
 */
#include "launcher/caps.h"
#include "launcher/command.h"
#include "launcher/keeper.h"
#include "launcher/net.h"
#include "launcher/passing.h"
#include "launcher/prove.h"
#include "launcher/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOTHING_RUN 125

static const char help[] =
    "umwelt-launch: the last stage of every command that Umwelt starts.\n"
    "It is started by Umwelt, with a job on descriptor 3 and a control socket on 4.\n"
    "  umwelt-launch --prove [--allow DIR...] [--deny DIR...] [--nonce FILE HEX]\n"
    "      run inside a sandbox: tries what must work and what must fail; 0 if all is as wanted\n"
    "  umwelt-launch --version\n"
    "  umwelt-launch --help\n";

static int usage(const char *what)
{
	(void)fprintf(stderr, "umwelt-launch: %s; see --help\n", what);
	return NOTHING_RUN;
}

static int with_words(int argc, char **argv)
{
	if (strcmp(argv[1], "--prove") == 0)
		return ul_prove(argc - 2, argv + 2);
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(help, stdout) < 0 || fflush(stdout) != 0;
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return puts("umwelt-launch " UW_VERSION) < 0 || fflush(stdout) != 0;
	return usage("it takes no such argument");
}

static int is_control(int fd)
{
	int type = 0;
	socklen_t len = sizeof type;
	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET;
}

/* Where it stands: hidden from the command, parent of its orphans. */
static int take_post(const struct ul_job *job, struct ul_failure *failure)
{
	const int pid1 = getpid() == 1;
	if (ul_job_has(job, UW_LAUNCH_PID1) && !pid1)
		return ul_fail(failure, UW_WHAT_PROFILE, ESRCH,
		               "the launcher was meant to be process 1 and is %d", (int)getpid());
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno,
		               "the launcher cannot become the parent of orphans");
	return 0;
}

/* Layer 1 and all that must be done while it still may. */
static int confine_launcher(const struct ul_job *job, struct ul_landlock *landlock,
                            struct ul_failure *failure)
{
	if (ul_net_loopback_up(job, failure) < 0)
		return -1;
	if (job->confined && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, errno, "no_new_privs cannot be set");
	if (ul_landlock_prepare(job, landlock, failure) < 0)
		return -1;
	if (ul_caps_limit_launcher(job, failure) < 0)
		return -1;
	return ul_landlock_apply(landlock, failure);
}

/*
 * Gives up every descriptor but the control socket and the child's pipe, so that
 * the command's streams end with the command. The command runs by now: nothing
 * here may fail.
 */
static void keep_two(int *status)
{
	if (*status == UW_LAUNCH_FD_JOB || dup3(*status, UW_LAUNCH_FD_JOB, O_CLOEXEC) < 0)
		return;
	*status = UW_LAUNCH_FD_JOB;
	(void)close(0);
	(void)close(1);
	(void)close(2);
	if (syscall(SYS_close_range, UW_LAUNCH_FD_CONTROL + 1, ~0u, 0) < 0) {
		int fd;
		for (fd = UW_LAUNCH_FD_CONTROL + 1; fd < 4096; fd++) /* kernels before 5.9 */
			(void)close(fd);
	}
}

static int launch(struct ul_failure *failure)
{
	static struct ul_job job;
	static struct ul_landlock landlock;
	static struct ul_keeper keeper;
	struct ul_command command;
	if (ul_keeper_block_signals(failure) < 0 || ul_passing_hold_all(failure) < 0)
		return -1;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno, "the launcher cannot hide itself");
	if (ul_job_read(UW_LAUNCH_FD_JOB, &job, failure) < 0 || take_post(&job, failure) < 0 ||
	    confine_launcher(&job, &landlock, failure) < 0)
		return -1;
	keeper.control = UW_LAUNCH_FD_CONTROL;
	keeper.job = &job;
	keeper.landlock = &landlock;
	ul_range_init(&keeper.range, ul_job_has(&job, UW_LAUNCH_PID1));
	if (ul_command_prepare(&job, &landlock, &command, failure) < 0 ||
	    ul_command_start(&command, &keeper.leader, &keeper.status, failure) < 0)
		return -1;
	keep_two(&keeper.status);
	return ul_keeper_run(&keeper);
}

int main(int argc, char **argv)
{
	static struct ul_failure failure;
	int status;
	if (argc > 1)
		return with_words(argc, argv);
	if (!is_control(UW_LAUNCH_FD_CONTROL))
		return usage("it is started by Umwelt, not by hand");
	status = launch(&failure);
	if (status < 0) {
		ul_report_failure(UW_LAUNCH_FD_CONTROL, &failure);
		return NOTHING_RUN;
	}
	return status;
}
