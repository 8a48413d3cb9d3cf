/*
 * config: the typed, validated configuration of one provider (struct uw_config),
 * and the tree it is made from.
 *
 * A node is one YAML value with its position and origin. Trees are immutable
 * once parsed and owned by the bundle.
 */
#ifndef UW_CORE_CONFIG_H
#define UW_CORE_CONFIG_H

#include <umwelt/plugin.h>

enum uwi_node_kind { UWI_NULL, UWI_SCALAR, UWI_LIST, UWI_MAP };

struct uwi_node {
	enum uwi_node_kind kind;
	int quoted;         /* SCALAR: it was quoted, hence a string */
	const char *text;   /* SCALAR */
	size_t text_len;
	struct uwi_node **items; /* LIST: values; MAP: values in order */
	struct uwi_node **keys;  /* MAP: key scalars, same order */
	size_t count;
	const char *file;   /* origin: file name, "--set" or "preset:NAME" */
	unsigned line, column; /* 1-based; 0 for --set */
	const char *where;  /* "file:line:column" */
	int trusted;        /* the document's place is trusted (C-15) */
};

/* The value of a key, or NULL. */
const struct uwi_node *uwi_node_get(const struct uwi_node *map, const char *key);

/* Where problems go; each is one complete error with details file, line, column, path. */
struct uwi_problems {
	void (*report)(void *arg, const struct uw_error *error);
	void *arg;
	size_t count;
};

/*
 * Checks `map` (may be NULL: all defaults) against a plugin's key table; `path`
 * prefixes key paths in messages ("world.fs[0]"). The keys `plugin` and `name`
 * are core's and skipped. All problems are reported; NULL if there was one.
 */
struct uw_config *uwi_config_create(const struct uw_key *keys, size_t key_count,
                                    const struct uwi_node *map, const char *path,
                                    struct uwi_problems *problems);
void uwi_config_destroy(struct uw_config *config);

/* The functions of struct uw_host_api that read a configuration. */
int uwi_config_is_set(const struct uw_config *config, const char *key);
int uwi_config_bool(const struct uw_config *config, const char *key);
int64_t uwi_config_int(const struct uw_config *config, const char *key);
const char *uwi_config_string(const struct uw_config *config, const char *key);
size_t uwi_config_count(const struct uw_config *config, const char *key);
const char *uwi_config_item(const struct uw_config *config, const char *key, size_t index);
const char *uwi_config_where(const struct uw_config *config, const char *key);
/* A TREE key's node, for core and (later) for plugins through the table. */
const struct uwi_node *uwi_config_tree(const struct uw_config *config, const char *key);

#endif
