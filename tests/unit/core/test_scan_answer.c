/* core/scan_answer: what is written is read back; what is cut off or damaged is no answer. */
#include "tests/unit.h"

#include "core/scan_answer.h"

#include <string.h>

static const char *const choices[] = {"a b", "back\\slash", NULL};
static const struct uw_key keys[] = {
    {"kind", UW_KEY_CHOICE, 1, UW_KEY_NARROWING, 0, 0, 0, "a b", choices, "Which kind"},
    {"size", UW_KEY_INT, 0, UW_KEY_OWNER, 0, INT64_MIN, INT64_MAX, NULL, NULL, "How large"},
    {"text", UW_KEY_STRING, 0, UW_KEY_OWNER, 0, 0, 0, "", NULL, "line\nand \x01 control"},
};
static const struct uw_provides provides[] = {{"fs/1", 1, 0, NULL}, {"search/1", 2, 0, NULL}};
static const char *const optional_services[] = {"trace/1", NULL};

static void write_example(struct uw_buf *out)
{
	const struct uw_plugin plugin = {.size = sizeof plugin, .name = "example", .version = "1.0", .summary = "An example",
	                                 .provides = provides, .provides_count = 2, .optional_services = optional_services,
	                                 .keys = keys, .key_count = 3};
	uwi_scan_write(out, &plugin);
}

START_TEST(a_descriptor_is_read_back)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	UW_AUTO_BUF buf = UW_BUF_INIT;
	struct uwi_scan_answer answer;
	write_example(&buf);
	ck_assert_int_eq(uwi_scan_read(&arena, buf.data, buf.len, &answer), 0);
	ck_assert_int_eq(answer.refused, 0);
	ck_assert_str_eq(answer.facts.name, "example");
	ck_assert_str_eq(answer.facts.provides[1], "search/1");
	ck_assert_ptr_null(answer.facts.provides[2]);
	ck_assert_ptr_null(answer.facts.requires_services[0]);
	ck_assert_str_eq(answer.facts.optional_services[0], "trace/1");
	ck_assert_uint_eq(answer.facts.key_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct uw_key *key = &answer.facts.keys[i];
		ck_assert_str_eq(key->name, keys[i].name);
		ck_assert_str_eq(key->help, keys[i].help);
		ck_assert_pstr_eq(key->default_value, keys[i].default_value);
		ck_assert_int_eq(key->type, keys[i].type);
		ck_assert_int_eq(key->required, keys[i].required);
		ck_assert_int_eq(key->narrowing, keys[i].narrowing);
		ck_assert(key->min == keys[i].min && key->max == keys[i].max);
	}
	ck_assert_str_eq(answer.facts.keys[0].choices[1], "back\\slash");
	ck_assert_ptr_null(answer.facts.keys[0].choices[2]);
	ck_assert_ptr_null(answer.facts.keys[1].choices);
}
END_TEST

START_TEST(a_refusal_is_read_back)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	UW_AUTO_BUF buf = UW_BUF_INIT;
	struct uw_error err = UW_ERROR_INIT;
	struct uwi_scan_answer answer;
	uw_fail(&err, UW_E_PLUGIN_INVALID, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "bad\nname");
	uw_error_detail(&err, "path", "/p", 2);
	uwi_scan_write_refusal(&buf, &err);
	ck_assert_int_eq(uwi_scan_read(&arena, buf.data, buf.len, &answer), 0);
	ck_assert_int_eq(answer.refused, UW_E_PLUGIN_INVALID);
	ck_assert_str_eq(answer.message, "bad\nname");
	ck_assert_str_eq(answer.detail, "path=/p\n");
}
END_TEST

START_TEST(an_answer_cut_off_anywhere_is_none)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	write_example(&buf);
	for (size_t len = 0; len < buf.len; len++) {
		UW_AUTO_ARENA arena = UW_ARENA_INIT;
		struct uwi_scan_answer answer;
		ck_assert_int_eq(uwi_scan_read(&arena, buf.data, len, &answer), -1);
	}
}
END_TEST

/* C-61: any byte changed: read or refused, never a crash (the sanitizer build looks on) */
START_TEST(a_damaged_answer_never_crashes)
{
	static const char bytes[] = {0, '\n', ' ', '\\', 'x', (char)0xff};
	UW_AUTO_BUF buf = UW_BUF_INIT;
	write_example(&buf);
	for (size_t at = 0; at < buf.len; at++)
		for (size_t i = 0; i < sizeof bytes; i++) {
			UW_AUTO_ARENA arena = UW_ARENA_INIT;
			struct uwi_scan_answer answer;
			char saved = buf.data[at];
			buf.data[at] = bytes[i];
			(void)uwi_scan_read(&arena, buf.data, buf.len, &answer);
			buf.data[at] = saved;
		}
}
END_TEST

START_TEST(an_answer_that_lacks_or_doubles_something_is_none)
{
	static const char *const texts[] = {
	    "umwelt-scan 1\nend\n",
	    "umwelt-scan 1\nname a\nversion 1\nsummary s\nend\n",
	    "umwelt-scan 1\nname a\nname b\nversion 1\nsummary s\nprovides f/1\nend\n",
	    "umwelt-scan 1\nname a\nversion 1\nsummary s\nprovides f/1\nkey k\nend\n",
	    "umwelt-scan 1\nname a\nversion 1\nsummary s\nprovides f/1\ntype 1\nend\n",
	    "umwelt-scan 1\nname a\nversion 1\nsummary s\nprovides f/1\nunknown 1\nend\n",
	    "umwelt-scan 1\nrefused 5\nmessage m\nend\n",
	    "umwelt-scan 1\nrefused -5\nend\n",
	    "umwelt-scan 2\nrefused -5\nmessage m\nend\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		UW_AUTO_ARENA arena = UW_ARENA_INIT;
		struct uwi_scan_answer answer;
		ck_assert_int_eq(uwi_scan_read(&arena, texts[i], strlen(texts[i]), &answer), -1);
	}
}
END_TEST

UW_TESTS("core/scan_answer", a_descriptor_is_read_back, a_refusal_is_read_back, an_answer_cut_off_anywhere_is_none,
         a_damaged_answer_never_crashes, an_answer_that_lacks_or_doubles_something_is_none)
