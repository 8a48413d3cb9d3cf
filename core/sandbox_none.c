/* `sandbox: none`: written out, legal only with danger-full-access (C-13). */
#include "common/confined.h"
#include "common/enforcement.h"
#include "core/own_sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int uwi_sandbox_own_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	const struct uwi_generation *generation = self;
	const struct uwi_slot *slot = &generation->slots[UWI_SUBPROCESS];
	return ((const struct uw_subprocess_v1 *)slot->v)->realm(slot->self, ret_realm, err);
}

int uwi_sandbox_own_view(void *self, const struct uw_call *call, const struct uw_policy *policy,
                         int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg,
                         struct uw_error *err)
{
	(void)self, (void)call, (void)policy, (void)sink, (void)arg, (void)err;
	return 0;
}

int uwi_sandbox_own_release(void *self, struct uw_confined *confined,
                            const struct uw_outcome *outcome, struct uw_error *err)
{
	(void)self, (void)outcome, (void)err;
	uw_confined_free((struct uw_confining *)confined);
	return 0;
}

static int none_confine(void *self, const struct uw_call *call, const struct uw_policy *policy,
                        const char *cwd, struct uw_confined **ret_confined, struct uw_error *err)
{
	struct uw_confining *confining;
	int code;
	(void)self, (void)call, (void)cwd;
	if (!policy || policy->mode != UW_MODE_DANGER_FULL_ACCESS)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "the bundle says `sandbox: none`, which confines nothing: mode %s cannot be had; "
		               "nothing was run",
		               policy ? uw_mode_name(policy->mode) : "read-only");
	confining = uw_confined_start("none");
	if (!confining)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFINE, UW_EFFECT_NONE, ENOMEM,
		               "no memory for the confinement of a command");
	uw_rows_begin(confining->result.rows, policy);
	for (int row = 0; row < UW_OP_COUNT; row++)
		uw_row_set(confining->result.rows, row, UW_HOLD_NONE, "the world has no sandbox");
	confining->result.enforcement = UW_UNCONFINED;
	code = uw_confined_finish(confining, err);
	if (code < 0) {
		uw_confined_free(confining);
		return code;
	}
	*ret_confined = &confining->result;
	return 0;
}

static int none_status(void *self, struct uw_sandbox_status *ret_status, struct uw_error *err)
{
	(void)self, (void)err;
	ret_status->usable = 1;
	(void)snprintf(ret_status->reason, sizeof ret_status->reason,
	               "confines nothing; only with danger-full-access");
	ret_status->advice[0] = '\0';
	return 0;
}

static const struct uw_sandbox_v1 none = {
    .size = sizeof(struct uw_sandbox_v1),
    .realm = uwi_sandbox_own_realm,
    .view = uwi_sandbox_own_view,
    .confine = none_confine,
    .release = uwi_sandbox_own_release,
    .status = none_status,
};

void uwi_sandbox_none(struct uwi_generation *generation, struct uwi_slot *ret_slot)
{
	(void)strcpy(generation->backend, "none");
	*ret_slot = (struct uwi_slot){&none, generation, NULL, 0};
}
