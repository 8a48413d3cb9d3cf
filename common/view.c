#include "common/view.h"

#include "common/path.h"

#include <string.h>

static size_t trimmed(const char *path)
{
	return uw_path_trim(path, strlen(path));
}

const struct uw_view_entry *uw_view_at(const struct uw_view *view, const char *inside, size_t len)
{
	for (size_t i = 0; view && i < view->count; i++) {
		const char *at = view->entries[i].inside;
		if (trimmed(at) == len && memcmp(at, inside, len) == 0)
			return &view->entries[i];
	}
	return NULL;
}

int uw_view_leads_below(const struct uw_view *view, const char *inside, size_t len)
{
	for (size_t i = 0; view && i < view->count; i++) {
		const char *at = view->entries[i].inside;
		if (trimmed(at) > len && uw_path_contains(inside, len, at, trimmed(at)))
			return 1;
	}
	return 0;
}

/* The entry whose inside (or outside) path is the longest that holds the path. */
static const struct uw_view_entry *longest(const struct uw_view *view, const char *path, size_t len,
                                           int by_outside)
{
	const struct uw_view_entry *found = NULL;
	size_t found_len = 0;
	for (size_t i = 0; view && i < view->count; i++) {
		const char *at = by_outside ? view->entries[i].outside : view->entries[i].inside;
		size_t at_len = trimmed(at);
		if (uw_path_contains(at, at_len, path, len) && (!found || at_len > found_len)) {
			found = &view->entries[i];
			found_len = at_len;
		}
	}
	return found;
}

/* base, and what of path lies below `prefix`. */
static void rebase(struct uw_buf *out, const char *base, const char *prefix, const char *path, size_t len)
{
	size_t base_len = trimmed(base), skip = trimmed(prefix);
	while (skip < len && path[skip] == '/')
		skip++;
	uw_buf_add(out, base, base_len);
	if (skip < len)
		uw_path_push(out, path + skip, len - skip);
}

void uw_view_outside(const struct uw_view *view, const char *inside, size_t len, struct uw_buf *out)
{
	const struct uw_view_entry *entry = longest(view, inside, len, 0);
	if (entry)
		rebase(out, entry->outside, entry->inside, inside, len);
	else
		uw_buf_add(out, inside, len);
}

int uw_view_inside(const struct uw_view *view, const char *outside, size_t len, struct uw_buf *in)
{
	const struct uw_view_entry *entry = longest(view, outside, len, 1);
	UW_AUTO_BUF back = UW_BUF_INIT;
	size_t start = in->len;
	if (entry)
		rebase(in, entry->inside, entry->outside, outside, len);
	else
		uw_buf_add(in, outside, len);
	if (in->failed)
		return 1;
	/* another entry may stand over what was found */
	uw_view_outside(view, in->data + start, in->len - start, &back);
	if (!back.failed && back.len == len && memcmp(back.data, outside, len) == 0)
		return 1;
	uw_buf_truncate(in, start);
	return 0;
}
