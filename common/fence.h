/*
 * The fence of a mutation by its canonical path (F-31..F-34): which root it lands
 * below, which protected path it would touch, and the refusal's exact form. This
 * is the textual half; a provider also acts on descriptors below the root.
 * No state; any thread.
 */
#ifndef UW_COMMON_FENCE_H
#define UW_COMMON_FENCE_H

#include <umwelt/call.h>

/* What a mutation does to the entry at the path. */
enum uw_fence_act {
	UW_FENCE_CONTENT = 1, /* the entry gets a content; the root itself passes (its type refuses it) */
	UW_FENCE_ENTRY = 2,   /* the entry is made; it lies below a root */
	UW_FENCE_MOVE = 3,    /* the entry and all below it goes away or is replaced */
};

/*
 * The deepest root that holds the path, or NULL with FS_SANDBOX_DENIED in err (its
 * code is returned through *ret_code). key is canonical, outside.
 */
const struct uw_place *uw_fence_root(const struct uw_fence *fence, struct uw_bytes key, int act,
                                     int *ret_code, struct uw_error *err);
/*
 * FS_SANDBOX_DENIED, effect none: the marker line, the hint line, then why; details
 * `path` and `rule`. Returns the code.
 */
int uw_fence_refuse(int mode, struct uw_bytes key, const char *rule, const char *why,
                    struct uw_error *err);

#endif
