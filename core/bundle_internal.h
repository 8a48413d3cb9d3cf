/*
 * bundle_internal: what the files bundle*.c share. One struct uwi_loading per
 * attempt to load; its arena becomes the bundle's. Single-threaded.
 */
#ifndef UW_CORE_BUNDLE_INTERNAL_H
#define UW_CORE_BUNDLE_INTERNAL_H

#include "common/arena.h"
#include "core/bundle.h"
#include "core/bundle_keys.h"
#include "core/yaml.h"

#include <sys/types.h>

#define UWI_EXTENDS_MAX 16
#define UWI_ORIGIN_CWD   "current directory"

/* One file that was read. */
struct uwi_document {
	struct uwi_source source;
	const char *path; /* canonical */
	dev_t dev;
	ino_t ino;
	int is_preset;
	struct uwi_node *root; /* NULL: nothing usable */
};

struct uwi_loading {
	struct uw_arena *arena;
	const struct uwi_settings *settings;
	const struct uw_world_options *options;
	struct uwi_problems *problems;
	const char *cwd; /* absolute */
	int cwd_gone;    /* it was removed or cannot be named; cwd is "/", and nothing may start there */
	const char *inside[2]; /* canonical directories whose documents are untrusted; NULL: unused */
	struct uwi_document documents[UWI_EXTENDS_MAX]; /* the one asked for first */
	size_t document_count;
	struct uwi_node *root; /* merged */
};

/* Functions return 0, or NO_MEMORY or another code that ends loading; problems go to `problems`. */

/*
 * bundle_file.c: finds and reads; `at` and `dir` are of the document that extends
 * it. A preset lies in a directory of the host's configuration, which a workspace
 * around it does not make untrusted (as it is with plugins).
 */
int uwi_document_find(struct uwi_loading *loading, const char *name, const struct uwi_node *at,
                      const char *dir, const char **ret_path, int *ret_is_preset);
int uwi_document_read(struct uwi_loading *loading, const char *path, int is_preset,
                      const struct uwi_node *at, struct uwi_document *document);

/* bundle_check.c: a document against the table; with `whole`, also what must be there. */
int uwi_document_check(struct uwi_loading *loading, struct uwi_node *root);
int uwi_merged_check(struct uwi_loading *loading);

/* bundle_trust.c: reports what an untrusted document may not change of base (may be NULL). */
int uwi_trust_check(struct uwi_loading *loading, const struct uwi_node *base, struct uwi_node *over);

/* bundle_merge.c */
int uwi_merge(struct uwi_loading *loading, struct uwi_node *base, struct uwi_node *over,
              struct uwi_node **ret_root);
/* Adds or replaces a key of a map that is still being made. */
int uwi_map_put(struct uw_arena *arena, struct uwi_node *map, const char *key, struct uwi_node *item);
void uwi_map_remove(struct uwi_node *map, const char *key);
/* A scalar of no document. */
struct uwi_node *uwi_node_make(struct uw_arena *arena, const char *text, const char *origin,
                               const char *dir);

/* bundle_set.c: --set, --mode, --workspace, and the default workspace. */
int uwi_apply_options(struct uwi_loading *loading);

/* bundle_expand.c: ${NAME}, and values that begin with ~/. */
int uwi_expand(struct uwi_loading *loading);

/* bundle_build.c: the merged document as the struct. */
int uwi_bundle_build(struct uwi_loading *loading, struct uwi_bundle *bundle);

#endif
