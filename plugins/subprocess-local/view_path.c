#include "view_path.h"

#include <string.h>

/* The length of prefix if path is it or lies below it, else -1. "/" is above everything. */
static long prefix_of(const char *prefix, const char *path)
{
	size_t len = strlen(prefix);
	while (len && prefix[len - 1] == '/')
		len--;
	if (strncmp(prefix, path, len) || (path[len] && path[len] != '/'))
		return -1;
	return (long)len;
}

static void join(struct uw_buf *out, const char *base, const char *rest)
{
	size_t len = strlen(base);
	while (len && base[len - 1] == '/')
		len--;
	uw_buf_add(out, base, len);
	uw_buf_text(out, rest);
	if (out->len == 0)
		uw_buf_byte(out, '/');
}

int view_outside(const struct uw_view *view, const char *inside, struct uw_buf *out)
{
	const struct uw_view_entry *best = NULL;
	long best_len = -1;
	for (size_t i = 0; view && i < view->count; i++) {
		long len = prefix_of(view->entries[i].inside, inside);
		if (len > best_len) {
			best = &view->entries[i];
			best_len = len;
		}
	}
	uw_buf_truncate(out, 0);
	if (best)
		join(out, best->outside, inside + best_len);
	else
		uw_buf_text(out, inside);
	return out->failed ? -1 : 0;
}

/* 1 if `out` (an inside path) leads back to `outside`: nothing is mounted above it there. */
static int leads_back(const struct uw_view *view, const struct uw_buf *out, const char *outside)
{
	UW_AUTO_BUF back = UW_BUF_INIT;
	return view_outside(view, out->data, &back) == 0 && !strcmp(back.data, outside);
}

static const struct uw_view_entry *longest_below(const struct uw_view *view, const char *outside,
                                                 long limit, long *ret_len)
{
	const struct uw_view_entry *best = NULL;
	*ret_len = -1;
	for (size_t i = 0; view && i < view->count; i++) {
		long len = prefix_of(view->entries[i].outside, outside);
		if (len > *ret_len && len < limit) {
			best = &view->entries[i];
			*ret_len = len;
		}
	}
	return best;
}

int view_inside(const struct uw_view *view, const char *outside, struct uw_buf *out)
{
	const struct uw_view_entry *entry;
	long limit = (long)strlen(outside) + 1;
	/*
	 * The nearest entry first: what the view puts elsewhere may be seen under its
	 * own name too, but not with the same rights.
	 */
	while ((entry = longest_below(view, outside, limit, &limit))) {
		uw_buf_truncate(out, 0);
		join(out, entry->inside, outside + limit);
		if (out->failed)
			return -1;
		if (leads_back(view, out, outside))
			return 0;
	}
	uw_buf_truncate(out, 0);
	uw_buf_text(out, outside);
	if (out->failed)
		return -1;
	return !view || !view->count || leads_back(view, out, outside) ? 0 : -1;
}
