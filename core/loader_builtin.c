/*
 * The loader of a static build (C-8): no dlopen, a table of entry functions that
 * the build generates from its list of plugins. Same interface as loader.c. What
 * is linked in needs no trust check; its descriptor is checked all the same.
 */
#include "core/loader.h"

#if defined(UW_BUILTIN)

#include "core/builtin.h"
#include "core/descriptor.h"
#include "core/plugin_object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
}

int uwi_loader_create(const struct uwi_settings *settings,
                      void (*log)(void *arg, int level, const char *message), void *log_arg,
                      struct uwi_loader **ret_loader, struct uw_error *err)
{
	struct uwi_loader *loader = calloc(1, sizeof *loader);
	if (!loader)
		return no_memory(err);
	loader->settings = settings;
	loader->log = log;
	loader->log_arg = log_arg;
	if (pthread_mutex_init(&loader->lock, NULL) != 0) {
		free(loader);
		return no_memory(err);
	}
	*ret_loader = loader;
	return 0;
}

void uwi_loader_destroy(struct uwi_loader *loader)
{
	if (!loader)
		return;
	while (loader->plugins) {
		struct uwi_plugin *next = loader->plugins->next;
		uwi_plugin_free(loader->plugins);
		loader->plugins = next;
	}
	(void)pthread_mutex_destroy(&loader->lock);
	free(loader);
}

static int add(struct uwi_loader *loader, const struct uwi_builtin *builtin, struct uwi_plugin **ret_plugin,
               struct uw_error *err)
{
	struct uwi_plugin *plugin = calloc(1, sizeof *plugin);
	int result;
	if (!plugin)
		return no_memory(err);
	plugin->name = builtin->name;
	plugin->path = "built-in";
	result = uwi_descriptor_copy(&plugin->arena, builtin->entry(), builtin->name, plugin->path, uwi_shapes,
	                             &plugin->descriptor, err);
	if (result < 0) {
		uwi_plugin_free(plugin);
		return result;
	}
	plugin->next = loader->plugins;
	loader->plugins = plugin;
	*ret_plugin = plugin;
	return 0;
}

static int get_locked(struct uwi_loader *loader, const char *name, struct uwi_plugin **ret_plugin,
                      struct uw_error *err)
{
	for (struct uwi_plugin *plugin = loader->plugins; plugin; plugin = plugin->next)
		if (!strcmp(plugin->name, name)) {
			*ret_plugin = plugin;
			return 0;
		}
	for (const struct uwi_builtin *builtin = uwi_builtins; builtin->name; builtin++)
		if (!strcmp(builtin->name, name))
			return add(loader, builtin, ret_plugin, err);
	return uw_fail(err, UW_E_PLUGIN_NOT_FOUND, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
	               "there is no plugin %s in this static build", name);
}

int uwi_loader_get(struct uwi_loader *loader, const char *name, struct uwi_plugin **ret_plugin,
                   struct uw_error *err)
{
	int result;
	(void)pthread_mutex_lock(&loader->lock);
	result = get_locked(loader, name, ret_plugin, err);
	(void)pthread_mutex_unlock(&loader->lock);
	return result;
}

static int tell(const struct uw_plugin *plugin, int (*sink)(void *arg, const struct uw_plugin_facts *facts),
                void *arg, struct uw_error *err)
{
	struct uw_plugin_facts facts = {0};
	const char **services = calloc(plugin->provides_count + 1, sizeof *services);
	int result;
	if (!services)
		return no_memory(err);
	for (size_t i = 0; i < plugin->provides_count; i++)
		services[i] = plugin->provides[i].service;
	facts.size = sizeof facts;
	facts.path = "built-in";
	facts.name = plugin->name;
	facts.version = plugin->version;
	facts.summary = plugin->summary;
	facts.provides = services;
	facts.requires_services = plugin->requires_services;
	facts.optional_services = plugin->optional_services;
	facts.keys = plugin->keys;
	facts.key_count = plugin->key_count;
	result = sink(arg, &facts);
	free(services);
	return result < 0 ? uw_fail(err, result, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
	                            "the receiver of the list gave up")
	                  : 0;
}

int uwi_loader_discover(struct uwi_loader *loader,
                        int (*sink)(void *arg, const struct uw_plugin_facts *facts), void *arg,
                        struct uw_error *err)
{
	for (const struct uwi_builtin *builtin = uwi_builtins; builtin->name; builtin++) {
		struct uwi_plugin *plugin = NULL;
		int result = uwi_loader_get(loader, builtin->name, &plugin, err);
		if (result == 0)
			result = tell(&plugin->descriptor, sink, arg, err);
		if (result < 0)
			return result;
	}
	return 0;
}

#endif
