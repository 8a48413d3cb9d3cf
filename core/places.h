/*
 * places: where things are when nobody configured it. From the library's own
 * file, the password database and built-in paths; never from the environment.
 */
#ifndef UW_CORE_PLACES_H
#define UW_CORE_PLACES_H

#include "core/settings.h"

/* The file in which the ceiling is set. */
#ifndef UW_SYSTEM_CONFIG
#define UW_SYSTEM_CONFIG "/etc/umwelt/umwelt.conf"
#endif

/*
 * Fills every path of the settings with its default. program_dir NULL: the
 * directory of the file that this code was loaded from.
 */
int uwi_places_defaults(struct uwi_settings *settings, const char *program_dir, struct uw_error *err);
/* The file that this code was loaded from, in the arena; NULL if it has no path or no memory. */
char *uwi_places_library(struct uw_arena *arena);
/* The user's configuration file, or NULL where the user has no entry or home. In the arena. */
int uwi_places_user_config(struct uw_arena *arena, const char **ret_path, struct uw_error *err);
/*
 * The path with links of its existing part resolved; what does not exist yet is
 * kept as it stands. NULL if out of memory. In the arena.
 */
char *uwi_places_canonical(struct uw_arena *arena, const char *path);
/* Appends to a NULL-terminated list of the arena, unless it is there already. -1: no memory. */
int uwi_places_append(struct uw_arena *arena, char ***list, char *text);

#endif
