#include "launcher/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WIDEST 63

static int limit_to(uint64_t kept, struct ul_failure *failure)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct sets[2];
	size_t i;
	if (syscall(SYS_capget, &header, sets) < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, errno, "the capabilities cannot be read");
	for (i = 0; i < 2; i++) {
		sets[i].permitted &= (uint32_t)(kept >> (32 * i));
		sets[i].effective = sets[i].permitted;
		sets[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, sets) < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, errno, "the capabilities cannot be dropped");
	return 0;
}

int ul_caps_limit_launcher(const struct ul_job *job, struct ul_failure *failure)
{
	int cap;
	if (!ul_job_has(job, UW_LAUNCH_DROP_CAPS))
		return 0;
	/*
	 * EPERM: without SETPCAP the bounding set stays. no_new_privs, which every
	 * confined command has, keeps an exec from gaining anything from it. EINVAL:
	 * past the last one of this kernel.
	 */
	for (cap = 0; cap <= WIDEST; cap++)
		if (!((job->confine.keep_caps >> cap) & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			break;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return ul_fail(failure, UW_WHAT_PROFILE, errno,
		               "the ambient capabilities cannot be dropped");
	return limit_to(job->confine.keep_caps | (uint64_t)1 << CAP_KILL, failure);
}

int ul_caps_limit_command(const struct ul_job *job, struct ul_failure *failure)
{
	if (!ul_job_has(job, UW_LAUNCH_DROP_CAPS))
		return 0;
	return limit_to(job->confine.keep_caps, failure);
}
