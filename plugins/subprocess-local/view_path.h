/*
 * Paths across a view (S-15): what a confined process calls a place that the
 * host knows under another name, and the reverse. By whole components, links not
 * followed. No state, any thread.
 */
#ifndef UW_SUBPROCESS_VIEW_PATH_H
#define UW_SUBPROCESS_VIEW_PATH_H

#include <umwelt/policy.h>

#include "common/buf.h"

/*
 * Writes the inside path of an outside one: 0, or -1 where no confined process
 * can see it (or memory; then out->failed).
 */
int view_inside(const struct uw_view *view, const char *outside, struct uw_buf *out);
/* Writes the outside path of an inside one. 0, or -1 (memory). */
int view_outside(const struct uw_view *view, const char *inside, struct uw_buf *out);

#endif
