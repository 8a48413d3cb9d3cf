/*
 * What a plugin exports and what it gets.
 *
 * A plugin is a shared object with exactly one exported function,
 * uw_plugin_entry, which returns its constant descriptor and does nothing else.
 * It imports no symbol of the host: the host comes as a table to create. Core
 * copies descriptor and interface tables at registration.
 *
 * Every struct starts with its size and grows at its end only (C-4); a member
 * that lies past the size given reads as NULL or 0.
 */
#ifndef UMWELT_PLUGIN_H
#define UMWELT_PLUGIN_H

#include <umwelt/call.h>

#ifdef __cplusplus
extern "C" {
#endif

enum uw_threads { UW_THREADS_PARALLEL = 1, UW_THREADS_SERIAL = 2 };

/* One service that instances of the plugin provide. */
struct uw_provides {
	const char *service; /* "fs/1" */
	int32_t threads;     /* enum uw_threads */
	uint32_t reserved;
	const void *interface_table; /* e.g. const struct uw_fs_v1 *; starts with its size */
};

enum uw_key_type {
	UW_KEY_BOOL = 1,
	UW_KEY_INT = 2,
	UW_KEY_STRING = 3,
	UW_KEY_PATH = 4,   /* absolute, or relative to the file that names it */
	UW_KEY_CHOICE = 5, /* one of `choices` */
	UW_KEY_STRINGS = 6, /* a list of strings; a single string is a list of one */
	UW_KEY_TREE = 7,    /* any YAML; the plugin reads it with tree_* */
};

enum uw_key_owner { UW_KEY_OWNER = 0, UW_KEY_NARROWING = 1 };

/* One config key of a plugin (C-1, C-15). Core validates; the plugin reads typed values. */
struct uw_key {
	const char *name;
	int32_t type;
	int32_t required;
	int32_t narrowing; /* enum uw_key_owner: may an untrusted bundle set it? */
	int32_t reserved;
	int64_t min, max;          /* of INT; both 0: not bounded */
	const char *default_value; /* as text; NULL: none */
	const char *const *choices; /* NULL-terminated */
	const char *help;           /* one line */
};

/* Validated configuration of one provider. Opaque, of core. */
struct uw_config;
/* A node of a TREE value. Opaque, of core. */
struct uw_tree;
enum uw_tree_kind { UW_TREE_NONE = 0, UW_TREE_SCALAR = 1, UW_TREE_LIST = 2, UW_TREE_MAP = 3 };
/* The standing of one provider in its host. Opaque, of core; lives until destroy has returned. */
struct uw_plugin_context;

enum uw_host_path {
	UW_PATH_STATE = 1,    /* state directory */
	UW_PATH_TEMP = 2,     /* parent of session temps */
	UW_PATH_LAUNCHER = 3, /* umwelt-launch */
	UW_PATH_BWRAP = 4,
	UW_PATH_CHECK_NONCE = 5,     /* file of the in-run check (C-39) */
	UW_PATH_CHECK_FORBIDDEN = 6, /* directory of the in-run check */
};

enum uw_log_level { UW_LOG_ERROR = 1, UW_LOG_WARNING = 2, UW_LOG_INFO = 3, UW_LOG_DEBUG = 4 };

/* The host's table. Functions may be called from any thread until destroy has returned. */
struct uw_host_api {
	size_t size;
	uint32_t abi_major;
	uint32_t reserved;
	/*
	 * The handle of a service (const struct uw_fs * and so on) that the
	 * descriptor lists as required or optional; NULL if it is withheld, absent or
	 * not listed (the last marks the plugin as misbehaving). Valid until destroy.
	 */
	const void *(*service)(struct uw_plugin_context *context, const char *service);
	/* A path of the host, or NULL. Lives as long as the host. */
	const char *(*path)(struct uw_plugin_context *context, int which);
	/*
	 * An open, verified descriptor of an executable of the host (LAUNCHER, BWRAP),
	 * kept by core; -1 with err set where it fails the checks of C-2.
	 */
	int (*executable)(struct uw_plugin_context *context, int which, struct uw_error *err);
	void (*log)(struct uw_plugin_context *context, int level, const char *message);
	/* Values of the configuration; defaults are filled in. A wrong type or name: 0, NULL. */
	int (*config_is_set)(const struct uw_config *config, const char *key);
	int (*config_bool)(const struct uw_config *config, const char *key);
	int64_t (*config_int)(const struct uw_config *config, const char *key);
	const char *(*config_string)(const struct uw_config *config, const char *key);
	size_t (*config_count)(const struct uw_config *config, const char *key);
	const char *(*config_item)(const struct uw_config *config, const char *key, size_t index);
	/* "file:line:column" of a key, or of the provider's own entry (key NULL). */
	const char *(*config_where)(const struct uw_config *config, const char *key);
	/* bytes of nonce.h's in-run nonce (C-39), 16 of them */
	const uint8_t *(*nonce)(struct uw_plugin_context *context);
	/*
	 * The control plane (C-22), path by path from index 0 until NULL: program,
	 * library, plugin directories, launcher, configuration, bundles in use, state.
	 * Canonical; files and directories. Lives as long as the host.
	 */
	const char *(*control_plane)(struct uw_plugin_context *context, size_t index);
	/*
	 * A value of type TREE: its nodes live as long as config. config_tree is NULL
	 * where the key is not set. Each takes NULL, which is a node of kind NONE.
	 */
	const struct uw_tree *(*config_tree)(const struct uw_config *config, const char *key);
	int (*tree_kind)(const struct uw_tree *node); /* enum uw_tree_kind */
	const char *(*tree_text)(const struct uw_tree *node);  /* of a SCALAR, as written; else NULL */
	size_t (*tree_count)(const struct uw_tree *node);      /* members of a LIST or MAP; else 0 */
	const struct uw_tree *(*tree_item)(const struct uw_tree *node, size_t index);
	const char *(*tree_name)(const struct uw_tree *node, size_t index); /* of a MAP's member */
	const char *(*tree_where)(const struct uw_tree *node); /* "file:line:column" */
};

struct uw_plugin {
	size_t size;
	uint32_t abi_major; /* UW_ABI_MAJOR of the headers it was built with */
	uint32_t reserved;
	const char *name; /* as the file's, less "-VERSION.so" */
	const char *version;
	const char *summary; /* one line */
	const struct uw_provides *provides;
	size_t provides_count;
	const char *const *requires_services; /* NULL-terminated; may be NULL */
	const char *const *optional_services; /* NULL-terminated; may be NULL */
	const struct uw_key *keys;
	size_t key_count;
	/*
	 * Makes a provider: the `self` of all its interfaces. Starts nothing that
	 * the live world could see. config and context live until destroy returned.
	 */
	int (*create)(const struct uw_host_api *host, struct uw_plugin_context *context,
	              const struct uw_config *config, void **ret_self, struct uw_error *err);
	/* Ends it; all that it started is gone when it returns. Errors are reported, all is tried. */
	int (*destroy)(void *self, struct uw_error *err);
};

typedef const struct uw_plugin *uw_plugin_entry_fn(void);
#define UW_PLUGIN_ENTRY_NAME "uw_plugin_entry"

#if defined(UW_BUILTIN)
#define UW_EXPORT __attribute__((visibility("hidden")))
#elif defined(__GNUC__)
#define UW_EXPORT __attribute__((visibility("default")))
#else
#define UW_EXPORT
#endif

/* The one exported function; a plugin defines it and nothing else that is visible. */
UW_EXPORT const struct uw_plugin *uw_plugin_entry(void);

#ifdef __cplusplus
}
#endif
#endif
