/*
 * sandbox-bwrap: confinement by a mount view and namespaces that bubblewrap makes
 * (S-60..S-65), with the launcher's Landlock and filters as the second fence.
 *
 * A provider is constant after create but for one atomic number; all functions may
 * be called from any thread. A confined owns its words and texts, and
 * nothing has to be undone on the host when it is released (mount points in the
 * session's temp go with the temp: a directory that another command uses as one
 * must not be removed under it).
 */
#include "bwrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/launch_job.h"
#include "common/path_order.h"
#include "common/profile.h"
#include "common/realm.h"

/* So long masks of sockets are left out (for none at all) once one vanished under bwrap. */
#define MASKS_OFF_NS 1000000000

static int bwrap_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	(void)self;
	return uw_realm_read(ret_realm, err);
}

/* What is shown elsewhere than on the host: the temp at /tmp, and roots below /tmp as they are. */
static int each_view(const struct uw_policy *policy,
                     int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg)
{
	int writes = policy->mode == UW_MODE_WORKSPACE_WRITE;
	int failed;
	struct uw_view_entry entry = {"/tmp", policy->temp.path, 1, 0};
	if (policy->mode == UW_MODE_DANGER_FULL_ACCESS || !policy->temp.path ||
	    !bwrap_tmp_is_private(policy))
		return 0;
	failed = sink(arg, &entry);
	entry.writable = writes ? 1 : 0;
	if (!failed && policy->workspace.path && uw_path_below(policy->workspace.path, "/tmp")) {
		entry.inside = entry.outside = policy->workspace.path;
		failed = sink(arg, &entry);
	}
	for (size_t i = 0; !failed && writes && i < policy->root_count; i++) {
		entry.inside = entry.outside = policy->roots[i].path;
		if (uw_path_below(policy->roots[i].path, "/tmp"))
			failed = sink(arg, &entry);
	}
	return failed;
}

static int bwrap_view(void *self, const struct uw_call *call, const struct uw_policy *policy,
                      int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg,
                      struct uw_error *err)
{
	(void)self, (void)call, (void)err;
	return each_view(uw_policy_or_narrowest(policy), sink, arg);
}

static int keep_view(void *arg, const struct uw_view_entry *entry)
{
	uw_confined_view(arg, entry->inside, entry->outside, (int)entry->writable);
	return 0;
}

static void write_profile(const struct bwrap *bwrap, const struct uw_policy *policy,
                          const struct bwrap_plan *plan, struct uw_confining *confining)
{
	struct uw_launch_confine confine = {0};
	struct uw_buf *profile = &confining->profile;
	int fenced = bwrap->abi > 0 && !bwrap->nesting;
	confine.flags = UW_LAUNCH_FILTER | UW_LAUNCH_DROP_CAPS | UW_LAUNCH_PID1;
	confine.keep_caps = bwrap->keep_caps;
	if (fenced)
		confine.flags |= UW_LAUNCH_LANDLOCK;
	if (fenced && bwrap->abi >= 6 && plan->unix_way != BWRAP_UNIX_ALL)
		confine.flags |= UW_LAUNCH_SCOPE;
	if (policy->network != UW_NETWORK_HOST)
		confine.flags |= UW_LAUNCH_NO_FAMILIES;
	if (plan->unix_way == BWRAP_UNIX_NONE)
		confine.flags |= UW_LAUNCH_NO_UNIX;
	if (plan->unix_way == BWRAP_UNIX_LANDLOCK)
		confine.flags |= UW_LAUNCH_OWN_UNIX;
	/* the table speaks of this ABI: a profile must not run with less */
	confine.landlock_min_abi = fenced ? (uint32_t)bwrap->abi : 0;
	uw_job_confine(profile, &confine);
	if (fenced) {
		uw_profile_rules(profile, policy, bwrap_temp_inside(policy));
		uw_job_rule(profile, UW_LAUNCH_WRITE, 0, "/dev/shm");
		/* one's own processes; for uid 0 there is too much else in it */
		if (!bwrap->is_root)
			uw_job_rule(profile, UW_LAUNCH_WRITE, 0, "/proc");
	}
	uw_profile_places(profile, policy, bwrap_temp_inside(policy));
}

static int fill(const struct bwrap *bwrap, const char *program, const struct uw_policy *policy,
                struct uw_confining *confining, struct uw_error *err)
{
	static const char *const signatures[] = {"bwrap: "};
	struct uw_confined *result = &confining->result;
	struct bwrap_plan plan = {0};
	int failed = bwrap_plan_make(bwrap, policy, confining, &plan, err);
	if (!failed) {
		bwrap_words(bwrap, program, policy, &plan, confining);
		bwrap_table(bwrap, policy, &plan, confining);
		write_profile(bwrap, policy, &plan, confining);
		(void)each_view(policy, keep_view, confining);
		failed = uw_profile_checks(&confining->profile, bwrap->host, bwrap->context, err);
	}
	for (size_t i = 0; i < plan.count; i++)
		result->may_pass |= plan.mounts[i].kind == BWRAP_MASK_FILE || plan.mounts[i].kind == BWRAP_MASK_DIR;
	bwrap_plan_finish(&plan);
	result->dialect = UW_DIALECT_EROFS | UW_DIALECT_EACCES | UW_DIALECT_EPERM | UW_DIALECT_EXDEV |
	                  UW_DIALECT_EBUSY;
	result->pid_namespace = 1;
	result->in_run_check = 1;
	result->failure_signatures = signatures;
	result->failure_count = 1;
	return failed;
}

/* The absolute path of bwrap, once core's checks of the file have passed. */
static int find_program(const struct bwrap *bwrap, const char **ret_path, struct uw_error *err)
{
	struct uw_error refused = UW_ERROR_INIT;
	const char *path = bwrap->host->path(bwrap->context, UW_PATH_BWRAP);
	if (!path || access(path, F_OK) < 0)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE,
		               path ? errno : 0, "bwrap is not installed%s%s: apt-get install bubblewrap",
		               path ? " at " : "", path ? path : "");
	if (bwrap->host->executable(bwrap->context, UW_PATH_BWRAP, &refused) < 0)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE,
		               refused.os_errno, "bwrap may not be used: %s", refused.message);
	*ret_path = path;
	return 0;
}

static int confine_into(const struct bwrap *bwrap, const struct uw_policy *policy,
                        struct uw_confining *confining, struct uw_error *err)
{
	const char *program;
	int failed;
	if (policy->mode == UW_MODE_DANGER_FULL_ACCESS) {
		/* an empty profile and no wrapper: the launcher is used all the same (S-11) */
		struct bwrap_plan plan = {0};
		bwrap_table(bwrap, policy, &plan, confining);
		return uw_confined_finish(confining, err);
	}
	failed = find_program(bwrap, &program, err);
	if (!failed)
		failed = fill(bwrap, program, policy, confining, err);
	return failed ? failed : uw_confined_finish(confining, err);
}

static int bwrap_confine(void *self, const struct uw_call *call, const struct uw_policy *policy,
                         const char *cwd, struct uw_confined **ret_confined, struct uw_error *err)
{
	const struct bwrap *bwrap = self;
	struct uw_confining *confining;
	int failed = uw_call_check(call, UW_STAGE_CONFINE, err);
	(void)cwd;
	policy = uw_policy_or_narrowest(policy);
	if (!failed)
		failed = uw_policy_check(policy, err);
	if (failed)
		return failed;
	confining = uw_confined_start("bwrap");
	if (!confining)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "no memory for the confinement of a command");
	failed = confine_into(bwrap, policy, confining, err);
	if (failed) {
		uw_confined_free(confining);
		return failed;
	}
	*ret_confined = &confining->result;
	return 0;
}

static int bwrap_release(void *self, struct uw_confined *confined, const struct uw_outcome *outcome,
                         struct uw_error *err)
{
	struct bwrap *bwrap = self;
	(void)err;
	if (outcome && UW_HAS(struct uw_outcome, outcome->size, broke_off) && outcome->broke_off)
		bwrap->masks_off_until = uw_now_ns() + MASKS_OFF_NS;
	if (confined)
		uw_confined_free(confined->impl);
	return 0;
}

static int bwrap_status_of(void *self, struct uw_sandbox_status *ret_status, struct uw_error *err)
{
	(void)err;
	return bwrap_status(self, ret_status);
}

static int bwrap_create(const struct uw_host_api *host, struct uw_plugin_context *context,
                        const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	const char *caps = host->config_string(config, "root_caps");
	struct bwrap *bwrap = calloc(1, sizeof *bwrap);
	int ignored;
	if (!bwrap)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "no memory for sandbox-bwrap");
	bwrap->host = host;
	bwrap->context = context;
	bwrap->is_root = geteuid() == 0;
	bwrap->keep_caps = bwrap->is_root && (!caps || strcmp(caps, "none")) ? UW_FILE_CAPS : 0;
	bwrap->nesting = host->config_bool(config, "nesting");
	bwrap->abi = uw_landlock_abi(&ignored);
	*ret_self = bwrap;
	return 0;
}

static int bwrap_destroy(void *self, struct uw_error *err)
{
	(void)err;
	free(self);
	return 0;
}

static const struct uw_sandbox_v1 bwrap_v1 = {
    .size = sizeof bwrap_v1,
    .realm = bwrap_realm,
    .view = bwrap_view,
    .confine = bwrap_confine,
    .release = bwrap_release,
    .status = bwrap_status_of,
};

static const struct uw_provides bwrap_provides[] = {
    {UW_SANDBOX_SERVICE, UW_THREADS_PARALLEL, 0, &bwrap_v1},
};

static const char *const root_caps_choices[] = {"files", "none", NULL};

static const struct uw_key bwrap_keys[] = {
    {.name = "nesting",
     .type = UW_KEY_BOOL,
     .default_value = "false",
     .help = "true leaves the second fence out, so that sandboxes inside the sandbox work"},
    {.name = "root_caps",
     .type = UW_KEY_CHOICE,
     .default_value = "files",
     .choices = root_caps_choices,
     .help = "what a command of root keeps: the six capabilities for work on files, or none"},
};

static const struct uw_plugin bwrap_plugin = {
    .size = sizeof bwrap_plugin,
    .abi_major = UW_ABI_MAJOR,
    .name = "sandbox-bwrap",
    .version = UW_VERSION,
    .summary = "confines commands by bubblewrap's mount view and namespaces, Landlock behind it",
    .provides = bwrap_provides,
    .provides_count = 1,
    .keys = bwrap_keys,
    .key_count = sizeof bwrap_keys / sizeof bwrap_keys[0],
    .create = bwrap_create,
    .destroy = bwrap_destroy,
};

const struct uw_plugin *uw_plugin_entry(void)
{
	return &bwrap_plugin;
}
