/* common/version (F-5): text form and equality. */
#include "tests/unit.h"

#include "common/version.h"

#include <string.h>
#include <sys/stat.h>

static const uint8_t here[UW_REALM_ID_SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};

static struct uw_version sample(int digest)
{
	struct uw_version version;
	struct stat st;
	ck_assert_int_eq(stat("/", &st), 0);
	uw_version_of_stat(&st, here, &version);
	if (digest) {
		version.has_digest = 1;
		memset(version.digest, 0xab, sizeof version.digest);
	}
	return version;
}

START_TEST(the_text_form_goes_both_ways_and_is_at_most_80_characters)
{
	for (int digest = 0; digest < 2; digest++) {
		struct uw_version a = sample(digest), b;
		char text[UW_VERSION_TEXT_SIZE], again[UW_VERSION_TEXT_SIZE];
		uw_version_text_format(&a, text);
		ck_assert_uint_le(strlen(text), 80);
		ck_assert_int_eq(strncmp(text, "v1:", 3), 0);
		ck_assert_int_eq(uw_version_text_parse(text, &b, NULL), 0);
		ck_assert_uint_eq(b.has_digest, a.has_digest);
		ck_assert_int_eq(uw_version_same(&a, &b), 1);
		ck_assert_int_eq(uw_version_same_realm(&a, &b), 1);
		uw_version_text_format(&b, again);
		ck_assert_str_eq(text, again);
	}
}
END_TEST

START_TEST(what_is_no_version_is_an_argument_error)
{
	struct uw_version a = sample(1), b;
	struct uw_error err = UW_ERROR_INIT;
	char text[UW_VERSION_TEXT_SIZE + 1], bad[UW_VERSION_TEXT_SIZE + 1];
	uw_version_text_format(&a, text);
	memcpy(bad, text, sizeof text);
	bad[1] = '2';
	ck_assert_int_eq(uw_version_text_parse(bad, &b, &err), UW_E_INVALID_ARGS);
	memcpy(bad, text, sizeof text);
	bad[strlen(bad) - 1] = '\0';
	ck_assert_int_eq(uw_version_text_parse(bad, &b, &err), UW_E_INVALID_ARGS);
	memcpy(bad, text, sizeof text);
	strcat(bad, "A");
	ck_assert_int_eq(uw_version_text_parse(bad, &b, &err), UW_E_INVALID_ARGS);
	ck_assert_int_eq(uw_version_text_parse("", &b, &err), UW_E_INVALID_ARGS);
	ck_assert_int_eq(uw_version_text_parse(NULL, &b, &err), UW_E_INVALID_ARGS);
	ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
}
END_TEST

START_TEST(with_digests_metadata_does_not_matter_without_them_it_does)
{
	struct uw_version a = sample(1), b = a;
	b.meta[0] ^= 1;
	ck_assert_int_eq(uw_version_same(&a, &b), 1);
	b.digest[3] ^= 1;
	ck_assert_int_eq(uw_version_same(&a, &b), 0);
	b = a;
	b.has_digest = 0;
	ck_assert_int_eq(uw_version_same(&a, &b), 1);
	b.meta[0] ^= 1;
	ck_assert_int_eq(uw_version_same(&a, &b), 0);
}
END_TEST

START_TEST(a_version_carries_its_realm)
{
	struct uw_version a = sample(1), b = a;
	b.realm[7] ^= 1;
	ck_assert_int_eq(uw_version_same(&a, &b), 1);
	ck_assert_int_eq(uw_version_same_realm(&a, &b), 0);
}
END_TEST

UW_TESTS("common/version", the_text_form_goes_both_ways_and_is_at_most_80_characters,
         what_is_no_version_is_an_argument_error,
         with_digests_metadata_does_not_matter_without_them_it_does, a_version_carries_its_realm)
