/*
 * bundle_keys: the one table of the bundle's keys (C-10): what they take, their
 * defaults, whether an untrusted document may set them (C-15), and a line of help.
 * Checking, trust, the documentation and the JSON Schema are made from it.
 */
#ifndef UW_CORE_BUNDLE_KEYS_H
#define UW_CORE_BUNDLE_KEYS_H

#include "common/arena.h"

#include <umwelt/types.h>

enum uwi_rule_kind {
	UWI_RULE_VERSION, /* the number 1 */
	UWI_RULE_MAP,     /* the keys below it in the table; with PLUGIN_KEYS, a plugin's besides */
	UWI_RULE_NAMES,   /* a map of any names, each as PATH.* says */
	UWI_RULE_PROVIDER, /* {plugin: NAME, keys of the plugin}, or an instance's name */
	UWI_RULE_LIST,    /* each as PATH[] says */
	UWI_RULE_BOOL,
	UWI_RULE_INT,
	UWI_RULE_TEXT,
	UWI_RULE_PATH,
	UWI_RULE_CHOICE,  /* choices are ordered, the narrowest first */
	UWI_RULE_TEXTS,   /* one text is a list of one */
	UWI_RULE_ROOTS,   /* each a path, or {path, missing: create | skip} */
};

enum uwi_rule_narrowing {
	UWI_OWNER,    /* an untrusted document may not set it */
	UWI_FREE,     /* it may */
	UWI_LOWER,    /* it may lower a number or choose what stands earlier */
	UWI_FEWER,    /* it may leave list members out */
	UWI_MORE,     /* it may add list members */
	UWI_ONLY_TRUE, /* it may set true */
};

#define UWI_RULE_NONE        1u  /* `none` is a value */
#define UWI_RULE_PLUGIN_KEYS 2u  /* what the table does not know is the plugin's */
#define UWI_RULE_ENV         4u  /* values may use ${NAME} */
#define UWI_RULE_REQUIRED    8u  /* the merged document must have it, where it has the map above */
#define UWI_RULE_REMOVABLE   16u /* an untrusted document may remove it */
#define UWI_RULE_ONLY_MAP    32u /* PROVIDER: no instance's name */

struct uwi_rule {
	const char *path; /* "world.fs[].plugin"; * stands for any name */
	enum uwi_rule_kind kind;
	enum uwi_rule_narrowing narrowing;
	unsigned flags;
	int64_t min, max;          /* INT */
	const char *default_text;  /* as YAML; NULL: none */
	const char *const *choices; /* CHOICE, and members of TEXTS; NULL-terminated */
	const char *help;
};

extern const struct uwi_rule uwi_rules[];
extern const size_t uwi_rule_count;

/* The rule of a key below `parent` (NULL: the document itself), or NULL. */
const struct uwi_rule *uwi_rule_below(const struct uwi_rule *parent, const char *key);
/* The rule of a list's members. */
const struct uwi_rule *uwi_rule_member(const struct uwi_rule *list);
/* The rule of the key at a path as it stands in messages ("world.fs[0]"), or NULL. */
const struct uwi_rule *uwi_rule_at(const char *path);
const struct uwi_rule *uwi_rule_child(const char *path, const char *key);
/* The names below `parent`, by index, for suggestions. NULL at the end. */
const char *uwi_rule_name(const void *parent, size_t index);

/* "a map", "true or false", "one of a, b": what the rule takes, for people. */
char *uwi_rule_wants(struct uw_arena *arena, const struct uwi_rule *rule);

/* The table as the markdown of docs/bundles.md. */
int uwi_bundle_print_keys(struct uw_sink sink, struct uw_error *err);

/*
 * dir/text, or text where it is absolute; "." components are dropped, ".." stays
 * (links). NULL: no memory.
 */
char *uwi_path_absolute(struct uw_arena *arena, const char *dir, const char *text);

#endif
