/*
 * plugin_object: one loaded plugin as core knows it, whoever loaded it: loader.c,
 * or loader_builtin.c where there is no dlopen. Private to these; the rest of
 * core asks through core/loader.h.
 */
#ifndef UW_CORE_PLUGIN_OBJECT_H
#define UW_CORE_PLUGIN_OBJECT_H

#include "common/arena.h"
#include "core/loader.h"

#include <pthread.h>
#include <sys/stat.h>

struct uwi_plugin {
	struct uwi_plugin *next;
	struct uw_arena arena;
	struct uw_plugin descriptor; /* everything in it lives in the arena */
	const char *name, *path;     /* path: real; "built-in" where there is no file */
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

void uwi_plugin_free(struct uwi_plugin *plugin);

#endif
