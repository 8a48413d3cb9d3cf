/*
 * sandbox-landlock: confinement by the launcher alone, where no wrapper can be
 * had. No mount view, no namespaces: a profile of Landlock rules, scopes and the
 * launcher's filters. What that cannot hold is said in the table (table.c) or
 * refused.
 *
 * A provider is constant after create; all functions may be called from any
 * thread. A confined owns all that it points to but the policy's paths.
 */
#include <umwelt/plugin.h>
#include <umwelt/sandbox.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/confined.h"
#include "common/enforcement.h"
#include "common/launch_job.h"
#include "common/profile.h"
#include "common/realm.h"
#include "table.h"

enum { ABI_RESOLVE_UNIX = 9 };

struct landlock {
	const struct uw_host_api *host;
	struct uw_plugin_context *context;
	uint64_t keep_caps;
	int abi; /* 0: none */
	int abi_errno;
};

static int landlock_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	(void)self;
	return uw_realm_read(ret_realm, err);
}

/* There is no view of its own: inside equals outside. */
static int landlock_view(void *self, const struct uw_call *call, const struct uw_policy *policy,
                         int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg,
                         struct uw_error *err)
{
	(void)self, (void)call, (void)policy, (void)sink, (void)arg, (void)err;
	return 0;
}

/* Refuses what Landlock alone cannot do and what must not be left undone (C-22, S-56). */
static int check_expressible(const struct landlock *landlock, const struct uw_policy *policy,
                             struct uw_error *err)
{
	if (!landlock->abi)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE,
		               landlock->abi_errno, "this kernel has no Landlock%s",
		               landlock->abi_errno == EOPNOTSUPP ? " (it is built in, but turned off at boot)"
		                                                 : "");
	if (policy->mode != UW_MODE_WORKSPACE_WRITE)
		return 0;
	for (size_t i = 0; i < policy->protected_count; i++)
		if (!strcmp(policy->protected_paths[i].rule, "control-plane"))
			return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
			               "%s is Umwelt's own and lies below a writable root; Landlock alone cannot "
			               "keep it read-only there: use sandbox-bwrap, or another workspace",
			               policy->protected_paths[i].path);
	if (policy->protect == UW_PROTECT_ENFORCE && policy->protected_count > 0)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "protect is enforce, and Landlock alone cannot keep %s read-only below a "
		               "writable root: use sandbox-bwrap, or protect: detect",
		               policy->protected_paths[0].path);
	return 0;
}

static uint64_t profile_flags(const struct landlock *landlock, const struct uw_policy *policy)
{
	uint64_t flags = UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE | UW_LAUNCH_FILTER |
	                 UW_LAUNCH_NO_IOCTL_FS | UW_LAUNCH_DROP_CAPS;
	if (policy->mode == UW_MODE_READ_ONLY)
		flags |= UW_LAUNCH_NO_METADATA;
	if (policy->network != UW_NETWORK_HOST)
		flags |= UW_LAUNCH_NO_INET;
	if (policy->unix_sockets == UW_UNIX_OWN && landlock->abi >= ABI_RESOLVE_UNIX)
		flags |= UW_LAUNCH_OWN_UNIX;
	else if (policy->unix_sockets != UW_UNIX_ALL)
		flags |= UW_LAUNCH_NO_UNIX;
	return flags;
}

static int fill(const struct landlock *landlock, const struct uw_policy *policy,
                struct uw_confining *confining, struct uw_error *err)
{
	struct uw_confined *result = &confining->result;
	struct uw_launch_confine confine = {0};
	landlock_table(result->rows, policy, landlock->abi);
	result->enforcement = uw_rows_enforcement(result->rows, policy->mode);
	if (policy->mode == UW_MODE_DANGER_FULL_ACCESS)
		return 0; /* an empty profile: the launcher is used all the same (S-11) */
	confine.flags = profile_flags(landlock, policy);
	confine.keep_caps = landlock->keep_caps;
	/* the table speaks of this ABI: a profile must not run with less */
	confine.landlock_min_abi = (uint32_t)landlock->abi;
	uw_job_confine(&confining->profile, &confine);
	uw_profile_rules(&confining->profile, policy, policy->temp.path);
	uw_profile_places(&confining->profile, policy, policy->temp.path);
	result->dialect = UW_DIALECT_EACCES | UW_DIALECT_EPERM | UW_DIALECT_EXDEV;
	result->in_run_check = 1;
	return uw_profile_checks(&confining->profile, landlock->host, landlock->context, err);
}

static int landlock_confine(void *self, const struct uw_call *call, const struct uw_policy *policy,
                            const char *cwd, struct uw_confined **ret_confined,
                            struct uw_error *err)
{
	const struct landlock *landlock = self;
	struct uw_confining *confining;
	int failed = uw_call_check(call, UW_STAGE_CONFINE, err);
	(void)cwd;
	policy = uw_policy_or_narrowest(policy);
	if (!failed)
		failed = uw_policy_check(policy, err);
	if (!failed && policy->mode != UW_MODE_DANGER_FULL_ACCESS)
		failed = check_expressible(landlock, policy, err);
	if (failed)
		return failed;
	confining = uw_confined_start("landlock");
	if (!confining)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "no memory for the confinement of a command");
	failed = fill(landlock, policy, confining, err);
	if (!failed)
		failed = uw_confined_finish(confining, err);
	if (failed) {
		uw_confined_free(confining);
		return failed;
	}
	*ret_confined = &confining->result;
	return 0;
}

static int landlock_release(void *self, struct uw_confined *confined,
                            const struct uw_outcome *outcome, struct uw_error *err)
{
	(void)self, (void)outcome, (void)err;
	if (confined)
		uw_confined_free(confined->impl);
	return 0;
}

static int landlock_status(void *self, struct uw_sandbox_status *ret_status, struct uw_error *err)
{
	const struct landlock *landlock = self;
	(void)err;
	ret_status->advice[0] = '\0';
	ret_status->usable = landlock->abi > 0;
	if (landlock->abi) {
		(void)snprintf(ret_status->reason, sizeof ret_status->reason, "Landlock ABI %d",
		               landlock->abi);
		if (landlock->abi < 6)
			(void)snprintf(ret_status->advice, sizeof ret_status->advice,
			               "a kernel from 6.12 on (Landlock ABI 6) also refuses signals and abstract "
			               "sockets");
		return 0;
	}
	(void)snprintf(ret_status->reason, sizeof ret_status->reason, "%s",
	               landlock->abi_errno == EOPNOTSUPP ? "Landlock is built in, but turned off at boot"
	                                                 : "this kernel has no Landlock");
	(void)snprintf(ret_status->advice, sizeof ret_status->advice, "%s",
	               landlock->abi_errno == EOPNOTSUPP
	                   ? "add landlock to the kernel's lsm= boot parameter"
	                   : "use a kernel from 5.13 on with CONFIG_SECURITY_LANDLOCK=y");
	return 0;
}

static int landlock_create(const struct uw_host_api *host, struct uw_plugin_context *context,
                           const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	const char *caps = host->config_string(config, "root_caps");
	struct landlock *landlock = calloc(1, sizeof *landlock);
	if (!landlock)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "no memory for sandbox-landlock");
	landlock->host = host;
	landlock->context = context;
	landlock->keep_caps = geteuid() == 0 && (!caps || strcmp(caps, "none")) ? UW_FILE_CAPS : 0;
	landlock->abi = uw_landlock_abi(&landlock->abi_errno);
	*ret_self = landlock;
	return 0;
}

static int landlock_destroy(void *self, struct uw_error *err)
{
	(void)err;
	free(self);
	return 0;
}

static const struct uw_sandbox_v1 landlock_v1 = {
    .size = sizeof landlock_v1,
    .realm = landlock_realm,
    .view = landlock_view,
    .confine = landlock_confine,
    .release = landlock_release,
    .status = landlock_status,
};

static const struct uw_provides landlock_provides[] = {
    {UW_SANDBOX_SERVICE, UW_THREADS_PARALLEL, 0, &landlock_v1},
};

static const char *const root_caps_choices[] = {"files", "none", NULL};

static const struct uw_key landlock_keys[] = {
    {.name = "root_caps",
     .type = UW_KEY_CHOICE,
     .default_value = "files",
     .choices = root_caps_choices,
     .help = "what a command of root keeps: the six capabilities for work on files, or none"},
};

static const struct uw_plugin landlock_plugin = {
    .size = sizeof landlock_plugin,
    .abi_major = UW_ABI_MAJOR,
    .name = "sandbox-landlock",
    .version = UW_VERSION,
    .summary = "confines commands by Landlock and seccomp, without namespaces",
    .provides = landlock_provides,
    .provides_count = 1,
    .keys = landlock_keys,
    .key_count = 1,
    .create = landlock_create,
    .destroy = landlock_destroy,
};

const struct uw_plugin *uw_plugin_entry(void)
{
	return &landlock_plugin;
}
