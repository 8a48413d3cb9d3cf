/* common/view (S-15). */
#include "tests/unit.h"

#include "common/view.h"

#include <string.h>

static const struct uw_view_entry entries[] = {
    {"/tmp", "/var/tmp/session", 1, 0},
    {"/tmp/ws", "/home/u/ws", 1, 0},
    {"/run/user", "/var/tmp/run", 0, 0},
};
static const struct uw_view view = {entries, 3};

static const char *outside(const char *path)
{
	static struct uw_buf out;
	uw_buf_truncate(&out, 0);
	uw_view_outside(&view, path, strlen(path), &out);
	return out.data;
}

static const char *inside(const char *path)
{
	static struct uw_buf in;
	uw_buf_truncate(&in, 0);
	return uw_view_inside(&view, path, strlen(path), &in) ? in.data : NULL;
}

START_TEST(the_longest_entry_decides_and_the_rest_is_kept)
{
	ck_assert_str_eq(outside("/tmp"), "/var/tmp/session");
	ck_assert_str_eq(outside("/tmp/a/b"), "/var/tmp/session/a/b");
	ck_assert_str_eq(outside("/tmp/ws/f"), "/home/u/ws/f");
	ck_assert_str_eq(outside("/tmpx"), "/tmpx");
	ck_assert_str_eq(outside("/"), "/");
	ck_assert_str_eq(inside("/home/u/ws/f"), "/tmp/ws/f");
	ck_assert_str_eq(inside("/etc"), "/etc");
}
END_TEST

START_TEST(what_the_view_hides_has_no_inside_path)
{
	ck_assert_ptr_null(inside("/tmp/on-the-host"));
	ck_assert_ptr_null(inside("/var/tmp/session/ws"));
	ck_assert_str_eq(inside("/var/tmp/session/other"), "/tmp/other");
}
END_TEST

START_TEST(entries_are_found_by_place_and_from_above)
{
	ck_assert_ptr_eq(uw_view_at(&view, "/tmp/ws", 7), &entries[1]);
	ck_assert_ptr_null(uw_view_at(&view, "/tmp/w", 6));
	ck_assert_int_eq(uw_view_leads_below(&view, "/run", 4), 1);
	ck_assert_int_eq(uw_view_leads_below(&view, "/run/user", 9), 0);
	ck_assert_int_eq(uw_view_leads_below(NULL, "/run", 4), 0);
}
END_TEST

UW_TESTS("common/view", the_longest_entry_decides_and_the_rest_is_kept,
         what_the_view_hides_has_no_inside_path, entries_are_found_by_place_and_from_above)
