/*
 * The suite of fs/1 (F-1..F-14; cases/files, peer A and B), over any provider. The
 * includer names FS_SUITE in its UW_TESTS. Where a case of the peer and the
 * specification differ, the specification is tested, and a comment says so.
 */
#ifndef UW_TESTS_FS_SUITE_H
#define UW_TESTS_FS_SUITE_H

#include "tests/suites/fs_world.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>

static struct suite s_, *const s = &s_;

/* ---- resolve (F-1) ---- */

/* F-1: aliases meet in one key, also of files that do not exist yet */
START_TEST(f1_aliases_and_links_meet_in_one_key)
{
	static const char *const spelt[] = {"d/new", "./d//new", "d/./new", "ln/new", "ln/../d/new", "d/sub/../new"};
	suite_open(s);
	if (!can(s, "symlink", mkdir(at(s, "d"), 0755) == 0 && mkdir(at(s, "d/sub"), 0755) == 0 && symlink("d", at(s, "ln")) == 0))
		return;
	for (size_t i = 0; i < sizeof spelt / sizeof spelt[0]; i++) {
		struct uw_target *t = target(s, spelt[i]);
		ck_assert_str_eq(t->key.data, at(s, "d/new"));
		ck_assert_uint_eq(t->flags & UW_TARGET_EXISTS, 0);
		t->release(t);
	}
	suite_close(s);
}
END_TEST

/* F-1: after a link, as the kernel does, and not by the path's text */
START_TEST(f1_dotdot_after_a_link_is_where_the_kernel_says)
{
	struct uw_target *t;
	int fd;
	suite_open(s);
	mkdir(at(s, "a"), 0755);
	mkdir(at(s, "a/b"), 0755);
	put(s, "a/f", BYTES("kernel"));
	put(s, "f", BYTES("lexical"));
	if (!can(s, "symlink", symlink("a/b", at(s, "ln")) == 0))
		return;
	t = target(s, "ln/../f");
	ck_assert_str_eq(t->key.data, at(s, "a/f"));
	ck_assert_int_ge(fd = open(at(s, "ln/../f"), O_RDONLY), 0);
	close(fd);
	ck_assert_uint_eq(stat_target(s, t, 0).file_size, 6);
	t->release(t);
	ck_code(s, resolve(s, BYTES("missing/../f"), 0, &t), UW_E_FS_NOT_FOUND);
	suite_close(s);
}
END_TEST

/* F-1: the display path is as the caller spelt it, absolute */
START_TEST(f1_the_display_path_is_what_the_caller_said)
{
	struct uw_target *t;
	char want[PATH_MAX];
	suite_open(s);
	t = target(s, "./x//y");
	snprintf(want, sizeof want, "%.4000s/./x//y", s->ws);
	ck_assert_str_eq(t->display.data, want);
	ck_assert_str_eq(t->key.data, at(s, "x/y"));
	t->release(t);
	suite_close(s);
}
END_TEST

/* peer/B17: where it differs the header wins: empty is FS_BAD_PATH, blanks are a name like any other */
START_TEST(b17_empty_blank_and_child_of_a_file)
{
	struct uw_target *t;
	suite_open(s);
	put(s, "file", BYTES("x"));
	ck_code(s, resolve(s, BYTES(""), 0, &t), UW_E_FS_BAD_PATH);
	ck_code(s, resolve(s, BYTES("file/child"), 0, &t), UW_E_FS_NOT_DIRECTORY);
	ck_code(s, resolve(s, BYTES("file/"), 0, &t), UW_E_FS_NOT_DIRECTORY);
	ck_code(s, resolve(s, BYTES("file/."), 0, &t), UW_E_FS_NOT_DIRECTORY);
	ck_code(s, resolve(s, BYTES("file/.."), 0, &t), UW_E_FS_NOT_DIRECTORY);
	t = target(s, "   ");
	ck_assert_uint_eq(t->flags & UW_TARGET_EXISTS, 0);
	t->release(t);
	ck_code(s, read_range(s, "   ", 0, 1, &(struct got){.len = 0}), UW_E_FS_NOT_FOUND);
	suite_close(s);
}
END_TEST

/* peer/B18 */
START_TEST(b18_loops_nul_and_over_long_paths_have_codes)
{
	struct uw_target *t;
	char longname[300], deep[5000];
	suite_open(s);
	if (symlink("loop", at(s, "loop")) == 0) {
		ck_code(s, resolve(s, BYTES("loop"), 0, &t), UW_E_FS_LOOP);
		ck_code(s, resolve(s, BYTES("loop/x"), 0, &t), UW_E_FS_LOOP);
		t = target_itself(s, "loop");
		ck_assert_int_eq(stat_target(s, t, 0).type, UW_FS_SYMLINK);
		t->release(t);
	}
	ck_code(s, resolve(s, BYTES("a\0b"), 0, &t), UW_E_FS_BAD_PATH);
	memset(longname, 'n', sizeof longname);
	ck_code(s, resolve(s, (struct uw_bytes){longname, 256}, 0, &t), UW_E_FS_NAME_TOO_LONG);
	for (size_t i = 0; i < sizeof deep; i++)
		deep[i] = i % 2 ? '/' : 'd';
	ck_code(s, resolve(s, (struct uw_bytes){deep, sizeof deep}, 0, &t), UW_E_FS_NAME_TOO_LONG);
	suite_close(s);
}
END_TEST

/* F-1: as many links as the kernel follows, and not one more */
START_TEST(f1_forty_links_are_followed_and_the_next_is_a_loop)
{
	struct uw_target *t;
	char name[16], to[16];
	suite_open(s);
	put(s, "l0", BYTES("end"));
	for (int i = 1; i <= 41; i++) {
		snprintf(name, sizeof name, "l%d", i);
		snprintf(to, sizeof to, "l%d", i - 1);
		if (i == 1 ? !can(s, "symlink", symlink(to, at(s, name)) == 0) : symlink(to, at(s, name)) != 0)
			return;
	}
	t = target(s, "l40");
	ck_assert_str_eq(t->key.data, at(s, "l0"));
	ck_assert_uint_eq(t->flags & UW_TARGET_VIA_LINK, UW_TARGET_VIA_LINK);
	t->release(t);
	ck_code(s, resolve(s, BYTES("l41"), 0, &t), UW_E_FS_LOOP);
	ck_assert_int_lt(open(at(s, "l41"), O_RDONLY), 0);
	suite_close(s);
}
END_TEST

START_TEST(f1_a_dangling_link_names_its_target_and_says_so)
{
	struct uw_target *t;
	suite_open(s);
	if (!can(s, "symlink", symlink("gone/x", at(s, "dang")) == 0))
		return;
	t = target(s, "dang");
	ck_assert_str_eq(t->key.data, at(s, "gone/x"));
	ck_assert_uint_eq(t->flags & (UW_TARGET_DANGLING | UW_TARGET_EXISTS), UW_TARGET_DANGLING);
	t->release(t);
	t = target_itself(s, "dang");
	ck_assert_str_eq(t->key.data, at(s, "dang"));
	ck_assert_uint_eq(t->flags & (UW_TARGET_NOFOLLOW | UW_TARGET_EXISTS), UW_TARGET_NOFOLLOW | UW_TARGET_EXISTS);
	t->release(t);
	suite_close(s);
}
END_TEST

START_TEST(f1_the_root_and_the_workspace_resolve)
{
	struct uw_target *t;
	suite_open(s);
	t = target(s, "/");
	ck_assert_str_eq(t->key.data, "/");
	t->release(t);
	t = target(s, "/../..//.");
	ck_assert_str_eq(t->key.data, "/");
	t->release(t);
	t = target(s, ".");
	ck_assert_str_eq(t->key.data, s->ws);
	t->release(t);
	suite_close(s);
}
END_TEST

/* F-2, files/F31: names are bytes through every operation */
START_TEST(files_f31_names_of_odd_bytes_survive_every_operation)
{
	static const char *const names[] = {"a\nb", "quote\"'", "\xff\xfe", " lead", "-dash", "\\x41", "\x01\x7f"};
	suite_open(s);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int code = W(s, names[i], "one");
		if (code == UW_E_FS_BAD_PATH || code == UW_E_FS_IO_ERROR)
			continue; /* this file system takes no such name */
		ck_code(s, code, 0);
		ck_code(s, E(s, names[i], "one", "two"), 0);
		ck_holds(s, names[i], "two");
		ck_assert_int_eq(stat_path(s, names[i], 0).type, UW_FS_FILE);
		ck_code(s, rename_path(s, names[i], "moved", 0), 0);
		ck_code(s, rename_path(s, "moved", names[i], 0), 0);
		ck_code(s, remove_path(s, names[i], 0), 0);
	}
	suite_close(s);
}
END_TEST

/* peer/B22 */
START_TEST(b22_a_file_url_is_escaped)
{
	struct uw_target *t;
	struct text_sink text = {.len = 0};
	suite_open(s);
	t = target(s, "a b#c%\xc3\xa9");
	ck_code(s, s->fs->v->file_url(s->fs->self, &s->call, t, (struct uw_sink){keep_text, &text}, &s->err), 0);
	ck_assert_int_eq(strncmp(text.data, "file:///", 8), 0);
	ck_assert_str_eq(strrchr(text.data, '/') + 1, "a%20b%23c%25%C3%A9");
	text.len = 0;
	ck_code(s, s->fs->v->process_path(s->fs->self, &s->call, t, (struct uw_sink){keep_text, &text}, &s->err), 0);
	ck_assert_str_eq(text.data, at(s, "a b#c%\xc3\xa9"));
	t->release(t);
	suite_close(s);
}
END_TEST

START_TEST(contains_goes_by_component)
{
	struct uw_target *ws, *in, *beside;
	uint32_t yes = 9;
	suite_open(s);
	ws = target(s, ".");
	in = target(s, "x/y");
	beside = target(s, "../ws-evil/s");
	ck_code(s, s->fs->v->contains(s->fs->self, &s->call, ws, in, &yes, &s->err), 0);
	ck_assert_uint_eq(yes, 1);
	ck_code(s, s->fs->v->contains(s->fs->self, &s->call, ws, ws, &yes, &s->err), 0);
	ck_assert_uint_eq(yes, 1);
	ck_code(s, s->fs->v->contains(s->fs->self, &s->call, ws, beside, &yes, &s->err), 0);
	ck_assert_uint_eq(yes, 0);
	ws->release(ws);
	in->release(in);
	beside->release(beside);
	suite_close(s);
}
END_TEST

/* ---- reading (F-3, F-4, F-5, F-12) ---- */

/* peer/B15 */
START_TEST(b15_reading_what_is_no_file)
{
	struct got got;
	suite_open(s);
	mkdir(at(s, "dir"), 0755);
	ck_code(s, read_range(s, "dir", 0, 1, &got), UW_E_FS_NOT_REGULAR_FILE);
	ck_code(s, read_range(s, "missing", 0, 1, &got), UW_E_FS_NOT_FOUND);
	if (mkfifo(at(s, "fifo"), 0600) == 0)
		ck_code(s, read_range(s, "fifo", 0, 1, &got), UW_E_FS_NOT_REGULAR_FILE);
	suite_close(s);
}
END_TEST

/* files/F18, F-4: at once, and the server lives */
START_TEST(files_f18_fifos_sockets_and_devices_never_block)
{
	static const char *const names[] = {"p", "/dev/null", "/dev/zero", "/dev/tty", "sock"};
	size_t count = sizeof names / sizeof names[0];
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct text text;
	struct got got;
	int fd;
	suite_open(s);
	if (!can(s, "mkfifo", mkfifo(at(s, "p"), 0600) == 0))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(chdir(s->ws), 0);
	snprintf(name.sun_path, sizeof name.sun_path, "sock"); /* the whole path may be too long for it */
	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof name) < 0) {
		ck_assert_int_eq(errno, EPERM);
		count--; /* a world without unix sockets; the others are there */
	}
	for (int round = 0; round < 4; round++)
		for (size_t i = 0; i < count; i++) {
			struct uw_target *t = target(s, names[i]);
			int opened;
			ck_code(s, read_range(s, names[i], 0, 1, &got), UW_E_FS_NOT_REGULAR_FILE);
			ck_code(s, read_lines(s, names[i], 0, 0, &text), UW_E_FS_NOT_REGULAR_FILE);
			ck_code(s, s->fs->v->open(s->fs->self, &s->call, t, &opened, NULL, &s->err), UW_E_FS_NOT_REGULAR_FILE);
			t->release(t);
		}
	close(fd);
	suite_close(s);
}
END_TEST

/* F-4 */
START_TEST(f4_proc_files_of_size_0_read_whole)
{
	struct got got;
	struct text text;
	suite_open(s);
	ck_code(s, read_range(s, "/proc/version", 0, UINT64_MAX, &got), 0);
	ck_assert_uint_gt(got.len, 10);
	ck_assert_uint_eq(got.info.at_end, 1);
	ck_assert_uint_eq(got.info.total, got.len);
	ck_code(s, read_lines(s, "/proc/self/status", 0, 0, &text), 0);
	ck_assert_uint_gt(text.info.total_lines, 10);
	ck_assert_uint_eq(text.info.total_bytes, text.total_len);
	suite_close(s);
}
END_TEST

/* every byte that is read is digested, which costs a sanitizer's build ten times as much */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { GROWN_BLOCKS = 200, GROWING_READS = 10 };
#else
enum { GROWN_BLOCKS = 4000, GROWING_READS = 50 };
#endif

static void *keep_growing(void *arg)
{
	int fd = *(int *)arg;
	char block[4096];
	memset(block, 'g', sizeof block);
	for (int i = 0; i < GROWN_BLOCKS; i++)
		if (write(fd, block, sizeof block) < 0)
			break;
	return NULL;
}

/* F-4: a read of a file that grows ends, bounded by what it saw */
START_TEST(f4_a_read_of_a_growing_file_ends)
{
	pthread_t thread;
	struct got got;
	int fd;
	suite_open(s);
	put(s, "log", BYTES("start\n"));
	fd = open(at(s, "log"), O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_eq(pthread_create(&thread, NULL, keep_growing, &fd), 0);
	for (int i = 0; i < GROWING_READS; i++) {
		ck_code(s, read_range(s, "log", 0, UINT64_MAX, &got), 0);
		ck_assert_uint_eq(got.info.length, got.total_len);
		ck_assert_uint_le(got.info.length, got.info.total);
		ck_assert_uint_eq(got.info.has_version, 1);
	}
	pthread_join(thread, NULL);
	close(fd);
	suite_close(s);
}
END_TEST

/* peer/B16: the range is the caller's cap; at_end and total tell the rest */
START_TEST(b16_ranges_tell_where_the_end_is)
{
	struct got got;
	suite_open(s);
	put(s, "f", BYTES("0123456789"));
	put(s, "empty", BYTES(""));
	ck_code(s, read_range(s, "f", 0, 10, &got), 0);
	ck_assert_uint_eq(got.info.at_end, 1);
	ck_code(s, read_range(s, "f", 0, 9, &got), 0);
	ck_assert_uint_eq(got.info.at_end, 0);
	ck_assert_uint_eq(got.info.total, 10);
	ck_code(s, read_range(s, "f", 4, 3, &got), 0);
	ck_assert_int_eq(memcmp(got.data, "456", 3), 0);
	ck_assert_uint_eq(got.info.offset, 4);
	ck_code(s, read_range(s, "f", 99, 3, &got), 0);
	ck_assert_uint_eq(got.info.length, 0);
	ck_assert_uint_eq(got.info.at_end, 1);
	ck_code(s, read_range(s, "empty", 0, 0, &got), 0);
	ck_assert_uint_eq(got.info.length, 0);
	ck_assert_uint_eq(got.info.at_end, 1);
	suite_close(s);
}
END_TEST

/* F-3: many targets in, results in order, one failure among them */
START_TEST(read_many_and_stat_many_answer_in_order)
{
	struct uw_target *t[3];
	struct uw_read_request requests[3];
	struct uw_stat stats[3];
	struct got got = {.len = 0};
	suite_open(s);
	put(s, "a", BYTES("A"));
	put(s, "c", BYTES("C"));
	t[0] = target(s, "a");
	t[1] = target(s, "b");
	t[2] = target(s, "c");
	for (int i = 0; i < 3; i++)
		requests[i] = (struct uw_read_request){t[i], 0, UINT64_MAX};
	ck_code(s, s->fs->v->read_many(s->fs->self, &s->call, requests, 3,
	                               (struct uw_read_sink){got_data, got_done, &got}, &s->err), 0);
	ck_assert_uint_eq(got.len, 2);
	ck_assert_int_eq(memcmp(got.data, "AC", 2), 0);
	ck_code(s, s->fs->v->stat_many(s->fs->self, &s->call, (const struct uw_target *const *)t, 3, 0,
	                               (struct uw_stat_sink){stat_got, stats}, &s->err), 0);
	ck_assert_int_eq(stats[0].type, UW_FS_FILE);
	ck_assert_int_eq(stats[1].type, UW_FS_ABSENT);
	ck_assert_uint_eq(stats[2].file_size, 1);
	ck_assert_uint_eq(stats[0].version.has_digest, 0);
	for (int i = 0; i < 3; i++)
		t[i]->release(t[i]);
	suite_close(s);
}
END_TEST

/* F-12: class, BOM, endings, last line, total, version */
START_TEST(f12_read_text_says_what_kind_of_text_it_is)
{
	static const struct {
		struct uw_bytes content;
		int text_class, eol;
		unsigned bom, ends;
		uint64_t lines;
	} cases[] = {
	    {BYTES(""), UW_TEXT_UTF8, UW_EOL_NONE, 0, 1, 0},
	    {BYTES("a"), UW_TEXT_UTF8, UW_EOL_NONE, 0, 0, 1},
	    {BYTES("a\nb\n"), UW_TEXT_UTF8, UW_EOL_LF, 0, 1, 2},
	    {BYTES("a\r\nb"), UW_TEXT_UTF8, UW_EOL_CRLF, 0, 0, 2},
	    {BYTES("a\r\nb\nc"), UW_TEXT_UTF8, UW_EOL_MIXED, 0, 0, 3},
	    {BYTES("\xef\xbb\xbfhello"), UW_TEXT_UTF8, UW_EOL_NONE, 1, 0, 1},
	    {BYTES("caf\xe9\n"), UW_TEXT_BYTES, UW_EOL_LF, 0, 1, 1},
	    {BYTES("a\0b"), UW_TEXT_BINARY, UW_EOL_NONE, 0, 0, 1},
	};
	struct text text;
	suite_open(s);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		put(s, "f", cases[i].content);
		ck_code(s, read_lines(s, "f", 0, 0, &text), 0);
		ck_assert_int_eq(text.info.text_class, cases[i].text_class);
		ck_assert_int_eq(text.info.eol, cases[i].eol);
		ck_assert_uint_eq(text.info.has_bom, cases[i].bom);
		ck_assert_uint_eq(text.info.last_line_ends, cases[i].ends);
		ck_assert_uint_eq(text.info.total_lines, cases[i].lines);
		ck_assert_uint_eq(text.info.total_bytes, cases[i].content.len);
		ck_assert_uint_eq(text.info.version.has_digest, 1);
		if (cases[i].text_class == UW_TEXT_BINARY)
			ck_assert_uint_eq(text.len, 0);
		else
			ck_assert_uint_eq(text.len, cases[i].content.len - (cases[i].bom ? 3 : 0));
	}
	suite_close(s);
}
END_TEST

/* files/F07 for reading, and the pages of F-12 */
START_TEST(read_text_gives_the_lines_asked_for)
{
	struct text text;
	suite_open(s);
	put(s, "f", BYTES("\xef\xbb\xbf" "one\r\ntwo\nthree\nfour"));
	ck_code(s, read_lines(s, "f", 1, 1, &text), 0);
	ck_assert_uint_eq(text.len, 5);
	ck_assert_int_eq(memcmp(text.data, "one\r\n", 5), 0);
	ck_code(s, read_lines(s, "f", 2, 3, &text), 0);
	ck_assert_uint_eq(text.len, 10);
	ck_assert_int_eq(memcmp(text.data, "two\nthree\n", 10), 0);
	ck_assert_uint_eq(text.info.first_line, 2);
	ck_assert_uint_eq(text.info.last_line, 3);
	ck_assert_uint_eq(text.info.total_lines, 4);
	ck_code(s, read_lines(s, "f", 4, 99, &text), 0);
	ck_assert_int_eq(memcmp(text.data, "four", 4), 0);
	ck_assert_uint_eq(text.info.last_line, 4);
	ck_code(s, read_lines(s, "f", 5, 0, &text), 0);
	ck_assert_uint_eq(text.len, 0);
	ck_assert_uint_eq(text.info.first_line, 0);
	suite_close(s);
}
END_TEST

/* files/F30, peer/B14: bytes-text is readable with us, NUL in the first 8 KiB is binary, a later one is not */
START_TEST(files_f30_binary_is_said_and_not_delivered)
{
	char all[256], late[9000];
	struct text text;
	struct got got;
	suite_open(s);
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	put(s, "bin", (struct uw_bytes){all, sizeof all});
	ck_code(s, read_lines(s, "bin", 0, 0, &text), 0);
	ck_assert_int_eq(text.info.text_class, UW_TEXT_BINARY);
	ck_assert_uint_eq(text.len, 0);
	ck_assert_uint_eq(text.info.total_bytes, 256);
	ck_assert_uint_eq(text.info.version.has_digest, 1);
	ck_code(s, read_range(s, "bin", 0, UINT64_MAX, &got), 0);
	ck_assert_int_eq(memcmp(got.data, all, sizeof all), 0);
	ck_code(s, E(s, "bin", "abc", "x"), UW_E_FS_NOT_TEXT);
	memset(late, 'x', sizeof late);
	late[8500] = '\0';
	put(s, "late", (struct uw_bytes){late, sizeof late});
	ck_code(s, read_lines(s, "late", 0, 0, &text), 0);
	ck_assert_int_eq(text.info.text_class, UW_TEXT_UTF8);
	late[8191] = '\0';
	put(s, "late", (struct uw_bytes){late, sizeof late});
	ck_code(s, read_lines(s, "late", 0, 0, &text), 0);
	ck_assert_int_eq(text.info.text_class, UW_TEXT_BINARY);
	suite_close(s);
}
END_TEST

START_TEST(b14_undecodable_text_reads_as_bytes_text)
{
	static const struct uw_bytes cases[] = {BYTES("a\xff"), BYTES("a\xe2\x82"), BYTES("\xed\xa0\x80"), BYTES("\xc0\xaf"), BYTES("\xf4\x90\x80\x80")};
	struct text text;
	suite_open(s);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		put(s, "f", cases[i]);
		ck_code(s, read_lines(s, "f", 0, 0, &text), 0);
		ck_assert_int_eq(text.info.text_class, UW_TEXT_BYTES);
		ck_assert_uint_eq(text.len, cases[i].len);
	}
	suite_close(s);
}
END_TEST

/* files/F29: pages before any cap; a line of 10 MB can be read in windows */
START_TEST(files_f29_large_files_and_endless_lines_page)
{
	size_t size = 10u << 20;
	char *line = malloc(size);
	struct text text;
	struct got got;
	uint64_t offset = 0;
	suite_open(s);
	memset(line, 'x', size);
	put(s, "one-line", (struct uw_bytes){line, size});
	do {
		ck_code(s, read_range(s, "one-line", offset, 4u << 20, &got), 0);
		ck_assert_uint_eq(got.info.offset, offset);
		ck_assert_uint_eq(got.info.total, size);
		offset += got.info.length;
	} while (!got.info.at_end);
	ck_assert_uint_eq(offset, size);
	ck_code(s, read_lines(s, "one-line", 0, 0, &text), 0);
	ck_assert_uint_eq(text.total_len, size);
	ck_assert_uint_eq(text.info.total_lines, 1);
	for (size_t i = 79; i < 300000; i += 80)
		line[i] = '\n';
	put(s, "lines", (struct uw_bytes){line, 300000});
	ck_code(s, read_lines(s, "lines", 2001, 4000, &text), 0);
	ck_assert_uint_eq(text.info.first_line, 2001);
	ck_assert_uint_eq(text.info.last_line, 3750);
	ck_assert_uint_eq(text.info.total_lines, 3750);
	free(line);
	suite_close(s);
}
END_TEST

START_TEST(f3_text_over_64_mib_is_too_large_and_says_how_to_page)
{
	struct text text;
	struct got got;
	suite_open(s);
	put(s, "big", BYTES("x"));
	ck_assert_int_eq(truncate(at(s, "big"), (64 << 20) + 1), 0);
	ck_code(s, read_lines(s, "big", 0, 0, &text), UW_E_FS_TOO_LARGE);
	ck_assert_ptr_nonnull(strstr(s->err.message, "offset"));
	ck_code(s, read_range(s, "big", 64 << 20, 10, &got), 0);
	ck_assert_uint_eq(got.info.length, 1);
	suite_close(s);
}
END_TEST

/* F-5: stat gives metadata only, unless a digest is asked for; reads give one */
START_TEST(f5_versions_of_stat_and_read_agree)
{
	struct uw_version read, meta, digest;
	suite_open(s);
	put(s, "f", BYTES("content"));
	read = version_of(s, "f");
	meta = stat_path(s, "f", 0).version;
	digest = stat_path(s, "f", 1).version;
	ck_assert_uint_eq(read.has_digest, 1);
	ck_assert_uint_eq(meta.has_digest, 0);
	ck_assert_int_eq(memcmp(read.digest, digest.digest, sizeof read.digest), 0);
	ck_assert_int_eq(memcmp(read.meta, meta.meta, sizeof read.meta), 0);
	ck_assert_int_eq(memcmp(read.realm, meta.realm, sizeof read.realm), 0);
	suite_close(s);
}
END_TEST

START_TEST(open_and_open_dir_give_descriptors)
{
	struct uw_target *t;
	struct uw_dir *dir = NULL;
	struct uw_stat stat = {.size = sizeof stat};
	char c;
	int fd;
	suite_open(s);
	put(s, "f", BYTES("z"));
	t = target(s, "f");
	ck_code(s, s->fs->v->open(s->fs->self, &s->call, t, &fd, &stat, &s->err), 0);
	ck_assert_int_eq(read(fd, &c, 1), 1);
	ck_assert_int_lt(write(fd, &c, 1), 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_uint_eq(stat.file_size, 1);
	close(fd);
	ck_code(s, s->fs->v->open_dir(s->fs->self, &s->call, t, &dir, &s->err), UW_E_FS_NOT_DIRECTORY);
	t->release(t);
	t = target(s, ".");
	ck_code(s, s->fs->v->open(s->fs->self, &s->call, t, &fd, NULL, &s->err), UW_E_FS_NOT_REGULAR_FILE);
	ck_code(s, s->fs->v->open_dir(s->fs->self, &s->call, t, &dir, &s->err), 0);
	ck_assert_str_eq(dir->path, s->ws);
	ck_assert_int_eq(fchdir(dir->fd), 0);
	dir->release(dir);
	t->release(t);
	suite_close(s);
}
END_TEST

/* ---- list ---- */

struct listed {
	char names[4096];
	size_t count, most;
	struct uw_entry last;
	int32_t types[64], targets[64];
};

static int listed_entry(void *arg, const struct uw_entry *entry)
{
	struct listed *listed = arg;
	if (listed->count < 64) {
		strncat(listed->names, entry->name.data, entry->name.len);
		strcat(listed->names, " ");
		listed->types[listed->count] = entry->stat.type;
		listed->targets[listed->count] = entry->target_type;
	}
	listed->count++;
	return 0;
}

static int list(const char *path, const char *after, uint64_t limit, struct listed *listed, uint32_t *more)
{
	struct uw_list_request request = {sizeof request, bytes_of(after), limit};
	struct uw_target *t = target(s, path);
	int code;
	memset(listed, 0, sizeof *listed);
	code = s->fs->v->list(s->fs->self, &s->call, t, &request, (struct uw_entry_sink){listed_entry, listed}, more, &s->err);
	t->release(t);
	return code;
}

/* peer/B20: bytewise order, stated; types of entries and of what links lead to */
START_TEST(b20_a_listing_is_in_byte_order_with_types)
{
	static const char *const files[] = {"b", "a", "_x", "10", "9", "e", "\xc3\xa9", "Z", ".h"};
	struct listed listed;
	uint32_t more = 9;
	suite_open(s);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		put(s, files[i], BYTES("x"));
	if (!can(s, "symlink and fifo", symlink("nowhere", at(s, "dang")) == 0 && symlink(".", at(s, "here")) == 0 && mkfifo(at(s, "fifo"), 0600) == 0))
		return;
	ck_code(s, list(".", "", 0, &listed, &more), 0);
	ck_assert_str_eq(listed.names, ".h 10 9 Z _x a b dang e fifo here \xc3\xa9 ");
	ck_assert_uint_eq(more, 0);
	ck_assert_int_eq(listed.types[7], UW_FS_SYMLINK);
	ck_assert_int_eq(listed.targets[7], UW_FS_ABSENT);
	ck_assert_int_eq(listed.types[9], UW_FS_FIFO);
	ck_assert_int_eq(listed.targets[10], UW_FS_DIRECTORY);
	suite_close(s);
}
END_TEST

/* peer/B21 */
START_TEST(b21_listing_what_is_no_directory)
{
	struct listed listed;
	uint32_t more;
	suite_open(s);
	put(s, "f", BYTES("x"));
	ck_code(s, list("f", "", 0, &listed, &more), UW_E_FS_NOT_DIRECTORY);
	ck_code(s, list("missing", "", 0, &listed, &more), UW_E_FS_NOT_FOUND);
	suite_close(s);
}
END_TEST

START_TEST(list_pages_in_order_without_gaps)
{
	struct listed listed;
	char name[16], after[16] = "";
	uint32_t more = 1;
	size_t seen = 0;
	suite_open(s);
	for (int i = 0; i < 2500; i++) {
		snprintf(name, sizeof name, "f%04d", (i * 7919) % 2500);
		put(s, name, BYTES(""));
	}
	while (more) {
		ck_code(s, list(".", after, 0, &listed, &more), 0);
		seen += listed.count;
		ck_assert_uint_le(listed.count, 1000);
		snprintf(after, sizeof after, "f%04zu", seen - 1);
	}
	ck_assert_uint_eq(seen, 2500);
	ck_code(s, list(".", "f0009", 3, &listed, &more), 0);
	ck_assert_str_eq(listed.names, "f0010 f0011 f0012 ");
	ck_assert_uint_eq(more, 1);
	suite_close(s);
}
END_TEST

/* ---- write (peer A) ---- */

/* peer/A1, F-9, W5: new files follow the umask */
START_TEST(a1_a_new_file_follows_the_umask)
{
	suite_open(s);
	umask(022);
	ck_code(s, W(s, "new", "a\n"), 0);
	ck_holds(s, "new", "a\n");
	if (can(s, "modes", chmod(at(s, "new"), 0644) == 0 && mode_of(s, "new") == 0644)) {
		ck_assert_uint_eq(s->wrote.flags, UW_WROTE_CREATED);
		ck_assert_uint_eq(s->wrote.bytes, 2);
		ck_code(s, W(s, "new2", "a\n"), 0);
		ck_assert_uint_eq(mode_of(s, "new2"), 0644);
		umask(077);
		ck_code(s, W(s, "private", "a\n"), 0);
		ck_assert_uint_eq(mode_of(s, "private"), 0600);
		suite_close(s);
	}
}
END_TEST

/* peer/A2 */
START_TEST(a2_missing_parents_are_made_when_asked_for)
{
	struct uw_target *t;
	suite_open(s);
	umask(022);
	ck_code(s, W(s, "p/q/f", "x"), 0);
	ck_holds(s, "p/q/f", "x");
	ck_assert_uint_eq(mode_of(s, "p"), 0755);
	ck_assert_uint_eq(mode_of(s, "p/q"), 0755);
	t = target(s, "no/q/f");
	ck_code(s, write_target(s, t, BYTES("x"), UW_WRITE_UNCONDITIONAL, NULL, 0), UW_E_FS_NOT_FOUND);
	ck_assert_int_eq(exists(s, "no"), 0);
	t->release(t);
	suite_close(s);
}
END_TEST

/* peer/A3, peer/A4, files/F14 */
START_TEST(a3_a4_files_f14_mode_bits_are_kept_but_setuid)
{
	static const mode_t modes[] = {0755, 0600, 0444, 02755, 01644};
	suite_open(s);
	put(s, "f", BYTES("old"));
	if (!can(s, "modes", chmod(at(s, "f"), 0755) == 0 && mode_of(s, "f") == 0755))
		return;
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		if (chmod(at(s, "f"), modes[i]) < 0 || mode_of(s, "f") != modes[i])
			continue;
		ck_code(s, W(s, "f", "new"), 0);
		ck_holds(s, "f", "new");
		ck_assert_uint_eq(mode_of(s, "f"), modes[i]);
		ck_assert_uint_eq(s->wrote.flags, 0);
	}
	ck_assert_int_eq(chmod(at(s, "f"), 04755), 0);
	ck_code(s, W(s, "f", "newer"), 0);
	ck_assert_uint_eq(mode_of(s, "f"), 0755);
	ck_assert_uint_eq(s->wrote.flags, UW_WROTE_DROPPED_SUID);
	suite_close(s);
}
END_TEST

/* peer/A5 */
START_TEST(a5_the_owner_is_kept_where_possible)
{
	struct stat st;
	suite_open(s);
	put(s, "f", BYTES("old"));
	if (!can(s, "chown (not root)", chown(at(s, "f"), 12345, 23456) == 0))
		return;
	ck_code(s, W(s, "f", "new"), 0);
	ck_assert_int_eq(stat(at(s, "f"), &st), 0);
	ck_assert_uint_eq(st.st_uid, 12345);
	ck_assert_uint_eq(st.st_gid, 23456);
	ck_assert_uint_eq(s->wrote.flags & UW_WROTE_LOST_OWNER, 0);
	suite_close(s);
}
END_TEST

/* peer/A6, files/F15: the link's target is replaced, the link stays */
START_TEST(a6_files_f15_a_write_goes_through_a_link)
{
	struct uw_target *t;
	char to[64] = "";
	suite_open(s);
	put(s, "real.txt", BYTES("old"));
	if (!can(s, "symlink", symlink("real.txt", at(s, "ln")) == 0))
		return;
	ck_code(s, W(s, "ln", "new"), 0);
	ck_assert_uint_eq(s->wrote.flags, UW_WROTE_VIA_LINK);
	ck_holds(s, "real.txt", "new");
	ck_assert_int_eq(readlink(at(s, "ln"), to, sizeof to), 8);
	t = target(s, "ln");
	ck_assert_str_eq(t->key.data, at(s, "real.txt"));
	ck_assert_str_eq(t->display.data, at(s, "ln"));
	t->release(t);
	ck_code(s, E(s, "ln", "new", "newer"), 0);
	ck_holds(s, "real.txt", "newer");
	ck_assert_int_eq(readlink(at(s, "ln"), to, sizeof to), 8);
	suite_close(s);
}
END_TEST

/* peer/A7, files/F16: split, and said */
START_TEST(a7_files_f16_hard_links_are_split_and_said)
{
	suite_open(s);
	put(s, "a", BYTES("old"));
	if (!can(s, "link", link(at(s, "a"), at(s, "b")) == 0))
		return;
	ck_code(s, E(s, "a", "old", "new"), 0);
	ck_assert_uint_eq(s->wrote.flags & UW_WROTE_SPLIT_LINKS, UW_WROTE_SPLIT_LINKS);
	ck_holds(s, "a", "new");
	ck_holds(s, "b", "old");
	suite_close(s);
}
END_TEST

/* peer/A9: the code is FS_EXISTS with us (F-6) */
START_TEST(a9_create_on_a_dangling_link_is_refused)
{
	suite_open(s);
	if (!can(s, "symlink", symlink("nowhere", at(s, "dang")) == 0))
		return;
	ck_code(s, write_as(s, "dang", BYTES("x"), UW_WRITE_CREATE, NULL), UW_E_FS_EXISTS);
	ck_assert_int_eq(exists(s, "nowhere"), 0);
	ck_assert_int_eq(exists(s, "dang"), 1);
	suite_close(s);
}
END_TEST

/* F-14: without an intent the link's target is made */
START_TEST(f14_a_write_through_a_dangling_link_makes_its_target)
{
	suite_open(s);
	if (!can(s, "symlink", symlink("nowhere", at(s, "dang")) == 0))
		return;
	ck_code(s, W(s, "dang", "x"), 0);
	ck_holds(s, "nowhere", "x");
	ck_assert_uint_eq(s->wrote.flags, UW_WROTE_VIA_LINK | UW_WROTE_CREATED);
	suite_close(s);
}
END_TEST

/* peer/A10 (FS_EXISTS with us), peer/A11, peer/A12 */
START_TEST(a10_a11_a12_intents_are_kept)
{
	struct uw_version wrong;
	suite_open(s);
	put(s, "f", BYTES("old"));
	put(s, "other", BYTES("other"));
	ck_code(s, write_as(s, "f", BYTES("x"), UW_WRITE_CREATE, NULL), UW_E_FS_EXISTS);
	wrong = version_of(s, "other");
	ck_code(s, write_as(s, "f", BYTES("x"), UW_WRITE_REPLACE, &wrong), UW_E_FS_STALE_VERSION);
	ck_assert_ptr_nonnull(strstr(s->err.detail, "expected=v1:"));
	ck_assert_ptr_nonnull(strstr(s->err.detail, "found=v1:"));
	ck_holds(s, "f", "old");
	ck_code(s, write_as(s, "missing", BYTES("x"), UW_WRITE_REPLACE, &wrong), UW_E_FS_STALE_VERSION);
	ck_assert_ptr_nonnull(strstr(s->err.detail, "found=absent"));
	ck_assert_int_eq(exists(s, "missing"), 0);
	wrong = version_of(s, "f");
	ck_code(s, write_as(s, "f", BYTES("new"), UW_WRITE_REPLACE, &wrong), 0);
	ck_holds(s, "f", "new");
	suite_close(s);
}
END_TEST

/* the version in a result is good for the next write, whatever its kind (F-14) */
START_TEST(versions_of_results_chain)
{
	struct uw_version version;
	suite_open(s);
	ck_code(s, W(s, "f", "one"), 0);
	version = s->wrote.version;
	ck_code(s, write_as(s, "f", BYTES("two"), UW_WRITE_REPLACE, &version), 0);
	version = s->wrote.version;
	ck_code(s, edit_many(s, "f", &(struct uw_edit){BYTES("two"), BYTES("three"), 0, 0}, 1, &version), 0);
	version = s->wrote.version;
	ck_assert_int_eq(memcmp(version.digest, version_of(s, "f").digest, sizeof version.digest), 0);
	ck_assert_int_eq(memcmp(version.meta, version_of(s, "f").meta, sizeof version.meta), 0);
	suite_close(s);
}
END_TEST

/* peer/A13: metadata alone makes a version without digest stale, one with digest not (W13) */
START_TEST(a13_chmod_does_not_make_a_read_version_stale)
{
	struct uw_version version;
	suite_open(s);
	put(s, "f", BYTES("old"));
	version = version_of(s, "f");
	if (!can(s, "modes", chmod(at(s, "f"), 0600) == 0))
		return;
	ck_code(s, write_as(s, "f", BYTES("new"), UW_WRITE_REPLACE, &version), 0);
	ck_holds(s, "f", "new");
	suite_close(s);
}
END_TEST

/* files/F24: touch, or the same bytes again, is no conflict */
START_TEST(files_f24_touch_is_no_conflict)
{
	struct uw_version version;
	suite_open(s);
	put(s, "f", BYTES("old"));
	version = version_of(s, "f");
	ck_assert_int_eq(utimensat(AT_FDCWD, at(s, "f"), NULL, 0), 0);
	ck_code(s, edit_many(s, "f", &(struct uw_edit){BYTES("old"), BYTES("new"), 0, 0}, 1, &version), 0);
	put(s, "f", BYTES("same"));
	version = version_of(s, "f");
	put(s, "f", BYTES("same"));
	ck_code(s, write_as(s, "f", BYTES("new"), UW_WRITE_REPLACE, &version), 0);
	suite_close(s);
}
END_TEST

/* F-5: a rewrite of the same size with the same times is noticed */
START_TEST(f5_a_same_size_rewrite_with_equal_times_is_noticed)
{
	struct uw_version version;
	struct stat st;
	struct timespec times[2];
	suite_open(s);
	put(s, "f", BYTES("old"));
	version = version_of(s, "f");
	ck_assert_int_eq(stat(at(s, "f"), &st), 0);
	put(s, "f", BYTES("dlo"));
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	ck_assert_int_eq(utimensat(AT_FDCWD, at(s, "f"), times, 0), 0);
	ck_code(s, write_as(s, "f", BYTES("new"), UW_WRITE_REPLACE, &version), UW_E_FS_STALE_VERSION);
	ck_code(s, edit_many(s, "f", &(struct uw_edit){BYTES("dlo"), BYTES("new"), 0, 0}, 1, &version), UW_E_FS_STALE_VERSION);
	suite_close(s);
}
END_TEST

START_TEST(a_version_of_another_realm_is_refused)
{
	struct uw_version version;
	suite_open(s);
	put(s, "f", BYTES("old"));
	version = version_of(s, "f");
	version.realm[0] ^= 1;
	ck_code(s, write_as(s, "f", BYTES("new"), UW_WRITE_REPLACE, &version), UW_E_WORLD_MISMATCH);
	ck_code(s, edit_many(s, "f", &(struct uw_edit){BYTES("old"), BYTES("new"), 0, 0}, 1, &version), UW_E_WORLD_MISMATCH);
	ck_holds(s, "f", "old");
	suite_close(s);
}
END_TEST

/* peer/A14, F-4: the FIFO is not opened: its reader would see it */
START_TEST(a14_a_directory_or_a_fifo_is_no_target)
{
	int reader;
	char c;
	suite_open(s);
	mkdir(at(s, "dir"), 0755);
	ck_code(s, W(s, "dir", "x"), UW_E_FS_NOT_REGULAR_FILE);
	ck_code(s, W(s, "new/", "x"), UW_E_FS_NOT_REGULAR_FILE);
	if (mkfifo(at(s, "fifo"), 0600) == 0) {
		reader = open(at(s, "fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ck_code(s, W(s, "fifo", "x"), UW_E_FS_NOT_REGULAR_FILE);
		ck_code(s, E(s, "fifo", "a", "b"), UW_E_FS_NOT_REGULAR_FILE);
		ck_assert_int_eq(read(reader, &c, 1), 0);
		close(reader);
	}
	suite_close(s);
}
END_TEST

struct racer {
	pthread_t thread;
	char content[16];
	int code;
};

static void *create_racing(void *arg)
{
	struct racer *racer = arg;
	struct uw_error err = UW_ERROR_INIT;
	struct uw_target *t = NULL;
	struct uw_write_request request = {.size = sizeof request, .intent = UW_WRITE_CREATE,
	                                   .content = bytes_of(racer->content), .from_fd = -1};
	racer->code = s->fs->v->resolve(s->fs->self, &s->call, BYTES("one"), s->ws, 0, &t, &err);
	if (racer->code == 0) {
		racer->code = s->fs->v->write(s->fs->self, &s->call, t, &request, NULL, &err);
		t->release(t);
	}
	return NULL;
}

/* peer/A15, files/F26 (FS_EXISTS with us) */
START_TEST(a15_files_f26_of_ten_creators_one_wins)
{
	struct racer racers[10];
	int won = -1;
	char data[16];
	suite_open(s);
	for (int round = 0; round < 5; round++) {
		won = -1;
		(void)unlink(at(s, "one"));
		for (int i = 0; i < 10; i++) {
			snprintf(racers[i].content, sizeof racers[i].content, "racer %d", i);
			ck_assert_int_eq(pthread_create(&racers[i].thread, NULL, create_racing, &racers[i]), 0);
		}
		for (int i = 0; i < 10; i++) {
			pthread_join(racers[i].thread, NULL);
			ck_assert(racers[i].code == 0 || racers[i].code == UW_E_FS_EXISTS);
			if (racers[i].code == 0) {
				ck_assert_int_eq(won, -1);
				won = i;
			}
		}
		ck_assert_int_ge(won, 0);
		ck_assert_int_eq(get(s, "one", data, sizeof data), 7);
		ck_assert_int_eq(memcmp(data, racers[won].content, 7), 0);
	}
	suite_close(s);
}
END_TEST

/* peer/A17 */
START_TEST(a17_bytes_are_written_exactly_as_given)
{
	suite_open(s);
	put(s, "f", BYTES("a\r\nb\r\n"));
	ck_code(s, W(s, "f", "x\r\ny\nz\r\0\xff"), 0);
	ck_holds(s, "f", "x\r\ny\nz\r\0\xff");
	ck_code(s, W(s, "f", ""), 0);
	ck_holds(s, "f", "");
	suite_close(s);
}
END_TEST

/* peer/A18: outcomes carry operation, version and size, no texts */
START_TEST(a18_a_large_file_is_replaced)
{
	suite_open(s);
	put(s, "f", BYTES("old"));
	ck_assert_int_eq(truncate(at(s, "f"), 10 << 20), 0);
	ck_code(s, W(s, "f", "x"), 0);
	ck_holds(s, "f", "x");
	ck_assert_uint_eq(s->wrote.flags & UW_WROTE_CREATED, 0);
	ck_assert_uint_eq(s->wrote.bytes, 1);
	suite_close(s);
}
END_TEST

/* peer/A19; through a gate that asks first the code may be CANCELLED */
START_TEST(a19_a_cancelled_call_changes_nothing)
{
	int ends[2], code;
	struct uw_target *t, *dir;
	suite_open(s);
	put(s, "f", BYTES("old"));
	t = target(s, "new");
	dir = target(s, "dir");
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(write(ends[1], "", 1), 1);
	s->call.cancel_fd = ends[0];
	code = write_target(s, t, BYTES("x"), UW_WRITE_UNCONDITIONAL, NULL, 0);
	ck_assert(code == UW_E_FS_ABORTED || code == UW_E_CANCELLED);
	ck_assert_int_eq(s->err.effect, UW_EFFECT_NONE);
	code = s->fs->v->mkdir(s->fs->self, &s->call, dir, 0, &s->err);
	ck_assert(code == UW_E_FS_ABORTED || code == UW_E_CANCELLED);
	s->call.cancel_fd = -1;
	s->call.deadline_ns = uw_now_ns() - 1;
	ck_code(s, write_target(s, t, BYTES("x"), UW_WRITE_UNCONDITIONAL, NULL, 0), UW_E_TIMED_OUT);
	s->call.deadline_ns = 0;
	ck_assert_int_eq(exists(s, "new"), 0);
	ck_assert_int_eq(exists(s, "dir"), 0);
	t->release(t);
	dir->release(dir);
	close(ends[0]);
	close(ends[1]);
	suite_close(s);
}
END_TEST

/* peer/A20, W8 */
START_TEST(a20_the_longest_name_works)
{
	char name[256];
	suite_open(s);
	memset(name, 'n', 255);
	name[255] = '\0';
	ck_code(s, W(s, name, "one"), 0);
	ck_code(s, W(s, name, "two"), 0);
	ck_code(s, E(s, name, "two", "three"), 0);
	ck_holds(s, name, "three");
	name[250] = '\0';
	ck_code(s, W(s, name, "x"), 0);
	suite_close(s);
}
END_TEST

/* F-3: content from a descriptor, in constant memory */
START_TEST(a_content_comes_from_a_descriptor_too)
{
	struct uw_write_request request = {.size = sizeof request, .intent = UW_WRITE_UNCONDITIONAL};
	struct uw_target *t;
	int ends[2];
	suite_open(s);
	t = target(s, "f");
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(write(ends[1], "from a pipe", 11), 11);
	close(ends[1]);
	request.from_fd = ends[0];
	s->wrote.size = sizeof s->wrote;
	ck_code(s, s->fs->v->write(s->fs->self, &s->call, t, &request, &s->wrote, &s->err), 0);
	ck_holds(s, "f", "from a pipe");
	ck_assert_uint_eq(s->wrote.bytes, 11);
	close(ends[0]);
	/* a source that gives nothing ends with the deadline, and nothing is changed */
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	request.from_fd = ends[0];
	s->wrote.size = sizeof s->wrote;
	s->call.deadline_ns = uw_now_ns() + 20000000;
	ck_code(s, s->fs->v->write(s->fs->self, &s->call, t, &request, &s->wrote, &s->err), UW_E_TIMED_OUT);
	s->call.deadline_ns = 0;
	ck_holds(s, "f", "from a pipe");
	close(ends[0]);
	close(ends[1]);
	t->release(t);
	suite_close(s);
}
END_TEST

/* F-9, W5 */
START_TEST(f9_extended_attributes_are_kept)
{
	char value[16] = "";
	suite_open(s);
	put(s, "f", BYTES("old"));
	if (!can(s, "user.* attributes", setxattr(at(s, "f"), "user.note", "kept", 4, 0) == 0))
		return;
	ck_code(s, W(s, "f", "new"), 0);
	ck_assert_int_eq(getxattr(at(s, "f"), "user.note", value, sizeof value), 4);
	ck_assert_int_eq(memcmp(value, "kept", 4), 0);
	ck_assert_uint_eq(s->wrote.flags, 0);
	suite_close(s);
}
END_TEST

/* F-9: an ACL as setfacl -m u:12345:rw writes it */
START_TEST(f9_an_acl_is_kept)
{
	static const unsigned char acl[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0, 0x39, 0x30, 0, 0,
	    4, 0, 4, 0, 255, 255, 255, 255, 16, 0, 6, 0, 255, 255, 255, 255, 32, 0, 4, 0, 255, 255, 255, 255};
	unsigned char got[64];
	mode_t before;
	suite_open(s);
	put(s, "f", BYTES("old"));
	if (!can(s, "ACLs", setxattr(at(s, "f"), "system.posix_acl_access", acl, sizeof acl, 0) == 0))
		return;
	before = mode_of(s, "f");
	ck_code(s, W(s, "f", "new"), 0);
	ck_assert_int_eq(getxattr(at(s, "f"), "system.posix_acl_access", got, sizeof got), sizeof acl);
	ck_assert_int_eq(memcmp(got, acl, sizeof acl), 0);
	ck_assert_uint_eq(mode_of(s, "f"), before);
	suite_close(s);
}
END_TEST

/* ---- edit (peer B, cases/files) ---- */

#define EDITS(before, old_text, new_text, after)                                                 \
	do {                                                                                         \
		put(s, "f", BYTES(before));                                                              \
		ck_code(s, E(s, "f", old_text, new_text), 0);                                            \
		ck_holds(s, "f", after);                                                                 \
	} while (0)

#define REFUSES(before, old_text, new_text, code)                                                \
	do {                                                                                         \
		put(s, "f", BYTES(before));                                                              \
		ck_code(s, E(s, "f", old_text, new_text), code);                                         \
		ck_holds(s, "f", before);                                                                \
	} while (0)

/* peer/B1, peer/B2 */
START_TEST(b1_b2_an_edit_hits_or_misses)
{
	suite_open(s);
	EDITS("abc", "b", "X", "aXc");
	ck_assert_uint_eq(s->wrote.replacements, 1);
	REFUSES("abc", "zz", "X", UW_E_FS_EDIT_NOT_FOUND);
	REFUSES("", "zz", "X", UW_E_FS_EDIT_NOT_FOUND);
	EDITS("abc", "abc", "", "");
	suite_close(s);
}
END_TEST

/* peer/B3, files/F11 */
START_TEST(b3_files_f11_several_matches_are_an_error_with_lines)
{
	suite_open(s);
	REFUSES("aba", "a", "X", UW_E_FS_AMBIGUOUS_EDIT);
	put(s, "f", BYTES("aba"));
	ck_code(s, EALL(s, "f", "a", "X"), 0);
	ck_holds(s, "f", "XbX");
	ck_assert_uint_eq(s->wrote.replacements, 2);
	REFUSES("x\nx\nx\n", "x", "y", UW_E_FS_AMBIGUOUS_EDIT);
	ck_assert_ptr_nonnull(strstr(s->err.detail, "count=3\n"));
	ck_assert_ptr_nonnull(strstr(s->err.detail, "lines=1,2,3\n"));
	suite_close(s);
}
END_TEST

/* peer/B4 */
START_TEST(b4_matches_are_counted_without_overlap)
{
	suite_open(s);
	EDITS("aaa", "aa", "X", "Xa");
	REFUSES("aaaa", "aa", "X", UW_E_FS_AMBIGUOUS_EDIT);
	put(s, "f", BYTES("aaaaa"));
	ck_code(s, EALL(s, "f", "aa", "b"), 0);
	ck_holds(s, "f", "bba");
	suite_close(s);
}
END_TEST

/* peer/B5 (INVALID_ARGS with us), files/F12, peer/C15 */
START_TEST(b5_files_f12_empty_or_equal_texts_are_argument_errors)
{
	suite_open(s);
	REFUSES("abc", "", "X", UW_E_INVALID_ARGS);
	REFUSES("abc", "b", "b", UW_E_INVALID_ARGS);
	ck_code(s, edit_many(s, "f", NULL, 0, NULL), UW_E_INVALID_ARGS);
	suite_close(s);
}
END_TEST

/* peer/B6, files/F05 */
START_TEST(b6_files_f05_no_byte_of_the_new_text_is_special)
{
	suite_open(s);
	EDITS("abc", "b", "$&$1$$", "a$&$1$$c");
	EDITS("abc", "b", "$& $$ $' \\1 & \\n %s", "a$& $$ $' \\1 & \\n %sc");
	EDITS("a.c abc", "a.c", "x", "x abc");
	suite_close(s);
}
END_TEST

/* peer/B7, files/F03 */
START_TEST(b7_files_f03_lf_text_matches_crlf_and_takes_the_local_ending)
{
	suite_open(s);
	EDITS("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n");
	EDITS("a\r\nb\r\n", "a\nb", "a\nX\nb", "a\r\nX\r\nb\r\n");
	EDITS("a\r\nb", "b", "b\nc", "a\r\nb\r\nc");
	EDITS("a\r\nb\r\n", "a\n", "", "b\r\n");
	EDITS("a\r\n\r\nb\r\n", "a\n\nb", "ab", "ab\r\n");
	EDITS("a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n");
	suite_close(s);
}
END_TEST

/* peer/B8, files/F01, files/F02: nothing outside the match changes */
START_TEST(b8_files_f01_f02_line_endings_outside_the_match_stay)
{
	suite_open(s);
	EDITS("a\nb\nc\r\nd\n", "a", "x", "x\nb\nc\r\nd\n");
	EDITS("a\r\nb\r\nc\r\n", "b", "B", "a\r\nB\r\nc\r\n");
	EDITS("a\r\nb\nc", "c", "C", "a\r\nb\nC");
	/* inside the match too, where the line itself is not changed */
	EDITS("a\r\nb\nc\r\nd", "a\nb\nc", "a\nb\nC", "a\r\nb\nC\r\nd");
	EDITS("a\r\nb\nc\r\nd", "a\nb\nc\nd", "A\nb\nc\nd", "A\r\nb\nc\r\nd");
	EDITS("a\r\nb\nc\r\n", "a\nb\nc\n", "x\ny\nz\n", "x\r\ny\nz\r\n");
	EDITS("a\rb\r\nc", "b\nc", "x", "a\rx");
	EDITS("a\r\r\nb\n", "b", "x", "a\r\r\nx\n");
	suite_close(s);
}
END_TEST

/* an ending may be changed on purpose */
START_TEST(texts_with_cr_mean_exactly_these_bytes)
{
	suite_open(s);
	EDITS("a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n");
	EDITS("a\nb\r\n", "a\n", "a\r\n", "a\r\nb\r\n");
	put(s, "f", BYTES("a\r\nb\r\nc\n"));
	ck_code(s, EALL(s, "f", "\r\n", "\n"), 0);
	ck_holds(s, "f", "a\nb\nc\n");
	ck_code(s, EALL(s, "f", "\n", "\r\n"), 0);
	ck_holds(s, "f", "a\r\nb\r\nc\r\n");
	REFUSES("a\nb\n", "a\r\nb", "x", UW_E_FS_EDIT_NOT_FOUND);
	suite_close(s);
}
END_TEST

/* files/F06 */
START_TEST(files_f06_undecodable_bytes_stay)
{
	suite_open(s);
	EDITS("x = 1\n// caf\xe9\n", "1", "2", "x = 2\n// caf\xe9\n");
	suite_close(s);
}
END_TEST

/* F-12: the escape of undecodable bytes is taken in old and new */
START_TEST(f12_escapes_stand_for_bytes_in_a_bytes_text)
{
	suite_open(s);
	EDITS("caf\xe9 and th\xe9\n", "caf\\xe9", "CAF\\xC9", "CAF\xc9 and th\xe9\n");
	EDITS("caf\xe9 x\n", "x", "\\xe9", "caf\xe9 \xe9\n");
	/* what the file itself spells out is found first, and then nothing is an escape */
	EDITS("\\xe9 \xe9", "\\xe9", "\\xe8", "\\xe8 \xe9");
	/* a whole UTF-8 file knows no escapes, and those below \x80 never are */
	REFUSES("caf\xc3\xa9", "caf\\xc3", "x", UW_E_FS_EDIT_NOT_FOUND);
	EDITS("abc\xe9", "b", "\\x41", "a\\x41c\xe9");
	suite_close(s);
}
END_TEST

/* peer/B11, files/F07 */
START_TEST(b11_files_f07_a_bom_stays)
{
	suite_open(s);
	EDITS("\xef\xbb\xbfhi", "hi", "yo", "\xef\xbb\xbfyo");
	EDITS("\xef\xbb\xbfhello\n", "hello", "bye", "\xef\xbb\xbf" "bye\n");
	suite_close(s);
}
END_TEST

/* files/F08 */
START_TEST(files_f08_no_final_newline_is_added)
{
	suite_open(s);
	EDITS("a\nb", "a", "A", "A\nb");
	EDITS("a\nb", "b", "B", "a\nB");
	suite_close(s);
}
END_TEST

/* files/F10 */
START_TEST(files_f10_a_line_appended_is_a_line_of_its_own)
{
	suite_open(s);
	EDITS("hello\nworld", "world", "world\ntail", "hello\nworld\ntail");
	suite_close(s);
}
END_TEST

/* files/F13: never a fuzzy write; the nearest text is shown */
START_TEST(files_f13_white_space_matters_and_the_nearest_text_is_shown)
{
	suite_open(s);
	REFUSES("if x:\n\treturn 1\nelse:\n\treturn 2\n", "    return 2", "    return 3", UW_E_FS_EDIT_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(s->err.detail, "line=4\n"));
	ck_assert_ptr_nonnull(strstr(s->err.detail, "nearest=\\x09return 2\n"));
	suite_close(s);
}
END_TEST

/* peer/B12 (FS_NOT_FOUND, W9) */
START_TEST(b12_an_edit_of_a_missing_file_is_not_found)
{
	struct uw_version version;
	suite_open(s);
	ck_code(s, E(s, "missing", "a", "b"), UW_E_FS_NOT_FOUND);
	put(s, "f", BYTES("a"));
	version = version_of(s, "f");
	(void)unlink(at(s, "f"));
	ck_code(s, edit_many(s, "f", &(struct uw_edit){BYTES("a"), BYTES("b"), 0, 0}, 1, &version), UW_E_FS_STALE_VERSION);
	mkdir(at(s, "dir"), 0755);
	ck_code(s, E(s, "dir", "a", "b"), UW_E_FS_NOT_REGULAR_FILE);
	suite_close(s);
}
END_TEST

/* F-11: a list, each to the outcome of those before, all or none */
START_TEST(f11_several_edits_apply_in_order_or_not_at_all)
{
	struct uw_edit good[] = {{BYTES("one"), BYTES("two"), 0, 0}, {BYTES("two\nx"), BYTES("three\nx\ny"), 0, 0}, {BYTES("y"), BYTES("z"), 0, 0}};
	struct uw_edit bad[] = {{BYTES("a"), BYTES("b"), 0, 0}, {BYTES("nowhere"), BYTES("x"), 0, 0}};
	suite_open(s);
	put(s, "f", BYTES("one\r\nx\r\n"));
	ck_code(s, edit_many(s, "f", good, 3, NULL), 0);
	ck_holds(s, "f", "three\r\nx\r\nz\r\n");
	ck_assert_uint_eq(s->wrote.replacements, 3);
	put(s, "f", BYTES("a"));
	ck_code(s, edit_many(s, "f", bad, 2, NULL), UW_E_FS_EDIT_NOT_FOUND);
	ck_holds(s, "f", "a");
	/* the version comes before the search */
	put(s, "g", BYTES("g"));
	ck_code(s, edit_many(s, "f", bad, 2, &(struct uw_version){.has_digest = 0}), UW_E_WORLD_MISMATCH);
	good[0].new_text = BYTES("q");
	{
		struct uw_version other = version_of(s, "g");
		ck_code(s, edit_many(s, "f", bad, 2, &other), UW_E_FS_STALE_VERSION);
	}
	suite_close(s);
}
END_TEST

struct editor {
	pthread_t thread;
	char old_text[32], new_text[32];
	int code;
};

static void *edit_racing(void *arg)
{
	struct editor *editor = arg;
	struct uw_error err = UW_ERROR_INIT;
	struct uw_edit edit = {bytes_of(editor->old_text), bytes_of(editor->new_text), 0, 0};
	struct uw_edit_request request = {.size = sizeof request, .edits = &edit, .edit_count = 1};
	struct uw_target *t = NULL;
	editor->code = s->fs->v->resolve(s->fs->self, &s->call, BYTES("f"), s->ws, 0, &t, &err);
	if (editor->code == 0) {
		editor->code = s->fs->v->edit(s->fs->self, &s->call, t, &request, NULL, &err);
		t->release(t);
	}
	return NULL;
}

/* files/F25, F-10 */
START_TEST(files_f25_parallel_edits_of_one_file_all_land)
{
	struct editor editors[8];
	char content[512] = "", want[512] = "", line[64];
	static char data[512];
	suite_open(s);
	for (int i = 0; i < 8; i++) {
		snprintf(editors[i].old_text, sizeof editors[i].old_text, "line %d", i);
		snprintf(editors[i].new_text, sizeof editors[i].new_text, "changed %d", i);
		snprintf(line, sizeof line, "%s\n", editors[i].old_text);
		strcat(content, line);
		snprintf(line, sizeof line, "%s\n", editors[i].new_text);
		strcat(want, line);
	}
	put(s, "f", bytes_of(content));
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&editors[i].thread, NULL, edit_racing, &editors[i]), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join(editors[i].thread, NULL);
		ck_assert_int_eq(editors[i].code, 0);
	}
	ck_assert_int_eq(get(s, "f", data, sizeof data), (ssize_t)strlen(want));
	ck_assert_int_eq(memcmp(data, want, strlen(want)), 0);
	suite_close(s);
}
END_TEST

/* F-11: many matches, growing and shrinking, over CRLF */
START_TEST(f11_replacing_all_keeps_count_and_endings)
{
	enum { LINES = 20000 };
	char *content = malloc(LINES * 16), *data = malloc(LINES * 32);
	size_t len = 0;
	suite_open(s);
	for (int i = 0; i < LINES; i++)
		len += (size_t)sprintf(content + len, "ab%s", i % 3 ? "\r\n" : "\n");
	put(s, "f", (struct uw_bytes){content, len});
	/* the new line's ending is that of the line it stands above: each match is the whole line */
	ck_code(s, EALL(s, "f", "ab\n", "a\nbb\n"), 0);
	ck_assert_uint_eq(s->wrote.replacements, LINES);
	ck_assert_int_eq(get(s, "f", data, LINES * 32), (ssize_t)s->wrote.bytes);
	ck_code(s, EALL(s, "f", "bb", "b"), 0);
	ck_code(s, EALL(s, "f", "a\nb\n", "ab\n"), 0);
	ck_assert_int_eq(get(s, "f", data, LINES * 32), (ssize_t)len);
	ck_assert_int_eq(memcmp(data, content, len), 0);
	free(content);
	free(data);
	suite_close(s);
}
END_TEST

/* ---- entries ---- */

START_TEST(mkdir_makes_one_or_all)
{
	suite_open(s);
	put(s, "f", BYTES("x"));
	ck_code(s, mkdir_path(s, "a", 0), 0);
	ck_code(s, mkdir_path(s, "a", 0), UW_E_FS_EXISTS);
	ck_code(s, mkdir_path(s, "a", UW_MKDIR_PARENTS), 0);
	ck_code(s, mkdir_path(s, "b/c/d", 0), UW_E_FS_NOT_FOUND);
	ck_assert_int_eq(exists(s, "b"), 0);
	ck_code(s, mkdir_path(s, "b/c/d/", UW_MKDIR_PARENTS), 0);
	ck_assert_int_eq(exists(s, "b/c/d"), 1);
	ck_code(s, mkdir_path(s, "f", UW_MKDIR_PARENTS), UW_E_FS_EXISTS);
	suite_close(s);
}
END_TEST

START_TEST(remove_takes_links_not_their_targets_and_trees_only_when_asked)
{
	suite_open(s);
	put(s, "f", BYTES("x"));
	mkdir(at(s, "d"), 0755);
	mkdir(at(s, "d/e"), 0755);
	put(s, "d/e/g", BYTES("x"));
	ck_code(s, remove_path(s, "missing", 0), UW_E_FS_NOT_FOUND);
	ck_code(s, remove_path(s, "d", 0), UW_E_FS_NOT_EMPTY);
	if (symlink("d", at(s, "ln")) == 0 && symlink(s->out, at(s, "d/e/out")) == 0) {
		put(s, "../out/kept", BYTES("x"));
		ck_code(s, remove_path(s, "ln", 0), 0);
		ck_assert_int_eq(exists(s, "d/e/g"), 1);
	}
	ck_code(s, remove_path(s, "d", UW_REMOVE_RECURSIVE), 0);
	ck_assert_int_eq(exists(s, "d"), 0);
	ck_code(s, remove_path(s, "f", 0), 0);
	suite_close(s);
}
END_TEST

/* deeper than any path or number of descriptors goes */
START_TEST(remove_recursive_goes_arbitrarily_deep)
{
	/* where every step is a message to another process, a little less deep */
	const int depth = getenv("UW_FS_SUITE_ROOT") ? 300 : 3000;
	int dir, next;
	suite_open(s);
	mkdir(at(s, "deep"), 0755);
	dir = open(at(s, "deep"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < depth; i++) {
		ck_assert_int_eq(mkdirat(dir, "d", 0755), 0);
		next = openat(dir, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ck_assert_int_ge(next, 0);
		close(dir);
		dir = next;
	}
	close(dir);
	ck_code(s, remove_path(s, "deep", UW_REMOVE_RECURSIVE), 0);
	ck_assert_int_eq(exists(s, "deep"), 0);
	suite_close(s);
}
END_TEST

START_TEST(rename_moves_replaces_and_refuses)
{
	suite_open(s);
	put(s, "a", BYTES("a"));
	put(s, "b", BYTES("b"));
	mkdir(at(s, "d"), 0755);
	mkdir(at(s, "full"), 0755);
	put(s, "full/x", BYTES("x"));
	ck_code(s, rename_path(s, "missing", "z", 0), UW_E_FS_NOT_FOUND);
	ck_code(s, rename_path(s, "a", "b", UW_RENAME_NOREPLACE), UW_E_FS_EXISTS);
	ck_holds(s, "b", "b");
	ck_code(s, rename_path(s, "a", "b", 0), 0);
	ck_holds(s, "b", "a");
	ck_code(s, rename_path(s, "b", "d/b", UW_RENAME_NOREPLACE), 0);
	ck_holds(s, "d/b", "a");
	ck_code(s, rename_path(s, "d", "full", 0), UW_E_FS_NOT_EMPTY);
	ck_code(s, rename_path(s, "d", "d/inside", 0), UW_E_INVALID_ARGS);
	ck_code(s, rename_path(s, "d", "e", 0), 0);
	ck_holds(s, "e/b", "a");
	suite_close(s);
}
END_TEST

START_TEST(rename_moves_links_themselves)
{
	char to[64];
	suite_open(s);
	put(s, "f", BYTES("x"));
	if (!can(s, "symlink", symlink("f", at(s, "ln")) == 0))
		return;
	ck_code(s, rename_path(s, "ln", "ln2", 0), 0);
	ck_assert_int_eq(readlink(at(s, "ln2"), to, sizeof to), 1);
	ck_holds(s, "f", "x");
	suite_close(s);
}
END_TEST

#ifndef UW_FS_SUITE_OF_A_HOST
/* S-15, F-30: paths lead through the view, again from the start at each absolute link and `..` */
START_TEST(s15_links_lead_through_the_view)
{
	struct uw_view_entry entries[1];
	struct uw_view view = {entries, 1};
	const struct uw_view *given;
	struct uw_target *t;
	struct text_sink text = {.len = 0};
	char inside[PATH_MAX];
	suite_open(s);
	snprintf(inside, sizeof inside, "%.4000s/shown", s->top);
	mkdir(inside, 0755);
	put(s, "../shown/log", BYTES("of the host"));
	put(s, "../temp/log", BYTES("of the session"));
	entries[0] = (struct uw_view_entry){inside, s->temp, 1, 0};
	if (!can(s, "symlink", symlink(at(s, "../shown/log"), at(s, "ln")) == 0 && symlink("../ws", at(s, "../temp/back")) == 0))
		return;
	given = s->call.view;
	s->call.view = &view;
	t = target(s, "ln");
	ck_assert_uint_eq(stat_target(s, t, 0).file_size, strlen("of the session"));
	ck_code(s, s->fs->v->process_path(s->fs->self, &s->call, t, (struct uw_sink){keep_text, &text}, &s->err), 0);
	ck_assert_int_eq(strncmp(text.data, inside, strlen(inside)), 0);
	t->release(t);
	/* `..` of the place that is shown is where it is shown, not where it comes from */
	t = target(s, "../shown/../ws/ln");
	ck_assert_uint_eq(stat_target(s, t, 0).file_size, strlen("of the session"));
	t->release(t);
	t = target(s, "../shown/back/ln");
	ck_assert_uint_eq(stat_target(s, t, 0).file_size, strlen("of the session"));
	t->release(t);
	t = target(s, "../shown/new");
	ck_assert_int_eq(strncmp(t->key.data, s->temp, strlen(s->temp)), 0);
	t->release(t);
	s->call.view = given;
	suite_close(s);
}
END_TEST

#endif

/* all but what hands in a view of its own, which a host cannot (UW_FS_SUITE_OF_A_HOST) */
#define FS_SUITE_OF_HOSTS                                                                        \
	f1_aliases_and_links_meet_in_one_key, f1_dotdot_after_a_link_is_where_the_kernel_says,       \
	    f1_the_display_path_is_what_the_caller_said, b17_empty_blank_and_child_of_a_file,        \
	    b18_loops_nul_and_over_long_paths_have_codes,                                            \
	    f1_forty_links_are_followed_and_the_next_is_a_loop,                                      \
	    f1_a_dangling_link_names_its_target_and_says_so, f1_the_root_and_the_workspace_resolve,  \
	    files_f31_names_of_odd_bytes_survive_every_operation, b22_a_file_url_is_escaped,         \
	    contains_goes_by_component, b15_reading_what_is_no_file,                                 \
	    files_f18_fifos_sockets_and_devices_never_block, f4_proc_files_of_size_0_read_whole,     \
	    f4_a_read_of_a_growing_file_ends, b16_ranges_tell_where_the_end_is,                      \
	    read_many_and_stat_many_answer_in_order, f12_read_text_says_what_kind_of_text_it_is,     \
	    read_text_gives_the_lines_asked_for, files_f30_binary_is_said_and_not_delivered,         \
	    b14_undecodable_text_reads_as_bytes_text, files_f29_large_files_and_endless_lines_page,  \
	    f3_text_over_64_mib_is_too_large_and_says_how_to_page,                                   \
	    f5_versions_of_stat_and_read_agree, open_and_open_dir_give_descriptors,                  \
	    b20_a_listing_is_in_byte_order_with_types, b21_listing_what_is_no_directory,             \
	    list_pages_in_order_without_gaps, a1_a_new_file_follows_the_umask,                       \
	    a2_missing_parents_are_made_when_asked_for,                                              \
	    a3_a4_files_f14_mode_bits_are_kept_but_setuid, a5_the_owner_is_kept_where_possible,      \
	    a6_files_f15_a_write_goes_through_a_link, a7_files_f16_hard_links_are_split_and_said,    \
	    a9_create_on_a_dangling_link_is_refused,                                                 \
	    f14_a_write_through_a_dangling_link_makes_its_target, a10_a11_a12_intents_are_kept,      \
	    versions_of_results_chain, a13_chmod_does_not_make_a_read_version_stale,                 \
	    files_f24_touch_is_no_conflict, f5_a_same_size_rewrite_with_equal_times_is_noticed,      \
	    a_version_of_another_realm_is_refused, a14_a_directory_or_a_fifo_is_no_target,           \
	    a15_files_f26_of_ten_creators_one_wins, a17_bytes_are_written_exactly_as_given,          \
	    a18_a_large_file_is_replaced, a19_a_cancelled_call_changes_nothing,                      \
	    a20_the_longest_name_works, a_content_comes_from_a_descriptor_too,                       \
	    f9_extended_attributes_are_kept, f9_an_acl_is_kept, b1_b2_an_edit_hits_or_misses,        \
	    b3_files_f11_several_matches_are_an_error_with_lines,                                    \
	    b4_matches_are_counted_without_overlap,                                                  \
	    b5_files_f12_empty_or_equal_texts_are_argument_errors,                                   \
	    b6_files_f05_no_byte_of_the_new_text_is_special,                                         \
	    b7_files_f03_lf_text_matches_crlf_and_takes_the_local_ending,                            \
	    b8_files_f01_f02_line_endings_outside_the_match_stay,                                    \
	    texts_with_cr_mean_exactly_these_bytes, files_f06_undecodable_bytes_stay,                \
	    f12_escapes_stand_for_bytes_in_a_bytes_text, b11_files_f07_a_bom_stays,                  \
	    files_f08_no_final_newline_is_added, files_f10_a_line_appended_is_a_line_of_its_own,     \
	    files_f13_white_space_matters_and_the_nearest_text_is_shown,                             \
	    b12_an_edit_of_a_missing_file_is_not_found,                                              \
	    f11_several_edits_apply_in_order_or_not_at_all,                                          \
	    files_f25_parallel_edits_of_one_file_all_land,                                           \
	    f11_replacing_all_keeps_count_and_endings, mkdir_makes_one_or_all,                       \
	    remove_takes_links_not_their_targets_and_trees_only_when_asked,                          \
	    remove_recursive_goes_arbitrarily_deep, rename_moves_replaces_and_refuses,               \
	    rename_moves_links_themselves
#define FS_SUITE FS_SUITE_OF_HOSTS, s15_links_lead_through_the_view

#endif
