/*
 * What the suites over fs/1 stand on: a fresh workspace and a place outside it,
 * and short names for the verbs. The file that includes this defines
 *
 *	static void suite_attach(struct suite *s);   sets s->fs, completes s->call
 *	static void suite_detach(struct suite *s);
 *
 * so that one suite runs over any provider, directly or through the embedding API,
 * and where that opens a world, SUITE_TEMP as temp_make_for_world.
 * UW_FS_SUITE_ROOT moves it to another file system. Every test ends by looking for
 * staging files left over (peer/A22).
 */
#ifndef UW_TESTS_FS_WORLD_H
#define UW_TESTS_FS_WORLD_H

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/temp.h"

#include <umwelt/fs.h>

struct suite {
	const struct uw_fs *fs;
	struct uw_call call;
	struct uw_policy policy; /* workspace-write over ws and temp; attach may use it */
	char top[PATH_MAX], ws[PATH_MAX], out[PATH_MAX], temp[PATH_MAX];
	struct uw_error err;
	struct uw_write_result wrote;
	void *impl;
};

#ifndef SUITE_TEMP
#define SUITE_TEMP temp_make
#endif

static void suite_attach(struct suite *s);
static void suite_detach(struct suite *s);

#define BYTES(text) ((struct uw_bytes){(text), sizeof(text) - 1})

static inline struct uw_bytes bytes_of(const char *text)
{
	return (struct uw_bytes){text, strlen(text)};
}

static inline struct uw_place place_of(const char *path)
{
	struct stat st;
	ck_assert_msg(stat(path, &st) == 0, "%s: %s", path, strerror(errno));
	return (struct uw_place){path, st.st_dev, st.st_ino};
}

static inline void suite_open(struct suite *s)
{
	const char *root = getenv("UW_FS_SUITE_ROOT");
	memset(s, 0, sizeof *s);
	snprintf(s->top, sizeof s->top, "%s", (root ? temp_make_below(root) : SUITE_TEMP()).path);
	ck_assert_int_lt(snprintf(s->ws, sizeof s->ws, "%.4000s/ws", s->top), PATH_MAX);
	ck_assert_int_lt(snprintf(s->out, sizeof s->out, "%.4000s/out", s->top), PATH_MAX);
	ck_assert_int_lt(snprintf(s->temp, sizeof s->temp, "%.4000s/temp", s->top), PATH_MAX);
	ck_assert_int_eq(mkdir(s->ws, 0755) | mkdir(s->out, 0755) | mkdir(s->temp, 0700), 0);
	s->err = (struct uw_error)UW_ERROR_INIT;
	s->call = (struct uw_call)UW_CALL_INIT;
	s->policy.size = sizeof s->policy;
	s->policy.mode = UW_MODE_WORKSPACE_WRITE;
	s->policy.workspace = place_of(s->ws);
	s->policy.temp = place_of(s->temp);
	suite_attach(s);
}

/* Counts staging files below a directory. */
static inline int leftovers(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int count = 0;
	while (dir && (entry = readdir(dir)) != NULL) {
		char below[PATH_MAX];
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		count += !strncmp(entry->d_name, ".uw-", 4);
		if (entry->d_type == DT_DIR && snprintf(below, sizeof below, "%s/%s", path, entry->d_name) < PATH_MAX)
			count += leftovers(below);
	}
	if (dir)
		closedir(dir);
	return count;
}

static inline void suite_close(struct suite *s)
{
	/* peer/A22, F-8 */
	ck_assert_msg(leftovers(s->top) == 0, "a staging file was left over");
	suite_detach(s);
	temp_drop(s->top);
}

/* ---- files, by the system's own calls ---- */

/* Good until the eighth call after it, on this thread. */
static inline const char *at(const struct suite *s, const char *name)
{
	static __thread char paths[8][PATH_MAX];
	static __thread unsigned next;
	char *path;
	if (name[0] == '/')
		return name;
	path = paths[next++ % 8];
	ck_assert_int_lt(snprintf(path, PATH_MAX, "%s/%s", s->ws, name), PATH_MAX);
	return path;
}

static inline void put(const struct suite *s, const char *name, struct uw_bytes content)
{
	int fd = open(at(s, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ck_assert_msg(fd >= 0, "%s: %s", name, strerror(errno));
	ck_assert_int_eq(write(fd, content.data, content.len), (ssize_t)content.len);
	close(fd);
}

/* Up to 64 KiB of a file, with its length; -1 if it cannot be read. */
static inline ssize_t get(const struct suite *s, const char *name, char *data, size_t size)
{
	int fd = open(at(s, name), O_RDONLY | O_CLOEXEC);
	ssize_t len;
	if (fd < 0)
		return -1;
	len = read(fd, data, size);
	close(fd);
	return len;
}

#define ck_holds(s, name, text)                                                                  \
	do {                                                                                         \
		static char held_[65536];                                                                \
		ssize_t held_len_ = get(s, name, held_, sizeof held_);                                   \
		ck_assert_msg(held_len_ == (ssize_t)(sizeof(text) - 1) &&                                \
		                  memcmp(held_, text, sizeof(text) - 1) == 0,                            \
		              "%s holds [%.*s] (%zd)", name, held_len_ < 0 ? 0 : (int)held_len_, held_, held_len_); \
	} while (0)

static inline mode_t mode_of(const struct suite *s, const char *name)
{
	struct stat st;
	ck_assert_msg(lstat(at(s, name), &st) == 0, "%s: %s", name, strerror(errno));
	return st.st_mode & 07777;
}

static inline int exists(const struct suite *s, const char *name)
{
	struct stat st;
	return lstat(at(s, name), &st) == 0;
}

/* ---- verbs ---- */

#define ck_code(s, got, want)                                                                    \
	do {                                                                                         \
		int code_ = (got);                                                                       \
		ck_assert_msg(code_ == (want), "%s, wanted %s: %s", uw_code_name(code_),                 \
		              uw_code_name(want), code_ < 0 ? (s)->err.message : "");                    \
		if (code_ < 0)                                                                           \
			ck_assert_int_eq((s)->err.effect, UW_EFFECT_NONE);                                   \
	} while (0)

static inline int resolve(struct suite *s, struct uw_bytes path, uint32_t flags, struct uw_target **ret)
{
	return s->fs->v->resolve(s->fs->self, &s->call, path, s->ws, flags, ret, &s->err);
}

static inline struct uw_target *target(struct suite *s, const char *path)
{
	struct uw_target *made = NULL;
	ck_code(s, resolve(s, bytes_of(path), 0, &made), 0);
	return made;
}

static inline struct uw_target *target_itself(struct suite *s, const char *path)
{
	struct uw_target *made = NULL;
	ck_code(s, resolve(s, bytes_of(path), UW_RESOLVE_NOFOLLOW, &made), 0);
	return made;
}

static inline int write_target(struct suite *s, const struct uw_target *t, struct uw_bytes content, int intent,
                               const struct uw_version *expected, uint32_t flags)
{
	struct uw_write_request request = {.size = sizeof request, .intent = intent, .expected = expected,
	                                   .content = content, .from_fd = -1, .flags = flags};
	memset(&s->wrote, 0, sizeof s->wrote);
	s->wrote.size = sizeof s->wrote;
	return s->fs->v->write(s->fs->self, &s->call, t, &request, &s->wrote, &s->err);
}

/* Resolves and writes; the code of whichever failed. */
static inline int write_as(struct suite *s, const char *path, struct uw_bytes content, int intent,
                           const struct uw_version *expected)
{
	struct uw_target *t = NULL;
	int code = resolve(s, bytes_of(path), 0, &t);
	if (code < 0)
		return code;
	code = write_target(s, t, content, intent, expected, UW_WRITE_PARENTS);
	t->release(t);
	return code;
}

#define W(s, path, text) write_as(s, path, BYTES(text), UW_WRITE_UNCONDITIONAL, NULL)

static inline int edit_many(struct suite *s, const char *path, const struct uw_edit *edits, size_t count,
                            const struct uw_version *expected)
{
	struct uw_edit_request request = {.size = sizeof request, .edits = edits, .edit_count = count, .expected = expected};
	struct uw_target *t = NULL;
	int code = resolve(s, bytes_of(path), 0, &t);
	if (code < 0)
		return code;
	memset(&s->wrote, 0, sizeof s->wrote);
	s->wrote.size = sizeof s->wrote;
	code = s->fs->v->edit(s->fs->self, &s->call, t, &request, &s->wrote, &s->err);
	t->release(t);
	return code;
}

static inline int edit_one(struct suite *s, const char *path, struct uw_bytes old_text, struct uw_bytes new_text,
                           uint32_t all)
{
	struct uw_edit edit = {old_text, new_text, all, 0};
	return edit_many(s, path, &edit, 1, NULL);
}

#define E(s, path, old_text, new_text)    edit_one(s, path, BYTES(old_text), BYTES(new_text), 0)
#define EALL(s, path, old_text, new_text) edit_one(s, path, BYTES(old_text), BYTES(new_text), 1)

struct got {
	char data[65536];
	size_t len;
	uint64_t total_len; /* also of what found no room in data */
	struct uw_read_info info;
	int code;
	struct uw_error err;
};

static inline int got_data(void *arg, size_t index, const char *data, size_t len)
{
	struct got *got = arg;
	size_t take = len < sizeof got->data - got->len ? len : sizeof got->data - got->len;
	(void)index;
	memcpy(got->data + got->len, data, take);
	got->len += take;
	got->total_len += len;
	return 0;
}

static inline int got_done(void *arg, size_t index, const struct uw_read_info *info, const struct uw_error *err)
{
	struct got *got = arg;
	(void)index;
	got->code = err->code;
	if (info)
		got->info = *info;
	got->err = *err;
	return 0;
}

static inline int read_range(struct suite *s, const char *path, uint64_t offset, uint64_t length, struct got *got)
{
	struct uw_read_sink sink = {got_data, got_done, got};
	struct uw_read_request request = {NULL, offset, length};
	struct uw_target *t = NULL;
	int code = resolve(s, bytes_of(path), 0, &t);
	memset(got, 0, sizeof *got);
	if (code < 0)
		return code;
	request.target = t;
	code = s->fs->v->read_many(s->fs->self, &s->call, &request, 1, sink, &s->err);
	t->release(t);
	if (code == 0 && got->code) {
		s->err = got->err;
		code = got->code;
	}
	return code;
}

static inline struct uw_version version_of(struct suite *s, const char *path)
{
	static struct got got;
	ck_code(s, read_range(s, path, 0, UINT64_MAX, &got), 0);
	return got.info.version;
}

struct text {
	char data[65536];
	size_t len;
	uint64_t total_len;
	struct uw_text_info info;
};

static inline int text_data(void *arg, const char *data, size_t len)
{
	struct text *text = arg;
	size_t take = len < sizeof text->data - text->len ? len : sizeof text->data - text->len;
	memcpy(text->data + text->len, data, take);
	text->len += take;
	text->total_len += len;
	return 0;
}

static inline int read_lines(struct suite *s, const char *path, uint64_t first, uint64_t last, struct text *text)
{
	struct uw_text_request request = {sizeof request, first, last};
	struct uw_target *t = NULL;
	int code = resolve(s, bytes_of(path), 0, &t);
	memset(text, 0, sizeof *text);
	if (code < 0)
		return code;
	text->info.size = sizeof text->info;
	code = s->fs->v->read_text(s->fs->self, &s->call, t, &request, (struct uw_sink){text_data, text}, &text->info,
	                           &s->err);
	t->release(t);
	return code;
}

static inline int stat_got(void *arg, size_t index, const struct uw_stat *stat, const struct uw_error *err)
{
	struct uw_stat *out = arg;
	if (!stat)
		return err->code;
	out[index] = *stat;
	return 0;
}

static inline struct uw_stat stat_target(struct suite *s, const struct uw_target *t, uint32_t digest)
{
	struct uw_stat stat = {.size = sizeof stat};
	ck_code(s, s->fs->v->stat_many(s->fs->self, &s->call, &t, 1, digest, (struct uw_stat_sink){stat_got, &stat}, &s->err), 0);
	return stat;
}

static inline struct uw_stat stat_path(struct suite *s, const char *path, uint32_t digest)
{
	struct uw_target *t = target(s, path);
	struct uw_stat stat = stat_target(s, t, digest);
	t->release(t);
	return stat;
}

static inline int remove_path(struct suite *s, const char *path, uint32_t flags)
{
	struct uw_target *t = target_itself(s, path);
	int code = s->fs->v->remove(s->fs->self, &s->call, t, flags, &s->err);
	t->release(t);
	return code;
}

static inline int rename_path(struct suite *s, const char *from, const char *to, uint32_t flags)
{
	struct uw_target *a = target_itself(s, from), *b = target_itself(s, to);
	int code = s->fs->v->rename(s->fs->self, &s->call, a, b, flags, &s->err);
	a->release(a);
	b->release(b);
	return code;
}

static inline int mkdir_path(struct suite *s, const char *path, uint32_t flags)
{
	struct uw_target *t = target(s, path);
	int code = s->fs->v->mkdir(s->fs->self, &s->call, t, flags, &s->err);
	t->release(t);
	return code;
}

struct text_sink {
	char data[PATH_MAX * 3 + 16];
	size_t len;
};

static inline int keep_text(void *arg, const char *data, size_t len)
{
	struct text_sink *text = arg;
	ck_assert_uint_lt(text->len + len, sizeof text->data);
	memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
	return 0;
}

/* 1 if this file system can do it; else the test says so and is done. */
static inline int can(struct suite *s, const char *what, int ok)
{
	if (!ok) {
		fprintf(stderr, "# not possible on this file system: %s (%s)\n", what, strerror(errno));
		suite_close(s);
	}
	return ok;
}

#endif
