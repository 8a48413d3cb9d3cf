/*
 * yaml: the bytes of one document as a tree of nodes with positions. The only
 * user of libyaml. Bounded on all sides (C-10): 64 levels, 1 MiB, and a number of
 * values that counts what aliases repeat.
 */
#ifndef UW_CORE_YAML_H
#define UW_CORE_YAML_H

#include "common/arena.h"
#include "core/config.h"

#define UWI_YAML_LEVELS 64
#define UWI_YAML_BYTES  ((size_t)1 << 20)
#define UWI_YAML_VALUES 32768 /* keys and values */

/* Where a document comes from; its strings must live as long as the tree. */
struct uwi_source {
	const char *file;  /* for messages */
	const char *dir;   /* absolute; relative paths in it start there */
	const char *where; /* NULL, or what each node's `where` is (no lines: --set) */
	int trusted;
};

/*
 * Problems of the document go to `problems` (BUNDLE_INVALID), as many as can be
 * found; a syntax error ends the search. *ret_root may be NULL (nothing usable),
 * and is to be used only for further checks if problems were reported. Returns 0,
 * or NO_MEMORY.
 */
int uwi_yaml_parse(struct uw_arena *arena, const struct uwi_source *source, const char *data,
                   size_t len, struct uwi_problems *problems, struct uwi_node **ret_root);

#endif
