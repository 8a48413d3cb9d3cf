/*
 * The only dlopen and dlsym of the library. What is loaded stays: RTLD_NODELETE,
 * and a plugin lives as long as its loader. One lock per loader, held while a
 * plugin is looked for, checked and loaded; of plugin code only constructors and
 * the entry function, which does nothing but return a pointer, run under it.
 */
#include "core/loader.h"

#include "common/cleanup.h"
#include "core/descriptor.h"
#include "core/elf.h"
#include "core/mapped.h"
#include "core/plugin_file.h"
#include "core/trust.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct uwi_plugin {
	struct uwi_plugin *next;
	struct uw_arena arena;
	struct uw_plugin descriptor; /* everything in it lives in the arena */
	const char *name, *path;     /* path: real */
	struct stat stat;            /* when it was loaded */
	void *handle;
	int warned; /* that the file changed */
};

struct uwi_loader {
	const struct uwi_settings *settings;
	void (*log)(void *arg, int level, const char *message);
	void *log_arg;
	pthread_mutex_t lock; /* guards what follows */
	struct uwi_plugin *plugins;
};

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
static void plugin_free(struct uwi_plugin *plugin)
{
	struct uw_arena arena;
	if (!plugin)
		return;
	if (plugin->handle)
		(void)dlclose(plugin->handle);
	arena = plugin->arena;
	free(plugin);
	uw_arena_finish(&arena);
}

void uwi_loader_destroy(struct uwi_loader *loader)
{
	if (!loader)
		return;
	while (loader->plugins) {
		struct uwi_plugin *next = loader->plugins->next;
		plugin_free(loader->plugins);
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

/* Everything that is checked before the dynamic loader sees the file. */
static int check_file(const struct uwi_settings *settings, const struct uwi_plugin_file *file,
                      struct uwi_trusted *ret_trusted, struct uw_error *err)
{
	const struct uwi_trust_ask ask = {"plugin", UW_E_PLUGIN_UNTRUSTED, UW_STAGE_LOAD, 0,
	                                  settings->plugin_dirs};
	int result = uwi_trust_open(file->path, &ask, ret_trusted, err);
	if (result == 0)
		result = uwi_elf_check(ret_trusted->fd, ret_trusted->path, settings->plugin_dirs, err);
	return result;
}

static int load_file(struct uwi_loader *loader, const struct uwi_plugin_file *file,
                     struct uwi_plugin **ret_plugin, struct uw_error *err)
{
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	struct uwi_plugin *plugin;
	int result = check_file(loader->settings, file, &trusted, err);
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
		plugin_free(plugin);
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

int uwi_loader_discover(struct uwi_loader *loader,
                        int (*sink)(void *arg, const struct uw_plugin_facts *facts), void *arg,
                        struct uw_error *err)
{
	(void)loader;
	(void)sink;
	(void)arg;
	return uw_fail(err, UW_E_NOT_BUILT, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "discovery is not in this build");
}

/* ---- what a plugin is ---- */

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
