/*
 * plugin_file: names of plugin files, NAME.so and NAME-VERSION.so (C-6), and
 * where they stand. No state; any thread.
 */
#ifndef UW_CORE_PLUGIN_FILE_H
#define UW_CORE_PLUGIN_FILE_H

#include "common/arena.h"
#include "core/settings.h"

struct uwi_plugin_file {
	const char *path;    /* in a directory of the settings, links not resolved */
	const char *name;
	const char *version; /* of the file's name; "" if it has none */
	size_t dir;          /* index in settings->plugin_dirs */
};

/* 0 if `file` is a plugin's file name; else -1. Both texts in the arena. */
int uwi_plugin_file_parse(struct uw_arena *arena, const char *file, const char **ret_name,
                          const char **ret_version);
/* Order of versions: numbers by value, "" before all. */
int uwi_plugin_version_compare(const char *a, const char *b);
/*
 * All plugin files of all trusted directories: in order of the directories, then
 * by name, the newest version first. A directory that is missing is skipped.
 */
int uwi_plugin_files_list(struct uw_arena *arena, const struct uwi_settings *settings,
                          struct uwi_plugin_file **ret_files, size_t *ret_count, struct uw_error *err);
/*
 * The file that carries the name. PLUGIN_NOT_FOUND names the directories;
 * PLUGIN_DUPLICATE both paths.
 */
int uwi_plugin_file_find(struct uw_arena *arena, const struct uwi_settings *settings, const char *name,
                         struct uwi_plugin_file *ret_file, struct uw_error *err);

#endif
