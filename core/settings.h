/*
 * settings: the host configuration (C-20, libconfig) and the paths that follow
 * from it. Read once by uw_host_open, constant after. No environment variable
 * takes part (C-21).
 */
#ifndef UW_CORE_SETTINGS_H
#define UW_CORE_SETTINGS_H

#include <umwelt/host.h>

#include "common/arena.h"

struct uwi_digest_pin {
	const char *plugin; /* name */
	const char *sha256; /* 64 hex digits, lower case */
};

/* All strings are owned by the settings. Lists are NULL-terminated. */
struct uwi_settings {
	char **plugin_dirs;  /* trusted, canonical, in order of search */
	char **bundle_dirs;  /* where presets and named bundles are looked for */
	/*
	 * The installed directory where it was only added by default, else NULL: a
	 * plugin there may carry a name that an earlier directory has too.
	 */
	const char *fallback_plugin_dir;
	struct uwi_digest_pin *pins;
	size_t pin_count;
	char *program_dir; /* what stands beside the library; may be a shared directory like /usr/lib */
	char *launcher; /* absolute path of umwelt-launch */
	char *scan;     /* absolute path of umwelt-scan */
	char *bwrap;    /* absolute path, may not exist */
	char *helper;   /* absolute path of umwelt-helper, may not exist */
	char *state_dir; /* absolute; made 0700 on demand by uwi_settings_state_dir */
	char *temp_dir;  /* parent of session temps; default /var/tmp */
	char **files;    /* configuration files that were read */
	/*
	 * The control plane as far as settings know it (C-22), canonical: library,
	 * program, plugin directories, launcher, scan, helper, bwrap, files, bundle
	 * directories, state directory; also those names beside the library that
	 * are not there, since they would be used if they were. Bundles in use come on top.
	 */
	char **control_plane;
	int max_mode;    /* ceiling, enum uw_mode */
	int trace_required; /* floor */
	int log_level;
	int max_running, max_per_session, max_queued; /* ceilings of limits */
	struct uw_arena arena;
};

/*
 * options->config_path NULL: /etc/umwelt/umwelt.conf, then the user's file as
 * far as that allows; else /etc/umwelt/umwelt.conf, then config_path in the
 * user's file's place. Errors: CONFIG_INVALID with file and line.
 */
int uwi_settings_load(const struct uw_host_options *options, struct uwi_settings **ret_settings,
                      struct uw_error *err);
/*
 * The same with the two files named: `system` need not exist; `narrower` may be
 * NULL, and must exist if must_exist. Tests use it; nothing else should.
 */
int uwi_settings_load_files(const char *program_dir, const char *system, const char *narrower,
                            int must_exist, struct uwi_settings **ret_settings, struct uw_error *err);
void uwi_settings_free(struct uwi_settings *settings);
/* The state directory, made if missing (0700), owner checked. IO_ERROR, CONFIG_INVALID. */
int uwi_settings_state_dir(const struct uwi_settings *settings, const char **ret_path,
                           struct uw_error *err);

#endif
