/*
 * `sandbox: {chain: [...]}` (S-13): decided once, at prepare, by what the members
 * do (S-30), never per call: a world has one sandbox, and its later failure is
 * SANDBOX_UNAVAILABLE.
 */
#include "common/buf.h"
#include "core/host_internal.h"
#include "core/own_sandbox.h"
#include "core/proof.h"

#include <string.h>

/* Makes the member and says so where its plugin itself knows that it cannot work here. */
static int make_member(struct uwi_generation *generation, size_t index, struct uw_error *err)
{
	const struct uwi_provider_spec *spec = &generation->bundle->sandbox.providers[index];
	struct uw_sandbox_status status = {sizeof status, 1, "", ""};
	struct uwi_slot slot;
	struct uwi_provider *provider;
	const struct uw_sandbox_v1 *v;
	int code = uwi_generation_add(generation, spec, -1, 0, &provider, err);
	if (code < 0)
		return code;
	code = uwi_provider_slot(provider, UWI_SANDBOX, &slot, err);
	v = code == 0 ? slot.v : NULL;
	if (v && v->status(slot.self, &status, err) == 0 && !status.usable)
		code = uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "%s cannot be used here: %s", spec->plugin, status.reason);
	if (code < 0) {
		(void)uwi_generation_drop(generation, provider, NULL);
		return code;
	}
	generation->slots[UWI_SANDBOX] = slot;
	generation->chain_at = index;
	return 0;
}

static void add_reason(struct uwi_generation *generation, size_t index, const struct uw_error *why)
{
	const char *name = generation->bundle->sandbox.providers[index].plugin;
	size_t used = strlen(generation->chain_reasons);
	(void)snprintf(generation->chain_reasons + used, sizeof generation->chain_reasons - used,
	               "%s%s", used ? "; " : "", why->message);
	uwi_host_log(generation->host, UW_LOG_INFO, "sandbox %s is not used: %s", name, why->message);
}

/* The first member from `index` on that can be made. */
static int make_from(struct uwi_generation *generation, size_t index, struct uw_error *err)
{
	const struct uwi_sandbox_spec *spec = &generation->bundle->sandbox;
	for (; index < spec->provider_count; index++) {
		struct uw_error why = UW_ERROR_INIT;
		if (make_member(generation, index, &why) == 0)
			return 0;
		add_reason(generation, index, &why);
	}
	return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
	               "no sandbox of the chain holds here: %s. `umwelt doctor` says what the owner can do",
	               generation->chain_reasons);
}

int uwi_sandbox_chain_begin(struct uwi_generation *generation, struct uw_error *err)
{
	return make_from(generation, 0, err);
}

int uwi_sandbox_chain_choose(struct uwi_generation *generation, struct uw_error *err)
{
	const struct uwi_sandbox_spec *spec = &generation->bundle->sandbox;
	for (;;) {
		size_t at = generation->chain_at;
		struct uw_error why = UW_ERROR_INIT;
		int code = uwi_proof_sandbox(generation, &spec->providers[at], at + 1 == spec->provider_count,
		                             &generation->proof, &why);
		if (code == 0)
			return 0;
		add_reason(generation, at, &why);
		(void)uwi_generation_drop(generation, generation->slots[UWI_SANDBOX].provider, NULL);
		memset(&generation->slots[UWI_SANDBOX], 0, sizeof generation->slots[UWI_SANDBOX]);
		code = make_from(generation, at + 1, err);
		if (code < 0)
			return code;
	}
}
