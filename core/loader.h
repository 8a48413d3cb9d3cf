/*
 * loader: from a plugin's name to a checked, loaded, copied descriptor (C-1..C-9).
 *
 * Owns the only dlopen and dlsym of the project. A plugin once loaded stays for
 * the life of the process (RTLD_NODELETE); a host keeps its own list. Thread
 * safe: one lock per loader, not held across plugin code but the entry function.
 */
#ifndef UW_CORE_LOADER_H
#define UW_CORE_LOADER_H

#include "core/settings.h"

struct uwi_loader;
struct uwi_plugin; /* owned by the loader; lives as long as it */

int uwi_loader_create(const struct uwi_settings *settings,
                      void (*log)(void *arg, int level, const char *message), void *log_arg,
                      struct uwi_loader **ret_loader, struct uw_error *err);
void uwi_loader_destroy(struct uwi_loader *loader);

/* Finds NAME.so or NAME-VERSION.so (the newest), checks, loads. PLUGIN_* errors, stage load. */
int uwi_loader_get(struct uwi_loader *loader, const char *name, struct uwi_plugin **ret_plugin,
                   struct uw_error *err);

/* Core's copy of the descriptor, padded to this version's size (absent tail: NULL). */
const struct uw_plugin *uwi_plugin_descriptor(const struct uwi_plugin *plugin);
const char *uwi_plugin_path(const struct uwi_plugin *plugin);
/*
 * Core's copy of an interface table, padded with NULL to the size this version
 * knows; NULL if the plugin does not provide `service`. ret_threads may be NULL.
 */
const void *uwi_plugin_interface(const struct uwi_plugin *plugin, const char *service,
                                 int *ret_threads);
/* 1 if `service` is in the required (or optional) list. */
int uwi_plugin_requires(const struct uwi_plugin *plugin, const char *service);
int uwi_plugin_may_use(const struct uwi_plugin *plugin, const char *service);

/* Discovery over all trusted directories, in a child process, cached (C-7). */
int uwi_loader_discover(struct uwi_loader *loader,
                        int (*sink)(void *arg, const struct uw_plugin_facts *facts), void *arg,
                        struct uw_error *err);

/*
 * Opens an executable (launcher, bwrap, scan) and checks it by that descriptor
 * as C-2 says (owner root or this user, not writable by others, ancestors
 * likewise or sticky). The caller owns *ret_fd. The error names rule and path.
 */
int uwi_trust_open_executable(const char *path, int *ret_fd, struct uw_error *err);

#endif
