#include "core/gate.h"

#include "core/host_internal.h"

#include <string.h>

void uwi_copy_in(void *local, size_t local_size, const void *given, size_t given_size)
{
	size_t common = given_size < local_size ? given_size : local_size;
	memset(local, 0, local_size);
	memcpy(local, given, common);
	memcpy(local, &local_size, sizeof local_size); /* size is the first member of every such struct */
}

void uwi_copy_out(void *given, size_t given_size, const void *local, size_t local_size)
{
	size_t common = given_size < local_size ? given_size : local_size;
	if (common <= sizeof given_size)
		return;
	memcpy((char *)given + sizeof given_size, (const char *)local + sizeof given_size,
	       common - sizeof given_size);
}

int uwi_gate_bad_args(int stage, struct uw_error *err, const char *what)
{
	return uw_fail(err, UW_E_INVALID_ARGS, stage, UW_EFFECT_NONE, 0, "%s", what);
}

const void *uwi_gate_table(enum uwi_service service)
{
	switch (service) {
	case UWI_FS: return &uwi_gate_fs;
	case UWI_SUBPROCESS: return &uwi_gate_subprocess;
	case UWI_SANDBOX: return &uwi_gate_sandbox;
	case UWI_POLICY: return &uwi_gate_policy;
	case UWI_SHELL: return &uwi_gate_shell;
	default: return NULL;
	}
}

void uwi_gate_init(struct uwi_gate *gate, struct uw_world *world, enum uwi_service service,
                   const struct uwi_slot *inner)
{
	gate->world = world;
	gate->inner = inner;
	gate->service = service;
	gate->handle.any.v = uwi_gate_table(service);
	gate->handle.any.self = gate;
}

static int enter_thin(const struct uwi_gate *gate, struct uwi_entry *entry, struct uw_error *err)
{
	entry->slot = gate->inner;
	if (!entry->slot->v)
		return uw_fail(err, UW_E_SERVICE_MISSING, entry->stage, UW_EFFECT_NONE, 0,
		               "the world has no %s", uwi_service_id(gate->service));
	return uwi_turn_enter(entry->slot, &entry->call, entry->stage, err);
}

/* Fills in the policy: none given, none had: read-only, and mutations end here. */
static int fill_policy(struct uwi_entry *entry, struct uw_error *err)
{
	int code;
	if (!entry->session) {
		entry->call.policy = NULL;
		entry->call.view = NULL;
		if (entry->flags & UWI_CALL_MUTATES)
			return uw_fail(err, UW_E_FS_SANDBOX_DENIED, entry->stage, UW_EFFECT_NONE, 0,
			               UW_DENIED_MARKER "\na call without a session may change nothing", "read-only");
		return 0;
	}
	if (entry->flags & UWI_CALL_NO_POLICY)
		return 0;
	code = uwi_policy_get(entry->generation, entry->session, &entry->call, &entry->policy, err);
	if (code < 0)
		return code;
	entry->call.policy = entry->policy->value;
	entry->call.view = &entry->policy->value->view;
	if (entry->flags & UWI_CALL_MUTATES)
		code = uwi_workspace_verify(entry->generation, &entry->call, entry->policy->value, entry->stage, err);
	return code;
}

static int enter_guarded(const struct uwi_gate *gate, struct uwi_entry *entry, struct uw_error *err)
{
	int code = uwi_lease_take(gate->world, entry->stage, &entry->generation, err);
	if (code < 0)
		return code;
	entry->slot = &entry->generation->slots[gate->service];
	if (!entry->slot->v)
		return uw_fail(err, UW_E_SERVICE_MISSING, entry->stage, UW_EFFECT_NONE, 0,
		               "the world has no %s", uwi_service_id(gate->service));
	if (entry->call.session)
		code = uwi_session_enter(gate->world, entry->call.session, entry->stage, &entry->session, err);
	if (code < 0)
		return code;
	entry->call.host = gate->world->host->id;
	entry->call.generation = entry->generation->number;
	code = uw_call_check(&entry->call, entry->stage, err);
	if (code == 0)
		code = fill_policy(entry, err);
	if (code < 0 || (entry->flags & UWI_CALL_NO_TURN))
		return code;
	return uwi_turn_enter(entry->slot, &entry->call, entry->stage, err);
}

static void drop(struct uwi_entry *entry)
{
	if (entry->policy)
		uwi_policy_drop(entry->generation->world, entry->policy);
	uwi_session_leave(entry->session);
	uwi_lease_drop(entry->generation);
}

int uwi_gate_enter(const struct uwi_gate *gate, const struct uw_call *call, unsigned flags,
                   int stage, struct uwi_entry *ret_entry, struct uw_error *err)
{
	int code;
	memset(ret_entry, 0, sizeof *ret_entry);
	ret_entry->gate = gate;
	ret_entry->flags = flags;
	ret_entry->stage = stage;
	if (call && call->size < offsetof(struct uw_call, session))
		return uwi_gate_bad_args(stage, err, "the call's size is not set; start from UW_CALL_INIT or uw_call_init");
	if (call)
		UWI_COPY_IN(ret_entry->call, call);
	else
		ret_entry->call = (struct uw_call)UW_CALL_INIT;
	ret_entry->before = err ? err->code : 0;
	code = gate->inner ? enter_thin(gate, ret_entry, err) : enter_guarded(gate, ret_entry, err);
	if (code < 0)
		drop(ret_entry);
	else if (err)
		err->code = 0; /* so that a provider that fails without a word is noticed */
	return code;
}

int uwi_gate_judge(const struct uwi_slot *slot, int stage, int effect_if_broken, int code,
                   struct uw_error *err)
{
	if (code == 0)
		return 0;
	if (code > 0 || !strcmp(uw_code_name(code), "UNKNOWN")) {
		uwi_provider_misbehaved(slot->provider, "it returned %d, which is no code", code);
		return uw_fail(err, UW_E_PLUGIN_MISBEHAVED, stage, effect_if_broken, 0,
		               "plugin %s returned %d, which is no code of this version",
		               uwi_provider_name(slot->provider), code);
	}
	if (err && err->code != code) {
		int said = err->code;
		/* a sink's own refusal is passed on as it is, and nobody wrote a text for it */
		(void)uw_fail(err, code, stage, effect_if_broken, 0, "%s", uw_code_meaning(code));
		if (said != 0)
			uwi_provider_misbehaved(slot->provider, "it returned %s and said %s", uw_code_name(code),
			                        uw_code_name(said));
	}
	return code;
}

int uwi_gate_leave(struct uwi_entry *entry, int code, struct uw_error *err)
{
	int effect = entry->flags & UWI_CALL_MUTATES ? UW_EFFECT_UNKNOWN : UW_EFFECT_NONE;
	if (!(entry->flags & UWI_CALL_NO_TURN))
		uwi_turn_leave(entry->slot);
	code = uwi_gate_judge(entry->slot, entry->stage, effect, code, err);
	if (code == 0 && err)
		err->code = entry->before;
	drop(entry);
	return code;
}

int uwi_gate_misbehaved(const struct uwi_entry *entry, struct uw_error *err, const char *what)
{
	uwi_provider_misbehaved(entry->slot->provider, "%s", what);
	return uw_fail(err, UW_E_PLUGIN_MISBEHAVED, entry->stage,
	               entry->flags & UWI_CALL_MUTATES ? UW_EFFECT_UNKNOWN : UW_EFFECT_NONE, 0,
	               "plugin %s broke its contract: %s", uwi_provider_name(entry->slot->provider), what);
}
