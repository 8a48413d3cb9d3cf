/* common/io: whole reads and writes. */
#include "tests/temp.h"
#include "tests/unit.h"

#include "common/cleanup.h"
#include "common/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static char name[112];

static void make(const char *content)
{
	struct temp temp = temp_make();
	(void)snprintf(name, sizeof name, "%s", temp_file(&temp, "f", content));
}

START_TEST(a_read_gives_all_there_is_and_no_more)
{
	char data[16];
	make("0123456789");
	UW_AUTO_FD fd = open(name, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(uw_pread_full(fd, data, 4, 8), 2);
	ck_assert_int_eq(uw_read_full(fd, data, 4), 4);
	ck_assert_int_eq(uw_read_full(fd, data, sizeof data), 6);
	ck_assert_int_eq(uw_read_full(fd, data, sizeof data), 0);
	unlink(name);
}
END_TEST

START_TEST(a_line_ends_at_its_newline_and_loses_white_space)
{
	char line[8];
	make("abc \r\nnext\n");
	ck_assert_int_eq(uw_read_line_of(name, line, sizeof line), 3);
	ck_assert_str_eq(line, "abc");
	ck_assert_int_eq(uw_read_line_of(name, line, 4), -1);
	ck_assert_int_eq(errno, EMSGSIZE);
	unlink(name);
	ck_assert_int_eq(uw_read_line_of(name, line, sizeof line), -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

UW_TESTS("common/io", a_read_gives_all_there_is_and_no_more, a_line_ends_at_its_newline_and_loses_white_space)
