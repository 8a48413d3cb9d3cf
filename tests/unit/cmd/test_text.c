/* Bytes as text: F-2, shell/S04, shell/S05, files/F31. */
#include "unit.h"

#include <string.h>

#include "cmd/json.h"
#include "cmd/text.h"

START_TEST(plain_text_is_valid_utf8_without_nul)
{
	ck_assert(cmd_text_is_plain("", 0));
	ck_assert(cmd_text_is_plain("a\n\x1b\xc3\xa9", 5));
	ck_assert(!cmd_text_is_plain("a\0b", 3));
	ck_assert(!cmd_text_is_plain("\xff", 1));
	ck_assert(!cmd_text_is_plain("\xed\xa0\x80", 3)); /* a surrogate */
	ck_assert(!cmd_text_is_plain("\xe2\x82", 2));     /* cut off */
}
END_TEST

START_TEST(escaped_bytes_come_back_exactly)
{
	char all[256];
	struct uw_buf escaped = UW_BUF_INIT, back = UW_BUF_INIT;
	for (size_t i = 0; i < sizeof all; i++)
		all[i] = (char)i;
	cmd_text_escape(&escaped, all, sizeof all);
	ck_assert(cmd_text_is_plain(escaped.data, escaped.len));
	uw_text_unescape(&back, escaped.data, escaped.len);
	ck_assert_uint_eq(back.len, sizeof all);
	ck_assert_mem_eq(back.data, all, sizeof all);
	uw_buf_finish(&escaped);
	uw_buf_finish(&back);
}
END_TEST

START_TEST(text_that_looks_like_an_escape_comes_back_too)
{
	static const char text[] = "\\x41\\\xff";
	struct uw_buf escaped = UW_BUF_INIT, back = UW_BUF_INIT;
	cmd_text_escape(&escaped, text, sizeof text - 1);
	ck_assert_str_eq(escaped.data, "\\x5cx41\\x5c\\xff");
	uw_text_unescape(&back, escaped.data, escaped.len);
	ck_assert_str_eq(back.data, text);
	uw_buf_finish(&escaped);
	uw_buf_finish(&back);
}
END_TEST

START_TEST(what_a_person_sees_steers_no_terminal_and_starts_no_line)
{
	static const char text[] = "a\n\x1b[2J\x7f\xc2\x9b\xff\xe2\x80\xa8\xe2\x80\xae\xc3\xa9";
	struct uw_buf flat = UW_BUF_INIT, indented = UW_BUF_INIT;
	cmd_text_show(&flat, text, sizeof text - 1, NULL);
	ck_assert_str_eq(flat.data,
	                 "a\\x0a\\x1b[2J\\x7f\\xc2\\x9b\\xff\\xe2\\x80\\xa8\\xe2\\x80\\xae\xc3\xa9");
	cmd_text_show(&indented, "a\nb", 3, "  ");
	ck_assert_str_eq(indented.data, "a\n  b");
	uw_buf_finish(&flat);
	uw_buf_finish(&indented);
}
END_TEST

START_TEST(json_names_its_escaped_members)
{
	json_t *object = json_object();
	size_t len = 0;
	char *line, *bytes;
	ck_assert_int_eq(cmd_json_text(object, "plain", "x\\y\n", 4), 0);
	ck_assert_int_eq(cmd_json_text(object, "raw", "x\\\xff\0", 4), 0);
	line = cmd_json_line(object, &len);
	ck_assert_str_eq(line, "{\"plain\":\"x\\\\y\\n\",\"raw\":\"x\\\\x5c\\\\xff\\\\x00\",\"escaped\":[\"raw\"]}\n");
	ck_assert_uint_eq(len, strlen(line));
	bytes = cmd_json_bytes(object, "raw", &len);
	ck_assert_uint_eq(len, 4);
	ck_assert_mem_eq(bytes, "x\\\xff\0", 4);
	free(bytes);
	bytes = cmd_json_bytes(object, "plain", &len);
	ck_assert_uint_eq(len, 4);
	ck_assert_mem_eq(bytes, "x\\y\n", 4);
	free(bytes);
	ck_assert_ptr_null(cmd_json_bytes(object, "absent", &len));
	free(line);
	json_decref(object);
}
END_TEST

START_TEST(json_is_one_line_for_every_reader_of_lines)
{
	json_t *object = json_object();
	size_t len = 0;
	char *line;
	ck_assert_int_eq(cmd_json_string(object, "t", "a\xe2\x80\xa8" "b\xe2\x80\xa9\xc2\x85\xe2\x80\xa7\x01"), 0);
	line = cmd_json_line(object, &len);
	ck_assert_str_eq(line, "{\"t\":\"a\\u2028b\\u2029\\u0085\xe2\x80\xa7\\u0001\"}\n");
	free(line);
	json_decref(object);
}
END_TEST

START_TEST(an_error_s_details_become_members)
{
	struct uw_error error = UW_ERROR_INIT;
	json_t *object;
	const json_t *detail;
	(void)uw_fail(&error, UW_E_FS_STALE_VERSION, UW_STAGE_PUBLISH, UW_EFFECT_UNKNOWN, 5, "it \xff changed");
	uw_error_detail(&error, "path", "a\nb\\c", 5);
	uw_error_detail(&error, "empty", "", 0);
	object = cmd_json_error(&error);
	detail = json_object_get(object, "detail");
	ck_assert_str_eq(json_string_value(json_object_get(object, "code")), "FS_STALE_VERSION");
	ck_assert_str_eq(json_string_value(json_object_get(object, "stage")), "publish");
	ck_assert_str_eq(json_string_value(json_object_get(object, "effect")), "unknown");
	ck_assert_str_eq(json_string_value(json_object_get(object, "message")), "it \\xff changed");
	ck_assert_int_eq(json_integer_value(json_object_get(object, "os_errno")), 5);
	ck_assert_str_eq(json_string_value(json_object_get(detail, "path")), "a\nb\\c");
	ck_assert_str_eq(json_string_value(json_object_get(detail, "empty")), "");
	json_decref(object);
}
END_TEST

/* Each allocation of jansson fails in turn: no line, or the whole one; never a part (C-61). */
static size_t until_failure;

static void *failing_malloc(size_t size)
{
	return until_failure && --until_failure == 0 ? NULL : malloc(size);
}

static char *build_line(void)
{
	json_t *object = json_object(), *list = json_array();
	size_t len;
	char *line;
	(void)cmd_json_string(object, "a", "b");
	(void)cmd_json_text(object, "raw", "\xff", 1);
	(void)json_array_append_new(list, json_integer(1));
	(void)cmd_json_put(object, "list", list);
	line = cmd_json_line(object, &len);
	json_decref(object);
	return line;
}

START_TEST(a_line_lacks_nothing_when_memory_runs_out)
{
	char *line = NULL;
	size_t n;
	for (n = 1; !line && n < 1000; n++) {
		until_failure = n;
		cmd_json_start(failing_malloc);
		line = build_line();
	}
	ck_assert_uint_gt(n, 10);
	ck_assert_ptr_nonnull(line);
	ck_assert_str_eq(line, "{\"a\":\"b\",\"raw\":\"\\\\xff\",\"escaped\":[\"raw\"],\"list\":[1]}\n");
	free(line);
}
END_TEST

UW_TESTS("cmd/text", a_line_lacks_nothing_when_memory_runs_out, plain_text_is_valid_utf8_without_nul, escaped_bytes_come_back_exactly,
         text_that_looks_like_an_escape_comes_back_too,
         what_a_person_sees_steers_no_terminal_and_starts_no_line, json_names_its_escaped_members,
         json_is_one_line_for_every_reader_of_lines, an_error_s_details_become_members)
