/*
 * list: a page of a directory in byte order. The directory is read as a whole, but
 * only the `limit` smallest names after the cursor are kept (a heap with the
 * greatest on top), so memory is that of a page however large the directory.
 */
#include "local.h"

#include "common/path.h"
#include "common/view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define LIMIT_MAX 100000u

struct page {
	char **names;
	size_t count, limit;
	uint64_t passed_over; /* names after the cursor that found no room */
	struct uw_bytes after;
};

static int by_bytes(const char *a, const char *b)
{
	return strcmp(a, b); /* compares as unsigned bytes; a name holds no NUL */
}

static void sift_down(struct page *page, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		char *name = page->names[at];
		if (child >= page->count)
			return;
		if (child + 1 < page->count && by_bytes(page->names[child + 1], page->names[child]) > 0)
			child++;
		if (by_bytes(name, page->names[child]) >= 0)
			return;
		page->names[at] = page->names[child];
		page->names[child] = name;
		at = child;
	}
}

static void sift_up(struct page *page, size_t at)
{
	while (at > 0) {
		size_t parent = (at - 1) / 2;
		char *name = page->names[at];
		if (by_bytes(page->names[parent], name) >= 0)
			return;
		page->names[at] = page->names[parent];
		page->names[parent] = name;
		at = parent;
	}
}

static int after_cursor(const struct page *page, const char *name)
{
	size_t len = strlen(name), shorter = len < page->after.len ? len : page->after.len;
	int order = shorter ? memcmp(name, page->after.data, shorter) : 0;
	return order > 0 || (order == 0 && len > page->after.len);
}

/* 0, or -1 without memory. */
static int offer(struct page *page, const char *name)
{
	char *copy;
	if (!strcmp(name, ".") || !strcmp(name, "..") || (page->after.len && !after_cursor(page, name)))
		return 0;
	if (page->count == page->limit) {
		page->passed_over++;
		if (by_bytes(name, page->names[0]) >= 0)
			return 0;
	}
	copy = strdup(name);
	if (!copy)
		return -1;
	if (page->count == page->limit) {
		free(page->names[0]);
		page->names[0] = copy;
		sift_down(page, 0);
	} else {
		page->names[page->count++] = copy;
		sift_up(page, page->count - 1);
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return by_bytes(*(char *const *)a, *(char *const *)b);
}

static void page_finish(struct page *page)
{
	for (size_t i = 0; page->names && i < page->count; i++)
		free(page->names[i]);
	free(page->names);
}

struct listing {
	const struct uwi_fsl *self;
	const struct uw_call *call;
	const struct uw_target *target;
	struct page page;
	int dir;
};

/* Reads all names into the page, sorted at the end. Takes over the descriptor. */
static int gather(struct listing *listing, int fd, struct uw_error *err)
{
	DIR *stream = fdopendir(fd);
	struct uw_bytes shown = listing->target->display;
	struct dirent *entry;
	uint64_t seen = 0;
	int code = 0;
	if (!stream) {
		uw_fd_close(&fd);
		return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno, "list", shown);
	}
	while (code == 0 && (errno = 0, entry = readdir(stream)) != NULL) {
		if (offer(&listing->page, entry->d_name) < 0)
			code = uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_READ, "list", shown, "no memory");
		else if (++seen % 1024 == 0)
			code = uw_call_check(listing->call, UW_STAGE_READ, err);
	}
	if (code == 0 && errno)
		code = uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno, "list", shown);
	(void)closedir(stream);
	if (listing->page.count)
		qsort(listing->page.names, listing->page.count, sizeof *listing->page.names, compare_names);
	return code;
}

/* What a link leads to, through the view where there is one. */
static int32_t led_to(const struct listing *listing, const char *name)
{
	const struct uw_call *call = listing->call;
	struct stat st;
	if (call && call->view && call->view->count) {
		const struct uwi_target *own = listing->target->impl;
		UWI_AUTO_SPOT spot = UWI_SPOT_INIT;
		UW_AUTO_BUF path = UW_BUF_INIT;
		uw_buf_add(&path, own->inside.data, own->inside.len);
		uw_path_push(&path, name, strlen(name));
		if (path.failed || uwi_fsl_walk(listing->self, call, (struct uw_bytes){path.data, path.len}, 0, &spot, NULL) < 0)
			return UW_FS_ABSENT;
		return lstat(spot.key.data, &st) == 0 ? uwi_fsl_type(st.st_mode) : UW_FS_ABSENT;
	}
	return fstatat(listing->dir, name, &st, 0) == 0 ? uwi_fsl_type(st.st_mode) : UW_FS_ABSENT;
}

/* The entry itself; where the view has put something else over it, that. -1: it is gone. */
static int look_at(const struct listing *listing, const char *name, struct stat *st)
{
	const struct uwi_target *own = listing->target->impl;
	const struct uw_view *view = listing->call ? listing->call->view : NULL;
	if (view && view->count) {
		UW_AUTO_BUF inside = UW_BUF_INIT;
		const struct uw_view_entry *over;
		uw_buf_add(&inside, own->inside.data, own->inside.len);
		uw_path_push(&inside, name, strlen(name));
		over = inside.failed ? NULL : uw_view_at(view, inside.data, inside.len);
		if (over)
			return lstat(over->outside, st);
	}
	return fstatat(listing->dir, name, st, AT_SYMLINK_NOFOLLOW);
}

static int deliver(const struct listing *listing, struct uw_entry_sink sink, struct uw_error *err)
{
	for (size_t i = 0; i < listing->page.count; i++) {
		const char *name = listing->page.names[i];
		struct uw_entry entry = {.size = sizeof entry, .name = {name, strlen(name)}};
		struct stat st;
		int code = i % 256 ? 0 : uw_call_check(listing->call, UW_STAGE_READ, err);
		if (code < 0)
			return code;
		if (look_at(listing, name, &st) < 0) {
			if (errno == ENOENT)
				continue;
			return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno, "list", listing->target->display);
		}
		uwi_fsl_fill_stat(listing->self, &st, &entry.stat);
		entry.target_type = entry.stat.type == UW_FS_SYMLINK ? led_to(listing, name) : entry.stat.type;
		code = sink.entry(sink.arg, &entry);
		if (code < 0)
			return uw_fail(err, code, UW_STAGE_READ, UW_EFFECT_NONE, 0, "the receiver of the entries gave up");
	}
	return 0;
}

int uwi_fsl_list(void *self, const struct uw_call *call, const struct uw_target *target,
                 const struct uw_list_request *request, struct uw_entry_sink sink,
                 uint32_t *ret_more, struct uw_error *err)
{
	struct listing listing = {self, call, target, {NULL, 0, UW_FS_LIST_PAGE, 0, {NULL, 0}}, -1};
	UW_AUTO_FD fd = -1;
	struct stat st;
	int code = uw_call_check(call, UW_STAGE_READ, err);
	if (code == 0)
		code = uwi_fsl_open_directory(self, call, target, &fd, &st, err);
	if (code < 0)
		return code;
	if (request && request->limit)
		listing.page.limit = request->limit < LIMIT_MAX ? (size_t)request->limit : LIMIT_MAX;
	if (request)
		listing.page.after = request->after;
	listing.dir = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	listing.page.names = calloc(listing.page.limit, sizeof *listing.page.names);
	if (listing.dir < 0 || !listing.page.names)
		code = uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, listing.dir < 0 ? errno : ENOMEM, "list",
		                        target->display);
	else
		code = gather(&listing, uw_fd_steal(&fd), err);
	if (code == 0)
		code = deliver(&listing, sink, err);
	if (code == 0 && ret_more)
		*ret_more = listing.page.passed_over != 0;
	page_finish(&listing.page);
	uw_fd_close(&listing.dir);
	return code;
}
