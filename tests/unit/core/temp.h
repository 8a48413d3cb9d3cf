/* A directory of a test's own below /var/tmp, removed by itself when the test ends. */
#ifndef UW_TESTS_CORE_TEMP_H
#define UW_TESTS_CORE_TEMP_H

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct temp {
	char path[64];
};

static inline struct temp temp_make(void)
{
	struct temp temp = {"/var/tmp/umwelt-unit.XXXXXX"};
	char *real;
	ck_assert_ptr_nonnull(mkdtemp(temp.path));
	ck_assert_int_eq(chmod(temp.path, 0755), 0);
	real = realpath(temp.path, NULL);
	ck_assert_str_eq(real, temp.path);
	free(real);
	return temp;
}

static inline int temp_unlink(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
	(void)stat;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline void temp_remove(struct temp *temp)
{
	(void)nftw(temp->path, temp_unlink, 16, FTW_DEPTH | FTW_PHYS);
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

#endif
