/*
 * config: the typed, validated configuration of one provider (struct uw_config),
 * and the tree it is made from.
 *
 * A node is one YAML value with its position and origin. Trees are immutable
 * once a bundle is loaded, and owned by its arena.
 */
#ifndef UW_CORE_CONFIG_H
#define UW_CORE_CONFIG_H

#include <umwelt/plugin.h>

/* BROKEN: a problem was reported for it already; every check passes over it. */
enum uwi_node_kind { UWI_NULL, UWI_SCALAR, UWI_LIST, UWI_MAP, UWI_BROKEN };

struct uwi_node {
	enum uwi_node_kind kind;
	int quoted;         /* SCALAR: it was quoted, hence a string */
	int literal;        /* SCALAR: the caller's own word, in which ${ means nothing */
	const char *text;   /* SCALAR; no NUL inside */
	size_t text_len;
	struct uwi_node **items; /* LIST: values; MAP: values in order */
	struct uwi_node **keys;  /* MAP: key scalars, same order */
	size_t count;
	const char *file;   /* origin: file name as asked for, "--set", "--mode" or "--workspace" */
	const char *dir;    /* absolute directory that relative paths start at */
	unsigned line, column; /* 1-based; 0 for --set */
	const char *where;  /* "file:line:column" */
	int trusted;        /* an owner's document, or a narrowing value that was checked (C-15) */
};

/* The value of a key, or NULL. map may be NULL or no map. */
const struct uwi_node *uwi_node_get(const struct uwi_node *map, const char *key);
/* The same for a tree that is still being made. */
struct uwi_node *uwi_node_find(const struct uwi_node *map, const char *key);
/* "a map", "a list", "text", "a number", "true or false", "nothing". Static memory. */
const char *uwi_node_kind_name(const struct uwi_node *node);
/* 1 if the scalar is unquoted and reads as a number or a truth value of YAML 1.2. */
int uwi_node_is_number(const struct uwi_node *node);
int uwi_node_is_bool(const struct uwi_node *node);
/* 0, or -1 if it is no unquoted decimal integer of 64 bits. */
int uwi_node_int(const struct uwi_node *node, int64_t *ret_value);
int uwi_node_is(const struct uwi_node *node, const char *text);

#define UWI_KEY_PATH_MAX 512
/* path.key and path[index] as text for messages; cut where too long. */
void uwi_key_path(char path[UWI_KEY_PATH_MAX], const char *parent, const char *key);
void uwi_index_path(char path[UWI_KEY_PATH_MAX], const char *parent, size_t index);

/*
 * Where problems go; each is one complete error with details file, line, column
 * and path. first (may be NULL) gets the first one.
 */
struct uwi_problems {
	void (*report)(void *arg, const struct uw_error *error); /* may be NULL */
	void *arg;
	size_t count;
	struct uw_error *first;
	int code; /* of the first */
};

/*
 * Reports a problem of `at` (may be NULL: no position) at the key path `path`
 * (may be ""). The message becomes "file:line:column: path: text".
 */
void uwi_problem(struct uwi_problems *problems, int code, const struct uwi_node *at,
                 const char *path, const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * The choice nearest to `word`, if it is near enough to be what was meant; else
 * NULL. names: one by one from index 0 until NULL.
 */
const char *uwi_nearest(const char *word, const char *(*names)(const void *arg, size_t index),
                        const void *arg);

/* Reports that `node` is none of the choices, with the nearest. NULL-terminated. */
void uwi_wrong_choice(struct uwi_problems *problems, const struct uwi_node *node, const char *path,
                      const char *const *choices);

/*
 * Checks `map` (may be NULL or no map: all defaults) against a plugin's key table;
 * `path` prefixes key paths in messages ("world.fs[0]"). The keys `plugin` and
 * `name`, and what core's own table knows at this path (policy.mode), may be
 * absent from the plugin's. All problems are reported; NULL if there was one.
 * keys must outlive the result, and so must map.
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
const struct uw_tree *uwi_config_tree(const struct uw_config *config, const char *key);
int uwi_tree_kind(const struct uw_tree *node);
const char *uwi_tree_text(const struct uw_tree *node);
size_t uwi_tree_count(const struct uw_tree *node);
const struct uw_tree *uwi_tree_item(const struct uw_tree *node, size_t index);
const char *uwi_tree_name(const struct uw_tree *node, size_t index);
const char *uwi_tree_where(const struct uw_tree *node);

#endif
