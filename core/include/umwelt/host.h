/*
 * The embedding API: a host opens worlds from bundles, sessions in worlds, and
 * calls services through handles that core guards.
 *
 * Objects are created and destroyed in pairs (open/close); close takes NULL and
 * closes what depends on the object first. All functions may be called from any
 * thread; no thread or loop of the host's own is ever needed (K-4).
 */
#ifndef UMWELT_HOST_H
#define UMWELT_HOST_H

#include <umwelt/call.h>
#include <umwelt/fs.h>
#include <umwelt/plugin.h>
#include <umwelt/sandbox.h>
#include <umwelt/shell.h>
#include <umwelt/subprocess.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define UW_API __attribute__((visibility("default")))
#else
#define UW_API
#endif

struct uw_host;
struct uw_world;
struct uw_session;

/* "MAJOR.MINOR.PATCH" of the library. Static memory. */
UW_API const char *uw_version_string(void);

/* ---- versions of content (F-5) ---- */

/* Writes the text form and its NUL; text has UW_VERSION_TEXT_SIZE bytes. */
UW_API void uw_version_format(const struct uw_version *version, char *text);
/* INVALID_ARGS if text is not a version. */
UW_API int uw_version_parse(const char *text, struct uw_version *ret_version, struct uw_error *err);

/* ---- realms (C-30) ---- */

/* 1 if equal over all fields; else 0 and the first differing field in *ret_field. */
UW_API int uw_realm_equal(const struct uw_realm *a, const struct uw_realm *b,
                          enum uw_realm_field *ret_field);
UW_API const char *uw_realm_field_name(enum uw_realm_field field);
/* Short hash of 8 bytes. */
UW_API void uw_realm_id(const struct uw_realm *realm, uint8_t id[UW_REALM_ID_SIZE]);

/* ---- host ---- */

struct uw_host_options {
	size_t size;
	const char *config_path; /* --config; NULL: the default places (C-20) */
	const char *program_dir; /* where plugins/, umwelt-launch stand beside; NULL: found from the library's file */
	void (*log)(void *arg, int level, const char *message); /* NULL: warnings are dropped */
	void *log_arg;
};

/* Reads the host configuration. Starts nothing, loads no plugin. */
UW_API int uw_host_open(const struct uw_host_options *options, struct uw_host **ret_host,
                        struct uw_error *err);
UW_API void uw_host_close(struct uw_host *host);
/* A path of the host (state directory, launcher, ...), or NULL. */
UW_API const char *uw_host_path(struct uw_host *host, int which);

/* What discovery found of one plugin file (C-7); loads nothing into this process. */
struct uw_plugin_facts {
	size_t size;
	const char *path;
	const char *name, *version, *summary; /* NULL if it was skipped */
	const char *skipped;                  /* the reason, or NULL */
	const char *const *provides, *const *requires_services, *const *optional_services;
	const struct uw_key *keys;
	size_t key_count;
};
UW_API int uw_host_plugins(struct uw_host *host,
                           int (*sink)(void *arg, const struct uw_plugin_facts *facts), void *arg,
                           struct uw_error *err);

/* ---- worlds ---- */

struct uw_world_options {
	size_t size;
	const char *bundle;    /* preset name or path of a YAML file */
	const char *workspace; /* overrides the bundle's; absolute, or relative to the current directory; may be NULL */
	int32_t mode;          /* overrides the bundle's policy.mode; UW_MODE_UNSET: not */
	int32_t reserved;
	const char *const *sets; /* PATH=VALUE, NULL-terminated; may be NULL */
};

/* Parses and checks a bundle; nothing is loaded or started. All errors go to the sink, one call each. */
UW_API int uw_bundle_check(struct uw_host *host, const struct uw_world_options *options,
                           void (*problem)(void *arg, const struct uw_error *error), void *arg,
                           struct uw_error *err);
/* The merged bundle as YAML, each value's origin as a comment (C-11). */
UW_API int uw_bundle_resolved(struct uw_host *host, const struct uw_world_options *options,
                              struct uw_sink sink, struct uw_error *err);

/* JSON Schema (2020-12) of a bundle with the plugins that discovery finds (C-14). */
UW_API int uw_host_schema(struct uw_host *host, struct uw_sink sink, struct uw_error *err);

/* Parse, load, create, prove, commit. A failure leaves nothing behind. */
UW_API int uw_world_open(struct uw_host *host, const struct uw_world_options *options,
                         struct uw_world **ret_world, struct uw_error *err);
/* Ends all that runs in it. Failures of retirement are collected into err (first code, all messages). */
UW_API int uw_world_close(struct uw_world *world, struct uw_error *err);

struct uw_world_facts {
	size_t size;
	uint64_t generation;
	const char *bundle;      /* name or path */
	const char *sandbox;     /* backend in force: "bwrap", "landlock", "none", "runner" */
	const char *proof;       /* "fresh", "cached", "none" */
	const char *realm_label;
	char realm_id[2 * UW_REALM_ID_SIZE + 1]; /* hex */
	int32_t mode;            /* of the bundle */
	const char *workspace;   /* canonical */
};
/* Strings live as long as the world. */
UW_API void uw_world_facts(struct uw_world *world, struct uw_world_facts *ret_facts);

/*
 * The guarded handles of a world; NULL if it has no such service (the reason by
 * uw_world_service_error). They stay valid until the world is closed.
 */
UW_API const struct uw_fs *uw_world_fs(struct uw_world *world);
UW_API const struct uw_subprocess *uw_world_subprocess(struct uw_world *world);
UW_API const struct uw_sandbox *uw_world_sandbox(struct uw_world *world);
UW_API const struct uw_policy_service *uw_world_policy(struct uw_world *world);
/* Made at first use; the error says why it cannot be had. */
UW_API const struct uw_shell *uw_world_shell(struct uw_world *world, struct uw_error *err);

/* ---- sessions ---- */

struct uw_session_options {
	size_t size;
	int32_t actor;         /* enum uw_actor; 0: person */
	int32_t mode;          /* standing mode; UW_MODE_UNSET: the bundle's */
	const char *user;      /* NULL: the uid's name */
	const char *workspace; /* NULL: the world's */
};

/* A session with a private temp of its own, removed by close. */
UW_API int uw_session_open(struct uw_world *world, const struct uw_session_options *options,
                           struct uw_session **ret_session, struct uw_error *err);
UW_API int uw_session_close(struct uw_session *session, struct uw_error *err);
UW_API const struct uw_session_facts *uw_session_facts(struct uw_session *session);
/*
 * Prepares a call in this session: sets session, host and generation, no
 * deadline, no cancel. The struct is the caller's; nothing needs release.
 */
UW_API void uw_call_init(struct uw_call *call, struct uw_session *session);

#ifdef __cplusplus
}
#endif
#endif
