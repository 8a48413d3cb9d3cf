/*
 * bundle_trust: what a document from an untrusted place may change of what it
 * extends (C-15). Values that were found narrower are marked trusted; the keys of
 * a plugin keep the mark of their document, and core/config.c asks the plugin's
 * table about them.
 */
#include "core/bundle_internal.h"

#include <string.h>

static int check(struct uwi_loading *loading, const struct uwi_rule *rule,
                 const struct uwi_node *base, struct uwi_node *over, const char *path);

static void refuse(struct uwi_loading *loading, const struct uwi_node *at, const char *path,
                   const char *why)
{
	uwi_problem(loading->problems, UW_E_BUNDLE_UNTRUSTED, at, path,
	            "%s; this document lies inside the workspace or can be written by others", why);
}

static int is_member(const struct uwi_node *list, const struct uwi_node *item)
{
	if (list && list->kind == UWI_SCALAR)
		return uwi_node_is(item, list->text);
	for (size_t i = 0; list && list->kind == UWI_LIST && i < list->count; i++)
		if (list->items[i]->kind == UWI_SCALAR && uwi_node_is(item, list->items[i]->text))
			return 1;
	return 0;
}

/* 1 if every member of the one list is in the other. A text is a list of one. */
static int holds_all(const struct uwi_node *list, const struct uwi_node *of)
{
	if (of->kind == UWI_SCALAR)
		return is_member(list, of);
	for (size_t i = 0; of->kind == UWI_LIST && i < of->count; i++)
		if (!is_member(list, of->items[i]))
			return 0;
	return 1;
}

static size_t rank(const struct uwi_rule *rule, const char *text)
{
	size_t i = 0;
	while (rule->choices[i] && strcmp(rule->choices[i], text) != 0)
		i++;
	return i;
}

static int is_lower(const struct uwi_rule *rule, const struct uwi_node *base,
                    const struct uwi_node *over)
{
	struct uwi_node byte_default = {.kind = UWI_SCALAR, .text = rule->default_text};
	int64_t old_value, new_value;
	if (!base || base->kind != UWI_SCALAR)
		base = &byte_default;
	if (rule->kind == UWI_RULE_CHOICE)
		return over->kind == UWI_SCALAR && rank(rule, over->text) <= rank(rule, base->text);
	return !uwi_node_int(base, &old_value) && !uwi_node_int(over, &new_value) &&
	       new_value <= old_value;
}

/* The whole default list of a rule is its choices. */
static int is_fewer(const struct uwi_rule *rule, const struct uwi_node *base,
                    const struct uwi_node *over)
{
	if (base)
		return holds_all(base, over);
	return rule->choices != NULL;
}

static int narrows(const struct uwi_rule *rule, const struct uwi_node *base,
                   const struct uwi_node *over)
{
	switch (rule->narrowing) {
	case UWI_FREE: return 1;
	case UWI_LOWER: return is_lower(rule, base, over);
	case UWI_FEWER: return is_fewer(rule, base, over);
	case UWI_MORE: return !base || holds_all(over, base);
	case UWI_ONLY_TRUE: return uwi_node_is(over, "true");
	case UWI_OWNER: break;
	}
	return 0;
}

static int check_leaf(struct uwi_loading *loading, const struct uwi_rule *rule,
                      const struct uwi_node *base, struct uwi_node *over, const char *path)
{
	if (narrows(rule, base, over))
		over->trusted = 1;
	else if (rule->narrowing == UWI_OWNER)
		refuse(loading, over, path, "only an owner's document may set this");
	else
		refuse(loading, over, path, "this is wider than what the document extends");
	return 0;
}

/* rule NULL: the document itself. */
static int check_map(struct uwi_loading *loading, const struct uwi_rule *rule,
                     const struct uwi_node *base, struct uwi_node *over, const char *path)
{
	char below[UWI_KEY_PATH_MAX];
	int status = 0;
	for (size_t i = 0; i < over->count && !status; i++) {
		const struct uwi_node *key = over->keys[i];
		const struct uwi_rule *known =
		    key->kind == UWI_SCALAR ? uwi_rule_below(rule, key->text) : NULL;
		if (key->kind != UWI_SCALAR)
			continue;
		uwi_key_path(below, path, key->text);
		if (known)
			status = check(loading, known, uwi_node_get(base, key->text), over->items[i], below);
		else if (over->items[i]->kind == UWI_NULL && uwi_node_get(base, key->text))
			refuse(loading, over->items[i], below, "only an owner's document may remove this");
	}
	return status;
}

static int check(struct uwi_loading *loading, const struct uwi_rule *rule,
                 const struct uwi_node *base, struct uwi_node *over, const char *path)
{
	if (over->kind == UWI_BROKEN)
		return 0;
	if (over->kind == UWI_NULL) {
		if (base && !(rule->flags & UWI_RULE_REMOVABLE))
			refuse(loading, over, path, "only an owner's document may remove this");
		return 0;
	}
	if (over->kind == UWI_MAP && (rule->kind == UWI_RULE_MAP || rule->kind == UWI_RULE_NAMES))
		return check_map(loading, rule, base, over, path);
	/* the keys of a provider that stands in the base already; `plugin` is refused in it */
	if (over->kind == UWI_MAP && rule->kind == UWI_RULE_PROVIDER && base && base->kind == UWI_MAP)
		return check_map(loading, rule, base, over, path);
	return check_leaf(loading, rule, base, over, path);
}

/* A document that chooses what it extends must not so choose a world without walls. */
static void check_extends(struct uwi_loading *loading, const struct uwi_node *base,
                          const struct uwi_node *over)
{
	const struct uwi_node *extends = uwi_node_get(over, "extends");
	const struct uwi_node *base_mode = uwi_node_get(uwi_node_get(base, "policy"), "mode");
	const struct uwi_node *mode = uwi_node_get(uwi_node_get(over, "policy"), "mode");
	if (!extends || !uwi_node_is(base_mode, "danger-full-access"))
		return;
	if (!mode || mode->kind != UWI_SCALAR || uwi_node_is(mode, "danger-full-access"))
		refuse(loading, extends, "extends",
		       "a base of mode danger-full-access is an owner's choice");
}

int uwi_trust_check(struct uwi_loading *loading, const struct uwi_node *base, struct uwi_node *over)
{
	check_extends(loading, base, over);
	return check_map(loading, NULL, base, over, "");
}
