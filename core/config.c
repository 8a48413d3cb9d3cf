/*
 * config: a provider's map, checked against its plugin's key table, as typed
 * values. One arena per configuration; immutable once made; any thread may read.
 */
#include "core/config.h"

#include "common/arena.h"
#include "core/bundle_keys.h"

#include <stdlib.h>
#include <string.h>

struct value {
	int is_set;
	int64_t number;     /* INT, BOOL */
	const char **items; /* STRING, PATH, CHOICE: one; STRINGS: all */
	size_t count;
	const struct uwi_node *node; /* NULL: the default */
};

struct uw_config {
	struct uw_arena arena;
	const struct uw_key *keys;
	size_t key_count;
	struct value *values; /* in the order of keys */
	const char *where;
};

/* The state of one check. */
struct checking {
	struct uw_config *config;
	const struct uwi_node *map;
	const char *path;
	struct uwi_problems *problems;
};

static const struct uw_key *find_key(const struct uw_config *config, const char *name)
{
	for (size_t i = 0; i < config->key_count; i++)
		if (!strcmp(config->keys[i].name, name))
			return &config->keys[i];
	return NULL;
}

static const struct value *find_value(const struct uw_config *config, const char *name)
{
	const struct uw_key *key = config && name ? find_key(config, name) : NULL;
	return key ? &config->values[key - config->keys] : NULL;
}

static const char *key_name(const void *arg, size_t index)
{
	const struct uw_config *config = arg;
	return index < config->key_count ? config->keys[index].name : NULL;
}

/* ---- problems ---- */

static void no_memory(struct checking *checking)
{
	uwi_problem(checking->problems, UW_E_NO_MEMORY, NULL, checking->path,
	            "memory could not be had");
}

#define PROBLEM(checking, node, key, ...)                                                          \
	problem_at(checking, node, key, UW_E_BUNDLE_INVALID, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) static void problem_at(struct checking *checking,
                                                             const struct uwi_node *node,
                                                             const char *key, int code,
                                                             const char *format, ...)
{
	char text[UW_ERROR_MESSAGE_MAX], path[UWI_KEY_PATH_MAX];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	uwi_key_path(path, checking->path, key);
	uwi_problem(checking->problems, code, node, path, "%s", text);
}

/* ---- values ---- */

/* Text as the plugin gets it; a path becomes absolute. NULL: reported. */
static const char *take_text(struct checking *checking, const struct uw_key *key,
                             const struct uwi_node *node)
{
	struct uw_arena *arena = &checking->config->arena;
	const char *text;
	if (node->kind != UWI_SCALAR || uwi_node_is_bool(node) || uwi_node_is_number(node)) {
		PROBLEM(checking, node, key->name, "text is wanted here, this is %s%s",
		        uwi_node_kind_name(node), node->kind == UWI_SCALAR ? "; write it in quotes" : "");
		return NULL;
	}
	if (key->type == UW_KEY_PATH)
		text = uwi_path_absolute(arena, node->dir, node->text);
	else
		text = uw_arena_copy(arena, node->text, node->text_len);
	if (!text)
		no_memory(checking);
	return text;
}

static void take_texts(struct checking *checking, const struct uw_key *key,
                       const struct uwi_node *node, struct value *value)
{
	size_t count = node->kind == UWI_LIST ? node->count : 1;
	value->items = uw_arena_alloc(&checking->config->arena, count, sizeof *value->items);
	if (!value->items) {
		no_memory(checking);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct uwi_node *item = node->kind == UWI_LIST ? node->items[i] : node;
		const char *text = item->kind == UWI_BROKEN ? NULL : take_text(checking, key, item);
		if (text)
			value->items[value->count++] = text;
	}
}

static void take_int(struct checking *checking, const struct uw_key *key,
                     const struct uwi_node *node, struct value *value)
{
	if (uwi_node_int(node, &value->number) < 0) {
		PROBLEM(checking, node, key->name, "a whole number is wanted here, this is %s%s",
		        uwi_node_kind_name(node), node->quoted ? " in quotes" : "");
		return;
	}
	if ((key->min || key->max) && (value->number < key->min || value->number > key->max))
		PROBLEM(checking, node, key->name, "%lld is out of its bounds, %lld to %lld",
		        (long long)value->number, (long long)key->min, (long long)key->max);
}

static void take_bool(struct checking *checking, const struct uw_key *key,
                      const struct uwi_node *node, struct value *value)
{
	if (!uwi_node_is_bool(node))
		PROBLEM(checking, node, key->name, "true or false is wanted here, this is %s",
		        node->kind == UWI_SCALAR && node->quoted ? "text in quotes"
		                                                 : uwi_node_kind_name(node));
	value->number = uwi_node_is(node, "true");
}

static void take_choice(struct checking *checking, const struct uw_key *key,
                        const struct uwi_node *node, struct value *value)
{
	char path[UWI_KEY_PATH_MAX];
	if (node->kind != UWI_SCALAR) {
		PROBLEM(checking, node, key->name, "one word is wanted here, this is %s",
		        uwi_node_kind_name(node));
		return;
	}
	for (size_t i = 0; key->choices && key->choices[i]; i++)
		if (!strcmp(node->text, key->choices[i])) {
			value->items = uw_arena_alloc(&checking->config->arena, 1, sizeof *value->items);
			if (!value->items) {
				no_memory(checking);
				return;
			}
			value->items[0] = key->choices[i];
			value->count = 1;
			return;
		}
	if (key->choices) {
		uwi_key_path(path, checking->path, key->name);
		uwi_wrong_choice(checking->problems, node, path, key->choices);
	}
}

static void take_value(struct checking *checking, const struct uw_key *key,
                       const struct uwi_node *node)
{
	struct value *value = &checking->config->values[key - checking->config->keys];
	value->is_set = 1;
	value->node = node;
	if (!node->trusted && key->narrowing != UW_KEY_NARROWING)
		problem_at(checking, node, key->name, UW_E_BUNDLE_UNTRUSTED,
		           "only an owner's document may set this; this one lies in an untrusted place");
	switch (key->type) {
	case UW_KEY_BOOL: take_bool(checking, key, node, value); break;
	case UW_KEY_INT: take_int(checking, key, node, value); break;
	case UW_KEY_CHOICE: take_choice(checking, key, node, value); break;
	case UW_KEY_STRING:
	case UW_KEY_PATH:
		if (node->kind == UWI_LIST)
			(void)take_text(checking, key, node);
		else
			take_texts(checking, key, node, value);
		break;
	case UW_KEY_STRINGS: take_texts(checking, key, node, value); break;
	default: break; /* TREE: the plugin reads it */
	}
}

static void take_default(struct checking *checking, const struct uw_key *key)
{
	struct value *value = &checking->config->values[key - checking->config->keys];
	const char *text = key->default_value;
	if (!text) {
		if (key->required)
			PROBLEM(checking, checking->map, key->name, "this key is missing: %s",
			        key->help ? key->help : "it is required");
		return;
	}
	if (key->type == UW_KEY_BOOL)
		value->number = !strcmp(text, "true");
	else if (key->type == UW_KEY_INT)
		value->number = strtoll(text, NULL, 10);
	else if (key->type != UW_KEY_TREE && !(key->type == UW_KEY_STRINGS && !*text)) {
		value->items = uw_arena_alloc(&checking->config->arena, 1, sizeof *value->items);
		if (!value->items) {
			no_memory(checking);
			return;
		}
		value->items[0] = text;
		value->count = 1;
	}
}

static void unknown_key(struct checking *checking, const struct uwi_node *key)
{
	const char *nearest;
	if (key->kind != UWI_SCALAR || !strcmp(key->text, "plugin") || !strcmp(key->text, "name") ||
	    uwi_rule_child(checking->path, key->text))
		return;
	nearest = uwi_nearest(key->text, key_name, checking->config);
	PROBLEM(checking, key, key->text, "there is no such key%s%s%s",
	        nearest ? "; did you mean `" : "", nearest ? nearest : "", nearest ? "`?" : "");
}

struct uw_config *uwi_config_create(const struct uw_key *keys, size_t key_count,
                                    const struct uwi_node *map, const char *path,
                                    struct uwi_problems *problems)
{
	size_t problems_before = problems->count;
	struct uw_config *config = calloc(1, sizeof *config);
	struct checking checking = {config, map, path, problems};
	if (config) {
		config->keys = keys;
		config->key_count = key_count;
		config->values = uw_arena_alloc(&config->arena, key_count, sizeof *config->values);
		config->where = uw_arena_text(&config->arena, map && map->where ? map->where : path);
	}
	if (!config || !config->values || !config->where) {
		no_memory(&checking);
		uwi_config_destroy(config);
		return NULL;
	}
	for (size_t i = 0; map && map->kind == UWI_MAP && i < map->count; i++)
		if (map->keys[i]->kind == UWI_SCALAR && !find_key(config, map->keys[i]->text))
			unknown_key(&checking, map->keys[i]);
	for (size_t i = 0; i < key_count; i++) {
		const struct uwi_node *node = uwi_node_get(map, keys[i].name);
		if (node && node->kind == UWI_BROKEN)
			continue;
		if (node && node->kind != UWI_NULL)
			take_value(&checking, &keys[i], node);
		else
			take_default(&checking, &keys[i]);
	}
	if (problems->count != problems_before) {
		uwi_config_destroy(config);
		return NULL;
	}
	return config;
}

void uwi_config_destroy(struct uw_config *config)
{
	if (!config)
		return;
	uw_arena_finish(&config->arena);
	free(config);
}

/* ---- reading ---- */

int uwi_config_is_set(const struct uw_config *config, const char *key)
{
	const struct value *value = find_value(config, key);
	return value && value->is_set;
}

int uwi_config_bool(const struct uw_config *config, const char *key)
{
	return uwi_config_int(config, key) != 0;
}

int64_t uwi_config_int(const struct uw_config *config, const char *key)
{
	const struct value *value = find_value(config, key);
	return value ? value->number : 0;
}

const char *uwi_config_string(const struct uw_config *config, const char *key)
{
	return uwi_config_item(config, key, 0);
}

size_t uwi_config_count(const struct uw_config *config, const char *key)
{
	const struct value *value = find_value(config, key);
	return value ? value->count : 0;
}

const char *uwi_config_item(const struct uw_config *config, const char *key, size_t index)
{
	const struct value *value = find_value(config, key);
	return value && index < value->count ? value->items[index] : NULL;
}

const char *uwi_config_where(const struct uw_config *config, const char *key)
{
	const struct value *value = find_value(config, key);
	if (value && value->node && value->node->where)
		return value->node->where;
	return config ? config->where : "";
}

const struct uw_tree *uwi_config_tree(const struct uw_config *config, const char *key)
{
	const struct value *value = find_value(config, key);
	return value ? (const struct uw_tree *)value->node : NULL;
}

/* A plugin's struct uw_tree is a node. */
static const struct uwi_node *node_of(const struct uw_tree *tree)
{
	return (const struct uwi_node *)tree;
}

int uwi_tree_kind(const struct uw_tree *node)
{
	switch (node ? node_of(node)->kind : UWI_NULL) {
	case UWI_SCALAR: return UW_TREE_SCALAR;
	case UWI_LIST: return UW_TREE_LIST;
	case UWI_MAP: return UW_TREE_MAP;
	default: return UW_TREE_NONE;
	}
}

const char *uwi_tree_text(const struct uw_tree *node)
{
	return uwi_tree_kind(node) == UW_TREE_SCALAR ? node_of(node)->text : NULL;
}

size_t uwi_tree_count(const struct uw_tree *node)
{
	int kind = uwi_tree_kind(node);
	return kind == UW_TREE_LIST || kind == UW_TREE_MAP ? node_of(node)->count : 0;
}

const struct uw_tree *uwi_tree_item(const struct uw_tree *node, size_t index)
{
	return index < uwi_tree_count(node) ? (const struct uw_tree *)node_of(node)->items[index]
	                                    : NULL;
}

const char *uwi_tree_name(const struct uw_tree *node, size_t index)
{
	if (uwi_tree_kind(node) != UW_TREE_MAP || index >= node_of(node)->count)
		return NULL;
	return node_of(node)->keys[index]->text;
}

const char *uwi_tree_where(const struct uw_tree *node)
{
	return node && node_of(node)->where ? node_of(node)->where : "";
}
