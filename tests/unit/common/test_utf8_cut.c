/* common/utf8_cut: cuts that split no character. */
#include "tests/unit.h"

#include "common/utf8_cut.h"

#include <string.h>

START_TEST(an_incomplete_character_is_seen_at_the_end)
{
	ck_assert_uint_eq(uw_utf8_partial_end("abc", 3), 0);
	ck_assert_uint_eq(uw_utf8_partial_end("a\xc3", 2), 1);
	ck_assert_uint_eq(uw_utf8_partial_end("a\xc3\xa9", 3), 0);
	ck_assert_uint_eq(uw_utf8_partial_end("a\xe2\x82", 3), 2);
	ck_assert_uint_eq(uw_utf8_partial_end("\xf0\x9f\x98", 3), 3);
	ck_assert_uint_eq(uw_utf8_partial_end("\xf0\x9f\x98\x80", 4), 0);
	ck_assert_uint_eq(uw_utf8_partial_end("", 0), 0);
}
END_TEST

START_TEST(bytes_that_begin_nothing_are_not_held_back)
{
	ck_assert_uint_eq(uw_utf8_partial_end("a\xff", 2), 0);
	ck_assert_uint_eq(uw_utf8_partial_end("\xc0", 1), 0);
	ck_assert_uint_eq(uw_utf8_partial_end("\x80\x80\x80", 3), 0);
}
END_TEST

START_TEST(the_rest_of_a_character_is_seen_at_the_start)
{
	ck_assert_uint_eq(uw_utf8_partial_start("abc", 3), 0);
	ck_assert_uint_eq(uw_utf8_partial_start("\xa9x", 2), 1);
	ck_assert_uint_eq(uw_utf8_partial_start("\x9f\x98\x80x", 4), 3);
	ck_assert_uint_eq(uw_utf8_partial_start("\x80\x80\x80\x80", 4), 0);
}
END_TEST

UW_TESTS("common/utf8_cut", an_incomplete_character_is_seen_at_the_end,
         bytes_that_begin_nothing_are_not_held_back, the_rest_of_a_character_is_seen_at_the_start)
