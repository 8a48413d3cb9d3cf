/*
 * bundle: one YAML document as the world's description (C-10..C-15).
 *
 * uwi_bundle_load reads, merges (`extends`), overrides (--set), checks every key
 * that core itself owns, and leaves the providers' keys as nodes, which are
 * checked against the plugins' tables once these are loaded. Immutable after.
 */
#ifndef UW_CORE_BUNDLE_H
#define UW_CORE_BUNDLE_H

#include "common/arena.h"
#include "core/config.h"
#include "core/settings.h"

/* One provider that the bundle names. */
struct uwi_provider_spec {
	const char *plugin;
	const char *instance; /* key in `providers:`, or NULL: of its own; equal pointers share */
	const struct uwi_node *node; /* its map; NULL for a policy that the bundle does not name */
	const char *path;     /* for messages and uwi_config_create: "world.fs[1]", "providers.box" */
};

enum uwi_sandbox_kind {
	UWI_SANDBOX_NONE,
	UWI_SANDBOX_PLUGIN,
	UWI_SANDBOX_CHAIN,
	UWI_SANDBOX_RUNNER,
};

struct uwi_sandbox_spec {
	enum uwi_sandbox_kind kind;
	struct uwi_provider_spec *providers; /* PLUGIN: one; CHAIN: in order */
	size_t provider_count;
	const struct uwi_node *node;
	/* RUNNER (S-14); NULL-terminated lists */
	char **runner_argv;
	int failure_exit; /* -1: any non-zero */
	char **failure_signatures;
};

struct uwi_service_spec {
	const char *service; /* "shell", "terminal", "lsp", "search" */
	struct uwi_provider_spec provider;
};

/* guard, approval, trace: present 0 for `none` */
struct uwi_optional_spec {
	int present;
	struct uwi_provider_spec provider;
	const struct uwi_node *node;
};

struct uwi_grant {
	const char *plugin;
	char **withheld; /* services, NULL-terminated */
	const struct uwi_node *node;
};

struct uwi_bundle {
	const char *name; /* preset name or path as asked for */
	const struct uwi_node *root; /* the merged document */
	struct uwi_provider_spec *fs; /* innermost first */
	size_t fs_count;
	struct uwi_provider_spec subprocess;
	struct uwi_sandbox_spec sandbox;
	int drain_ms;
	int retire_commands, retire_terminals; /* 0 finish, 1 terminate */
	struct uwi_provider_spec policy; /* node: the `policy:` map */
	/* core reads these of policy too, for the ceiling and the workspace identity */
	int mode, max_mode;
	const char *workspace; /* absolute: a relative one starts at its file, --workspace at cwd */
	int workspace_is_default; /* nobody named one: it is the current directory */
	struct uwi_service_spec *services;
	size_t service_count;
	struct uwi_optional_spec guard, approval, trace;
	int trace_required; /* of a trace that is present */
	struct uwi_grant *grants;
	size_t grant_count;
	int max_running, max_per_session, max_queued;
	char **tools, **escalation_tools; /* NULL-terminated */
	char **files; /* every file read, canonical, NULL-terminated; control plane (C-22) */
	struct uw_arena arena; /* all of the above */
};

/*
 * BUNDLE_*, MODE_REFUSED, INVALID_ARGS, NO_MEMORY; each problem goes to
 * `problems` (may be NULL), the first into err. options->bundle NULL: read-only.
 * The bundle borrows nothing of settings or options.
 */
int uwi_bundle_load(const struct uwi_settings *settings, const struct uw_world_options *options,
                    struct uwi_problems *problems, struct uwi_bundle **ret_bundle,
                    struct uw_error *err);
void uwi_bundle_free(struct uwi_bundle *bundle);
/* `check --resolved`: the merged document as YAML, the origin of each value as a comment. */
int uwi_bundle_print(const struct uwi_bundle *bundle, struct uw_sink sink, struct uw_error *err);

#endif
