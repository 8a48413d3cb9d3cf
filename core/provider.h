/*
 * provider: one configured instance of a plugin, what it was given, and how it is
 * called.
 *
 * A provider is planned (plugin loaded, configuration checked), then created, and
 * destroyed by its generation in reverse order. A plugin asks for services by its
 * context; it gets what its descriptor lists and the bundle does not withhold
 * (C-9): providers at the heart of a world get the thin handles of what was made
 * before them, the others the guarded ones of the world.
 */
#ifndef UW_CORE_PROVIDER_H
#define UW_CORE_PROVIDER_H

#include "core/bundle.h"
#include "core/loader.h"

#include <pthread.h>
#include <stdatomic.h>

struct uw_host;
struct uwi_generation;
struct uwi_provider;

/* The services core knows, in the order of creation. */
#define UWI_SERVICES(X)                                                                          \
	X(FS, UW_FS_SERVICE)                                                                         \
	X(SANDBOX, UW_SANDBOX_SERVICE)                                                               \
	X(POLICY, UW_POLICY_SERVICE)                                                                 \
	X(SUBPROCESS, UW_SUBPROCESS_SERVICE)                                                         \
	X(SHELL, UW_SHELL_SERVICE)

enum uwi_service {
#define UWI_SERVICE_ENUM(name, id) UWI_##name,
	UWI_SERVICES(UWI_SERVICE_ENUM)
#undef UWI_SERVICE_ENUM
	    UWI_SERVICE_COUNT
};
const char *uwi_service_id(enum uwi_service service); /* "fs/1" */
/* The service of that id, or -1. */
int uwi_service_find(const char *id);

/* One interface of one provider, ready to be called. provider NULL: core's own. */
struct uwi_slot {
	const void *v;
	void *self;
	struct uwi_provider *provider;
	int serial;
};

/*
 * The turn of a serial provider: one call at a time. The lock guards `taken`
 * alone and is not held during the call.
 */
struct uwi_turn {
	pthread_mutex_t lock;
	pthread_cond_t free;
	int taken;
};

struct uw_plugin_context {
	struct uwi_provider *provider;
};

struct uwi_provider {
	struct uw_plugin_context context;
	struct uw_host *host;
	struct uwi_generation *generation;
	const struct uwi_provider_spec *spec;
	struct uwi_plugin *plugin;
	struct uw_config *config;
	void *self;
	int created;
	int fs_layer;  /* >= 0: it is this layer of the fs stack; -1: not of fs */
	int guarded;   /* 1: gets the world's guarded handles (shell and what comes after) */
	atomic_int misbehaved;
	struct uwi_turn turn;
};

/* Loads and configures; calls nothing of the plugin but its entry. PLUGIN_*, BUNDLE_INVALID. */
int uwi_provider_plan(struct uw_host *host, struct uwi_generation *generation,
                      const struct uwi_provider_spec *spec, struct uwi_provider **ret_provider,
                      struct uw_error *err);
/* CAPABILITY_WITHHELD, SERVICE_MISSING, or what create says. */
int uwi_provider_create(struct uwi_provider *provider, struct uw_error *err);
/* Destroys what was created; frees in any case. */
int uwi_provider_destroy(struct uwi_provider *provider, struct uw_error *err);

const char *uwi_provider_name(const struct uwi_provider *provider);
/* SERVICE_MISSING if the plugin does not provide it. */
int uwi_provider_slot(struct uwi_provider *provider, enum uwi_service service,
                      struct uwi_slot *ret_slot, struct uw_error *err);
/* Marks and logs a broken contract. NULL provider: nothing. */
void uwi_provider_misbehaved(struct uwi_provider *provider, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Waits for the turn until the call's deadline. */
int uwi_turn_enter(const struct uwi_slot *slot, const struct uw_call *call, int stage,
                   struct uw_error *err);
void uwi_turn_leave(const struct uwi_slot *slot);

#endif
