/*
 * A view (S-15) by text: the longest entry that holds a canonical path decides.
 * NULL or empty views change nothing. Links are the resolver's business, not
 * looked at here. No state; any thread.
 */
#ifndef UW_COMMON_VIEW_H
#define UW_COMMON_VIEW_H

#include "common/buf.h"

#include <umwelt/policy.h>

/* The entry that stands exactly at this inside path, or NULL. */
const struct uw_view_entry *uw_view_at(const struct uw_view *view, const char *inside, size_t len);
/* 1 if some entry stands below this inside path. */
int uw_view_leads_below(const struct uw_view *view, const char *inside, size_t len);
/* Appends the outside path of a canonical inside one. */
void uw_view_outside(const struct uw_view *view, const char *inside, size_t len, struct uw_buf *out);
/* Appends the inside path of a canonical outside one: 1; 0 if the view hides it. */
int uw_view_inside(const struct uw_view *view, const char *outside, size_t len, struct uw_buf *in);

#endif
