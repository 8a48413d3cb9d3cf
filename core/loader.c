/*
 * The only dlopen and dlsym of the library. What is loaded stays: RTLD_NODELETE,
 * and a plugin lives as long as its loader. One lock per loader, held while a
 * plugin is looked for, checked and loaded; of plugin code only constructors and
 * the entry function, which does nothing but return a pointer, run under it.
 */
#include "core/loader.h"

#include "common/cleanup.h"
#include "core/descriptor.h"
#include "core/mapped.h"
#include "core/plugin_check.h"
#include "core/plugin_object.h"

#include <dlfcn.h>
#include <pthread.h>
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

/* The code stays mapped (RTLD_NODELETE); only the handle is given back. */
static void unload(struct uwi_plugin *plugin)
{
	if (plugin->handle)
		(void)dlclose(plugin->handle);
	uwi_plugin_free(plugin);
}

void uwi_loader_destroy(struct uwi_loader *loader)
{
	if (!loader)
		return;
	while (loader->plugins) {
		struct uwi_plugin *next = loader->plugins->next;
		unload(loader->plugins);
		loader->plugins = next;
	}
	(void)pthread_mutex_destroy(&loader->lock);
	free(loader);
}

/* ---- one file ---- */

/* dlopen, then: is what the loader mapped the file that was checked? */
static int map_file(struct uwi_plugin *plugin, int fd, struct uw_error *err)
{
	struct uwi_mapped wanted, found;
	void *entry;
	int result = uwi_mapped_of_fd(fd, &wanted, err);
	if (result < 0)
		return result;
	plugin->handle = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!plugin->handle) {
		const char *reason = dlerror();
		return uw_fail(err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "plugin %s could not be loaded: %s", plugin->path, reason ? reason : "no reason given");
	}
	entry = dlsym(plugin->handle, UW_PLUGIN_ENTRY_NAME);
	if (!entry)
		return uw_fail(err, UW_E_PLUGIN_INVALID, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "plugin %s does not export %s; is it a plugin?", plugin->path, UW_PLUGIN_ENTRY_NAME);
	result = uwi_mapped_find(entry, &found, err);
	if (result < 0)
		return result;
	if (found.major != wanted.major || found.minor != wanted.minor || found.inode != wanted.inode)
		return uw_fail(err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "plugin %s: file %u:%u inode %llu was checked, but %u:%u inode %llu is loaded under that "
		               "name; an upgrade needs a new path (NAME-VERSION.so) or a restart", plugin->path,
		               wanted.major, wanted.minor, wanted.inode, found.major, found.minor, found.inode);
	return 0;
}

static int copy_descriptor(struct uwi_plugin *plugin, struct uw_error *err)
{
	uw_plugin_entry_fn *entry;
	/* ISO C has no conversion between object and function pointers; POSIX does */
	*(void **)&entry = dlsym(plugin->handle, UW_PLUGIN_ENTRY_NAME);
	return uwi_descriptor_copy(&plugin->arena, entry(), plugin->name, plugin->path, uwi_shapes,
	                           &plugin->descriptor, err);
}

static int load_file(struct uwi_loader *loader, const struct uwi_plugin_file *file,
                     struct uwi_plugin **ret_plugin, struct uw_error *err)
{
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	struct uwi_scan_answer answer;
	struct uwi_plugin *plugin;
	int result = uwi_plugin_check(loader->settings, file, &trusted, err);
	if (result == 0)
		result = uwi_plugin_scan(&arena, loader->settings, file, &trusted, &answer, err);
	if (result < 0)
		return result;
	plugin = calloc(1, sizeof *plugin);
	if (!plugin)
		return no_memory(err);
	plugin->stat = trusted.stat;
	plugin->name = uw_arena_text(&plugin->arena, file->name);
	plugin->path = uw_arena_text(&plugin->arena, trusted.path);
	result = plugin->arena.failed ? no_memory(err) : map_file(plugin, trusted.fd, err);
	if (result == 0)
		result = copy_descriptor(plugin, err);
	if (result < 0) {
		unload(plugin);
		return result;
	}
	*ret_plugin = plugin;
	return 0;
}

/* ---- the list ---- */

/* C-6: says once that the loaded code is not what the file holds now. */
static void warn_if_changed(struct uwi_loader *loader, struct uwi_plugin *plugin)
{
	struct stat now;
	char message[512];
	if (plugin->warned || !loader->log)
		return;
	if (stat(plugin->path, &now) == 0 && now.st_dev == plugin->stat.st_dev &&
	    now.st_ino == plugin->stat.st_ino && now.st_size == plugin->stat.st_size &&
	    now.st_ctim.tv_sec == plugin->stat.st_ctim.tv_sec &&
	    now.st_ctim.tv_nsec == plugin->stat.st_ctim.tv_nsec)
		return;
	plugin->warned = 1;
	(void)snprintf(message, sizeof message,
	               "plugin %s changed on disk after it was loaded; the old code stays in use until a restart",
	               plugin->path);
	loader->log(loader->log_arg, UW_LOG_WARNING, message);
}

static int get_locked(struct uwi_loader *loader, const char *name, struct uwi_plugin **ret_plugin,
                      struct uw_error *err)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	struct uwi_plugin_file file;
	struct uwi_plugin *plugin;
	int result;
	for (plugin = loader->plugins; plugin; plugin = plugin->next)
		if (!strcmp(plugin->name, name)) {
			warn_if_changed(loader, plugin);
			*ret_plugin = plugin;
			return 0;
		}
	result = uwi_plugin_file_find(&arena, loader->settings, name, &file, err);
	if (result == 0)
		result = load_file(loader, &file, &plugin, err);
	if (result < 0)
		return result;
	plugin->next = loader->plugins;
	loader->plugins = plugin;
	*ret_plugin = plugin;
	return 0;
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
