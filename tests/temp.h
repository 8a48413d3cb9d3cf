/*
 * Directories of a test's own. All that a test program makes stands below one
 * directory of the program, which is removed when the program ends, also after a
 * test that failed or was killed on the way. It is below $TMPDIR, else /var/tmp.
 * A test that opens worlds takes temp_make_for_world(): a world of bwrap has a /tmp
 * of its own, so what the world is to see cannot be there.
 */
#ifndef UW_TESTS_TEMP_H
#define UW_TESTS_TEMP_H

#include "common/remove_tree.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMP_FOR_WORLD "/var/tmp"

struct temp {
	char path[96];
};

static uint32_t temp_mark; /* in the name of this program's directory */
static pid_t temp_program; /* the process that removes it, not the forks that run tests */

static inline const char *temp_root(void)
{
	const char *root = getenv("TMPDIR");
	return root && root[0] == '/' ? root : TEMP_FOR_WORLD;
}

static inline void temp_program_dir(char *path, size_t size, const char *root)
{
	int len = snprintf(path, size, "%s/umwelt-test.%08x", root, temp_mark);
	if (len < 0 || (size_t)len >= size)
		path[0] = '\0';
}

__attribute__((constructor)) static void temp_begin(void)
{
	temp_program = getpid();
	(void)!getrandom(&temp_mark, sizeof temp_mark, 0);
}

__attribute__((destructor)) static void temp_end(void)
{
	const char *const roots[] = {temp_root(), TEMP_FOR_WORLD, "/tmp", "/dev/shm"};
	char path[96];
	for (size_t i = 0; getpid() == temp_program && i < sizeof roots / sizeof roots[0]; i++) {
		temp_program_dir(path, sizeof path, roots[i]);
		if (path[0] && uw_remove_tree(AT_FDCWD, path) < 0)
			(void)fprintf(stderr, "%s stays: %s\n", path, strerror(errno));
	}
}

/* Tests of other users make theirs there too, so it is open and sticky like /tmp. */
static inline struct temp temp_make_below(const char *root)
{
	struct temp temp;
	char dir[sizeof temp.path], *real;
	temp_program_dir(dir, sizeof dir, root);
	ck_assert_msg(dir[0] && strlen(dir) + sizeof "/XXXXXX" <= sizeof temp.path, "%s is too long", root);
	if (mkdir(dir, 0755) == 0)
		ck_assert_int_eq(chmod(dir, 01777), 0);
	else
		ck_assert_msg(errno == EEXIST, "%s: %s", dir, strerror(errno));
	(void)snprintf(temp.path, sizeof temp.path, "%.*s/XXXXXX", (int)(sizeof temp.path - sizeof "/XXXXXX"), dir);
	ck_assert_msg(mkdtemp(temp.path) != NULL, "%s: %s", temp.path, strerror(errno));
	ck_assert_int_eq(chmod(temp.path, 0755), 0);
	real = realpath(temp.path, NULL);
	ck_assert_str_eq(real, temp.path);
	free(real);
	return temp;
}

static inline struct temp temp_make(void)
{
	return temp_make_below(temp_root());
}

static inline struct temp temp_make_for_world(void)
{
	return temp_make_below(TEMP_FOR_WORLD);
}

/* For what outlives a block: removed before the program's end, and it must be possible. */
static inline void temp_drop(const char *path)
{
	ck_assert_msg(uw_remove_tree(AT_FDCWD, path) == 0, "%s stays: %s", path, strerror(errno));
}

static inline void temp_remove(struct temp *temp)
{
	(void)uw_remove_tree(AT_FDCWD, temp->path);
}

/*
 * Root becomes an ordinary user, who gets the directory. 0: that user cannot reach
 * it (the temp of a world of root's); to be told, and then nothing is to be tested.
 */
__attribute__((unused)) static int temp_become_user(const char *path)
{
	const uid_t user = 54321;
	if (geteuid() != 0)
		return 1;
	ck_assert_int_eq(chown(path, user, user), 0);
	ck_assert_int_eq(setgroups(0, NULL) | setegid(user) | seteuid(user), 0);
	if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0)
		return 1;
	ck_assert_int_eq(seteuid(0) | setegid(0), 0);
	(void)fprintf(stderr, "# not possible here: a place that another user reaches\n");
	return 0;
}

#define AUTO_TEMP __attribute__((cleanup(temp_remove))) struct temp

/* Static text; good for a few at a time. */
__attribute__((format(printf, 1, 2))) static inline const char *text_of(const char *format, ...)
{
	static char texts[4][8192];
	static unsigned next;
	char *text = texts[next++ % 4];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof texts[0], format, args);
	va_end(args);
	return text;
}

/* Static text of the path below it; good for a few at a time. */
static inline const char *temp_path(const struct temp *temp, const char *name)
{
	static char paths[8][256];
	static unsigned next;
	char *path = paths[next++ % 8];
	(void)snprintf(path, sizeof paths[0], "%s/%s", temp->path, name);
	return path;
}

static inline const char *temp_file(const struct temp *temp, const char *name, const char *text)
{
	const char *path = temp_path(temp, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	ck_assert_int_eq(fchmod(fd, 0644), 0);
	ck_assert_int_eq(close(fd), 0);
	return path;
}

static inline const char *temp_dir(const struct temp *temp, const char *name)
{
	const char *path = temp_path(temp, name);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
	return path;
}

/*
 * A new file, 0755, with the content of another. Never a hard link: that would
 * change the ctime of what others look at while they test.
 */
static inline void temp_copy(const char *from, const char *to)
{
	char block[65536];
	ssize_t got;
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	ck_assert_msg(in >= 0, "%s is not built", from);
	ck_assert_msg(out >= 0, "%s cannot be made", to);
	while ((got = read(in, block, sizeof block)) > 0)
		ck_assert_int_eq(write(out, block, (size_t)got), got);
	ck_assert_int_eq(got, 0);
	ck_assert_int_eq(fchmod(out, 0755), 0);
	(void)close(in);
	(void)close(out);
}

/* For good, and open to its own kind: LeakSanitizer looks at the process so. */
static inline void temp_stay_user(void)
{
	const uid_t user = geteuid();
	if (user == getuid())
		return;
	ck_assert_int_eq(seteuid(0) | setegid(0), 0);
	ck_assert_int_eq(setresgid(user, user, user) | setresuid(user, user, user), 0);
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
}

#endif
