/* common/text (F-2, F-12): UTF-8, lines, the escape. */
#include "tests/unit.h"

#include "common/text.h"

#include <string.h>

static int valid(const char *text)
{
	return uw_utf8_valid(text, strlen(text));
}

/* the byte strings of peer/B14 among them */
START_TEST(only_strict_utf8_is_valid)
{
	static const char *const good[] = {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
	    "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "\xef\xbb\xbf hi", "0123456789abcdef\xc3\xa9xyz"};
	static const char *const bad[] = {"a\xff", "a\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80",
	    "\xe0\x80\x80", "\xf0\x80\x80\x80", "\x80", "\xc3(", "\xf5\x80\x80\x80", "01234567890123456\xff"};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		ck_assert_msg(valid(good[i]), "good %zu", i);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!valid(bad[i]), "bad %zu", i);
}
END_TEST

START_TEST(pieces_give_what_the_whole_gives)
{
	static const char text[] = "a\xe2\x82\xac\r\nb\nc\xf0\x9f\x98\x80\r\nlast";
	for (size_t step = 1; step < sizeof text; step++) {
		struct uw_utf8 utf8 = {0};
		struct uw_lines lines = {0};
		for (size_t at = 0; at < sizeof text - 1; at += step) {
			size_t take = sizeof text - 1 - at < step ? sizeof text - 1 - at : step;
			uw_utf8_feed(&utf8, text + at, take);
			uw_lines_feed(&lines, text + at, take);
		}
		ck_assert_int_eq(uw_utf8_ok(&utf8), 1);
		ck_assert_uint_eq(lines.crlf, 2);
		ck_assert_uint_eq(lines.lf, 1);
		ck_assert_uint_eq(uw_lines_total(&lines), 4);
	}
}
END_TEST

START_TEST(an_empty_text_has_no_line_and_an_ended_one_no_more)
{
	struct uw_lines lines = {0};
	ck_assert_uint_eq(uw_lines_total(&lines), 0);
	uw_lines_feed(&lines, "a\n", 2);
	ck_assert_uint_eq(uw_lines_total(&lines), 1);
}
END_TEST

/* files/F31 */
START_TEST(the_escape_is_reversible_for_all_bytes)
{
	char all[512], c = 0;
	UW_AUTO_BUF shown = UW_BUF_INIT;
	UW_AUTO_BUF back = UW_BUF_INIT;
	for (size_t i = 0; i < sizeof all; i++)
		all[i] = c++;
	uw_text_escape(&shown, all, sizeof all);
	ck_assert_int_eq(uw_utf8_valid(shown.data, shown.len), 1);
	uw_text_unescape(&back, shown.data, shown.len);
	ck_assert_uint_eq(back.len, sizeof all);
	ck_assert_int_eq(memcmp(back.data, all, sizeof all), 0);
	uw_buf_truncate(&shown, 0);
	uw_text_escape(&shown, "a\nb\\\xc3\xa9\xff", 7);
	ck_assert_str_eq(shown.data, "a\\x0ab\\x5c\xc3\xa9\\xff");
}
END_TEST

UW_TESTS("common/text", only_strict_utf8_is_valid, pieces_give_what_the_whole_gives,
         an_empty_text_has_no_line_and_an_ended_one_no_more, the_escape_is_reversible_for_all_bytes)
