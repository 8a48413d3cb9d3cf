/* common/blake2b (F-5): the vector of RFC 7693 appendix A, and the unkeyed half of its appendix E. */
#include "tests/unit.h"

#include "common/blake2b.h"

#include <stdio.h>
#include <string.h>

static void hex(const uint8_t *bytes, size_t len, char *text)
{
	for (size_t i = 0; i < len; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

START_TEST(abc_hashes_as_rfc_7693_appendix_a_says)
{
	uint8_t digest[64];
	char text[129];
	uw_blake2b("abc", 3, digest, sizeof digest);
	hex(digest, sizeof digest, text);
	ck_assert_str_eq(text, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
	                       "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}
END_TEST

/* The self-test sequence of appendix E. */
static void sequence(uint8_t *out, size_t len, uint32_t seed)
{
	uint32_t a = 0xdead4badu * seed, b = 1;
	for (size_t i = 0; i < len; i++) {
		uint32_t t = a + b;
		a = b;
		b = t;
		out[i] = (uint8_t)(t >> 24);
	}
}

START_TEST(all_lengths_of_rfc_7693_appendix_e_agree)
{
	static const size_t digests[] = {20, 32, 48, 64}, inputs[] = {0, 3, 128, 129, 255, 1024};
	uint8_t input[1024], digest[64];
	char text[65];
	struct uw_blake2b all;
	uw_blake2b_init(&all, 32);
	for (size_t d = 0; d < 4; d++)
		for (size_t i = 0; i < 6; i++) {
			sequence(input, inputs[i], (uint32_t)inputs[i]);
			uw_blake2b(input, inputs[i], digest, digests[d]);
			uw_blake2b_update(&all, digest, digests[d]);
		}
	uw_blake2b_finish(&all, digest);
	hex(digest, 32, text);
	ck_assert_str_eq(text, "681f345ad53c6360214ea500fd259edddbca775f605fad81b9b189d6d88e15c6");
}
END_TEST

START_TEST(pieces_hash_as_the_whole_does)
{
	static const size_t steps[] = {1, 7, 127, 128, 129, 4096};
	static uint8_t data[100000];
	uint8_t whole[24], pieces[24];
	char text[49];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i % 251);
	uw_blake2b(data, sizeof data, whole, sizeof whole);
	hex(whole, sizeof whole, text);
	ck_assert_str_eq(text, "519d04c61efafe8fa1752c1527016c58bae016a63a1c5ae2");
	for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
		struct uw_blake2b hash;
		uw_blake2b_init(&hash, sizeof pieces);
		for (size_t at = 0; at < sizeof data; at += steps[s])
			uw_blake2b_update(&hash, data + at, sizeof data - at < steps[s] ? sizeof data - at : steps[s]);
		uw_blake2b_finish(&hash, pieces);
		ck_assert_int_eq(memcmp(whole, pieces, sizeof whole), 0);
	}
}
END_TEST

UW_TESTS("common/blake2b", abc_hashes_as_rfc_7693_appendix_a_says,
         all_lengths_of_rfc_7693_appendix_e_agree, pieces_hash_as_the_whole_does)
