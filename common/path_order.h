/*
 * Canonical absolute paths as C strings, put in order and related to each other
 * by component, never by string prefix (F-31). No file system access, no
 * allocation; any thread.
 */
#ifndef UW_COMMON_PATH_ORDER_H
#define UW_COMMON_PATH_ORDER_H

#include <stddef.h>

/* 1 if path is parent or lies below it. "/" holds everything. */
int uw_path_within(const char *path, const char *parent);
/* 1 if path lies below parent and is not it. */
int uw_path_below(const char *path, const char *parent);
/* Length of the deepest directory that holds both: of "/a/b" and "/a/bc" it is 2. */
size_t uw_path_common_len(const char *a, const char *b);
/* Orders by component, so that a directory stands right before what lies below it. */
int uw_path_compare(const char *a, const char *b);

#endif
