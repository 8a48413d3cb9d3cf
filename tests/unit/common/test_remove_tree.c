#include "common/remove_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/temp.h"
#include "tests/unit.h"

static char top[96];

static void fresh(void)
{
	struct temp temp = temp_make();
	(void)snprintf(top, sizeof top, "%s", temp.path);
}

static void touch(const char *below)
{
	char path[256];
	int fd;
	snprintf(path, sizeof path, "%s/%s", top, below);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void make(const char *below)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", top, below);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static int gone(const char *path)
{
	struct stat st;
	return lstat(path, &st) < 0 && errno == ENOENT;
}

START_TEST(a_tree_with_files_and_directories_goes)
{
	fresh();
	make("a");
	make("a/b");
	make("a/b/c");
	touch("a/b/c/f");
	touch("a/f");
	touch(".removing-0"); /* a name it would use itself */
	ck_assert_int_eq(uw_remove_tree(AT_FDCWD, top), 0);
	ck_assert(gone(top));
}
END_TEST

START_TEST(what_links_lead_to_stays)
{
	AUTO_TEMP outside = temp_make();
	char path[256];
	fresh();
	snprintf(path, sizeof path, "%s/kept", outside.path);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	make("d");
	snprintf(path, sizeof path, "%s/d/link", top);
	ck_assert_int_eq(symlink(outside.path, path), 0);
	snprintf(path, sizeof path, "%s/link", top);
	ck_assert_int_eq(symlink(outside.path, path), 0);
	ck_assert_int_eq(uw_remove_tree(AT_FDCWD, top), 0);
	snprintf(path, sizeof path, "%s/kept", outside.path);
	ck_assert(!gone(path));
	/* a link given itself is removed, not followed */
	ck_assert_int_eq(symlink(outside.path, top), 0);
	ck_assert_int_eq(uw_remove_tree(AT_FDCWD, top), 0);
	ck_assert(gone(top));
	ck_assert(!gone(path));
}
END_TEST

START_TEST(depth_and_modes_do_not_stop_it)
{
	/* where every step is a message to another process, a little less deep */
	const int depth = getenv("UW_FS_SUITE_ROOT") ? 300 : 3000;
	int fd, next;
	fresh();
	fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < depth; i++) {
		ck_assert_int_eq(mkdirat(fd, "down", 0700), 0);
		next = openat(fd, "down", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ck_assert_int_ge(next, 0);
		if (i == 10)
			ck_assert_int_eq(fchmod(fd, 0), 0);
		close(fd);
		fd = next;
	}
	close(fd);
	ck_assert_int_eq(uw_remove_tree(AT_FDCWD, top), 0);
	ck_assert(gone(top));
}
END_TEST

START_TEST(absent_is_a_success)
{
	AUTO_TEMP temp = temp_make();
	ck_assert_int_eq(uw_remove_tree(AT_FDCWD, temp_path(&temp, "is-not-there")), 0);
}
END_TEST

/* FUSE hides it in the same directory as often as it is removed; elsewhere it just goes */
START_TEST(a_file_held_open_does_not_hold_it_up_for_ever)
{
	char path[128];
	int fd, code;
	fresh();
	make("a");
	touch("a/f");
	touch("a/g");
	snprintf(path, sizeof path, "%s/a/f", top);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	code = uw_remove_tree(AT_FDCWD, top);
	ck_assert(code == 0 || errno == EBUSY);
	snprintf(path, sizeof path, "%s/a/g", top);
	ck_assert(gone(path));
	close(fd);
	ck_assert_int_eq(uw_remove_tree(AT_FDCWD, top), 0);
	ck_assert(gone(top));
}
END_TEST

UW_TESTS("remove_tree", a_tree_with_files_and_directories_goes, what_links_lead_to_stays,
         depth_and_modes_do_not_stop_it, absent_is_a_success,
         a_file_held_open_does_not_hold_it_up_for_ever)
