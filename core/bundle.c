/*
 * bundle: from options to a checked bundle, in one order: read the document and
 * what it extends; check each; merge from the base up, asking C-15 of each
 * untrusted one; apply the caller's overrides; expand; check the whole; build.
 *
 * Whether a document lies inside the workspace is known only when the workspace
 * is, so a first attempt runs in silence. Where it fails, or where a document
 * turns out to lie inside, a second one runs and reports.
 */
#include "core/bundle_internal.h"

#include "common/cleanup.h"
#include "common/path_order.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading the chain ---- */

static int report_cycle(struct uwi_loading *loading, const struct uwi_node *at,
                        const struct uwi_document *again)
{
	char chain[1024] = "";
	for (size_t i = 0; i < loading->document_count; i++) {
		size_t used = strlen(chain);
		if (&loading->documents[i] == again || used)
			(void)snprintf(chain + used, sizeof chain - used, "%s -> ",
			               loading->documents[i].source.file);
	}
	uwi_problem(loading->problems, UW_E_BUNDLE_INVALID, at, "extends",
	            "the documents extend each other: %s%s", chain, again->source.file);
	return 0;
}

/* Reads one document as the next of the chain; *ret_document NULL: reported. */
static int read_next(struct uwi_loading *loading, const char *name, const struct uwi_node *at,
                     const char *dir, struct uwi_document **ret_document)
{
	struct uwi_document *document = &loading->documents[loading->document_count];
	const char *path;
	int is_preset, status;
	*ret_document = NULL;
	if (loading->document_count == UWI_EXTENDS_MAX) {
		uwi_problem(loading->problems, UW_E_BUNDLE_INVALID, at, "extends",
		            "more than %d documents extend one another", UWI_EXTENDS_MAX);
		return 0;
	}
	status = uwi_document_find(loading, name, at, dir, &path, &is_preset);
	if (status || !path)
		return status;
	*document = (struct uwi_document){.root = NULL};
	status = uwi_document_read(loading, path, is_preset, at, document);
	if (status || !document->path)
		return status;
	for (size_t i = 0; i < loading->document_count; i++)
		if (loading->documents[i].dev == document->dev &&
		    loading->documents[i].ino == document->ino)
			return report_cycle(loading, at, &loading->documents[i]);
	loading->document_count++;
	*ret_document = document;
	return 0;
}

static int read_chain(struct uwi_loading *loading)
{
	const char *name = loading->options->bundle ? loading->options->bundle : "read-only";
	const struct uwi_node *at = NULL;
	const char *dir = loading->cwd;
	while (name) {
		struct uwi_document *document;
		size_t problems = loading->problems->count;
		int status = read_next(loading, name, at, dir, &document);
		if (status || !document)
			return status;
		if (!document->root) {
			if (loading->problems->count == problems)
				uwi_problem(loading->problems, UW_E_BUNDLE_INVALID, NULL, "",
				            "%s:1:1: the document is empty", document->source.file);
			return 0;
		}
		status = uwi_document_check(loading, document->root);
		if (status)
			return status;
		at = uwi_node_get(document->root, "extends");
		name = at && at->kind == UWI_SCALAR && at->text_len ? at->text : NULL;
		dir = document->source.dir;
	}
	return 0;
}

static int merge_chain(struct uwi_loading *loading)
{
	struct uwi_node *root = NULL;
	int status = 0;
	for (size_t i = loading->document_count; i-- > 0 && !status;) {
		struct uwi_document *document = &loading->documents[i];
		if (!document->root || document->root->kind != UWI_MAP)
			continue;
		if (!document->source.trusted)
			status = uwi_trust_check(loading, root, document->root);
		if (!status)
			status = uwi_merge(loading, root, document->root, &root);
		if (!status)
			uwi_map_remove(root, "extends");
	}
	loading->root = root;
	return status;
}

/* ---- one attempt ---- */

static int attempt(struct uwi_loading *loading, struct uwi_bundle *bundle)
{
	int status = read_chain(loading);
	if (!status)
		status = merge_chain(loading);
	if (status || !loading->root)
		return status;
	status = uwi_apply_options(loading);
	if (!status)
		status = uwi_expand(loading);
	/* what the documents held was reported with them; this is what the whole lacks */
	if (!status && !loading->problems->count)
		status = uwi_merged_check(loading);
	if (!status && !loading->problems->count)
		status = uwi_bundle_build(loading, bundle);
	return status;
}

static int new_bundle(struct uwi_loading *loading, struct uwi_bundle **ret_bundle)
{
	struct uwi_bundle *bundle = calloc(1, sizeof *bundle);
	const char *name = loading->options->bundle ? loading->options->bundle : "read-only";
	char cwd[PATH_MAX];
	*ret_bundle = bundle;
	if (!bundle)
		return UW_E_NO_MEMORY;
	loading->cwd_gone = !getcwd(cwd, sizeof cwd);
	if (loading->cwd_gone)
		(void)snprintf(cwd, sizeof cwd, "/");
	loading->arena = &bundle->arena;
	loading->cwd = uw_arena_text(loading->arena, cwd);
	bundle->name = uw_arena_text(loading->arena, name);
	loading->document_count = 0;
	loading->root = NULL;
	return loading->cwd && bundle->name ? 0 : UW_E_NO_MEMORY;
}

/* ---- the workspace and the documents in it ---- */

/*
 * Whether the current directory could have been meant as a workspace: a home
 * directory and what is above one are refused as such (S-4).
 */
static int may_be_workspace(const char *dir)
{
	char data[4096];
	struct passwd entry, *found = NULL;
	if (!strcmp(dir, "/"))
		return 0;
	if (getpwuid_r(geteuid(), &entry, data, sizeof data, &found) != 0 || !found || !found->pw_dir)
		return 1;
	return !uw_path_within(found->pw_dir, dir);
}

/* Two canonical directories, of any length up to PATH_MAX; empty: unused. */
struct places {
	char workspace[PATH_MAX], cwd[PATH_MAX];
};

/*
 * The workspace that came out; and, where a document named it, the current
 * directory, which would be it otherwise: no document takes itself out of the
 * workspace. A place that does not exist holds no document.
 */
static int find_places(const struct uwi_loading *loading, struct places *places)
{
	const struct uwi_node *node = uwi_node_get(uwi_node_get(loading->root, "policy"), "workspace");
	const char *said = node && node->kind == UWI_SCALAR ? node->text : loading->options->workspace;
	char *absolute = uwi_path_absolute(loading->arena, node && node->dir ? node->dir : loading->cwd,
	                                   said ? said : loading->cwd);
	int by_document = node && node->line;
	if (!absolute)
		return UW_E_NO_MEMORY;
	places->cwd[0] = '\0';
	if (!realpath(absolute, places->workspace))
		places->workspace[0] = '\0';
	if (by_document && may_be_workspace(loading->cwd))
		(void)snprintf(places->cwd, sizeof places->cwd, "%s", loading->cwd);
	return 0;
}

static int is_inside(const char *path, const char *place)
{
	return *place && uw_path_within(path, place);
}

/* 1 if a document that was taken as trusted lies in one of the places. */
static int any_inside(const struct uwi_loading *loading, const struct places *places)
{
	for (size_t i = 0; i < loading->document_count; i++) {
		const struct uwi_document *document = &loading->documents[i];
		if (document->source.trusted && !document->is_preset &&
		    (is_inside(document->path, places->workspace) ||
		     is_inside(document->path, places->cwd)))
			return 1;
	}
	return 0;
}

/* The silent attempt; 1 in *ret_again if another is needed, with loading->inside set. */
static int first_attempt(struct uwi_loading *loading, struct places *places,
                         struct uwi_bundle **ret_bundle, int *ret_again)
{
	struct uwi_problems *problems = loading->problems;
	struct uwi_problems silence = {.count = 0};
	int status = new_bundle(loading, ret_bundle);
	loading->problems = &silence;
	if (!status)
		status = attempt(loading, *ret_bundle);
	if (!status)
		status = find_places(loading, places);
	loading->problems = problems;
	if (status)
		return status;
	*ret_again = silence.count || any_inside(loading, places);
	loading->inside[0] = *places->workspace ? places->workspace : NULL;
	loading->inside[1] = *places->cwd ? places->cwd : NULL;
	return 0;
}

static int load(struct uwi_loading *loading, struct uwi_bundle **ret_bundle)
{
	UW_AUTO_FREE struct places *places = calloc(1, sizeof *places);
	int again = 0, status = UW_E_NO_MEMORY;
	*ret_bundle = NULL;
	if (places)
		status = first_attempt(loading, places, ret_bundle, &again);
	if (!status && again) {
		uwi_bundle_free(*ret_bundle);
		status = new_bundle(loading, ret_bundle);
		if (!status)
			status = attempt(loading, *ret_bundle);
	}
	return status;
}

/* What the caller's struct does not reach reads as not set (C-4). */
static void copy_options(const struct uw_world_options *options, struct uw_world_options *ret)
{
	size_t size = options->size < sizeof *ret ? options->size : sizeof *ret;
	memset(ret, 0, sizeof *ret);
	memcpy(ret, options, size);
}

int uwi_bundle_load(const struct uwi_settings *settings, const struct uw_world_options *options,
                    struct uwi_problems *problems, struct uwi_bundle **ret_bundle,
                    struct uw_error *err)
{
	struct uwi_problems own = {.first = err};
	struct uw_world_options wanted;
	struct uwi_loading loading = {.settings = settings, .options = &wanted, .problems = &own};
	struct uwi_bundle *bundle;
	int status;
	if (problems) {
		own.report = problems->report;
		own.arg = problems->arg;
	}
	copy_options(options, &wanted);
	status = load(&loading, &bundle);
	if (problems) {
		problems->count += own.count;
		if (own.count && !problems->code)
			problems->code = own.code;
	}
	if (!status && !own.count) {
		*ret_bundle = bundle;
		return 0;
	}
	uwi_bundle_free(bundle);
	if (status)
		return uw_fail(err, status, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "memory could not be had");
	return own.code;
}

void uwi_bundle_free(struct uwi_bundle *bundle)
{
	struct uw_arena arena;
	if (!bundle)
		return;
	arena = bundle->arena;
	uw_arena_finish(&arena);
	free(bundle);
}
