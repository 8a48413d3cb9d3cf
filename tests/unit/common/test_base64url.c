/* common/base64url: RFC 4648's vectors, without padding. */
#include "tests/unit.h"

#include "common/base64url.h"

#include <string.h>

START_TEST(the_vectors_of_rfc_4648_go_both_ways)
{
	static const char *const pairs[][2] = {{"", ""}, {"f", "Zg"}, {"fo", "Zm8"}, {"foo", "Zm9v"},
	    {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "-_8"}};
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		char text[32], back[32];
		size_t len = strlen(pairs[i][0]);
		uw_base64url_encode(pairs[i][0], len, text);
		ck_assert_str_eq(text, pairs[i][1]);
		ck_assert_uint_eq(strlen(text), UW_BASE64URL_LEN(len));
		ck_assert_int_eq(uw_base64url_decode(text, strlen(text), back, len), 0);
		ck_assert_int_eq(memcmp(back, pairs[i][0], len), 0);
	}
}
END_TEST

START_TEST(what_encoding_never_gives_is_refused)
{
	static const char *const bad[] = {"Zg==", "Z", "Zh", "Z ", "Z+", "Z/", "\xc3\xa9", "Zg\n"};
	char back[4];
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_int_eq(uw_base64url_decode(bad[i], strlen(bad[i]), back, 1), -1);
}
END_TEST

UW_TESTS("common/base64url", the_vectors_of_rfc_4648_go_both_ways, what_encoding_never_gives_is_refused)
