/*
 * bundle_check: one document, and then the merged one, against the table of keys.
 * What the table leaves to a plugin is passed over here; core/config.c checks it
 * once the plugin's own table is known.
 */
#include "core/bundle_internal.h"

#include <stdio.h>
#include <string.h>

#define PROBLEM(loading, node, path, ...)                                                          \
	uwi_problem((loading)->problems, UW_E_BUNDLE_INVALID, node, path, __VA_ARGS__)

static int wrong_type(struct uwi_loading *loading, const struct uwi_rule *rule,
                      const struct uwi_node *node, const char *path)
{
	const char *wants = uwi_rule_wants(loading->arena, rule);
	if (!wants)
		return UW_E_NO_MEMORY;
	PROBLEM(loading, node, path, "wanted here: %s; this is %s%s", wants, uwi_node_kind_name(node),
	        node->kind == UWI_SCALAR && node->quoted ? " in quotes" : "");
	return 0;
}

static int is_choice(const struct uwi_rule *rule, const struct uwi_node *node)
{
	for (size_t i = 0; rule->choices[i]; i++)
		if (uwi_node_is(node, rule->choices[i]))
			return 1;
	return 0;
}

static int is_text(const struct uwi_node *node)
{
	return node->kind == UWI_SCALAR && !uwi_node_is_bool(node) && !uwi_node_is_number(node);
}

static int is_name(const char *text)
{
	return *text &&
	       !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

static int check(struct uwi_loading *loading, const struct uwi_rule *rule, struct uwi_node *node,
                 const char *path);

/* ---- kinds ---- */

static int check_version(struct uwi_loading *loading, const struct uwi_node *node, const char *path)
{
	int64_t version;
	if (uwi_node_int(node, &version) < 0 || version != 1)
		PROBLEM(loading, node, path, "this Umwelt reads documents of version 1; write `umwelt: 1`");
	return 0;
}

static int check_int(struct uwi_loading *loading, const struct uwi_rule *rule,
                     const struct uwi_node *node, const char *path)
{
	int64_t value;
	if (uwi_node_int(node, &value) < 0)
		return wrong_type(loading, rule, node, path);
	if (value < rule->min || value > rule->max)
		PROBLEM(loading, node, path, "%lld is out of its bounds, %lld to %lld", (long long)value,
		        (long long)rule->min, (long long)rule->max);
	return 0;
}

static int check_text(struct uwi_loading *loading, const struct uwi_rule *rule,
                      const struct uwi_node *node, const char *path)
{
	if (node->kind == UWI_BROKEN)
		return 0;
	if (!is_text(node))
		return wrong_type(loading, rule, node, path);
	if (!node->text_len)
		PROBLEM(loading, node, path, "an empty text has no meaning here");
	else if (rule->choices && !is_choice(rule, node))
		uwi_wrong_choice(loading->problems, node, path, rule->choices);
	return 0;
}

static int check_texts(struct uwi_loading *loading, const struct uwi_rule *rule,
                       const struct uwi_node *node, const char *path)
{
	char below[UWI_KEY_PATH_MAX];
	int status = 0;
	if (node->kind != UWI_LIST)
		return is_text(node) ? check_text(loading, rule, node, path)
		                     : wrong_type(loading, rule, node, path);
	for (size_t i = 0; i < node->count && !status; i++) {
		uwi_index_path(below, path, i);
		status = check_text(loading, rule, node->items[i], below);
	}
	return status;
}

static int check_root(struct uwi_loading *loading, const struct uwi_node *node, const char *path)
{
	const struct uwi_node *where = uwi_node_get(node, "path");
	const struct uwi_node *missing = uwi_node_get(node, "missing");
	if (node->kind == UWI_BROKEN || (is_text(node) && node->text_len))
		return 0;
	if (!where || !is_text(where) || !where->text_len) {
		PROBLEM(loading, node, path, "a root is a path, or {path: P, missing: create | skip}");
		return 0;
	}
	if (missing && !uwi_node_is(missing, "create") && !uwi_node_is(missing, "skip"))
		PROBLEM(loading, missing, path, "`missing` is create or skip");
	for (size_t i = 0; i < node->count; i++)
		if (!uwi_node_is(node->keys[i], "path") && !uwi_node_is(node->keys[i], "missing"))
			PROBLEM(loading, node->keys[i], path, "a root has the keys `path` and `missing` alone");
	return 0;
}

static int check_list(struct uwi_loading *loading, const struct uwi_rule *rule,
                      const struct uwi_node *node, const char *path)
{
	const struct uwi_rule *member = uwi_rule_member(rule);
	char below[UWI_KEY_PATH_MAX];
	int status = 0;
	if (node->kind != UWI_LIST)
		return wrong_type(loading, rule, node, path);
	for (size_t i = 0; i < node->count && !status; i++) {
		uwi_index_path(below, path, i);
		if (!member)
			status = check_root(loading, node->items[i], below);
		else if (node->items[i]->kind == UWI_NULL)
			status = wrong_type(loading, member, node->items[i], below);
		else
			status = check(loading, member, node->items[i], below);
	}
	return status;
}

static void unknown_key(struct uwi_loading *loading, const struct uwi_rule *rule,
                        const struct uwi_node *key, const char *path)
{
	const char *nearest = uwi_nearest(key->text, uwi_rule_name, rule);
	PROBLEM(loading, key, path, "there is no such key%s%s%s", nearest ? "; did you mean `" : "",
	        nearest ? nearest : "", nearest ? "`?" : "");
}

/* rule NULL: the document itself. */
static int check_map(struct uwi_loading *loading, const struct uwi_rule *rule,
                     const struct uwi_node *node, const char *path)
{
	char below[UWI_KEY_PATH_MAX];
	int status = 0;
	if (node->kind != UWI_MAP)
		return wrong_type(loading, rule, node, path);
	for (size_t i = 0; i < node->count && !status; i++) {
		const struct uwi_node *key = node->keys[i];
		const struct uwi_rule *known;
		if (key->kind != UWI_SCALAR)
			continue;
		uwi_key_path(below, path, key->text);
		known = uwi_rule_below(rule, key->text);
		if (rule && rule->kind == UWI_RULE_NAMES && !is_name(key->text))
			PROBLEM(loading, key, below, "a name is made of letters, digits, `-` and `_`");
		else if (known)
			status = check(loading, known, node->items[i], below);
		else if (!rule || !(rule->flags & UWI_RULE_PLUGIN_KEYS))
			unknown_key(loading, rule, key, below);
	}
	return status;
}

static int check_provider(struct uwi_loading *loading, const struct uwi_rule *rule,
                          const struct uwi_node *node, const char *path)
{
	if (node->kind == UWI_MAP)
		return check_map(loading, rule, node, path);
	if (!is_text(node) || (rule->flags & UWI_RULE_ONLY_MAP))
		return wrong_type(loading, rule, node, path);
	return 0;
}

static int check(struct uwi_loading *loading, const struct uwi_rule *rule, struct uwi_node *node,
                 const char *path)
{
	if (node->kind == UWI_BROKEN || node->kind == UWI_NULL)
		return 0;
	switch (rule->kind) {
	case UWI_RULE_VERSION: return check_version(loading, node, path);
	case UWI_RULE_MAP:
	case UWI_RULE_NAMES: return check_map(loading, rule, node, path);
	case UWI_RULE_PROVIDER: return check_provider(loading, rule, node, path);
	case UWI_RULE_LIST:
	case UWI_RULE_ROOTS: return check_list(loading, rule, node, path);
	case UWI_RULE_BOOL: return uwi_node_is_bool(node) ? 0 : wrong_type(loading, rule, node, path);
	case UWI_RULE_INT: return check_int(loading, rule, node, path);
	case UWI_RULE_TEXT:
	case UWI_RULE_PATH:
	case UWI_RULE_CHOICE: return check_text(loading, rule, node, path);
	case UWI_RULE_TEXTS: return check_texts(loading, rule, node, path);
	}
	return 0;
}

int uwi_document_check(struct uwi_loading *loading, struct uwi_node *root)
{
	const struct uwi_node *version = uwi_node_get(root, "umwelt");
	if (root->kind == UWI_BROKEN)
		return 0;
	if (root->kind != UWI_MAP) {
		PROBLEM(loading, root, "", "a bundle is a map whose first key is `umwelt: 1`");
		return 0;
	}
	if (!version || !uwi_node_is(root->keys[0], "umwelt"))
		PROBLEM(loading, version || !root->count ? root : root->keys[0], "umwelt",
		        "the first key of a bundle is `umwelt: 1`");
	else if (version->kind == UWI_NULL)
		(void)check_version(loading, version, "umwelt");
	return check_map(loading, NULL, root, "");
}

/* ---- the merged document ---- */

static void check_required(struct uwi_loading *loading, const struct uwi_rule *parent,
                           const struct uwi_node *map, const char *path)
{
	char below[UWI_KEY_PATH_MAX];
	const char *name;
	for (size_t i = 0; (name = uwi_rule_name(parent, i)) != NULL; i++) {
		const struct uwi_rule *rule = uwi_rule_below(parent, name);
		const struct uwi_node *node = uwi_node_get(map, name);
		uwi_key_path(below, path, name);
		if (node && node->kind == UWI_MAP &&
		    (rule->kind == UWI_RULE_MAP || rule->kind == UWI_RULE_PROVIDER))
			check_required(loading, rule, node, below);
		else if (!node && (rule->flags & UWI_RULE_REQUIRED))
			PROBLEM(loading, map, below, "this key is missing: %s", rule->help);
	}
}

int uwi_merged_check(struct uwi_loading *loading)
{
	int status = uwi_document_check(loading, loading->root);
	if (!status && loading->root->kind == UWI_MAP)
		check_required(loading, NULL, loading->root, "");
	return status;
}
