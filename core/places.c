#include "core/places.h"

#include "common/cleanup.h"
#include "core/mapped.h"

#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

/* Where an installation stands; the build sets these from PREFIX. */
#ifndef UW_PLUGIN_DIR
#define UW_PLUGIN_DIR "/usr/local/lib/umwelt/plugins"
#endif
#ifndef UW_LIBEXEC_DIR
#define UW_LIBEXEC_DIR "/usr/local/libexec/umwelt"
#endif
#ifndef UW_BUNDLE_DIR
#define UW_BUNDLE_DIR "/usr/local/share/umwelt/bundles"
#endif

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM, "out of memory");
}

int uwi_places_append(struct uw_arena *arena, char ***list, char *text)
{
	size_t count = 0;
	char **longer;
	if (!text)
		return -1;
	for (; *list && (*list)[count]; count++)
		if (!strcmp((*list)[count], text))
			return 0;
	longer = uw_arena_alloc(arena, count + 2, sizeof *longer);
	if (!longer)
		return -1;
	for (size_t i = 0; i < count; i++)
		longer[i] = (*list)[i];
	longer[count] = text;
	*list = longer;
	return 0;
}

char *uwi_places_canonical(struct uw_arena *arena, const char *path)
{
	size_t len = strlen(path);
	UW_AUTO_FREE char *head = strdup(path);
	while (head && len > 0) {
		UW_AUTO_FREE char *real = NULL;
		head[len] = '\0';
		real = realpath(len ? head : "/", NULL);
		if (real)
			return uw_arena_printf(arena, "%s%s", strcmp(real, "/") ? real : "", path + len);
		while (len > 0 && path[len - 1] != '/')
			len--;
		while (len > 0 && path[len - 1] == '/')
			len--;
	}
	return uw_arena_text(arena, path);
}

/*
 * The home that the password database names, if it exists; else NULL. A database
 * that cannot be asked is an error: to go on would be to miss the user's file.
 */
static int home_dir(struct uw_arena *arena, char **ret_home, struct uw_error *err)
{
	char buffer[16384];
	struct passwd entry, *found = NULL;
	struct stat home;
	int failed = getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found);
	*ret_home = NULL;
	if (failed == ENOMEM || failed == EIO || failed == EMFILE || failed == ENFILE || failed == ERANGE)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_CONFIG, UW_EFFECT_NONE, failed,
		               "the password database cannot be read: %s", strerror(failed));
	if (failed || !found || !found->pw_dir || found->pw_dir[0] != '/')
		return 0;
	if (stat(found->pw_dir, &home) < 0 || !S_ISDIR(home.st_mode))
		return 0;
	*ret_home = uw_arena_text(arena, found->pw_dir);
	return *ret_home ? 0 : no_memory(err);
}

int uwi_places_user_config(struct uw_arena *arena, const char **ret_path, struct uw_error *err)
{
	char *home, *path;
	int result = home_dir(arena, &home, err);
	if (result < 0)
		return result;
	path = home ? uw_arena_printf(arena, "%s/.config/umwelt/umwelt.conf", home) : NULL;
	if (home && !path)
		return no_memory(err);
	*ret_path = path;
	return 0;
}

char *uwi_places_library(struct uw_arena *arena)
{
	/* a function's own address: in the library, or in a program that links it statically */
	struct uwi_mapped mapped;
	if (uwi_mapped_find((const void *)(uintptr_t)&uwi_places_library, &mapped, NULL) < 0 || !mapped.path[0])
		return NULL;
	return uw_arena_text(arena, mapped.path);
}

static int find_program_dir(struct uw_arena *arena, const char *given, char **ret_dir, struct uw_error *err)
{
	char *library, *slash;
	if (given) {
		if (given[0] != '/')
			return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
			               "program_dir %s must be absolute", given);
		*ret_dir = uwi_places_canonical(arena, given);
		return *ret_dir ? 0 : no_memory(err);
	}
	library = uwi_places_library(arena);
	if (arena->failed)
		return no_memory(err);
	if (!library)
		return uw_fail(err, UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "the library's own file cannot be found in /proc/self/maps; set program_dir");
	slash = strrchr(library, '/');
	slash[slash == library ? 1 : 0] = '\0';
	*ret_dir = library;
	return 0;
}

/* plugins/ beside the program, if one owner holds both; then the installed directory. */
static int default_plugin_dirs(struct uwi_settings *settings, const char *program_dir)
{
	struct uw_arena *arena = &settings->arena;
	struct stat program, plugins;
	char *beside = uw_arena_printf(arena, "%s/plugins", program_dir), *installed;
	size_t count = 0;
	if (!beside)
		return -1;
	if (stat(program_dir, &program) == 0 && lstat(beside, &plugins) == 0 && S_ISDIR(plugins.st_mode) &&
	    program.st_uid == plugins.st_uid && uwi_places_append(arena, &settings->plugin_dirs, beside) < 0)
		return -1;
	installed = uwi_places_canonical(arena, UW_PLUGIN_DIR);
	if (!installed || uwi_places_append(arena, &settings->plugin_dirs, installed) < 0)
		return -1;
	while (settings->plugin_dirs[count])
		count++;
	if (count > 1)
		settings->fallback_plugin_dir = settings->plugin_dirs[count - 1];
	return 0;
}

static int default_bundle_dirs(struct uwi_settings *settings, const char *program_dir, const char *home)
{
	struct uw_arena *arena = &settings->arena;
	char ***list = &settings->bundle_dirs;
	if (uwi_places_append(arena, list, uw_arena_printf(arena, "%s/bundles", program_dir)) < 0 ||
	    uwi_places_append(arena, list, uwi_places_canonical(arena, UW_BUNDLE_DIR)) < 0 ||
	    uwi_places_append(arena, list, uwi_places_canonical(arena, "/etc/umwelt/bundles")) < 0)
		return -1;
	if (!home)
		return 0;
	return uwi_places_append(arena, list, uw_arena_printf(arena, "%s/.config/umwelt/bundles", home));
}

/* Beside the program, else where it is installed. */
static char *companion(struct uw_arena *arena, const char *program_dir, const char *name)
{
	char *beside = uw_arena_printf(arena, "%s/%s", program_dir, name);
	if (!beside || access(beside, F_OK) == 0)
		return beside;
	return uw_arena_printf(arena, "%s/%s", UW_LIBEXEC_DIR, name);
}

static char *default_state_dir(struct uw_arena *arena, const char *home)
{
	if (geteuid() == 0)
		return uw_arena_text(arena, "/var/lib/umwelt");
	if (home)
		return uw_arena_printf(arena, "%s/.local/state/umwelt", home);
	return uw_arena_printf(arena, "/var/tmp/umwelt-%lu", (unsigned long)geteuid());
}

int uwi_places_defaults(struct uwi_settings *settings, const char *program_dir, struct uw_error *err)
{
	struct uw_arena *arena = &settings->arena;
	char *home = NULL, *dir = NULL;
	int result = find_program_dir(arena, program_dir, &dir, err);
	if (result == 0)
		result = home_dir(arena, &home, err);
	if (result < 0)
		return result;
	settings->program_dir = dir;
	settings->launcher = companion(arena, dir, "umwelt-launch");
	settings->scan = companion(arena, dir, "umwelt-scan");
	settings->helper = companion(arena, dir, "umwelt-helper");
	settings->bwrap = uw_arena_text(arena, "/usr/bin/bwrap");
	settings->temp_dir = uw_arena_text(arena, "/var/tmp");
	settings->state_dir = default_state_dir(arena, home);
	if (default_plugin_dirs(settings, dir) < 0 || default_bundle_dirs(settings, dir, home) < 0 ||
	    !settings->state_dir || arena->failed)
		return no_memory(err);
	return 0;
}
