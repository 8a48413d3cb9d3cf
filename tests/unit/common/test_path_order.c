#include "common/path_order.h"
#include "unit.h"

START_TEST(a_sibling_with_the_same_prefix_is_not_within)
{
	ck_assert(uw_path_within("/ws", "/ws"));
	ck_assert(uw_path_within("/ws/a", "/ws"));
	ck_assert(uw_path_within("/ws/a", "/ws/"));
	ck_assert(uw_path_within("/a", "/"));
	ck_assert(!uw_path_within("/ws-evil/a", "/ws"));
	ck_assert(!uw_path_within("/", "/ws"));
}
END_TEST

START_TEST(below_leaves_the_path_itself_out)
{
	ck_assert(uw_path_below("/ws/a", "/ws"));
	ck_assert(!uw_path_below("/ws", "/ws"));
	ck_assert(!uw_path_below("/", "/"));
	ck_assert(uw_path_below("/a", "/"));
}
END_TEST

START_TEST(the_common_directory_ends_at_a_component)
{
	ck_assert_uint_eq(uw_path_common_len("/a/b", "/a/bc"), 2);
	ck_assert_uint_eq(uw_path_common_len("/a/b/x", "/a/b/y"), 4);
	ck_assert_uint_eq(uw_path_common_len("/a", "/b"), 1);
	ck_assert_uint_eq(uw_path_common_len("/a/b", "/a/b/c"), 4);
	ck_assert_uint_eq(uw_path_common_len("/a/b", "/a/b"), 4);
}
END_TEST

START_TEST(a_directory_comes_right_before_what_it_holds)
{
	ck_assert_int_lt(uw_path_compare("/a", "/a/b"), 0);
	ck_assert_int_lt(uw_path_compare("/a/b", "/a-b"), 0);
	ck_assert_int_gt(uw_path_compare("/a.b", "/a/z"), 0);
	ck_assert_int_eq(uw_path_compare("/a/b", "/a/b"), 0);
}
END_TEST

UW_TESTS("common/path_order", a_sibling_with_the_same_prefix_is_not_within,
         below_leaves_the_path_itself_out, the_common_directory_ends_at_a_component,
         a_directory_comes_right_before_what_it_holds)
