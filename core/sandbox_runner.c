/*
 * `sandbox: {runner: ...}` (S-14): the owner's words stand before the launcher,
 * which runs inside and reports. What the words promise is the owner's word; that
 * this run sees its nonce and cannot write where it must not is checked by the
 * launcher in each run, so a runner that merely executes its words fails there.
 */
#include "common/confined.h"
#include "common/enforcement.h"
#include "common/launch_job.h"
#include "core/host_internal.h"
#include "core/own_sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void rows(struct uw_confined *confined, const struct uw_policy *policy)
{
	uw_rows_begin(confined->rows, policy);
	for (int row = 0; row < UW_OP_COUNT; row++)
		if (confined->rows[row].promised)
			uw_row_set(confined->rows, row, UW_HOLD_PARTIAL, "asserted by owner");
	uw_rows_common(confined->rows, policy);
	confined->enforcement = policy->mode == UW_MODE_DANGER_FULL_ACCESS ? UW_UNCONFINED : UW_PARTIAL;
}

static int fill(const struct uwi_generation *generation, const struct uw_policy *policy,
                struct uw_confining *confining, struct uw_error *err)
{
	const struct uwi_sandbox_spec *spec = &generation->bundle->sandbox;
	struct uw_confined *result = &confining->result;
	struct uw_host *host = generation->host;
	rows(result, policy);
	if (policy->mode == UW_MODE_DANGER_FULL_ACCESS)
		return 0;
	for (char **word = spec->runner_argv; word && *word; word++)
		uw_confined_words(confining, *word, (char *)NULL);
	if (uwi_host_check(host, err) < 0)
		return UW_E_SANDBOX_UNAVAILABLE;
	uw_job_nonce(&confining->profile, host->nonce, host->check.nonce);
	uw_job_text(&confining->profile, UW_LAUNCH_FORBIDDEN, host->check.forbidden);
	result->in_run_check = 1;
	result->dialect = UW_DIALECT_EROFS | UW_DIALECT_EACCES | UW_DIALECT_EPERM;
	result->failure_exit = spec->failure_exit;
	result->failure_signatures = (const char *const *)spec->failure_signatures;
	while (spec->failure_signatures && spec->failure_signatures[result->failure_count])
		result->failure_count++;
	return 0;
}

static int runner_confine(void *self, const struct uw_call *call, const struct uw_policy *policy,
                          const char *cwd, struct uw_confined **ret_confined, struct uw_error *err)
{
	struct uw_confining *confining;
	int code;
	(void)call, (void)cwd;
	if (!policy)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "a runner needs a policy; nothing was run");
	confining = uw_confined_start("runner");
	if (!confining)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFINE, UW_EFFECT_NONE, ENOMEM,
		               "no memory for the confinement of a command");
	code = fill(self, policy, confining, err);
	if (code == 0)
		code = uw_confined_finish(confining, err);
	if (code < 0) {
		uw_confined_free(confining);
		return code;
	}
	*ret_confined = &confining->result;
	return 0;
}

static int runner_status(void *self, struct uw_sandbox_status *ret_status, struct uw_error *err)
{
	const struct uwi_generation *generation = self;
	(void)err;
	ret_status->usable = 1;
	(void)snprintf(ret_status->reason, sizeof ret_status->reason, "the owner's runner %s, checked in each run",
	               generation->bundle->sandbox.runner_argv[0]);
	ret_status->advice[0] = '\0';
	return 0;
}

static const struct uw_sandbox_v1 runner = {
    .size = sizeof(struct uw_sandbox_v1),
    .realm = uwi_sandbox_own_realm,
    .view = uwi_sandbox_own_view,
    .confine = runner_confine,
    .release = uwi_sandbox_own_release,
    .status = runner_status,
};

void uwi_sandbox_runner(struct uwi_generation *generation, struct uwi_slot *ret_slot)
{
	(void)strcpy(generation->backend, "runner");
	*ret_slot = (struct uwi_slot){&runner, generation, NULL, 0};
}
