/*
 * A place of its own for a test of the loader: a directory of plugins, a state
 * directory, settings that name them, and the real umwelt-scan. The faulty
 * plugins come from tests/faulty-plugins.
 */
#ifndef UW_TESTS_CORE_PLACE_H
#define UW_TESTS_CORE_PLACE_H

#include "core/loader.h"
#include "tests/temp.h"

#include <limits.h>

/* The folder that all was built into: four up from tests/unit/core/test_loader. */
static inline const char *build_dir(void)
{
	static char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
	ck_assert_int_gt(len, 0);
	path[len] = '\0';
	for (int i = 0; i < 4; i++)
		*strrchr(path, '/') = '\0';
	return path;
}

/* A host of its own: a directory of plugins, a state directory, the real umwelt-scan. */
struct place {
	struct temp temp;
	struct uwi_settings *settings;
	struct uwi_loader *loader;
	struct uw_error err;
	char logged[512];
};

static inline void place_log(void *arg, int level, const char *message)
{
	struct place *place = arg;
	(void)level;
	(void)snprintf(place->logged, sizeof place->logged, "%s", message);
}

static inline void place_load(struct place *place, const char *more)
{
	(void)temp_file(&place->temp, "umwelt.conf",
	                text_of("plugin_dirs: ( \"%s/plugins\" ); scan: \"%s/umwelt-scan\";\n"
	                        "state_dir: \"%s/state\";\n%s",
	                        place->temp.path, build_dir(), place->temp.path, more));
	ck_assert_msg(uwi_settings_load_files(place->temp.path, temp_path(&place->temp, "umwelt.conf"), NULL, 0,
	                                      &place->settings, &place->err) == 0, "%s", place->err.message);
	ck_assert_int_eq(uwi_loader_create(place->settings, place_log, place, &place->loader, &place->err), 0);
}

static inline void place_unload(struct place *place)
{
	uwi_loader_destroy(place->loader);
	uwi_settings_free(place->settings);
	place->loader = NULL;
	place->settings = NULL;
}

static inline struct place *place_make(void)
{
	static struct place place;
	place = (struct place){temp_make(), NULL, NULL, UW_ERROR_INIT, ""};
	(void)temp_dir(&place.temp, "plugins");
	place_load(&place, "");
	return &place;
}

static inline void place_end(struct place **place)
{
	place_unload(*place);
	temp_remove(&(*place)->temp);
}

#define AUTO_PLACE __attribute__((cleanup(place_end))) struct place *

/* Copies a built plugin to a name below the place. */
static inline const char *put(struct place *place, const char *plugin, const char *as)
{
	const char *path = temp_path(&place->temp, as);
	temp_copy(text_of("%s/tests/faulty/%s.so", build_dir(), plugin), path);
	return path;
}

#endif
