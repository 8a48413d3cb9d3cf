/* What a plugin sees of its host is the table at the end of this file. */
#include "core/provider.h"

#include "core/config.h"
#include "core/generation.h"
#include "core/host_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <umwelt/umwelt.h>

static const struct uw_host_api host_api;

const char *uwi_service_id(enum uwi_service service)
{
	static const char *const ids[] = {
#define UWI_SERVICE_TEXT(name, id) id,
	    UWI_SERVICES(UWI_SERVICE_TEXT)
#undef UWI_SERVICE_TEXT
	};
	return ids[service];
}

int uwi_service_find(const char *id)
{
	for (int i = 0; i < UWI_SERVICE_COUNT; i++)
		if (!strcmp(uwi_service_id((enum uwi_service)i), id))
			return i;
	return -1;
}

const char *uwi_provider_name(const struct uwi_provider *provider)
{
	return provider ? uwi_plugin_descriptor(provider->plugin)->name : "umwelt";
}

static int configure(struct uwi_provider *provider, struct uw_error *err)
{
	const struct uw_plugin *descriptor = uwi_plugin_descriptor(provider->plugin);
	struct uwi_problems problems = {.first = err};
	provider->config = uwi_config_create(descriptor->keys, descriptor->key_count, provider->spec->node,
	                                     provider->spec->path, &problems);
	if (provider->config)
		return 0;
	if (problems.code == 0)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM,
		               "no memory for the configuration of %s", descriptor->name);
	return problems.code;
}

int uwi_provider_plan(struct uw_host *host, struct uwi_generation *generation,
                      const struct uwi_provider_spec *spec, struct uwi_provider **ret_provider,
                      struct uw_error *err)
{
	struct uwi_provider *provider = calloc(1, sizeof *provider);
	pthread_condattr_t monotonic;
	int code;
	if (!provider)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, ENOMEM,
		               "no memory for a provider");
	provider->context.provider = provider;
	provider->host = host;
	provider->generation = generation;
	provider->spec = spec;
	provider->fs_layer = -1;
	(void)pthread_mutex_init(&provider->turn.lock, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&provider->turn.free, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	code = uwi_loader_get(host->loader, spec->plugin, &provider->plugin, err);
	if (code == 0)
		code = configure(provider, err);
	if (code < 0) {
		(void)uwi_provider_destroy(provider, NULL);
		return code;
	}
	*ret_provider = provider;
	return 0;
}

/* Every service that it requires must be there and not be withheld (C-9). */
static int check_required(const struct uwi_provider *provider, struct uw_error *err)
{
	const struct uw_plugin *descriptor = uwi_plugin_descriptor(provider->plugin);
	const char *const *service = descriptor->requires_services;
	for (; service && *service; service++) {
		const char *where = NULL;
		int known = uwi_service_find(*service);
		if (uwi_generation_withholds(provider->generation, descriptor->name, *service, &where)) {
			(void)uw_fail(err, UW_E_CAPABILITY_WITHHELD, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
			              "plugin %s requires the service %s, which the bundle withholds at %s",
			              descriptor->name, *service, where ? where : "grants:");
			uw_error_detail(err, "plugin", descriptor->name, strlen(descriptor->name));
			uw_error_detail(err, "service", *service, strlen(*service));
			return UW_E_CAPABILITY_WITHHELD;
		}
		if (known < 0 || !uwi_generation_handle(provider, (enum uwi_service)known))
			return uw_fail(err, UW_E_SERVICE_MISSING, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
			               "plugin %s (%s) requires the service %s, which this world does not have",
			               descriptor->name, provider->spec->path, *service);
	}
	return 0;
}

int uwi_provider_create(struct uwi_provider *provider, struct uw_error *err)
{
	const struct uw_plugin *descriptor = uwi_plugin_descriptor(provider->plugin);
	struct uw_error said = UW_ERROR_INIT;
	int code = check_required(provider, err);
	if (code < 0)
		return code;
	code = descriptor->create(&host_api, &provider->context, provider->config, &provider->self, &said);
	if (code == 0) {
		provider->created = 1;
		return 0;
	}
	if (code > 0 || !strcmp(uw_code_name(code), "UNKNOWN") || said.code != code) {
		uwi_provider_misbehaved(provider, "create returned %d and said %d", code, said.code);
		return uw_fail(err, UW_E_PLUGIN_MISBEHAVED, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "plugin %s failed to make a provider (%d) without saying why", descriptor->name,
		               code);
	}
	if (err)
		*err = said;
	return code;
}

int uwi_provider_destroy(struct uwi_provider *provider, struct uw_error *err)
{
	int code = 0;
	if (!provider)
		return 0;
	if (provider->created)
		code = uwi_plugin_descriptor(provider->plugin)->destroy(provider->self, err);
	if (code > 0) {
		uwi_provider_misbehaved(provider, "destroy returned %d", code);
		code = uw_fail(err, UW_E_PLUGIN_MISBEHAVED, UW_STAGE_RETIRE, UW_EFFECT_UNKNOWN, 0,
		               "plugin %s ended a provider with the unknown code", uwi_provider_name(provider));
	}
	uwi_config_destroy(provider->config);
	(void)pthread_cond_destroy(&provider->turn.free);
	(void)pthread_mutex_destroy(&provider->turn.lock);
	free(provider);
	return code;
}

int uwi_provider_slot(struct uwi_provider *provider, enum uwi_service service,
                      struct uwi_slot *ret_slot, struct uw_error *err)
{
	int threads = UW_THREADS_PARALLEL;
	const void *table = uwi_plugin_interface(provider->plugin, uwi_service_id(service), &threads);
	if (!table)
		return uw_fail(err, UW_E_SERVICE_MISSING, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "plugin %s does not provide %s, which %s asks of it", uwi_provider_name(provider),
		               uwi_service_id(service), provider->spec->path);
	ret_slot->v = table;
	ret_slot->self = provider->self;
	ret_slot->provider = provider;
	ret_slot->serial = threads != UW_THREADS_PARALLEL;
	return 0;
}

void uwi_provider_misbehaved(struct uwi_provider *provider, const char *format, ...)
{
	char what[512];
	va_list args;
	if (!provider)
		return;
	va_start(args, format);
	(void)vsnprintf(what, sizeof what, format, args);
	va_end(args);
	atomic_fetch_add(&provider->misbehaved, 1);
	uwi_host_log(provider->host, UW_LOG_ERROR, "plugin %s misbehaved: %s", uwi_provider_name(provider),
	            what);
}

int uwi_turn_enter(const struct uwi_slot *slot, const struct uw_call *call, int stage,
                   struct uw_error *err)
{
	struct uwi_turn *turn;
	int late = 0;
	if (!slot->serial || !slot->provider)
		return 0;
	turn = &slot->provider->turn;
	(void)pthread_mutex_lock(&turn->lock);
	while (turn->taken && late != ETIMEDOUT) {
		if (call && call->deadline_ns) {
			struct timespec until = {(time_t)(call->deadline_ns / 1000000000),
			                         (long)(call->deadline_ns % 1000000000)};
			late = pthread_cond_timedwait(&turn->free, &turn->lock, &until);
		} else {
			(void)pthread_cond_wait(&turn->free, &turn->lock);
		}
	}
	late = turn->taken;
	turn->taken = 1;
	(void)pthread_mutex_unlock(&turn->lock);
	if (late)
		return uw_fail(err, UW_E_TIMED_OUT, stage, UW_EFFECT_NONE, 0,
		               "the deadline passed while other calls into %s ran",
		               uwi_provider_name(slot->provider));
	return 0;
}

void uwi_turn_leave(const struct uwi_slot *slot)
{
	struct uwi_turn *turn;
	if (!slot->serial || !slot->provider)
		return;
	turn = &slot->provider->turn;
	(void)pthread_mutex_lock(&turn->lock);
	turn->taken = 0;
	(void)pthread_cond_signal(&turn->free);
	(void)pthread_mutex_unlock(&turn->lock);
}

/* ---- the host's table ---- */

static const void *host_service(struct uw_plugin_context *context, const char *service)
{
	struct uwi_provider *provider = context->provider;
	int known;
	if (!service)
		return NULL;
	if (!uwi_plugin_requires(provider->plugin, service) &&
	    !uwi_plugin_may_use(provider->plugin, service)) {
		uwi_provider_misbehaved(provider, "it asked for the service %s, which it does not list", service);
		return NULL;
	}
	known = uwi_service_find(service);
	if (known < 0 || uwi_generation_withholds(provider->generation, uwi_provider_name(provider),
	                                          service, NULL))
		return NULL;
	return uwi_generation_handle(provider, (enum uwi_service)known);
}

static const char *host_path(struct uw_plugin_context *context, int which)
{
	return uw_host_path(context->provider->host, which);
}

static int host_executable(struct uw_plugin_context *context, int which, struct uw_error *err)
{
	int fd = -1;
	return uwi_host_executable(context->provider->host, which, &fd, err) < 0 ? -1 : fd;
}

static void host_log(struct uw_plugin_context *context, int level, const char *message)
{
	uwi_host_log(context->provider->host, level, "%s: %s", uwi_provider_name(context->provider),
	            message ? message : "");
}

static const uint8_t *host_nonce(struct uw_plugin_context *context)
{
	return context->provider->host->nonce;
}

static const char *host_control_plane(struct uw_plugin_context *context, size_t index)
{
	return uwi_generation_control_plane(context->provider->generation, index);
}

static const struct uw_host_api host_api = {
    .size = sizeof(struct uw_host_api),
    .abi_major = UW_ABI_MAJOR,
    .service = host_service,
    .path = host_path,
    .executable = host_executable,
    .log = host_log,
    .config_is_set = uwi_config_is_set,
    .config_bool = uwi_config_bool,
    .config_int = uwi_config_int,
    .config_string = uwi_config_string,
    .config_count = uwi_config_count,
    .config_item = uwi_config_item,
    .config_where = uwi_config_where,
    .nonce = host_nonce,
    .control_plane = host_control_plane,
    .config_tree = uwi_config_tree,
    .tree_kind = uwi_tree_kind,
    .tree_text = uwi_tree_text,
    .tree_count = uwi_tree_count,
    .tree_item = uwi_tree_item,
    .tree_name = uwi_tree_name,
    .tree_where = uwi_tree_where,
};
