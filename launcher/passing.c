#include "launcher/passing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OLD_KERNEL_MOST 4096

/* Which numbers are targets, and where each source stands meanwhile. */
struct plan {
	uint8_t targets[(UW_LAUNCH_PASS_AS_MAX + 8) / 8];
	struct uw_launch_pass passes[UW_LAUNCH_PASS_MAX];
	size_t count;
	int highest; /* target */
	int free;    /* where the search for a free number goes on */
};

int ul_passing_hold_all(struct ul_failure *failure)
{
	int fd;
	if (syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL)
		return ul_fail(failure, UW_WHAT_SYSTEM, errno, "the descriptors cannot be held back");
	for (fd = 3; fd < OLD_KERNEL_MOST; fd++) /* kernels before 5.11 */
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int is_target(const struct plan *plan, int fd)
{
	return fd <= UW_LAUNCH_PASS_AS_MAX && (plan->targets[fd / 8] >> fd % 8) & 1;
}

static void make_plan(const struct ul_job *job, struct plan *plan)
{
	struct uw_job_item item;
	size_t at = 0;
	plan->free = 3;
	while (plan->count < UW_LAUNCH_PASS_MAX && ul_job_each(job, UW_LAUNCH_PASS, &at, &item)) {
		struct uw_launch_pass *pass = &plan->passes[plan->count++];
		memcpy(pass, item.payload, sizeof *pass);
		plan->targets[pass->as / 8] |= (uint8_t)(1u << pass->as % 8);
		if (pass->as > plan->highest)
			plan->highest = pass->as;
	}
}

/* A copy on a number that is no target, close-on-exec. -1 with errno. */
static int copy_aside(struct plan *plan, int fd)
{
	for (;;) {
		int copy;
		while (is_target(plan, plan->free))
			plan->free++;
		copy = fcntl(fd, F_DUPFD_CLOEXEC, plan->free);
		if (copy < 0)
			return -1;
		plan->free = copy + 1;
		if (!is_target(plan, copy))
			return copy;
		(void)close(copy);
	}
}

/* Targets may lie above the soft limit of open files; it is put back after. */
static int raise_limit(const struct plan *plan, struct rlimit *ret_before)
{
	struct rlimit raised;
	if (getrlimit(RLIMIT_NOFILE, ret_before) < 0)
		return -1;
	raised = *ret_before;
	if ((rlim_t)plan->highest + plan->count + 8 < raised.rlim_cur)
		return 0;
	raised.rlim_cur = raised.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &raised);
}

static int cannot_pass(const struct uw_launch_pass *pass, struct ul_failure *failure)
{
	return ul_fail(failure, UW_WHAT_SYSTEM, errno, "descriptor %d cannot be passed as %d", pass->fd,
	               pass->as);
}

static int move_all(struct plan *plan, struct ul_failure *failure)
{
	size_t i;
	int source[UW_LAUNCH_PASS_MAX];
	for (i = 0; i < plan->count; i++) {
		const struct uw_launch_pass *pass = &plan->passes[i];
		source[i] = pass->fd;
		if (pass->fd != pass->as && is_target(plan, pass->fd))
			source[i] = copy_aside(plan, pass->fd);
		if (source[i] < 0)
			return cannot_pass(pass, failure);
	}
	for (i = 0; i < plan->count; i++) {
		const struct uw_launch_pass *pass = &plan->passes[i];
		int status =
			source[i] == pass->as ? fcntl(pass->as, F_SETFD, 0) : dup2(source[i], pass->as);
		if (status < 0)
			return cannot_pass(pass, failure);
	}
	return 0;
}

int ul_passing_apply(const struct ul_job *job, int *kept, struct ul_failure *failure)
{
	static struct plan plan; /* 16 KiB: of a process that makes exactly one plan */
	struct rlimit before;
	make_plan(job, &plan);
	if (plan.count == 0)
		return 0;
	if (raise_limit(&plan, &before) < 0)
		return ul_fail(failure, UW_WHAT_LIMIT, errno,
		               "the limit of open files cannot be raised for a moment");
	if (is_target(&plan, *kept)) {
		int aside = copy_aside(&plan, *kept);
		if (aside < 0)
			return ul_fail(failure, UW_WHAT_SYSTEM, errno, "no descriptor is left");
		*kept = aside; /* the old number becomes the target */
	}
	if (move_all(&plan, failure) < 0)
		return -1;
	if (setrlimit(RLIMIT_NOFILE, &before) < 0)
		return ul_fail(failure, UW_WHAT_LIMIT, errno, "the limit of open files cannot be put back");
	return 0;
}
