#include "common/profile.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/launch_job.h"
#include "common/path_order.h"

static int writes_roots(const struct uw_policy *policy)
{
	return policy->mode == UW_MODE_WORKSPACE_WRITE;
}

void uw_profile_rules(struct uw_buf *profile, const struct uw_policy *policy,
                      const char *temp_inside)
{
	static const char *const devices[] = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
	                                      "/dev/urandom", "/dev/tty",  "/dev/ptmx", "/dev/pts"};
	uw_job_rule(profile, UW_LAUNCH_READ, 1, "/");
	if (writes_roots(policy)) {
		uw_job_rule(profile, UW_LAUNCH_WRITE, 1, policy->workspace.path);
		for (size_t i = 0; i < policy->root_count; i++)
			uw_job_rule(profile, UW_LAUNCH_WRITE, 1, policy->roots[i].path);
	}
	if (policy->temp.path)
		uw_job_rule(profile, UW_LAUNCH_WRITE, 1, temp_inside);
	for (size_t i = 0; i < UW_COUNT(devices); i++)
		uw_job_rule(profile, UW_LAUNCH_DEVICE, 0, devices[i]);
}

static void add_place(struct uw_buf *profile, const struct uw_place *place, const char *inside)
{
	/* without an identity there is nothing to compare with */
	if (place->path && place->ino)
		uw_job_place(profile, place->dev, place->ino, inside);
}

void uw_profile_places(struct uw_buf *profile, const struct uw_policy *policy,
                       const char *temp_inside)
{
	if (writes_roots(policy)) {
		add_place(profile, &policy->workspace, policy->workspace.path);
		for (size_t i = 0; i < policy->root_count; i++)
			add_place(profile, &policy->roots[i], policy->roots[i].path);
	}
	add_place(profile, &policy->temp, temp_inside);
}

int uw_profile_checks(struct uw_buf *profile, const struct uw_host_api *host,
                      struct uw_plugin_context *context, struct uw_error *err)
{
	const char *nonce_path = host->path(context, UW_PATH_CHECK_NONCE);
	const char *forbidden = host->path(context, UW_PATH_CHECK_FORBIDDEN);
	const uint8_t *nonce =
	    UW_HAS(struct uw_host_api, host->size, nonce) && host->nonce ? host->nonce(context) : NULL;
	if (!nonce_path || !forbidden || !nonce)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "the host has no file and directory for the check that is made in each run");
	uw_job_nonce(profile, nonce, nonce_path);
	uw_job_text(profile, UW_LAUNCH_FORBIDDEN, forbidden);
	return 0;
}

int uw_landlock_abi(int *ret_errno)
{
	/* LANDLOCK_CREATE_RULESET_VERSION */
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1u);
	*ret_errno = abi < 0 ? errno : 0;
	return abi < 0 ? 0 : (int)abi;
}

const struct uw_policy *uw_policy_or_narrowest(const struct uw_policy *policy)
{
	static const struct uw_policy narrowest = {
	    .size = sizeof narrowest,
	    .mode = UW_MODE_READ_ONLY,
	    .network = UW_NETWORK_NONE,
	    .unix_sockets = UW_UNIX_NONE,
	    .protect = UW_PROTECT_DETECT,
	    .git = UW_GIT_SAFE,
	    .temp_kind = UW_TEMP_PRIVATE,
	};
	return policy ? policy : &narrowest;
}

int uw_policy_check(const struct uw_policy *policy, struct uw_error *err)
{
	if (!uw_mode_name(policy->mode))
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "the policy has a mode (%d) that this sandbox does not know", policy->mode);
	if (writes_roots(policy) && !policy->workspace.path)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "the policy is workspace-write and names no workspace");
	return 0;
}

int uw_policy_writable(const struct uw_policy *policy, const char *path)
{
	if (!writes_roots(policy))
		return 0;
	if (policy->workspace.path && uw_path_within(path, policy->workspace.path))
		return 1;
	for (size_t i = 0; i < policy->root_count; i++)
		if (uw_path_within(path, policy->roots[i].path))
			return 1;
	return 0;
}
