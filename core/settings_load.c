/*
 * From defaults and files to settings that are whole: paths resolved, the control
 * plane listed.
 */
#include "core/settings_read.h"

#include "common/cleanup.h"
#include "core/places.h"

#include <string.h>

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM, "out of memory");
}

/*
 * Links in the paths are resolved, so that they can be compared with writable
 * roots (C-22); the last name of the state directory alone must not be a link.
 */
static int finish_paths(struct uwi_settings *settings, struct uw_error *err)
{
	char **const paths[] = {&settings->launcher, &settings->scan, &settings->bwrap, &settings->helper,
	                        &settings->temp_dir};
	struct uw_arena *arena = &settings->arena;
	char *name, *parent;
	for (size_t i = 0; i < UW_COUNT(paths); i++)
		*paths[i] = uwi_places_canonical(arena, *paths[i]);
	while (!arena->failed && (name = strrchr(settings->state_dir, '/')) != settings->state_dir && !name[1])
		*name = '\0';
	if (arena->failed)
		return no_memory(err);
	name = strrchr(settings->state_dir, '/');
	*name++ = '\0';
	parent = uwi_places_canonical(arena, settings->state_dir);
	settings->state_dir = parent ? uw_arena_printf(arena, "%s/%s", strcmp(parent, "/") ? parent : "", name) : NULL;
	return arena->failed ? no_memory(err) : 0;
}

static int append_all(struct uwi_settings *settings, char **list)
{
	for (; list && *list; list++)
		if (uwi_places_append(&settings->arena, &settings->control_plane, *list) < 0)
			return -1;
	return 0;
}

/* Present or not: what is planted there would be used by the next start. */
static int append_beside(struct uwi_settings *settings)
{
	static const char *const names[] = {"plugins", "bundles", "umwelt-launch", "umwelt-scan", "umwelt-helper"};
	for (size_t i = 0; i < UW_COUNT(names); i++)
		if (uwi_places_append(&settings->arena, &settings->control_plane,
		                      uw_arena_printf(&settings->arena, "%s/%s", settings->program_dir, names[i])) < 0)
			return -1;
	return 0;
}

static int list_control_plane(struct uwi_settings *settings, struct uw_error *err)
{
	char *program = realpath("/proc/self/exe", NULL);
	char *singles[] = {uwi_places_library(&settings->arena), NULL, NULL};
	char *companions[] = {settings->launcher, settings->scan, settings->helper, settings->bwrap,
	                      settings->state_dir, NULL};
	char *own = program ? uw_arena_text(&settings->arena, program) : NULL;
	free(program);
	singles[singles[0] ? 1 : 0] = own;
	if (append_all(settings, singles) < 0 || append_all(settings, settings->plugin_dirs) < 0 ||
	    append_all(settings, companions) < 0 || append_all(settings, settings->files) < 0 ||
	    append_all(settings, settings->bundle_dirs) < 0 || append_beside(settings) < 0 || settings->arena.failed)
		return no_memory(err);
	return 0;
}

static int read_files(struct uwi_settings *settings, const char *system, const char *narrower,
                      int must_exist, struct uw_error *err)
{
#if defined(UW_BUILTIN)
	/* a static build has no libconfig: the defaults stand */
	(void)settings, (void)system, (void)must_exist;
	if (narrower && must_exist)
		return uw_fail(err, UW_E_NOT_BUILT, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "this build reads no host configuration");
	return 0;
#else
	return uwi_settings_read(settings, system, narrower, must_exist, err);
#endif
}

int uwi_settings_load_files(const char *program_dir, const char *system, const char *narrower,
                            int must_exist, struct uwi_settings **ret_settings, struct uw_error *err)
{
	struct uwi_settings *settings = calloc(1, sizeof *settings);
	int result;
	if (!settings)
		return no_memory(err);
	settings->max_mode = UW_MODE_DANGER_FULL_ACCESS;
	settings->log_level = UW_LOG_WARNING;
	settings->max_running = settings->max_per_session = settings->max_queued = UWI_LIMIT_MAX;
	result = uwi_places_defaults(settings, program_dir, err);
	if (result == 0)
		result = read_files(settings, system, narrower, must_exist, err);
	if (result == 0)
		result = finish_paths(settings, err);
	if (result == 0)
		result = list_control_plane(settings, err);
	if (result < 0) {
		uwi_settings_free(settings);
		return result;
	}
	*ret_settings = settings;
	return 0;
}

int uwi_settings_load(const struct uw_host_options *options, struct uwi_settings **ret_settings,
                      struct uw_error *err)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	UW_AUTO_FREE char *config_path = NULL;
	const char *given = NULL, *program_dir = NULL;
	if (options && UW_HAS(struct uw_host_options, options->size, config_path))
		given = options->config_path;
	if (options && UW_HAS(struct uw_host_options, options->size, program_dir))
		program_dir = options->program_dir;
	if (!given) {
		const char *user = NULL;
		int result = uwi_places_user_config(&arena, &user, err);
		if (result < 0)
			return result;
		return uwi_settings_load_files(program_dir, UW_SYSTEM_CONFIG, user, 0, ret_settings, err);
	}
	/* --config is the person's own word, hence from the current directory if relative */
	config_path = realpath(given, NULL);
	if (!config_path)
		return uw_fail(err, UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, UW_EFFECT_NONE, errno,
		               "configuration file %s: %s", given, strerror(errno));
	return uwi_settings_load_files(program_dir, UW_SYSTEM_CONFIG, config_path, 1, ret_settings, err);
}

void uwi_settings_free(struct uwi_settings *settings)
{
	struct uw_arena arena;
	if (!settings)
		return;
	arena = settings->arena;
	free(settings);
	uw_arena_finish(&arena);
}
