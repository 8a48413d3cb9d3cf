/* common/buf: a growing buffer. */
#include "tests/unit.h"

#include "common/buf.h"

#include <stdint.h>
#include <string.h>

START_TEST(an_empty_buffer_steals_as_an_empty_string)
{
	struct uw_buf buf = UW_BUF_INIT;
	char *text = uw_buf_steal(&buf);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

START_TEST(bytes_and_text_follow_each_other)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	uw_buf_text(&buf, "a");
	uw_buf_add(&buf, "\0b", 2);
	uw_buf_printf(&buf, "%d", 42);
	ck_assert_uint_eq(buf.len, 5);
	ck_assert_int_eq(memcmp(buf.data, "a\0b42", 6), 0);
	uw_buf_truncate(&buf, 1);
	ck_assert_str_eq(buf.data, "a");
}
END_TEST

START_TEST(an_impossible_length_fails_and_stays_failed)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	uw_buf_text(&buf, "kept");
	ck_assert_int_eq(uw_buf_reserve(&buf, SIZE_MAX - 1), -1);
	uw_buf_text(&buf, "dropped");
	ck_assert_int_eq(buf.failed, 1);
	ck_assert_str_eq(buf.data, "kept");
}
END_TEST

UW_TESTS("common/buf", an_empty_buffer_steals_as_an_empty_string, bytes_and_text_follow_each_other,
         an_impossible_length_fails_and_stays_failed)
