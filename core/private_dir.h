/*
 * private_dir: directories of a host instance or session outside everything else,
 * `PARENT/PREFIX-UID-RANDOM`: 0700, of an unguessable name, with a flock on the
 * directory for as long as they are in use. One that nobody locks was left over by
 * a host that is gone (kill -9), and the next start removes it.
 */
#ifndef UW_CORE_PRIVATE_DIR_H
#define UW_CORE_PRIVATE_DIR_H

#include <umwelt/error.h>

#define UWI_TEMP_PREFIX "umwelt-temp" /* of sessions */

/* The caller owns *ret_path (free) and *ret_lock (the directory's descriptor, close-on-exec). */
int uwi_private_dir_make(const char *parent, const char *prefix, char **ret_path, int *ret_lock,
                         struct uw_error *err);
/*
 * The same where no backend masks it and a realm's machine keeps it to itself (no
 * network file system): below /var/tmp. A host that may not write there (in a world
 * of Umwelt) has it below temp_dir; should a backend mask that, the check of each run
 * finds nothing and nothing runs.
 */
int uwi_private_dir_make_unmasked(const char *temp_dir, const char *prefix, char **ret_path, int *ret_lock,
                                  struct uw_error *err);
/* Removes what is left over of that prefix and this user. Failures are left to the next start. */
void uwi_private_dir_clean(const char *parent, const char *prefix);

#endif
