#include "core/plugin_object.h"

#include <stdlib.h>
#include <string.h>

void uwi_plugin_free(struct uwi_plugin *plugin)
{
	struct uw_arena arena;
	if (!plugin)
		return;
	arena = plugin->arena;
	free(plugin);
	uw_arena_finish(&arena);
}

const struct uw_plugin *uwi_plugin_descriptor(const struct uwi_plugin *plugin)
{
	return &plugin->descriptor;
}

const char *uwi_plugin_path(const struct uwi_plugin *plugin)
{
	return plugin->path;
}

const void *uwi_plugin_interface(const struct uwi_plugin *plugin, const char *service, int *ret_threads)
{
	for (size_t i = 0; i < plugin->descriptor.provides_count; i++) {
		const struct uw_provides *provides = &plugin->descriptor.provides[i];
		if (strcmp(provides->service, service) != 0)
			continue;
		if (ret_threads)
			*ret_threads = provides->threads;
		return provides->interface_table;
	}
	return NULL;
}

static int lists(const char *const *list, const char *service)
{
	for (size_t i = 0; list && list[i]; i++)
		if (!strcmp(list[i], service))
			return 1;
	return 0;
}

int uwi_plugin_requires(const struct uwi_plugin *plugin, const char *service)
{
	return lists(plugin->descriptor.requires_services, service);
}

int uwi_plugin_may_use(const struct uwi_plugin *plugin, const char *service)
{
	return lists(plugin->descriptor.requires_services, service) ||
	       lists(plugin->descriptor.optional_services, service);
}
