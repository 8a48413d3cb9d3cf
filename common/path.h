/*
 * Paths as bytes: what can be said of them by their text alone. "Canonical" means
 * absolute, without links, `.`, `..`, doubled or trailing slashes. Nothing here
 * looks at a file system. No state; any thread.
 */
#ifndef UW_COMMON_PATH_H
#define UW_COMMON_PATH_H

#include "common/buf.h"

#include <stddef.h>

/* Length without trailing slashes, but a lone "/" stays. */
size_t uw_path_trim(const char *path, size_t len);
/*
 * 1 if child is parent or below it, component by component (F-31): "/ws" holds
 * "/ws" and "/ws/a", not "/ws-evil". Both canonical; trailing slashes of parent
 * do not matter.
 */
int uw_path_contains(const char *parent, size_t parent_len, const char *child, size_t child_len);
/* Length of the directory part of a canonical path: 1 for "/a" and for "/". */
size_t uw_path_parent(const char *path, size_t len);
/* Where the last name of a canonical path starts; len for "/". */
size_t uw_path_name(const char *path, size_t len);
/* Appends '/' and name to the directory in path, which may be "/". */
void uw_path_push(struct uw_buf *path, const char *name, size_t len);
/* Appends the file URL of an absolute path (RFC 8089): all but unreserved bytes and '/' as %HH. */
void uw_path_url(struct uw_buf *url, const char *path, size_t len);

#endif
