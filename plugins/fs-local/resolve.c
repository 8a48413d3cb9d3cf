/*
 * F-1: what a path means. A walker of our own, in user land, on bytes, over
 * O_PATH descriptors: it steps name by name as the kernel does, reads links
 * itself, and so can start over at the call's view (S-15) on each absolute link
 * and each `..`. It keeps two paths in step: `inside`, as a process of the world
 * sees it, and `key`, the same place outside.
 *
 * A path without links and without `..` needs none of this: one openat2 that
 * refuses links proves that its text is canonical already.
 */
#include "local.h"

#include "common/path.h"
#include "common/view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#define LINKS_MAX 40 /* as the kernel */

struct walk {
	const struct uwi_fsl *self;
	const struct uw_view *view;
	struct uw_bytes spelt; /* for messages */
	struct uw_buf rest;    /* what is still to be walked */
	size_t at;             /* how far rest is done */
	struct uwi_spot *spot; /* where the walk stands */
	int fd;                /* of spot->key; -1 where nothing is */
	mode_t mode;           /* its type; 0 if absent */
	uid_t uid;             /* its owner */
	unsigned links;
	uint32_t follow_last;
};

void uwi_fsl_spot_finish(struct uwi_spot *spot)
{
	uw_buf_finish(&spot->key);
	uw_buf_finish(&spot->inside);
}

static int fail(const struct walk *walk, int code, const char *reason, struct uw_error *err)
{
	return uwi_fsl_error(err, code, UW_STAGE_RESOLVE, "resolve", walk->spelt, reason);
}

static int fail_os(const struct walk *walk, int os_errno, struct uw_error *err)
{
	return uwi_fsl_os_error(err, UW_STAGE_RESOLVE, UW_EFFECT_NONE, os_errno, "resolve", walk->spelt);
}

/* Stands on fd now, which may be -1 with errno ENOENT: absent. */
static int stand_on(struct walk *walk, int fd, struct uw_error *err)
{
	struct stat st;
	uw_fd_close(&walk->fd);
	walk->mode = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : fail_os(walk, errno, err);
	walk->fd = fd;
	if (fstat(fd, &st) < 0)
		return fail_os(walk, errno, err);
	walk->mode = st.st_mode;
	walk->uid = st.st_uid;
	return 0;
}

/* Takes the place of the inside path that spot holds, from the view down. */
static int stand_at_inside(struct walk *walk, struct uw_error *err)
{
	struct uwi_spot *spot = walk->spot;
	uw_buf_truncate(&spot->key, 0);
	uw_view_outside(walk->view, spot->inside.data, spot->inside.len, &spot->key);
	if (spot->key.failed)
		return fail(walk, UW_E_NO_MEMORY, "no memory", err);
	return stand_on(walk, uwi_fsl_open_strict(spot->key.data, O_PATH | O_NOFOLLOW), err);
}

static int stand_at_root(struct walk *walk, struct uw_error *err)
{
	uw_buf_truncate(&walk->spot->inside, 0);
	uw_buf_text(&walk->spot->inside, "/");
	if (walk->spot->inside.failed)
		return fail(walk, UW_E_NO_MEMORY, "no memory", err);
	return stand_at_inside(walk, err);
}

/* A path goes on from here, so this has to be a directory; nothing at all is as good. */
static int need_directory(const struct walk *walk, struct uw_error *err)
{
	if (walk->mode && !S_ISDIR(walk->mode))
		return fail(walk, UW_E_FS_NOT_DIRECTORY, "a part of the path is not a directory", err);
	return 0;
}

static int go_up(struct walk *walk, struct uw_error *err)
{
	struct uw_buf *inside = &walk->spot->inside;
	int code = need_directory(walk, err);
	if (code < 0)
		return code;
	if (!walk->mode)
		return fail(walk, UW_E_FS_NOT_FOUND, "`..` of a directory that does not exist", err);
	uw_buf_truncate(inside, uw_path_parent(inside->data, inside->len));
	code = stand_at_inside(walk, err);
	if (code != UW_E_FS_LOOP && !S_ISLNK(walk->mode))
		return code;
	/* a link appeared above us meanwhile: walk there again, links and all */
	{
		UW_AUTO_BUF rest = UW_BUF_INIT;
		if (++walk->links > LINKS_MAX)
			return fail(walk, UW_E_FS_LOOP, "the directories above keep changing", err);
		uw_buf_add(&rest, inside->data, inside->len);
		uw_buf_byte(&rest, '/');
		uw_buf_add(&rest, walk->rest.data + walk->at, walk->rest.len - walk->at);
		uw_buf_finish(&walk->rest);
		walk->rest = rest;
		rest = (struct uw_buf)UW_BUF_INIT;
		walk->at = 0;
		if (walk->rest.failed)
			return fail(walk, UW_E_NO_MEMORY, "no memory", err);
	}
	return stand_at_root(walk, err);
}

/*
 * fs.protected_symlinks: in a sticky directory that all may write, only links of
 * one's own or of the directory's owner are followed. parent_* is that directory.
 */
static int link_is_a_strangers(const struct walk *walk, mode_t parent_mode, uid_t parent_uid)
{
	if (!walk->self->protected_symlinks || !(parent_mode & S_ISVTX) || !(parent_mode & S_IWOTH))
		return 0;
	return walk->uid != geteuid() && walk->uid != parent_uid;
}

/* Stands on a link: puts its text before the rest, and goes back to the directory it is in. */
static int follow(struct walk *walk, int parent, size_t inside_len, size_t key_len, struct uw_error *err)
{
	char text[PATH_MAX];
	UW_AUTO_BUF rest = UW_BUF_INIT;
	ssize_t len = readlinkat(walk->fd, "", text, sizeof text);
	if (len < 0 || (size_t)len == sizeof text)
		return fail_os(walk, len < 0 ? errno : ENAMETOOLONG, err);
	if (++walk->links > LINKS_MAX)
		return fail(walk, UW_E_FS_LOOP, "too many symbolic links", err);
	uw_buf_add(&rest, text, (size_t)len);
	uw_buf_add(&rest, walk->rest.data + walk->at, walk->rest.len - walk->at);
	if (rest.failed)
		return fail(walk, UW_E_NO_MEMORY, "no memory", err);
	uw_buf_finish(&walk->rest);
	walk->rest = rest;
	rest = (struct uw_buf)UW_BUF_INIT;
	walk->at = 0;
	if (text[0] == '/')
		return stand_at_root(walk, err);
	uw_buf_truncate(&walk->spot->inside, inside_len);
	uw_buf_truncate(&walk->spot->key, key_len);
	return stand_on(walk, fcntl(parent, F_DUPFD_CLOEXEC, 3), err);
}

/* One name down. last: nothing but slashes follows. */
static int go_down(struct walk *walk, const char *name, size_t len, int last, struct uw_error *err)
{
	struct uwi_spot *spot = walk->spot;
	size_t inside_len = spot->inside.len, key_len = spot->key.len;
	UW_AUTO_FD parent = -1;
	mode_t parent_mode = walk->mode;
	uid_t parent_uid = walk->uid;
	const struct uw_view_entry *entry;
	char text[NAME_MAX + 1];
	int code = need_directory(walk, err);
	if (code < 0)
		return code;
	if (len > NAME_MAX)
		return fail(walk, UW_E_FS_NAME_TOO_LONG, "a name is longer than 255 bytes", err);
	memcpy(text, name, len);
	text[len] = '\0';
	uw_path_push(&spot->inside, text, len);
	uw_path_push(&spot->key, text, len);
	if (spot->inside.failed || spot->key.failed)
		return fail(walk, UW_E_NO_MEMORY, "no memory", err);
	entry = uw_view_at(walk->view, spot->inside.data, spot->inside.len);
	if (entry)
		return stand_at_inside(walk, err);
	if (!walk->mode)
		return 0;
	parent = uw_fd_steal(&walk->fd);
	code = stand_on(walk, openat(parent, text, O_PATH | O_NOFOLLOW | O_CLOEXEC), err);
	if (code < 0 || !S_ISLNK(walk->mode))
		return code;
	if (last && !walk->follow_last && walk->at == walk->rest.len)
		return 0;
	if (link_is_a_strangers(walk, parent_mode, parent_uid))
		return fail(walk, UW_E_FS_PERMISSION_DENIED,
		            "a link of another user in a directory that all may write is not followed", err);
	if (last)
		spot->flags |= UW_TARGET_VIA_LINK;
	return follow(walk, parent, inside_len, key_len, err);
}

/* 1 and the next name; 0 at the end. Slashes before the end demand a directory. */
static int next_name(struct walk *walk, const char **name, size_t *len, int *last)
{
	const char *data = walk->rest.data;
	size_t start = walk->at, end;
	while (start < walk->rest.len && data[start] == '/')
		start++;
	if (start == walk->rest.len) {
		if (start > walk->at)
			walk->spot->must_be_dir = 1;
		walk->at = start;
		return 0;
	}
	for (end = start; end < walk->rest.len && data[end] != '/'; end++)
		;
	*name = data + start;
	*len = end - start;
	walk->at = end;
	while (end < walk->rest.len && data[end] == '/')
		end++;
	*last = end == walk->rest.len;
	return 1;
}

static int walk_rest(struct walk *walk, struct uw_error *err)
{
	const char *name;
	size_t len;
	int last, code = 0;
	while (code == 0 && next_name(walk, &name, &len, &last)) {
		if (len == 1 && name[0] == '.') {
			code = need_directory(walk, err);
			walk->spot->must_be_dir |= (uint32_t)last;
		} else if (len == 2 && name[0] == '.' && name[1] == '.') {
			code = go_up(walk, err);
		} else {
			code = go_down(walk, name, len, last, err);
		}
	}
	return code;
}

/* What remains to be said once the walk has ended well. */
static int arrive(struct walk *walk, struct uw_error *err)
{
	struct uwi_spot *spot = walk->spot;
	int made_by_view = !walk->mode && uw_view_leads_below(walk->view, spot->inside.data, spot->inside.len);
	if (spot->must_be_dir && walk->mode && !S_ISDIR(walk->mode))
		return fail(walk, UW_E_FS_NOT_DIRECTORY, "it ends in a slash and is not a directory", err);
	if (spot->key.len >= PATH_MAX || spot->inside.len >= PATH_MAX)
		return fail(walk, UW_E_FS_NAME_TOO_LONG, "the path is longer than 4095 bytes", err);
	if (walk->mode || made_by_view)
		spot->flags |= UW_TARGET_EXISTS;
	else if (spot->flags & UW_TARGET_VIA_LINK)
		spot->flags |= UW_TARGET_DANGLING;
	return 0;
}

/*
 * The short way: 1 if the path as it is spelt (less doubled slashes and `.`) holds
 * no link and leads somewhere; 0 if the walker has to tell.
 */
static int spelt_canonically(struct walk *walk, struct uw_bytes path)
{
	struct uwi_spot *spot = walk->spot;
	int fd, flags = O_PATH | (walk->follow_last ? 0 : O_NOFOLLOW);
	uw_buf_truncate(&spot->inside, 0);
	uw_buf_truncate(&spot->key, 0);
	for (size_t at = 0, end; at < path.len; at = end) {
		while (at < path.len && path.data[at] == '/')
			at++;
		for (end = at; end < path.len && path.data[end] != '/'; end++)
			;
		if (end - at == 2 && path.data[at] == '.' && path.data[at + 1] == '.')
			return 0;
		spot->must_be_dir = end == at || (end - at == 1 && path.data[at] == '.');
		if (!spot->must_be_dir)
			uw_path_push(&spot->inside, path.data + at, end - at);
	}
	if (!spot->inside.len)
		uw_buf_byte(&spot->inside, '/');
	if (spot->inside.failed)
		return 0;
	uw_view_outside(walk->view, spot->inside.data, spot->inside.len, &spot->key);
	if (spot->key.failed || spot->key.len >= PATH_MAX)
		return 0;
	fd = uwi_fsl_open_strict(spot->key.data, flags | (spot->must_be_dir ? O_DIRECTORY : 0));
	if (fd < 0)
		return 0;
	uw_fd_close(&fd);
	spot->flags |= UW_TARGET_EXISTS;
	return 1;
}

int uwi_fsl_walk(const struct uwi_fsl *self, const struct uw_call *call, struct uw_bytes path,
                 uint32_t flags, struct uwi_spot *spot, struct uw_error *err)
{
	struct walk walk = {self, call && call->view && call->view->count ? call->view : NULL, path,
	                    UW_BUF_INIT, 0, spot, -1, 0, 0, 0, !(flags & UW_RESOLVE_NOFOLLOW)};
	int code;
	spot->flags = flags & UW_RESOLVE_NOFOLLOW ? UW_TARGET_NOFOLLOW : 0;
	spot->must_be_dir = 0;
	if (spelt_canonically(&walk, path))
		return 0;
	spot->must_be_dir = 0;
	uw_buf_add(&walk.rest, path.data, path.len);
	code = walk.rest.failed ? fail(&walk, UW_E_NO_MEMORY, "no memory", err) : stand_at_root(&walk, err);
	if (code == 0)
		code = walk_rest(&walk, err);
	if (code == 0)
		code = arrive(&walk, err);
	uw_fd_close(&walk.fd);
	uw_buf_finish(&walk.rest);
	return code;
}

int uwi_fsl_spot_of(const struct uw_target *target, struct uwi_spot *spot, struct uw_error *err)
{
	const struct uwi_target *own = target->impl;
	uw_buf_truncate(&spot->key, 0);
	uw_buf_truncate(&spot->inside, 0);
	uw_buf_add(&spot->key, target->key.data, target->key.len);
	uw_buf_add(&spot->inside, own->inside.data, own->inside.len);
	spot->flags = target->flags;
	spot->must_be_dir = own->must_be_dir;
	if (spot->key.failed || spot->inside.failed)
		return uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_RESOLVE, "resolve", target->display, "no memory");
	return 0;
}

int uwi_fsl_spot_again(const struct uwi_fsl *self, const struct uw_call *call,
                       const struct uw_target *target, struct uwi_spot *spot, struct uw_error *err)
{
	const struct uwi_target *own = target->impl;
	uint32_t kept = target->flags & (UW_TARGET_VIA_LINK | UW_TARGET_DANGLING);
	uint32_t nofollow = target->flags & UW_TARGET_NOFOLLOW ? UW_RESOLVE_NOFOLLOW : 0;
	int code = uwi_fsl_walk(self, call, own->inside, nofollow, spot, err);
	if (code < 0)
		return code;
	spot->flags |= kept;
	spot->must_be_dir = own->must_be_dir;
	return 0;
}

static void release(struct uw_target *target)
{
	if (target)
		free(target->impl);
}

/* One block: the struct, key, inside and display path, each with a NUL. */
static struct uw_target *make_target(const struct uwi_spot *spot, struct uw_bytes display)
{
	size_t texts = spot->key.len + spot->inside.len + display.len + 3;
	struct uwi_target *target = calloc(1, sizeof *target + texts);
	char *text;
	if (!target)
		return NULL;
	text = (char *)(target + 1);
	target->base.size = sizeof target->base;
	target->base.flags = spot->flags;
	target->base.impl = target;
	target->base.release = release;
	target->must_be_dir = spot->must_be_dir;
	memcpy(text, spot->key.data, spot->key.len);
	target->base.key = (struct uw_bytes){text, spot->key.len};
	text += spot->key.len + 1;
	memcpy(text, spot->inside.data, spot->inside.len);
	target->inside = (struct uw_bytes){text, spot->inside.len};
	text += spot->inside.len + 1;
	memcpy(text, display.data, display.len);
	target->base.display = (struct uw_bytes){text, display.len};
	return &target->base;
}

/* The absolute inside path of what the caller said, as spelt. */
static int make_display(const struct uw_call *call, struct uw_bytes path, const char *cwd,
                        struct uw_buf *display, struct uw_error *err)
{
	if (path.data[0] != '/') {
		if (!cwd && call && call->policy)
			cwd = call->policy->workspace.path;
		if (!cwd || cwd[0] != '/')
			return uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_RESOLVE, "resolve", path,
			                     "it is relative and there is no working directory");
		if (!uw_view_inside(call ? call->view : NULL, cwd, uw_path_trim(cwd, strlen(cwd)), display))
			return uwi_fsl_error(err, UW_E_CWD_INVALID, UW_STAGE_RESOLVE, "resolve", path,
			                     "the working directory is hidden in this world");
		uw_path_push(display, path.data, path.len);
	} else {
		uw_buf_add(display, path.data, path.len);
	}
	if (display->failed)
		return uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_RESOLVE, "resolve", path, "no memory");
	return 0;
}

int uwi_fsl_resolve(void *self, const struct uw_call *call, struct uw_bytes path, const char *cwd,
                    uint32_t flags, struct uw_target **ret_target, struct uw_error *err)
{
	UW_AUTO_BUF display = UW_BUF_INIT;
	UWI_AUTO_SPOT spot = UWI_SPOT_INIT;
	struct uw_target *target;
	int code = uw_call_check(call, UW_STAGE_RESOLVE, err);
	if (code < 0)
		return code;
	if (path.len == 0)
		return uw_fail(err, UW_E_FS_BAD_PATH, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0, "the path is empty");
	if (memchr(path.data, '\0', path.len))
		return uwi_fsl_error(err, UW_E_FS_BAD_PATH, UW_STAGE_RESOLVE, "resolve", path, "it holds a NUL byte");
	if (path.len >= PATH_MAX)
		return uwi_fsl_error(err, UW_E_FS_NAME_TOO_LONG, UW_STAGE_RESOLVE, "resolve",
		                     (struct uw_bytes){path.data, 64}, "the path is longer than 4095 bytes");
	code = make_display(call, path, cwd, &display, err);
	if (code < 0)
		return code;
	code = uwi_fsl_walk(self, call, (struct uw_bytes){display.data, display.len}, flags, &spot, err);
	if (code < 0)
		return code;
	target = make_target(&spot, (struct uw_bytes){display.data, display.len});
	if (!target)
		return uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_RESOLVE, "resolve", path, "no memory");
	*ret_target = target;
	return 0;
}
