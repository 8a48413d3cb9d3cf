/*
 * bundle_merge: a document over the one that it extends (C-11). Maps merge, lists
 * and scalars replace, null removes. One exception: a provider's map that names
 * another plugin, or `chain` or `runner` where the base has something else,
 * replaces it, since the keys of one plugin mean nothing to another. `policy` is
 * no such map: its keys are the same for every plugin.
 */
#include "core/bundle_internal.h"

#include <string.h>

struct uwi_node *uwi_node_make(struct uw_arena *arena, const char *text, const char *origin,
                               const char *dir)
{
	struct uwi_node *node = uw_arena_alloc(arena, 1, sizeof *node);
	char *copy = uw_arena_text(arena, text);
	if (!node || !copy)
		return NULL;
	node->kind = UWI_SCALAR;
	node->quoted = 1;
	node->text = copy;
	node->text_len = strlen(copy);
	node->file = node->where = origin;
	node->dir = dir;
	node->trusted = 1;
	return node;
}

int uwi_map_put(struct uw_arena *arena, struct uwi_node *map, const char *key,
                struct uwi_node *item)
{
	struct uwi_node **items, **keys, *name;
	for (size_t i = 0; i < map->count; i++)
		if (uwi_node_is(map->keys[i], key)) {
			map->items[i] = item;
			return 0;
		}
	items = uw_arena_alloc(arena, map->count + 1, sizeof *items);
	keys = uw_arena_alloc(arena, map->count + 1, sizeof *keys);
	name = uwi_node_make(arena, key, item->where, item->dir);
	if (!items || !keys || !name)
		return UW_E_NO_MEMORY;
	name->trusted = item->trusted;
	if (map->count) {
		memcpy(items, map->items, map->count * sizeof *items);
		memcpy(keys, map->keys, map->count * sizeof *keys);
	}
	items[map->count] = item;
	keys[map->count] = name;
	map->items = items;
	map->keys = keys;
	map->count++;
	return 0;
}

void uwi_map_remove(struct uwi_node *map, const char *key)
{
	for (size_t i = 0; i < map->count; i++)
		if (uwi_node_is(map->keys[i], key)) {
			size_t rest = map->count - i - 1;
			memmove(map->items + i, map->items + i + 1, rest * sizeof *map->items);
			memmove(map->keys + i, map->keys + i + 1, rest * sizeof *map->keys);
			map->count--;
			return;
		}
}

/* 1 if `over` is another provider than `base`, not a change of it. */
static int is_another(const struct uwi_node *base, const struct uwi_node *over)
{
	static const char *const forms[] = {"chain", "runner"};
	const struct uwi_node *plugin = uwi_node_get(over, "plugin");
	const struct uwi_node *before = uwi_node_get(base, "plugin");
	if (plugin && plugin->kind == UWI_SCALAR && (!before || !uwi_node_is(before, plugin->text)))
		return 1;
	for (size_t i = 0; i < 2; i++) {
		const struct uwi_node *form = uwi_node_get(over, forms[i]);
		if (form && form->kind != UWI_NULL && !uwi_node_get(base, forms[i]))
			return 1;
	}
	return 0;
}

static int merge(struct uwi_loading *loading, const struct uwi_rule *rule, struct uwi_node *base,
                 struct uwi_node *over, struct uwi_node **ret_node);

static int put(struct uwi_node *map, struct uwi_node *key, struct uwi_node *item)
{
	map->keys[map->count] = key;
	map->items[map->count++] = item;
	return 0;
}

static int merge_item(struct uwi_loading *loading, const struct uwi_rule *rule,
                      struct uwi_node *base_item, struct uwi_node *over_item, struct uwi_node *key,
                      struct uwi_node *map)
{
	struct uwi_node *item;
	int status;
	if (over_item && over_item->kind == UWI_NULL)
		return 0;
	status = merge(loading, rule, base_item, over_item, &item);
	return status ? status : put(map, key, item);
}

/* base may be NULL: `over` less its nulls. */
static int merge_maps(struct uwi_loading *loading, const struct uwi_rule *rule, int is_root,
                      struct uwi_node *base, struct uwi_node *over, struct uwi_node *map)
{
	size_t room = over->count + (base ? base->count : 0);
	int status = 0;
	map->items = uw_arena_alloc(loading->arena, room, sizeof *map->items);
	map->keys = uw_arena_alloc(loading->arena, room, sizeof *map->keys);
	map->count = 0;
	if (!map->items || !map->keys)
		return UW_E_NO_MEMORY;
	for (size_t i = 0; base && i < base->count && !status; i++) {
		struct uwi_node *key = base->keys[i];
		const struct uwi_rule *below = rule || is_root ? uwi_rule_below(rule, key->text) : NULL;
		status =
		    merge_item(loading, below, base->items[i], uwi_node_find(over, key->text), key, map);
	}
	for (size_t i = 0; i < over->count && !status; i++) {
		struct uwi_node *key = over->keys[i];
		const struct uwi_rule *below;
		if (key->kind != UWI_SCALAR || uwi_node_get(base, key->text))
			continue;
		below = rule || is_root ? uwi_rule_below(rule, key->text) : NULL;
		status = merge_item(loading, below, NULL, over->items[i], key, map);
	}
	return status;
}

/* rule NULL: within a plugin's own keys. over NULL: base stays. */
static int merge(struct uwi_loading *loading, const struct uwi_rule *rule, struct uwi_node *base,
                 struct uwi_node *over, struct uwi_node **ret_node)
{
	struct uwi_node *node;
	if (!over || over->kind != UWI_MAP) {
		*ret_node = over ? over : base;
		return 0;
	}
	if (base && base->kind != UWI_MAP)
		base = NULL;
	if (base && rule && rule->kind == UWI_RULE_PROVIDER && is_another(base, over))
		base = NULL;
	node = uw_arena_alloc(loading->arena, 1, sizeof *node);
	if (!node)
		return UW_E_NO_MEMORY;
	*node = *over;
	node->trusted = over->trusted && (!base || base->trusted);
	*ret_node = node;
	return merge_maps(loading, rule, 0, base, over, node);
}

int uwi_merge(struct uwi_loading *loading, struct uwi_node *base, struct uwi_node *over,
              struct uwi_node **ret_root)
{
	struct uwi_node *node = uw_arena_alloc(loading->arena, 1, sizeof *node);
	if (!node)
		return UW_E_NO_MEMORY;
	*node = *over;
	node->trusted = over->trusted && (!base || base->trusted);
	*ret_root = node;
	return merge_maps(loading, NULL, 1, base, over, node);
}
