/*
 * Prepare: fs stack from the inside out, sandbox, policy, subprocess; then one
 * realm (C-31), then the sandbox proven (S-30). Nothing of it is seen by the live
 * world; a failure destroys what was made and changes nothing else (C-37).
 */
#include "core/generation.h"

#include "core/host_internal.h"
#include "core/own_sandbox.h"
#include "core/proof.h"
#include "core/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void uwi_collect(struct uw_error *all, int *code, int failed, const struct uw_error *one)
{
	size_t used;
	if (failed == 0)
		return;
	if (*code == 0) {
		*code = failed;
		if (all)
			*all = *one;
		return;
	}
	if (!all)
		return;
	used = strlen(all->message);
	(void)snprintf(all->message + used, sizeof all->message - used, "; %s", one->message);
}

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, ENOMEM,
	               "no memory for a generation of the world");
}

int uwi_generation_withholds(const struct uwi_generation *generation, const char *plugin,
                             const char *service, const char **where)
{
	for (size_t i = 0; i < generation->bundle->grant_count; i++) {
		const struct uwi_grant *grant = &generation->bundle->grants[i];
		if (strcmp(grant->plugin, plugin) != 0)
			continue;
		for (char **withheld = grant->withheld; withheld && *withheld; withheld++) {
			size_t len = strlen(*withheld);
			/* "subprocess" stands for any revision of it */
			if (strncmp(*withheld, service, len) != 0 || (service[len] && service[len] != '/'))
				continue;
			if (where)
				*where = grant->node ? grant->node->where : NULL;
			return 1;
		}
	}
	return 0;
}

const char *uwi_generation_control_plane(const struct uwi_generation *generation, size_t index)
{
	char *const *const lists[] = {generation->host->settings->control_plane, generation->bundle->files};
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		for (char *const *path = lists[i]; path && *path; path++)
			if (index-- == 0)
				return *path;
	return NULL;
}

const void *uwi_generation_handle(const struct uwi_provider *provider, enum uwi_service service)
{
	struct uwi_generation *generation = provider->generation;
	if (provider->guarded)
		return generation->slots[service].v && service != UWI_SHELL
		           ? &generation->world->gates[service].handle
		           : NULL;
	if (service == UWI_SUBPROCESS || service == UWI_SHELL) /* the heart starts nothing by itself (C-54) */
		return NULL;
	if (service == UWI_FS && provider->fs_layer >= 0) /* a wrapper: what it wraps */
		return provider->fs_layer > 0 ? &generation->fs_gates[provider->fs_layer - 1].handle : NULL;
	return generation->slots[service].v ? &generation->gates[service].handle : NULL;
}

/* A provider that the bundle names once and several slots share. */
static struct uwi_provider *shared(const struct uwi_generation *generation,
                                   const struct uwi_provider_spec *spec)
{
	for (size_t i = 0; spec->instance && i < generation->provider_count; i++)
		if (generation->providers[i]->spec->instance == spec->instance)
			return generation->providers[i];
	return NULL;
}

int uwi_generation_add(struct uwi_generation *generation, const struct uwi_provider_spec *spec,
                       int fs_layer, int guarded, struct uwi_provider **ret_provider,
                       struct uw_error *err)
{
	struct uwi_provider **grown, *provider = shared(generation, spec);
	int code;
	if (provider) {
		*ret_provider = provider;
		return 0;
	}
	grown = realloc(generation->providers, (generation->provider_count + 1) * sizeof *grown);
	if (!grown)
		return no_memory(err);
	generation->providers = grown;
	code = uwi_provider_plan(generation->host, generation, spec, &provider, err);
	if (code < 0)
		return code;
	provider->fs_layer = fs_layer;
	provider->guarded = guarded;
	code = uwi_provider_create(provider, err);
	if (code < 0) {
		(void)uwi_provider_destroy(provider, NULL);
		return code;
	}
	generation->providers[generation->provider_count++] = provider;
	*ret_provider = provider;
	return 0;
}

int uwi_generation_drop(struct uwi_generation *generation, struct uwi_provider *provider,
                        struct uw_error *err)
{
	size_t at = 0;
	while (at < generation->provider_count && generation->providers[at] != provider)
		at++;
	if (at == generation->provider_count)
		return 0;
	memmove(&generation->providers[at], &generation->providers[at + 1],
	        (generation->provider_count - at - 1) * sizeof(struct uwi_provider *));
	generation->provider_count--;
	return uwi_provider_destroy(provider, err);
}

static int make_fs(struct uwi_generation *generation, struct uw_error *err)
{
	const struct uwi_bundle *bundle = generation->bundle;
	generation->fs_layers = calloc(bundle->fs_count + 1, sizeof *generation->fs_layers);
	generation->fs_gates = calloc(bundle->fs_count + 1, sizeof *generation->fs_gates);
	if (!generation->fs_layers || !generation->fs_gates)
		return no_memory(err);
	for (size_t i = 0; i < bundle->fs_count; i++) {
		struct uwi_provider *provider;
		int code = uwi_generation_add(generation, &bundle->fs[i], (int)i, 0, &provider, err);
		if (code == 0)
			code = uwi_provider_slot(provider, UWI_FS, &generation->fs_layers[i], err);
		if (code < 0)
			return code;
		uwi_gate_init(&generation->fs_gates[i], generation->world, UWI_FS, &generation->fs_layers[i]);
		generation->fs_count = i + 1;
		generation->slots[UWI_FS] = generation->fs_layers[i];
	}
	return 0;
}

static int make_slot(struct uwi_generation *generation, const struct uwi_provider_spec *spec,
                     enum uwi_service service, struct uw_error *err)
{
	struct uwi_provider *provider;
	int code = uwi_generation_add(generation, spec, -1, 0, &provider, err);
	return code < 0 ? code : uwi_provider_slot(provider, service, &generation->slots[service], err);
}

static int make_sandbox(struct uwi_generation *generation, struct uw_error *err)
{
	const struct uwi_sandbox_spec *spec = &generation->bundle->sandbox;
	switch (spec->kind) {
	case UWI_SANDBOX_NONE:
		uwi_sandbox_none(generation, &generation->slots[UWI_SANDBOX]);
		return 0;
	case UWI_SANDBOX_RUNNER:
		uwi_sandbox_runner(generation, &generation->slots[UWI_SANDBOX]);
		return 0;
	case UWI_SANDBOX_PLUGIN:
		return make_slot(generation, &spec->providers[0], UWI_SANDBOX, err);
	case UWI_SANDBOX_CHAIN:
		return uwi_sandbox_chain_begin(generation, err);
	}
	return uw_fail(err, UW_E_INTERNAL, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "unknown kind of sandbox");
}

/* Guard, approval and trace have a place in the order, and no provider yet. */
static int refuse_optional(struct uwi_generation *generation, const struct uwi_optional_spec *spec,
                           const char *what, struct uw_error *err)
{
	struct uwi_plugin *plugin;
	int code;
	if (!spec->present)
		return 0;
	code = uwi_loader_get(generation->host->loader, spec->provider.plugin, &plugin, err);
	if (code < 0)
		return code;
	return uw_fail(err, UW_E_NOT_BUILT, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
	               "%s: %s: this build has no %s; write `%s: none` or use a preset without it", what,
	               spec->provider.plugin, what, what);
}

static int make_all(struct uwi_generation *generation, struct uw_error *err)
{
	const struct uwi_bundle *bundle = generation->bundle;
	int code = refuse_optional(generation, &bundle->guard, "guard", err);
	if (code == 0)
		code = refuse_optional(generation, &bundle->approval, "approval", err);
	if (code == 0)
		code = refuse_optional(generation, &bundle->trace, "trace", err);
	if (code == 0)
		code = make_fs(generation, err);
	if (code == 0)
		code = make_sandbox(generation, err);
	if (code == 0)
		code = make_slot(generation, &bundle->policy, UWI_POLICY, err);
	if (code == 0)
		code = make_slot(generation, &bundle->subprocess, UWI_SUBPROCESS, err);
	return code;
}

/* ---- one realm (C-31) ---- */

static int ask_realm(struct uwi_generation *generation, enum uwi_service service,
                     struct uw_realm *ret_realm, struct uw_error *err)
{
	const struct uwi_slot *slot = &generation->slots[service];
	memset(ret_realm, 0, sizeof *ret_realm);
	ret_realm->size = sizeof *ret_realm;
	switch (service) {
	case UWI_FS: return ((const struct uw_fs_v1 *)slot->v)->realm(slot->self, ret_realm, err);
	case UWI_SUBPROCESS:
		return ((const struct uw_subprocess_v1 *)slot->v)->realm(slot->self, ret_realm, err);
	default: return ((const struct uw_sandbox_v1 *)slot->v)->realm(slot->self, ret_realm, err);
	}
}

static void hex_id(const struct uw_realm *realm, char *text)
{
	uint8_t id[UW_REALM_ID_SIZE];
	uw_realm_id(realm, id);
	for (size_t i = 0; i < sizeof id; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", id[i]);
}

static int same_realm(struct uwi_generation *generation, enum uwi_service service,
                      struct uw_error *err)
{
	const char *one = uwi_provider_name(generation->slots[UWI_FS].provider);
	const char *other = uwi_provider_name(generation->slots[service].provider);
	struct uw_realm realm;
	enum uw_realm_field field = UW_REALM_COUNT;
	char id[2 * UW_REALM_ID_SIZE + 1];
	int code = ask_realm(generation, service, &realm, err);
	if (code < 0 || uw_realm_equal(&generation->realm, &realm, &field))
		return code;
	hex_id(&realm, id);
	(void)uw_fail(err, UW_E_REALM_MISMATCH, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
	              "%s (fs) acts on %s [%s], but %s (%s) acts on %s [%s]: they differ in %s", one,
	              generation->realm.label, generation->realm_id, other, uwi_service_id(service),
	              realm.label, id, uw_realm_field_name(field));
	uw_error_detail(err, "field", uw_realm_field_name(field), strlen(uw_realm_field_name(field)));
	uw_error_detail(err, "expected", generation->realm_id, strlen(generation->realm_id));
	uw_error_detail(err, "found", id, strlen(id));
	return UW_E_REALM_MISMATCH;
}

static int check_realms(struct uwi_generation *generation, struct uw_error *err)
{
	int code = ask_realm(generation, UWI_FS, &generation->realm, err);
	if (code < 0)
		return code;
	hex_id(&generation->realm, generation->realm_id);
	code = same_realm(generation, UWI_SUBPROCESS, err);
	return code < 0 ? code : same_realm(generation, UWI_SANDBOX, err);
}

/* ---- proof ---- */

static int prove(struct uwi_generation *generation, struct uw_error *err)
{
	const struct uwi_sandbox_spec *spec = &generation->bundle->sandbox;
	int code = uwi_host_check(generation->host, err);
	generation->proof = "none";
	if (code < 0)
		return code;
	switch (spec->kind) {
	case UWI_SANDBOX_CHAIN: return uwi_sandbox_chain_choose(generation, err);
	case UWI_SANDBOX_PLUGIN:
		return uwi_proof_sandbox(generation, &spec->providers[0], 1, &generation->proof, err);
	default: return 0; /* none promises nothing; a runner is the owner's word, and checked in each run */
	}
}

int uwi_generation_prepare(struct uw_world *world, struct uwi_bundle *bundle,
                           struct uwi_generation **ret_generation, struct uw_error *err)
{
	struct uwi_generation *generation = calloc(1, sizeof *generation);
	int code;
	if (!generation) {
		uwi_bundle_free(bundle);
		return no_memory(err);
	}
	generation->world = world;
	generation->host = world->host;
	generation->bundle = bundle;
	generation->max_mode = bundle->max_mode;
	if (world->host->settings->max_mode && world->host->settings->max_mode < generation->max_mode)
		generation->max_mode = world->host->settings->max_mode;
	for (int i = 0; i < UWI_SERVICE_COUNT; i++)
		uwi_gate_init(&generation->gates[i], world, (enum uwi_service)i, &generation->slots[i]);
	code = make_all(generation, err);
	if (code == 0)
		code = check_realms(generation, err);
	if (code == 0)
		code = prove(generation, err);
	if (code < 0) {
		(void)uwi_generation_destroy(generation, NULL);
		return code;
	}
	*ret_generation = generation;
	return 0;
}

int uwi_generation_destroy(struct uwi_generation *generation, struct uw_error *err)
{
	int code = 0;
	if (!generation)
		return 0;
	while (generation->provider_count > 0) {
		struct uw_error one = UW_ERROR_INIT;
		int failed = uwi_provider_destroy(generation->providers[--generation->provider_count], &one);
		uwi_collect(err, &code, failed, &one);
	}
	free(generation->providers);
	free(generation->fs_layers);
	free(generation->fs_gates);
	free(generation->workspace);
	uwi_bundle_free(generation->bundle);
	free(generation);
	return code;
}

/* ---- services made at first use ---- */

static const struct uwi_provider_spec *service_spec(const struct uwi_generation *generation,
                                                    const char *name)
{
	for (size_t i = 0; i < generation->bundle->service_count; i++)
		if (!strcmp(generation->bundle->services[i].service, name))
			return &generation->bundle->services[i].provider;
	return NULL;
}

static int make_service(struct uwi_generation *generation, enum uwi_service service,
                        struct uwi_slot *ret_slot, struct uw_error *err)
{
	const char *id = uwi_service_id(service);
	char name[32];
	const struct uwi_provider_spec *spec;
	struct uwi_provider *provider;
	int code;
	(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(id, "/"), id);
	spec = service_spec(generation, name);
	if (!spec)
		return uw_fail(err, UW_E_SERVICE_MISSING, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "the bundle %s has no %s below services:", generation->bundle->name, name);
	code = uwi_generation_add(generation, spec, -1, 1, &provider, err);
	return code < 0 ? code : uwi_provider_slot(provider, service, ret_slot, err);
}

int uwi_generation_service(struct uwi_generation *generation, enum uwi_service service,
                           struct uw_error *err)
{
	struct uw_world *world = generation->world;
	struct uwi_slot slot = {NULL, NULL, NULL, 0};
	int code;
	(void)pthread_mutex_lock(&world->lock);
	while (generation->shell_state == UWI_MAKING)
		(void)pthread_cond_wait(&world->changed, &world->lock);
	if (generation->shell_state == UWI_MADE) {
		(void)pthread_mutex_unlock(&world->lock);
		return 0;
	}
	generation->shell_state = UWI_MAKING; /* alone now: the list of providers is ours */
	(void)pthread_mutex_unlock(&world->lock);
	code = make_service(generation, service, &slot, err);
	(void)pthread_mutex_lock(&world->lock);
	if (code == 0)
		generation->slots[service] = slot;
	generation->shell_state = code == 0 ? UWI_MADE : UWI_NOT_MADE;
	(void)pthread_cond_broadcast(&world->changed);
	(void)pthread_mutex_unlock(&world->lock);
	return code;
}
