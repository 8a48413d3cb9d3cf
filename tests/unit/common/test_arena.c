/* common/arena: many allocations that end together. */
#include "tests/unit.h"

#include "common/arena.h"

#include <stdint.h>
#include <string.h>

START_TEST(what_it_hands_out_is_zeroed_aligned_and_apart)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	unsigned char *last = NULL;
	for (size_t i = 1; i < 300; i++) {
		unsigned char *bytes = uw_arena_alloc(&arena, i, 3);
		ck_assert_ptr_nonnull(bytes);
		ck_assert_uint_eq((uintptr_t)bytes % sizeof(void *), 0);
		for (size_t at = 0; at < i * 3; at++)
			ck_assert_uint_eq(bytes[at], 0);
		memset(bytes, 0xff, i * 3);
		ck_assert_ptr_ne(bytes, last);
		last = bytes;
	}
}
END_TEST

START_TEST(texts_are_copied_with_their_end)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	ck_assert_str_eq(uw_arena_text(&arena, "a"), "a");
	ck_assert_str_eq(uw_arena_copy(&arena, "abc", 2), "ab");
	ck_assert_str_eq(uw_arena_copy(&arena, NULL, 0), "");
	ck_assert_str_eq(uw_arena_printf(&arena, "%s-%d", "n", 7), "n-7");
	ck_assert_ptr_null(uw_arena_text(&arena, NULL));
	ck_assert_int_eq(arena.failed, 0);
}
END_TEST

START_TEST(a_large_object_has_a_block_of_its_own)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	char *large = uw_arena_alloc(&arena, 1, 100000);
	ck_assert_ptr_nonnull(large);
	memset(large, 1, 100000);
	ck_assert_ptr_nonnull(uw_arena_alloc(&arena, 1, 1));
}
END_TEST

START_TEST(an_impossible_size_fails_and_stays_failed)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	ck_assert_ptr_null(uw_arena_alloc(&arena, SIZE_MAX / 2, 4));
	ck_assert_int_eq(arena.failed, 1);
	ck_assert_ptr_null(uw_arena_text(&arena, "dropped"));
}
END_TEST

UW_TESTS("common/arena", what_it_hands_out_is_zeroed_aligned_and_apart,
         texts_are_copied_with_their_end, a_large_object_has_a_block_of_its_own,
         an_impossible_size_fails_and_stays_failed)
