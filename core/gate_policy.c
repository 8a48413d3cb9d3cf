/* policy/1 through the gate: what a host asks gets the same checks as what core asks. */
#include "core/gate.h"

#include <string.h>

static int gate_resolve(void *self, const struct uw_call *call, const struct uw_policy_wish *wish,
                        struct uw_policy **ret_policy, struct uw_error *err)
{
	const struct uwi_gate *gate = self;
	struct uw_policy_wish mine = {sizeof mine, UW_MODE_UNSET, 0};
	struct uwi_entry entry;
	int code;
	if (!ret_policy || (wish && !wish->size))
		return uwi_gate_bad_args(UW_STAGE_POLICY, err, "resolve needs a place for the policy, and the wish's size set");
	if (wish)
		UWI_COPY_IN(mine, wish);
	if (mine.mode != UW_MODE_UNSET && !uw_mode_name(mine.mode))
		return uwi_gate_bad_args(UW_STAGE_POLICY, err, "the mode that is asked for is not known");
	if (!gate->inner && (!call || !call->session))
		return uwi_gate_bad_args(UW_STAGE_POLICY, err, "a policy belongs to a session, and the call has none");
	code = uwi_gate_enter(gate, call, UWI_CALL_NO_POLICY, UW_STAGE_POLICY, &entry, err);
	if (code < 0)
		return code;
	if (entry.generation)
		code = uwi_policy_resolve(entry.generation, &entry.call, &mine, ret_policy, err);
	else
		code = ((const struct uw_policy_v1 *)entry.slot->v)
		           ->resolve(entry.slot->self, &entry.call, &mine, ret_policy, err);
	return uwi_gate_leave(&entry, code, err);
}

UWI_GATE_COVERS(struct uw_policy_v1, resolve);
const struct uw_policy_v1 uwi_gate_policy = {
    .size = sizeof(struct uw_policy_v1),
    .resolve = gate_resolve,
};
