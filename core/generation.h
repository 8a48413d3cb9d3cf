/*
 * generation: one atomic set of providers, made from one bundle: prepared without
 * being seen, published by one pointer exchange, retired once nothing uses it.
 *
 * Owned by its world. `leases` and `services` state are guarded by the world's
 * lock; all else is constant from commit on. Providers are destroyed in reverse
 * order of creation, all of them, whatever fails.
 */
#ifndef UW_CORE_GENERATION_H
#define UW_CORE_GENERATION_H

#include "core/bundle.h"
#include "core/provider.h"

#include <umwelt/umwelt.h>

struct uw_world;

/* A handle as it is given out, and what it leads to. All handle structs are this pair. */
struct uwi_gate {
	struct uw_world *world;
	const struct uwi_slot *inner; /* NULL: guarded, the world's current generation */
	enum uwi_service service;
	union {
		struct uw_fs fs;
		struct uw_subprocess subprocess;
		struct uw_sandbox sandbox;
		struct uw_policy_service policy;
		struct uw_shell shell;
		struct {
			const void *v;
			void *self;
		} any;
	} handle;
};
void uwi_gate_init(struct uwi_gate *gate, struct uw_world *world, enum uwi_service service,
                   const struct uwi_slot *inner);

enum uwi_service_state { UWI_NOT_MADE, UWI_MAKING, UWI_MADE };

struct uwi_generation {
	uint64_t number; /* 0 until commit */
	struct uw_world *world;
	struct uw_host *host;
	struct uwi_bundle *bundle;
	int max_mode; /* the lower of the bundle's and the host's */
	struct uwi_provider **providers; /* in order of creation */
	size_t provider_count;
	struct uwi_slot *fs_layers; /* innermost first */
	struct uwi_gate *fs_gates;  /* thin, one per layer */
	size_t fs_count;
	struct uwi_slot slots[UWI_SERVICE_COUNT]; /* FS: the outermost layer */
	struct uwi_gate gates[UWI_SERVICE_COUNT]; /* thin */
	size_t chain_at;   /* CHAIN: the member that is made */
	char chain_reasons[1024]; /* why those before it were not taken */
	enum uwi_service_state shell_state;
	struct uw_realm realm;
	char realm_id[2 * UW_REALM_ID_SIZE + 1];
	const char *proof; /* "fresh", "cached", "none" */
	char backend[32]; /* of the sandbox in force */
	char *workspace; /* canonical; NULL if the bundle's is not there */
	size_t leases;
};

/* Loads, creates and proves; takes the bundle over, also on failure. */
int uwi_generation_prepare(struct uw_world *world, struct uwi_bundle *bundle,
                           struct uwi_generation **ret_generation, struct uw_error *err);
/* Destroys everything; the first error's code, the texts of all. NULL: nothing. */
int uwi_generation_destroy(struct uwi_generation *generation, struct uw_error *err);

/* The handle a provider of this generation may have of a service, or NULL if there is none. */
const void *uwi_generation_handle(const struct uwi_provider *provider, enum uwi_service service);
/* 1 if `grants:` withholds it; where (may be NULL) gets the bundle's line. */
int uwi_generation_withholds(const struct uwi_generation *generation, const char *plugin,
                             const char *service, const char **where);
/* Makes the provider of a service of `services:` at its first use; the world's lock is not held. */
int uwi_generation_service(struct uwi_generation *generation, enum uwi_service service,
                           struct uw_error *err);

/* Adds a provider to the order of creation: planned, created, slot looked up. */
int uwi_generation_add(struct uwi_generation *generation, const struct uwi_provider_spec *spec,
                       int fs_layer, int guarded, struct uwi_provider **ret_provider,
                       struct uw_error *err);
/* Destroys one before its time (a chain's candidate that failed). */
int uwi_generation_drop(struct uwi_generation *generation, struct uwi_provider *provider,
                        struct uw_error *err);
/* The control plane (C-22), path by path until NULL. */
const char *uwi_generation_control_plane(const struct uwi_generation *generation, size_t index);

/* Several failures in one error: the first keeps its code, the texts are joined. */
void uwi_collect(struct uw_error *all, int *code, int failed, const struct uw_error *one);

#endif
