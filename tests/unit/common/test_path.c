/* common/path (F-31): containment by component, names, file URLs. */
#include "tests/unit.h"

#include "common/path.h"

#include <string.h>

static int contains(const char *parent, const char *child)
{
	return uw_path_contains(parent, strlen(parent), child, strlen(child));
}

START_TEST(containment_is_by_component_never_by_prefix)
{
	ck_assert_int_eq(contains("/ws", "/ws"), 1);
	ck_assert_int_eq(contains("/ws", "/ws/a"), 1);
	ck_assert_int_eq(contains("/ws/", "/ws"), 1);
	ck_assert_int_eq(contains("/ws/", "/ws/a"), 1);
	ck_assert_int_eq(contains("/", "/ws"), 1);
	ck_assert_int_eq(contains("/", "/"), 1);
	ck_assert_int_eq(contains("/ws", "/ws-evil"), 0);
	ck_assert_int_eq(contains("/ws", "/ws-evil/s"), 0);
	ck_assert_int_eq(contains("/ws/a", "/ws"), 0);
	ck_assert_int_eq(contains("", "/ws"), 0);
}
END_TEST

START_TEST(names_and_parents_of_canonical_paths)
{
	ck_assert_uint_eq(uw_path_parent("/a/b", 4), 2);
	ck_assert_uint_eq(uw_path_name("/a/b", 4), 3);
	ck_assert_uint_eq(uw_path_parent("/a", 2), 1);
	ck_assert_uint_eq(uw_path_name("/a", 2), 1);
	ck_assert_uint_eq(uw_path_parent("/", 1), 1);
	ck_assert_uint_eq(uw_path_name("/", 1), 1);
}
END_TEST

START_TEST(pushing_a_name_puts_one_slash)
{
	UW_AUTO_BUF path = UW_BUF_INIT;
	uw_path_push(&path, "", 0);
	ck_assert_str_eq(path.data, "/");
	uw_path_push(&path, "a", 1);
	uw_path_push(&path, "b", 1);
	ck_assert_str_eq(path.data, "/a/b");
}
END_TEST

/* peer/B22 */
START_TEST(a_file_url_escapes_all_but_unreserved_bytes)
{
	UW_AUTO_BUF url = UW_BUF_INIT;
	uw_path_url(&url, "/a b#c%\xc3\xa9~-._", 13);
	ck_assert_str_eq(url.data, "file:///a%20b%23c%25%C3%A9~-._");
}
END_TEST

UW_TESTS("common/path", containment_is_by_component_never_by_prefix, names_and_parents_of_canonical_paths,
         pushing_a_name_puts_one_slash, a_file_url_escapes_all_but_unreserved_bytes)
