/*
 * What is mounted over the read-only root, in an order in which no mount hides a
 * later one: by path, a directory before what lies below it.
 *
 * Protected paths cost binds: each itself, and each directory between it and the
 * root that holds it, bound on itself, since a mount point cannot be renamed
 * (S-62). Together with masks at most BWRAP_EXTRA_MAX (S-64): beyond it entries
 * are folded into the deepest directory that holds two of them.
 */
#include "bwrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/path.h"
#include "common/path_order.h"
#include "common/profile.h"

/* One protected path, or one socket to be masked, or what they were folded into. */
struct leaf {
	const char *path;
	int kind;  /* READ_ONLY, MASK_FILE, MASK_DIR */
	int fixed; /* the bundle's own: never folded */
};

struct leaves {
	struct leaf *items;
	size_t count, room;
	const struct uw_policy *policy;
	const struct bwrap *bwrap;
	struct uw_confining *confining;
	const struct bwrap_plan *plan;
	int failed;
};

void bwrap_plan_finish(struct bwrap_plan *plan)
{
	free(plan->mounts);
	plan->mounts = NULL;
	plan->count = plan->room = 0;
}

int bwrap_tmp_is_private(const struct uw_policy *policy)
{
	if (policy->temp_kind == UW_TEMP_HOST && policy->mode == UW_MODE_WORKSPACE_WRITE)
		return 0;
	if (policy->mode != UW_MODE_WORKSPACE_WRITE)
		return 1;
	if (policy->workspace.path && uw_path_within("/tmp", policy->workspace.path))
		return 0;
	for (size_t i = 0; i < policy->root_count; i++)
		if (uw_path_within("/tmp", policy->roots[i].path))
			return 0;
	return 1;
}

const char *bwrap_temp_inside(const struct uw_policy *policy)
{
	return policy->temp.path && bwrap_tmp_is_private(policy) ? "/tmp" : policy->temp.path;
}

int bwrap_plan_hides(const struct bwrap_plan *plan, const char *path)
{
	return (plan->private_tmp && uw_path_within(path, "/tmp")) ||
	       (plan->private_run && uw_path_within(path, "/run")) || uw_path_within(path, "/dev") ||
	       uw_path_within(path, "/proc");
}

static int grow(void *array, size_t count, size_t *room, size_t size)
{
	void **data = array;
	size_t wanted = *room ? *room * 2 : 32;
	void *grown;
	if (count < *room)
		return 0;
	grown = realloc(*data, wanted * size);
	if (!grown)
		return -1;
	*data = grown;
	*room = wanted;
	return 0;
}

static void add_mount(struct bwrap_plan *plan, struct uw_confining *confining, int kind,
                      const char *path)
{
	if (grow(&plan->mounts, plan->count, &plan->room, sizeof *plan->mounts) < 0) {
		confining->failed = 1;
		return;
	}
	plan->mounts[plan->count].kind = kind;
	plan->mounts[plan->count++].path = path;
}

static void add_leaf(struct leaves *leaves, int kind, const char *path, int fixed)
{
	if (grow(&leaves->items, leaves->count, &leaves->room, sizeof *leaves->items) < 0) {
		leaves->failed = 1;
		return;
	}
	leaves->items[leaves->count++] = (struct leaf){path, kind, fixed};
}

static int compare_leaves(const void *a, const void *b)
{
	return uw_path_compare(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

/* By path; of one path the kind that lets through less comes first. */
static int compare_mounts(const void *a, const void *b)
{
	const struct bwrap_mount *left = a, *right = b;
	/* strength: masks, then read-only, roots, shown, pins */
	static const int rank[] = {
	    [BWRAP_MASK_DIR] = 0, [BWRAP_MASK_FILE] = 1, [BWRAP_READ_ONLY] = 2,
	    [BWRAP_ROOT] = 3,     [BWRAP_SHOWN] = 4,     [BWRAP_PIN] = 5,
	};
	int order = uw_path_compare(left->path, right->path);
	return order ? order : rank[left->kind] - rank[right->kind];
}

static int closes(int kind)
{
	return kind == BWRAP_READ_ONLY || kind == BWRAP_MASK_DIR || kind == BWRAP_MASK_FILE;
}

/* Sorts; drops doubles and what lies below something closed. */
static void order_mounts(struct bwrap_plan *plan)
{
	size_t kept = 0;
	const char *closed = NULL;
	if (plan->count > 1)
		qsort(plan->mounts, plan->count, sizeof *plan->mounts, compare_mounts);
	for (size_t i = 0; i < plan->count; i++) {
		struct bwrap_mount mount = plan->mounts[i];
		if (kept > 0 && !strcmp(plan->mounts[kept - 1].path, mount.path))
			continue;
		if (closed && uw_path_within(mount.path, closed))
			continue;
		if (closes(mount.kind))
			closed = mount.path;
		plan->mounts[kept++] = mount;
	}
	plan->count = kept;
}

/* The widest writable root that holds path, or NULL. */
static const char *outermost_root(const struct uw_policy *policy, const char *path)
{
	const char *found = uw_path_within(path, policy->workspace.path) ? policy->workspace.path : NULL;
	for (size_t i = 0; i < policy->root_count; i++) {
		const char *root = policy->roots[i].path;
		if (uw_path_within(path, root) && (!found || uw_path_below(found, root)))
			found = root;
	}
	return found;
}

/* Pins every directory strictly between path and the root that holds it. */
static void add_pins(struct bwrap_plan *plan, const struct leaves *leaves, const char *path)
{
	const char *root = outermost_root(leaves->policy, path);
	size_t len = uw_path_parent(path, strlen(path)), root_len = root ? strlen(root) : 0;
	while (root && len > root_len) {
		const char *pin = uw_confined_text(leaves->confining, "%.*s", (int)len, path);
		add_mount(plan, leaves->confining, BWRAP_PIN, pin);
		len = uw_path_parent(pin, strlen(pin));
	}
}

static void add_roots(struct bwrap_plan *plan, const struct uw_policy *policy,
                      struct uw_confining *confining)
{
	int writes = policy->mode == UW_MODE_WORKSPACE_WRITE;
	const char *workspace = policy->workspace.path;
	if (workspace && (writes || bwrap_plan_hides(plan, workspace)))
		add_mount(plan, confining, writes ? BWRAP_ROOT : BWRAP_SHOWN, workspace);
	for (size_t i = 0; writes && i < policy->root_count; i++)
		add_mount(plan, confining, BWRAP_ROOT, policy->roots[i].path);
}

/* Makes the mounts anew from roots and leaves; how many of them are extra. */
static size_t rebuild(struct bwrap_plan *plan, const struct leaves *leaves)
{
	size_t extra = 0;
	plan->count = 0;
	add_roots(plan, leaves->policy, leaves->confining);
	for (size_t i = 0; i < leaves->count; i++) {
		add_mount(plan, leaves->confining, leaves->items[i].kind, leaves->items[i].path);
		if (leaves->items[i].kind == BWRAP_READ_ONLY)
			add_pins(plan, leaves, leaves->items[i].path);
	}
	order_mounts(plan);
	for (size_t i = 0; i < plan->count; i++)
		extra += plan->mounts[i].kind > BWRAP_SHOWN;
	return extra;
}

/* 1 if a directory may become read-only, or masked, as a whole. */
static int may_fold(const struct leaves *leaves, const char *dir, int kind)
{
	const struct uw_policy *policy = leaves->policy;
	const struct bwrap *bwrap = leaves->bwrap;
	static const int needed[] = {UW_PATH_CHECK_NONCE, UW_PATH_CHECK_FORBIDDEN, UW_PATH_TEMP};
	if (kind == BWRAP_READ_ONLY) {
		const char *root = outermost_root(policy, dir);
		return root && strcmp(root, dir) != 0;
	}
	if (uw_path_parent(dir, strlen(dir)) == 1 || (policy->workspace.path && uw_path_within(policy->workspace.path, dir)))
		return 0;
	for (size_t i = 0; i < policy->root_count; i++)
		if (uw_path_within(policy->roots[i].path, dir))
			return 0;
	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
		const char *path = bwrap->host->path(bwrap->context, needed[i]);
		if (path && uw_path_within(path, dir))
			return 0;
	}
	return 1;
}

/*
 * Folds the two entries of one kind that have the deepest directory in common,
 * and all else below it, into that directory. 0 if there are none such.
 */
static int fold(struct leaves *leaves, int mask)
{
	struct leaf folded = {NULL, mask ? BWRAP_MASK_DIR : BWRAP_READ_ONLY, 0};
	size_t best = 0, kept = 0;
	const struct leaf *previous = NULL;
	qsort(leaves->items, leaves->count, sizeof *leaves->items, compare_leaves);
	for (size_t i = 0; i < leaves->count; i++) {
		const struct leaf *leaf = &leaves->items[i];
		if (leaf->fixed || (leaf->kind != BWRAP_READ_ONLY) != mask)
			continue;
		if (previous) {
			size_t len = uw_path_common_len(previous->path, leaf->path);
			const char *dir = uw_confined_text(leaves->confining, "%.*s", (int)len, leaf->path);
			if (len > best && may_fold(leaves, dir, folded.kind)) {
				best = len;
				folded.path = dir;
			}
		}
		previous = leaf;
	}
	if (!folded.path)
		return 0;
	for (size_t i = 0; i < leaves->count; i++)
		if (!uw_path_within(leaves->items[i].path, folded.path))
			leaves->items[kept++] = leaves->items[i];
	leaves->count = kept;
	add_leaf(leaves, folded.kind, folded.path, 0);
	return 1;
}

/* What was folded to read-only, for the table. */
static void name_folded(struct bwrap_plan *plan, struct leaves *leaves, const char *path)
{
	plan->folded = plan->folded
	                   ? uw_confined_text(leaves->confining, "%s, %s", plan->folded, path)
	                   : path;
}

static int add_protected(struct leaves *leaves, struct uw_error *err)
{
	const struct uw_policy *policy = leaves->policy;
	for (size_t i = 0; i < policy->protected_count; i++) {
		const struct uw_protected *entry = &policy->protected_paths[i];
		struct stat found;
		if (!uw_policy_writable(policy, entry->path))
			continue;
		if (lstat(entry->path, &found) < 0) {
			if (errno == ENOENT || errno == ENOTDIR)
				continue; /* row protected-absent */
			return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, errno,
			               "the protected path %s cannot be looked at", entry->path);
		}
		if (S_ISLNK(found.st_mode) || (entry->flags & UW_PROTECTED_LINK))
			return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
			               "%s is protected (%s) and is a symbolic link, which a command could "
			               "replace: make it a directory or file, or set `git: full` in the policy",
			               entry->path, entry->rule);
		add_leaf(leaves, BWRAP_READ_ONLY, entry->path, !strcmp(entry->rule, "bundle"));
	}
	return 0;
}

static int plan_protected(struct leaves *leaves, struct bwrap_plan *plan, struct uw_error *err)
{
	int failed = add_protected(leaves, err);
	if (failed)
		return failed;
	while (!leaves->failed && rebuild(plan, leaves) > BWRAP_EXTRA_MAX) {
		if (!fold(leaves, 0))
			return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
			               "the protected paths need more than %u mounts: name a directory in "
			               "`protected` instead of the files in it",
			               BWRAP_EXTRA_MAX);
		name_folded(plan, leaves, leaves->items[leaves->count - 1].path);
	}
	return 0;
}

/* A listening socket: kept as it is where it is the session's own or cannot be seen inside. */
static int take_socket(void *arg, const char *path)
{
	struct leaves *leaves = arg;
	const struct uw_policy *policy = leaves->policy;
	int shown = policy->workspace.path && uw_path_within(path, policy->workspace.path);
	if (uw_policy_writable(policy, path) ||
	    (policy->temp.path && uw_path_within(path, policy->temp.path)) ||
	    (policy->state_dir && uw_path_within(path, policy->state_dir)) ||
	    (bwrap_plan_hides(leaves->plan, path) && !shown))
		return 0;
	add_leaf(leaves, BWRAP_MASK_FILE, uw_confined_text(leaves->confining, "%s", path), 0);
	return 0;
}

static void drop_masks(struct leaves *leaves)
{
	size_t kept = 0;
	for (size_t i = 0; i < leaves->count; i++)
		if (leaves->items[i].kind == BWRAP_READ_ONLY)
			leaves->items[kept++] = leaves->items[i];
	leaves->count = kept;
}

/* S-5: masks where they can be had, else no unix sockets at all; never all. */
static int plan_sockets(struct leaves *leaves, struct bwrap_plan *plan, struct uw_error *err)
{
	int unplaced;
	if (plan->unix_way != BWRAP_UNIX_MASKED)
		return 0;
	unplaced = bwrap_sockets(take_socket, leaves, err);
	if (unplaced < 0)
		return unplaced;
	if (uw_now_ns() < leaves->bwrap->masks_off_until)
		plan->unix_why = "own fell to none: sockets of the host come and go faster than they can be "
		                 "masked";
	else if (unplaced)
		plan->unix_why = "own fell to none: a socket of the host listens under a relative name, "
		                 "which cannot be masked";
	while (!plan->unix_why && !leaves->failed && rebuild(plan, leaves) > BWRAP_EXTRA_MAX)
		if (!fold(leaves, 1))
			plan->unix_why = "own fell to none: more sockets of the host listen than can be masked";
	if (plan->unix_why) {
		plan->unix_way = BWRAP_UNIX_NONE;
		drop_masks(leaves);
		(void)rebuild(plan, leaves);
	}
	return 0;
}

int bwrap_plan_make(const struct bwrap *bwrap, const struct uw_policy *policy,
                    struct uw_confining *confining, struct bwrap_plan *plan, struct uw_error *err)
{
	struct leaves leaves = {.policy = policy, .bwrap = bwrap, .confining = confining, .plan = plan};
	int failed = 0;
	plan->private_tmp = bwrap_tmp_is_private(policy);
	plan->private_run = policy->unix_sockets != UW_UNIX_ALL;
	if (policy->unix_sockets == UW_UNIX_ALL)
		plan->unix_way = BWRAP_UNIX_ALL;
	else if (policy->unix_sockets != UW_UNIX_OWN)
		plan->unix_way = BWRAP_UNIX_NONE;
	else
		plan->unix_way = bwrap->abi >= 9 && !bwrap->nesting ? BWRAP_UNIX_LANDLOCK : BWRAP_UNIX_MASKED;
	(void)rebuild(plan, &leaves);
	if (policy->mode == UW_MODE_WORKSPACE_WRITE)
		failed = plan_protected(&leaves, plan, err);
	if (!failed)
		failed = plan_sockets(&leaves, plan, err);
	if (!failed && (leaves.failed || confining->failed))
		failed = uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		                 "no memory for the mounts of a command");
	free(leaves.items);
	return failed;
}
