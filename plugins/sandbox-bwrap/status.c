/*
 * What can be said of bwrap on this machine without starting it (S-64, C-73).
 */
#include "bwrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/io.h"

/* The number in a sysctl; -1 where it does not exist. */
static long sysctl_number(const char *path)
{
	char line[32];
	if (uw_read_line_of(path, line, sizeof line) < 0)
		return -1;
	return strtol(line, NULL, 10);
}

static int say(struct uw_sandbox_status *status, int usable, const char *reason, const char *advice)
{
	status->usable = usable;
	/* a longer one is cut */
	(void)snprintf(status->reason, sizeof status->reason, "%.*s", (int)sizeof status->reason - 1,
	               reason);
	(void)snprintf(status->advice, sizeof status->advice, "%.*s", (int)sizeof status->advice - 1,
	               advice);
	return 0;
}

/* What keeps an ordinary user from making a user namespace; 0 if nothing that is known. */
static int namespaces_off(struct uw_sandbox_status *status)
{
	if (sysctl_number("/proc/sys/user/max_user_namespaces") == 0) {
		(void)say(status, 0, "user namespaces are turned off (user.max_user_namespaces is 0)",
		          "as root: sysctl user.max_user_namespaces=10000, or let the chain fall to "
		          "sandbox-landlock");
		return 1;
	}
	if (sysctl_number("/proc/sys/kernel/unprivileged_userns_clone") == 0) {
		(void)say(status, 0,
		          "ordinary users may not make user namespaces (kernel.unprivileged_userns_clone is 0)",
		          "as root: sysctl kernel.unprivileged_userns_clone=1, or let the chain fall to "
		          "sandbox-landlock");
		return 1;
	}
	if (sysctl_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1) {
		(void)say(status, 1,
		          "AppArmor restricts user namespaces of ordinary users "
		          "(kernel.apparmor_restrict_unprivileged_userns is 1): bwrap works only if a profile "
		          "allows it",
		          "as root: load a profile for bwrap with `userns,` (Ubuntu: apt-get install "
		          "apparmor-profiles, then bwrap-userns-restrict), or let the chain fall to "
		          "sandbox-landlock");
		return 1;
	}
	return 0;
}

int bwrap_status(const struct bwrap *bwrap, struct uw_sandbox_status *ret_status)
{
	const char *path = bwrap->host->path(bwrap->context, UW_PATH_BWRAP);
	struct uw_error refused = UW_ERROR_INIT;
	struct stat found;
	char reason[sizeof ret_status->reason];
	int setuid;
	if (!path || stat(path, &found) < 0)
		return say(ret_status, 0, path ? "bwrap is not installed at the configured path"
		                               : "bwrap is not installed",
		           "apt-get install bubblewrap (other systems: the package bubblewrap)");
	if (bwrap->host->executable(bwrap->context, UW_PATH_BWRAP, &refused) < 0)
		return say(ret_status, 0, refused.message, "install bubblewrap from the system's packages");
	setuid = (found.st_mode & S_ISUID) != 0;
	if (!bwrap->is_root && !setuid && namespaces_off(ret_status))
		return 0;
	(void)snprintf(reason, sizeof reason, "%s%s%s", path, setuid ? ", setuid" : "",
	               bwrap->nesting ? ", nesting on: no second fence"
	               : bwrap->abi   ? ", Landlock as the second fence"
	                              : ", no Landlock for a second fence");
	return say(ret_status, 1, reason,
	           setuid ? "a setuid bwrap is not needed where ordinary users may make user namespaces: "
	                    "chmod u-s takes a privileged program away"
	                  : "");
}
