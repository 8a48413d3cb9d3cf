/*
 * check: a bundle without a world (C-10, C-11, C-14). Loads no plugin into this
 * process: the key tables are those that discovery read in a child.
 */
#include "core/bundle.h"
#include "core/bundle_schema.h"
#include "core/host_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One provider that the bundle names, and what it must be. */
struct wanted {
	const struct uwi_provider_spec *spec;
	const char *service; /* "fs" */
	int is_service;      /* of `services:`: missing is no fault until it is used (C-13) */
	int seen;
	const char *skipped; /* "PATH: reason" of a file of that name that is not used */
};

struct checking {
	struct uw_host *host;
	const struct uwi_bundle *bundle;
	struct uwi_problems *problems;
	struct uw_arena arena;
	struct wanted *wanted;
	size_t wanted_count;
};

static void want(struct checking *checking, const struct uwi_provider_spec *spec,
                 const char *service, int is_service)
{
	if (spec->plugin)
		checking->wanted[checking->wanted_count++] =
		    (struct wanted){spec, service, is_service, 0, NULL};
}

static int list_wanted(struct checking *checking)
{
	const struct uwi_bundle *bundle = checking->bundle;
	size_t most = bundle->fs_count + bundle->sandbox.provider_count + bundle->service_count + 5;
	checking->wanted = uw_arena_alloc(&checking->arena, most, sizeof *checking->wanted);
	if (!checking->wanted)
		return UW_E_NO_MEMORY;
	for (size_t i = 0; i < bundle->fs_count; i++)
		want(checking, &bundle->fs[i], "fs", 0);
	want(checking, &bundle->subprocess, "subprocess", 0);
	for (size_t i = 0; i < bundle->sandbox.provider_count; i++)
		want(checking, &bundle->sandbox.providers[i], "sandbox", 0);
	want(checking, &bundle->policy, "policy", 0);
	want(checking, &bundle->guard.provider, "guard", 0);
	want(checking, &bundle->approval.provider, "approval", 0);
	want(checking, &bundle->trace.provider, "trace", 0);
	for (size_t i = 0; i < bundle->service_count; i++)
		want(checking, &bundle->services[i].provider, bundle->services[i].service, 1);
	return 0;
}

/* ---- what discovery found, against it ---- */

static int provides(const struct uw_plugin_facts *facts, const char *service)
{
	size_t len = strlen(service);
	for (size_t i = 0; facts->provides && facts->provides[i]; i++)
		if (!strncmp(facts->provides[i], service, len) && facts->provides[i][len] == '/')
			return 1;
	return 0;
}

/* A grant may leave the revision out: `fs` for fs/1. */
static int same_service(const char *service, const char *withheld)
{
	size_t len = strlen(withheld);
	return !strncmp(service, withheld, len) && (service[len] == '/' || !service[len]);
}

static void check_grant(struct checking *checking, const struct uw_plugin_facts *facts,
                        const struct uwi_grant *grant)
{
	for (size_t i = 0; facts->requires_services && facts->requires_services[i]; i++)
		for (size_t j = 0; grant->withheld[j]; j++)
			if (same_service(facts->requires_services[i], grant->withheld[j]))
				uwi_problem(checking->problems, UW_E_CAPABILITY_WITHHELD, grant->node, "grants",
				            "%s requires %s, which is withheld here", facts->name,
				            facts->requires_services[i]);
}

static void check_plugin(struct checking *checking, const struct wanted *wanted,
                         const struct uw_plugin_facts *facts)
{
	const struct uwi_provider_spec *spec = wanted->spec;
	if (!provides(facts, wanted->service))
		uwi_problem(checking->problems, UW_E_BUNDLE_INVALID, spec->node, spec->path,
		            "the plugin %s provides no %s", spec->plugin, wanted->service);
	for (size_t i = 0; i < checking->bundle->grant_count; i++)
		if (!strcmp(checking->bundle->grants[i].plugin, facts->name))
			check_grant(checking, facts, &checking->bundle->grants[i]);
	uwi_config_destroy(uwi_config_create(facts->keys, facts->key_count, spec->node, spec->path,
	                                     checking->problems));
}

/* A skipped file has no name but its own: NAME.so or NAME-VERSION.so. */
static int is_file_of(const char *path, const char *plugin)
{
	const char *name = strrchr(path, '/');
	size_t len = strlen(plugin);
	name = name ? name + 1 : path;
	return !strncmp(name, plugin, len) &&
	       (!strcmp(name + len, ".so") ||
	        (name[len] == '-' && name[len + 1] >= '0' && name[len + 1] <= '9'));
}

static int on_plugin(void *arg, const struct uw_plugin_facts *facts)
{
	struct checking *checking = arg;
	for (size_t i = 0; i < checking->wanted_count; i++) {
		struct wanted *wanted = &checking->wanted[i];
		const struct uwi_provider_spec *spec = wanted->spec;
		if (wanted->seen)
			continue;
		if (facts->name && !strcmp(facts->name, spec->plugin)) {
			wanted->seen = 1;
			check_plugin(checking, wanted, facts);
		} else if (facts->skipped && facts->path && is_file_of(facts->path, spec->plugin)) {
			wanted->skipped =
			    uw_arena_printf(&checking->arena, "%s: %s", facts->path, facts->skipped);
		}
	}
	return checking->arena.failed ? UW_E_NO_MEMORY : 0;
}

static void report_missing(struct checking *checking)
{
	for (size_t i = 0; i < checking->wanted_count; i++) {
		const struct wanted *wanted = &checking->wanted[i];
		const struct uwi_provider_spec *spec = wanted->spec;
		const char *where = spec->node && spec->node->where ? spec->node->where : "";
		if (wanted->seen)
			continue;
		if (wanted->skipped)
			uwi_problem(checking->problems, UW_E_PLUGIN_INVALID, spec->node, spec->path, "%s",
			            wanted->skipped);
		else if (wanted->is_service)
			uwi_host_log(checking->host, UW_LOG_WARNING,
			             "%s: %s: there is no plugin %s; the service cannot be used", where,
			             spec->path, spec->plugin);
		else
			uwi_problem(checking->problems, UW_E_PLUGIN_NOT_FOUND, spec->node, spec->path,
			            "no trusted directory holds a plugin %s", spec->plugin);
	}
}

/* What no table says: how parts of a world fit together. */
static void check_whole(struct checking *checking)
{
	const struct uwi_bundle *bundle = checking->bundle;
	if (bundle->sandbox.kind == UWI_SANDBOX_NONE && bundle->mode != UW_MODE_DANGER_FULL_ACCESS)
		uwi_problem(
		    checking->problems, UW_E_SANDBOX_UNAVAILABLE, bundle->sandbox.node, "world.sandbox",
		    "nothing confines commands here, so the mode can only be danger-full-access, not %s",
		    uw_mode_name(bundle->mode));
	/* who leaves `escalation:` out promised nobody anything */
	if (uwi_node_get(bundle->root, "escalation") && bundle->escalation_tools[0] &&
	    bundle->mode < bundle->max_mode && !bundle->approval.present)
		uwi_host_log(
		    checking->host, UW_LOG_WARNING,
		    "%s: tools may ask for a wider mode, but there is no approval that could answer",
		    bundle->name);
}

static int check_bundle(struct checking *checking, struct uw_error *err)
{
	int status = list_wanted(checking);
	if (status)
		return uw_fail(err, status, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM, "out of memory");
	check_whole(checking);
	status = uwi_loader_discover(checking->host->loader, on_plugin, checking, err);
	if (status == UW_E_NOT_BUILT)
		return 0; /* nothing is known of plugins, so nothing is said about them */
	if (!status)
		report_missing(checking);
	return status;
}

int uw_bundle_check(struct uw_host *host, const struct uw_world_options *options,
                    void (*problem)(void *arg, const struct uw_error *error), void *arg,
                    struct uw_error *err)
{
	struct uwi_problems problems = {.report = problem, .arg = arg, .first = err};
	struct checking checking = {.host = host, .problems = &problems};
	struct uwi_bundle *bundle;
	int status;
	if (!host || !options || options->size < sizeof options->size)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "uw_bundle_check needs a host, and options with their size");
	status = uwi_bundle_load(host->settings, options, &problems, &bundle, err);
	if (status)
		return status;
	checking.bundle = bundle;
	status = check_bundle(&checking, problems.count ? NULL : err);
	uw_arena_finish(&checking.arena);
	uwi_bundle_free(bundle);
	return problems.count ? problems.code : status;
}

int uw_bundle_resolved(struct uw_host *host, const struct uw_world_options *options,
                       struct uw_sink sink, struct uw_error *err)
{
	struct uwi_bundle *bundle;
	int status;
	if (!host || !options || options->size < sizeof options->size || !sink.write)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "uw_bundle_resolved needs a host, options with their size, and a sink");
	status = uwi_bundle_load(host->settings, options, NULL, &bundle, err);
	if (status)
		return status;
	status = uwi_bundle_print(bundle, sink, err);
	uwi_bundle_free(bundle);
	return status;
}

/* ---- the schema ---- */

struct gathering {
	struct uw_arena arena;
	struct uw_plugin_facts *plugins;
	size_t count, capacity;
};

static const char *const *copy_list(struct uw_arena *arena, const char *const *list)
{
	size_t count = 0;
	const char **copy;
	if (!list)
		return NULL;
	while (list[count])
		count++;
	copy = uw_arena_alloc(arena, count + 1, sizeof *copy);
	for (size_t i = 0; copy && i < count; i++)
		copy[i] = uw_arena_text(arena, list[i]);
	return copy;
}

static struct uw_key *copy_keys(struct uw_arena *arena, const struct uw_key *keys, size_t count)
{
	struct uw_key *copy = uw_arena_alloc(arena, count, sizeof *copy);
	for (size_t i = 0; copy && i < count; i++) {
		copy[i] = keys[i];
		copy[i].name = uw_arena_text(arena, keys[i].name);
		copy[i].default_value = uw_arena_text(arena, keys[i].default_value);
		copy[i].choices = copy_list(arena, keys[i].choices);
		copy[i].help = uw_arena_text(arena, keys[i].help);
	}
	return copy;
}

/* Facts are discovery's only while it calls: what the schema needs is copied. */
static int gather(void *arg, const struct uw_plugin_facts *facts)
{
	struct gathering *gathering = arg;
	struct uw_plugin_facts *plugin;
	if (!facts->name || facts->skipped)
		return 0;
	if (gathering->count == gathering->capacity) {
		size_t capacity = gathering->capacity ? gathering->capacity * 2 : 16;
		struct uw_plugin_facts *more = uw_arena_alloc(&gathering->arena, capacity, sizeof *more);
		if (!more)
			return UW_E_NO_MEMORY;
		if (gathering->count)
			memcpy(more, gathering->plugins, gathering->count * sizeof *more);
		gathering->plugins = more;
		gathering->capacity = capacity;
	}
	plugin = &gathering->plugins[gathering->count++];
	plugin->name = uw_arena_text(&gathering->arena, facts->name);
	plugin->provides = copy_list(&gathering->arena, facts->provides);
	plugin->keys = copy_keys(&gathering->arena, facts->keys, facts->key_count);
	plugin->key_count = facts->key_count;
	return gathering->arena.failed ? UW_E_NO_MEMORY : 0;
}

int uw_host_schema(struct uw_host *host, struct uw_sink sink, struct uw_error *err)
{
	struct gathering gathering = {.count = 0};
	int status;
	if (!host || !sink.write)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "uw_host_schema needs a host and a sink");
	status = uwi_loader_discover(host->loader, gather, &gathering, err);
	if (status == UW_E_NO_MEMORY)
		(void)uw_fail(err, status, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM, "out of memory");
	if (!status || status == UW_E_NOT_BUILT)
		status = uwi_bundle_schema(gathering.plugins, gathering.count, sink, err);
	uw_arena_finish(&gathering.arena);
	return status;
}
