/*
 * The finished policy: one object that owns its texts, holds its guard and its
 * directory handle, and is constant until released (S-2). The revision is a hash
 * over everything that decides.
 */
#include "policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/blake2b.h"

struct draft {
	struct uw_policy policy; /* first: what the caller holds is a pointer to it */
	struct policy_plugin *plugin;
	struct texts texts;
	struct uw_place *roots; /* [0] the workspace */
	size_t root_count, root_room;
	struct uw_view_entry *views;
	size_t view_count, view_room;
	struct guard *guard;
	struct uw_dir *dir;
	int failed;
};

void draft_free(struct draft *draft)
{
	if (!draft)
		return;
	if (draft->dir && draft->dir->release)
		draft->dir->release(draft->dir);
	guard_drop(draft->plugin, draft->guard);
	texts_free(&draft->texts);
	free(draft->roots);
	free(draft->views);
	free(draft);
}

static void release(struct uw_policy *policy)
{
	draft_free((struct draft *)policy);
}

struct draft *draft_start(struct policy_plugin *plugin)
{
	struct draft *draft = calloc(1, sizeof *draft);
	if (!draft)
		return NULL;
	draft->plugin = plugin;
	draft->policy.size = sizeof draft->policy;
	draft->policy.release = release;
	return draft;
}

struct uw_policy *draft_policy(struct draft *draft)
{
	return &draft->policy;
}

struct texts *draft_texts(struct draft *draft)
{
	return &draft->texts;
}

int draft_root(void *arg, const struct look *root)
{
	struct draft *draft = arg;
	for (size_t i = 0; i < draft->root_count; i++)
		if (!strcmp(draft->roots[i].path, root->path))
			return 0;
	if (policy_grow(&draft->roots, draft->root_count, &draft->root_room, sizeof *draft->roots) < 0) {
		draft->failed = 1;
		return 0;
	}
	draft->roots[draft->root_count++] = (struct uw_place){root->path, root->dev, root->ino};
	return 0;
}

const struct uw_place *draft_roots(const struct draft *draft, size_t *ret_count)
{
	*ret_count = draft->root_count;
	return draft->roots;
}

void draft_guard(struct draft *draft, struct guard *guard)
{
	draft->guard = guard;
}

int draft_view(void *arg, const struct uw_view_entry *entry)
{
	struct draft *draft = arg;
	struct uw_view_entry copy = *entry;
	copy.inside = texts_add(&draft->texts, "%s", entry->inside);
	copy.outside = texts_add(&draft->texts, "%s", entry->outside);
	if (policy_grow(&draft->views, draft->view_count, &draft->view_room, sizeof *draft->views) < 0)
		draft->failed = 1;
	else
		draft->views[draft->view_count++] = copy;
	return 0;
}

void draft_dir(struct draft *draft, struct uw_dir *dir)
{
	draft->dir = dir;
}

static void hash_text(struct uw_blake2b *hash, const char *text)
{
	/* with its NUL: no two lists of texts are the same bytes */
	uw_blake2b_update(hash, text ? text : "", (text ? strlen(text) : 0) + 1);
}

static void hash_place(struct uw_blake2b *hash, const struct uw_place *place)
{
	hash_text(hash, place->path);
	uw_blake2b_update(hash, &place->dev, sizeof place->dev);
	uw_blake2b_update(hash, &place->ino, sizeof place->ino);
}

static void revise(struct uw_policy *policy)
{
	const int32_t numbers[] = {policy->mode,    policy->network, policy->unix_sockets,
	                           policy->protect, policy->git,     policy->temp_kind};
	struct uw_blake2b hash;
	uint8_t digest[16];
	uw_blake2b_init(&hash, sizeof digest);
	uw_blake2b_update(&hash, numbers, sizeof numbers);
	hash_place(&hash, &policy->workspace);
	for (size_t i = 0; i < policy->root_count; i++)
		hash_place(&hash, &policy->roots[i]);
	hash_text(&hash, "protected");
	for (size_t i = 0; i < policy->protected_count; i++) {
		const struct uw_protected *item = &policy->protected_paths[i];
		hash_text(&hash, item->path);
		hash_text(&hash, item->rule);
		uw_blake2b_update(&hash, &item->exists, sizeof item->exists);
		uw_blake2b_update(&hash, &item->flags, sizeof item->flags);
	}
	hash_place(&hash, &policy->temp);
	for (size_t i = 0; i < policy->view.count; i++) {
		hash_text(&hash, policy->view.entries[i].inside);
		hash_text(&hash, policy->view.entries[i].outside);
	}
	hash_text(&hash, policy->state_dir);
	uw_blake2b_finish(&hash, digest);
	for (size_t i = 0; i < sizeof digest; i++)
		(void)snprintf(policy->revision + 2 * i, 3, "%02x", digest[i]);
}

int draft_finish(struct draft *draft, struct uw_policy **ret_policy, struct uw_error *err)
{
	struct uw_policy *policy = &draft->policy;
	if (draft->failed || draft->texts.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "no memory for a policy");
	policy->workspace_dir = draft->dir;
	if (draft->root_count > 0) {
		policy->workspace = draft->roots[0];
		policy->roots = draft->roots + 1;
		policy->root_count = draft->root_count - 1;
	}
	if (draft->guard) {
		policy->protected_paths = draft->guard->items;
		policy->protected_count = draft->guard->count;
	}
	policy->view.entries = draft->views;
	policy->view.count = draft->view_count;
	revise(policy);
	*ret_policy = policy;
	return 0;
}
