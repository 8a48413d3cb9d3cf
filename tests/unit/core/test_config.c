/* core/config: a provider's map against its plugin's table (C-10, C-15). */
#include "tests/unit.h"

#include "common/buf.h"
#include "core/config.h"
#include "core/yaml.h"

#include <string.h>

static const char *const colours[] = {"red", "green", NULL};
static const struct uw_key keys[] = {
    {.name = "flag", .type = UW_KEY_BOOL, .narrowing = 1, .default_value = "true"},
    {.name = "count", .type = UW_KEY_INT, .narrowing = 1, .min = 1, .max = 9, .default_value = "4"},
    {.name = "free", .type = UW_KEY_INT},
    {.name = "text", .type = UW_KEY_STRING},
    {.name = "path", .type = UW_KEY_PATH},
    {.name = "colour", .type = UW_KEY_CHOICE, .choices = colours, .default_value = "red"},
    {.name = "words", .type = UW_KEY_STRINGS},
    {.name = "tree", .type = UW_KEY_TREE},
};
static const struct uw_key needed[] = {
    {.name = "host", .type = UW_KEY_STRING, .required = 1, .help = "where"}};

struct made {
	struct uw_arena arena;
	struct uw_buf lines;
	struct uw_config *config;
	struct uwi_node *root;
};

static void add_line(void *arg, const struct uw_error *error)
{
	uw_buf_printf(arg, "%s %s\n", uw_code_name(error->code), error->message);
}

static void make_from(struct made *made, const struct uw_key *table, size_t count, const char *text,
                      int trusted, const char *path)
{
	struct uwi_source source = {.file = "f", .dir = "/d", .trusted = trusted};
	struct uwi_problems problems = {.report = add_line, .arg = &made->lines};
	*made = (struct made){.lines = UW_BUF_INIT};
	uw_buf_text(&made->lines, "");
	ck_assert_int_eq(
	    uwi_yaml_parse(&made->arena, &source, text, strlen(text), &problems, &made->root), 0);
	ck_assert_uint_eq(problems.count, 0);
	made->config = uwi_config_create(table, count, made->root, path, &problems);
	ck_assert_int_eq(made->config != NULL, problems.count == 0);
}

static void make(struct made *made, const char *text)
{
	make_from(made, keys, sizeof keys / sizeof keys[0], text, 1, "world.fs[0]");
}

static void finish(struct made *made)
{
	uwi_config_destroy(made->config);
	uw_arena_finish(&made->arena);
	uw_buf_finish(&made->lines);
}

static void expect(const char *text, const char *lines)
{
	struct made m;
	make(&m, text);
	ck_assert_str_eq(m.lines.data, lines);
	finish(&m);
}

START_TEST(values_are_typed_and_defaults_filled_in)
{
	struct made m;
	const struct uw_tree *tree;
	make(&m, "plugin: x\nname: y\nflag: false\ntext: a b\npath: ./sub/x\nwords: [one, 'two']\n"
	         "tree: { k: [1, {}] }\n");
	ck_assert_str_eq(m.lines.data, "");
	ck_assert_int_eq(uwi_config_bool(m.config, "flag"), 0);
	ck_assert_int_eq(uwi_config_int(m.config, "count"), 4);
	ck_assert_int_eq(uwi_config_is_set(m.config, "count"), 0);
	ck_assert_int_eq(uwi_config_is_set(m.config, "flag"), 1);
	ck_assert_str_eq(uwi_config_string(m.config, "text"), "a b");
	ck_assert_str_eq(uwi_config_string(m.config, "path"), "/d/sub/x");
	ck_assert_str_eq(uwi_config_string(m.config, "colour"), "red");
	ck_assert_uint_eq(uwi_config_count(m.config, "words"), 2);
	ck_assert_str_eq(uwi_config_item(m.config, "words", 1), "two");
	ck_assert_ptr_null(uwi_config_item(m.config, "words", 2));
	ck_assert_str_eq(uwi_config_where(m.config, "text"), "f:4:7");
	ck_assert_str_eq(uwi_config_where(m.config, NULL), "f:1:1");
	ck_assert_str_eq(uwi_config_where(m.config, "count"), "f:1:1");
	tree = uwi_config_tree(m.config, "tree");
	ck_assert_int_eq(uwi_tree_kind(tree), UW_TREE_MAP);
	ck_assert_str_eq(uwi_tree_name(tree, 0), "k");
	ck_assert_int_eq(uwi_tree_kind(uwi_tree_item(tree, 0)), UW_TREE_LIST);
	ck_assert_str_eq(uwi_tree_text(uwi_tree_item(uwi_tree_item(tree, 0), 0)), "1");
	ck_assert_int_eq(uwi_tree_kind(uwi_tree_item(uwi_tree_item(tree, 0), 2)), UW_TREE_NONE);
	ck_assert_str_eq(uwi_tree_where(uwi_tree_item(tree, 0)), "f:7:12");
	ck_assert_str_eq(uwi_tree_where(NULL), "");
	finish(&m);
}
END_TEST

START_TEST(a_key_that_is_not_there_reads_as_nothing)
{
	struct made m;
	make(&m, "{}");
	ck_assert_int_eq(uwi_config_is_set(m.config, "nope"), 0);
	ck_assert_int_eq(uwi_config_int(m.config, "nope"), 0);
	ck_assert_ptr_null(uwi_config_string(m.config, "nope"));
	ck_assert_ptr_null(uwi_config_string(m.config, "text"));
	ck_assert_uint_eq(uwi_config_count(m.config, "words"), 0);
	ck_assert_ptr_null(uwi_config_tree(m.config, "tree"));
	ck_assert_ptr_null(uwi_config_string(m.config, NULL));
	finish(&m);
}
END_TEST

START_TEST(one_text_is_a_list_of_one)
{
	struct made m;
	make(&m, "words: alone\n");
	ck_assert_uint_eq(uwi_config_count(m.config, "words"), 1);
	finish(&m);
}
END_TEST

START_TEST(all_wrong_types_are_reported_at_their_values)
{
	expect(
	    "flag: yes\ncount: '3'\ntext: 5\npath: true\ncolour: [red]\nwords: [a, 1]\n",
	    "BUNDLE_INVALID f:1:7: world.fs[0].flag: true or false is wanted here, this is text\n"
	    "BUNDLE_INVALID f:2:8: world.fs[0].count: a whole number is wanted here, this is text in "
	    "quotes\n"
	    "BUNDLE_INVALID f:3:7: world.fs[0].text: text is wanted here, this is a number; write it "
	    "in "
	    "quotes\n"
	    "BUNDLE_INVALID f:4:7: world.fs[0].path: text is wanted here, this is true or false; write "
	    "it "
	    "in quotes\n"
	    "BUNDLE_INVALID f:5:9: world.fs[0].colour: one word is wanted here, this is a list\n"
	    "BUNDLE_INVALID f:6:12: world.fs[0].words: text is wanted here, this is a number; write it "
	    "in "
	    "quotes\n");
}
END_TEST

START_TEST(bounds_and_choices_hold)
{
	expect("count: 10\n",
	       "BUNDLE_INVALID f:1:8: world.fs[0].count: 10 is out of its bounds, 1 to 9\n");
	expect("count: 99999999999999999999\n", "BUNDLE_INVALID f:1:8: world.fs[0].count: a whole "
	                                        "number is wanted here, this is a number\n");
	expect("free: -9223372036854775808\n", "");
	expect("colour: gren\n", "BUNDLE_INVALID f:1:9: world.fs[0].colour: `gren` is none of red, "
	                         "green; did you mean `green`?\n");
}
END_TEST

START_TEST(unknown_and_missing_keys_are_reported)
{
	struct made m;
	expect("cuont: 1\nzzzzzz: 1\n",
	       "BUNDLE_INVALID f:1:1: world.fs[0].cuont: there is no such key; did you mean `count`?\n"
	       "BUNDLE_INVALID f:2:1: world.fs[0].zzzzzz: there is no such key\n");
	make_from(&m, needed, 1, "{}", 1, "services.lsp");
	ck_assert_str_eq(m.lines.data,
	                 "BUNDLE_INVALID f:1:1: services.lsp.host: this key is missing: where\n");
	finish(&m);
}
END_TEST

START_TEST(keys_that_core_reads_need_not_be_the_plugins)
{
	struct made m;
	make_from(&m, needed, 1, "plugin: policy\nmode: read-only\nworkspace: /x\nhost: h\nmodes: 1\n",
	          1, "policy");
	ck_assert_str_eq(m.lines.data, "BUNDLE_INVALID f:5:1: policy.modes: there is no such key\n");
	finish(&m);
}
END_TEST

/* C-15: of a plugin's keys only those that it calls narrowing. */
START_TEST(an_untrusted_document_sets_narrowing_keys_only)
{
	struct made m;
	make_from(&m, keys, sizeof keys / sizeof keys[0], "flag: false\ntext: x\n", 0, "guard");
	ck_assert_str_eq(m.lines.data,
	                 "BUNDLE_UNTRUSTED f:2:7: guard.text: only an owner's document may set "
	                 "this; this one lies in an untrusted place\n");
	finish(&m);
}
END_TEST

START_TEST(no_map_means_all_defaults)
{
	struct uwi_problems problems = {.count = 0};
	struct uw_config *config =
	    uwi_config_create(keys, sizeof keys / sizeof keys[0], NULL, "policy", &problems);
	ck_assert_int_eq(uwi_config_bool(config, "flag"), 1);
	ck_assert_str_eq(uwi_config_where(config, NULL), "policy");
	uwi_config_destroy(config);
	uwi_config_destroy(NULL);
}
END_TEST

UW_TESTS("core/config", values_are_typed_and_defaults_filled_in,
         a_key_that_is_not_there_reads_as_nothing, one_text_is_a_list_of_one,
         all_wrong_types_are_reported_at_their_values, bounds_and_choices_hold,
         unknown_and_missing_keys_are_reported, keys_that_core_reads_need_not_be_the_plugins,
         an_untrusted_document_sets_narrowing_keys_only, no_map_means_all_defaults)
