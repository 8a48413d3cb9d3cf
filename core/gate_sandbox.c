/* sandbox/1 through the gate. Data in, data out: nothing here starts or ends anything (S-10). */
#include "core/gate.h"
#include "core/pipeline.h"

#include <string.h>

#define SANDBOX(entry) ((const struct uw_sandbox_v1 *)(entry).slot->v)

static int gate_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!ret_realm)
		return uwi_gate_bad_args(UW_STAGE_CONFINE, err, "no place for the realm was given");
	code = uwi_gate_enter(self, NULL, 0, UW_STAGE_CONFINE, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(&entry, SANDBOX(entry)->realm(entry.slot->self, ret_realm, err), err);
}

static int gate_view(void *self, const struct uw_call *call, const struct uw_policy *policy,
                     int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg,
                     struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!policy || !sink)
		return uwi_gate_bad_args(UW_STAGE_CONFINE, err, "view needs a policy and a sink");
	code = uwi_gate_enter(self, call, UWI_CALL_NO_POLICY, UW_STAGE_CONFINE, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(
	    &entry, SANDBOX(entry)->view(entry.slot->self, &entry.call, policy, sink, arg, err), err);
}

static int gate_confine(void *self, const struct uw_call *call, const struct uw_policy *policy,
                        const char *cwd, struct uw_confined **ret_confined, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!policy || !ret_confined)
		return uwi_gate_bad_args(UW_STAGE_CONFINE, err, "confine needs a policy and a place for its answer");
	code = uwi_gate_enter(self, call, UWI_CALL_NO_POLICY, UW_STAGE_CONFINE, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(
	    &entry, uwi_pipeline_confine(entry.slot, &entry.call, policy, cwd, ret_confined, err), err);
}

static int gate_release(void *self, struct uw_confined *confined, const struct uw_outcome *outcome,
                        struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!confined)
		return 0;
	code = uwi_gate_enter(self, NULL, 0, UW_STAGE_SETTLE, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(&entry, SANDBOX(entry)->release(entry.slot->self, confined, outcome, err), err);
}

static int gate_status(void *self, struct uw_sandbox_status *ret_status, struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_sandbox_status status;
	int code;
	if (!ret_status || ret_status->size < sizeof status)
		return uwi_gate_bad_args(UW_STAGE_CONFINE, err, "status needs a place for its answer, with its size set");
	memset(&status, 0, sizeof status);
	status.size = sizeof status;
	code = uwi_gate_enter(self, NULL, 0, UW_STAGE_CONFINE, &entry, err);
	if (code < 0)
		return code;
	code = uwi_gate_leave(&entry, SANDBOX(entry)->status(entry.slot->self, &status, err), err);
	if (code == 0)
		UWI_COPY_OUT(ret_status, status);
	return code;
}

UWI_GATE_COVERS(struct uw_sandbox_v1, status);
const struct uw_sandbox_v1 uwi_gate_sandbox = {
    .size = sizeof(struct uw_sandbox_v1),
    .realm = gate_realm,
    .view = gate_view,
    .confine = gate_confine,
    .release = gate_release,
    .status = gate_status,
};
