/* common/sha256: the vectors of FIPS 180-4, the edges of the padding, any cut into pieces. */
#include "tests/unit.h"

#include "common/sha256.h"

#include <string.h>

static const char *hex_of(const char *data, size_t len, size_t piece)
{
	static char text[UW_SHA256_HEX];
	uint8_t digest[UW_SHA256_SIZE];
	struct uw_sha256 hash;
	uw_sha256_start(&hash);
	for (size_t at = 0; at < len; at += piece)
		uw_sha256_add(&hash, data + at, len - at < piece ? len - at : piece);
	uw_sha256_end(&hash, digest);
	uw_sha256_hex(digest, text);
	return text;
}

START_TEST(the_standards_vectors_hold)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	ck_assert_str_eq(hex_of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	ck_assert_str_eq(hex_of("abc", 3, 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ck_assert_str_eq(hex_of(two_blocks, strlen(two_blocks), 64),
	                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

START_TEST(a_million_letters_hold)
{
	char *text = malloc(1000000);
	memset(text, 'a', 1000000);
	ck_assert_str_eq(hex_of(text, 1000000, 4093),
	                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(text);
}
END_TEST

START_TEST(every_length_is_the_same_in_pieces_as_whole)
{
	char data[200], whole[UW_SHA256_HEX];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (char)(i * 7);
	for (size_t len = 0; len <= sizeof data; len++) {
		(void)strcpy(whole, hex_of(data, len, 1000));
		ck_assert_str_eq(hex_of(data, len, 1), whole);
		ck_assert_str_eq(hex_of(data, len, 63), whole);
	}
}
END_TEST

UW_TESTS("common/sha256", the_standards_vectors_hold, a_million_letters_hold,
         every_length_is_the_same_in_pieces_as_whole)
