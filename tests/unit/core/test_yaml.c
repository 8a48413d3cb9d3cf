/* core/yaml: documents as nodes, every kind of bad input with its position (C-10, C-61). */
#include "tests/unit.h"

#include "common/buf.h"
#include "core/yaml.h"

#include <string.h>

struct parsed {
	struct uw_arena arena;
	struct uwi_node *root;
	struct uw_buf lines;
	size_t problems;
};

static void add_line(void *arg, const struct uw_error *error)
{
	struct uw_buf *lines = arg;
	ck_assert_int_eq(error->code, UW_E_BUNDLE_INVALID);
	ck_assert_int_eq(error->stage, UW_STAGE_CONFIG);
	ck_assert_int_eq(error->effect, UW_EFFECT_NONE);
	uw_buf_printf(lines, "%s\n", error->message);
}

static void parse_bytes(struct parsed *parsed, const char *data, size_t len)
{
	struct uwi_source source = {.file = "f", .dir = "/d", .trusted = 1};
	struct uwi_problems problems = {.report = add_line, .arg = &parsed->lines};
	*parsed = (struct parsed){.lines = UW_BUF_INIT};
	uw_buf_text(&parsed->lines, "");
	ck_assert_int_eq(uwi_yaml_parse(&parsed->arena, &source, data, len, &problems, &parsed->root),
	                 0);
	parsed->problems = problems.count;
}

static void finish(struct parsed *parsed)
{
	uw_arena_finish(&parsed->arena);
	uw_buf_finish(&parsed->lines);
}

/* The problems of a text, all of them. */
static void expect(const char *text, const char *lines)
{
	struct parsed p;
	parse_bytes(&p, text, strlen(text));
	ck_assert_str_eq(p.lines.data, lines);
	finish(&p);
}

START_TEST(values_have_kind_text_and_position)
{
	struct parsed p;
	const char *text = "a: 1\nb: ['x', \"y\\n\", z]\nc:\n  d: ~\n  e: |\n    block\n";
	const struct uwi_node *list, *map;
	parse_bytes(&p, text, strlen(text));
	ck_assert_str_eq(p.lines.data, "");
	ck_assert_int_eq(p.root->kind, UWI_MAP);
	ck_assert_str_eq(uwi_node_get(p.root, "a")->where, "f:1:4");
	ck_assert_int_eq(uwi_node_get(p.root, "a")->quoted, 0);
	list = uwi_node_get(p.root, "b");
	ck_assert_uint_eq(list->count, 3);
	ck_assert_str_eq(list->items[1]->text, "y\n");
	ck_assert_int_eq(list->items[0]->quoted, 1);
	ck_assert_uint_eq(list->items[2]->line, 2);
	ck_assert_uint_eq(list->items[2]->column, 17);
	map = uwi_node_get(p.root, "c");
	ck_assert_int_eq(uwi_node_get(map, "d")->kind, UWI_NULL);
	ck_assert_str_eq(uwi_node_get(map, "e")->text, "block\n");
	ck_assert_ptr_null(uwi_node_get(map, "f"));
	ck_assert_ptr_null(uwi_node_get(list, "f"));
	finish(&p);
}
END_TEST

START_TEST(duplicate_keys_are_found_at_the_second)
{
	expect("a: 1\nb: 2\na: 3\n",
	       "f:3:1: a: the key is here a second time; the first is at line 1\n");
	expect("x: [ { k: 1, k: 2 } ]\n",
	       "f:1:14: x[0].k: the key is here a second time; the first is at line 1\n");
	expect("'a': 1\na: 3\n", "f:2:1: a: the key is here a second time; the first is at line 1\n");
}
END_TEST

START_TEST(an_undefined_or_circular_alias_is_a_problem_and_the_rest_is_read)
{
	expect("a: *x\nb: *y\n", "f:1:4: a: the alias *x has no anchor &x before it\n"
	                         "f:2:4: b: the alias *y has no anchor &y before it\n");
	expect("a: &x [ 1, *x ]\n",
	       "f:1:12: a[1]: the alias *x stands inside the value that it names\n");
}
END_TEST

START_TEST(an_alias_is_a_copy_with_the_positions_of_its_anchor)
{
	struct parsed p;
	const char *text = "a: &x { k: [1, 2] }\nb: *x\n";
	parse_bytes(&p, text, strlen(text));
	ck_assert_str_eq(p.lines.data, "");
	ck_assert_ptr_ne(uwi_node_get(p.root, "a"), uwi_node_get(p.root, "b"));
	ck_assert_str_eq(uwi_node_get(uwi_node_get(p.root, "b"), "k")->items[1]->text, "2");
	finish(&p);
}
END_TEST

START_TEST(aliases_of_aliases_are_bounded)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	struct parsed p;
	uw_buf_text(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 12; i++) {
		uw_buf_printf(&text, "a%d: &a%d [", i, i);
		for (int j = 0; j < 10; j++)
			uw_buf_printf(&text, "*a%d%s", i - 1, j < 9 ? ", " : "]\n");
	}
	parse_bytes(&p, text.data, text.len);
	ck_assert_uint_eq(p.problems, 1);
	ck_assert_ptr_nonnull(strstr(p.lines.data, "aliases repeat too many values"));
	finish(&p);
}
END_TEST

START_TEST(depth_counts_what_aliases_add)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	struct parsed p;
	uw_buf_text(&text, "a: &x ");
	for (int i = 0; i < 40; i++)
		uw_buf_byte(&text, '[');
	for (int i = 0; i < 40; i++)
		uw_buf_byte(&text, ']');
	uw_buf_text(&text, "\nb: ");
	for (int i = 0; i < 40; i++)
		uw_buf_byte(&text, '[');
	uw_buf_text(&text, "*x");
	for (int i = 0; i < 40; i++)
		uw_buf_byte(&text, ']');
	parse_bytes(&p, text.data, text.len);
	ck_assert_ptr_nonnull(strstr(p.lines.data, "aliases nest more than 64 levels"));
	finish(&p);
}
END_TEST

static void nested(struct parsed *p, int levels)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	for (int i = 0; i < levels; i++)
		uw_buf_byte(&text, '[');
	for (int i = 0; i < levels; i++)
		uw_buf_byte(&text, ']');
	parse_bytes(p, text.data, text.len);
}

START_TEST(sixty_four_levels_are_read_and_one_more_is_not)
{
	struct parsed p;
	nested(&p, 64);
	ck_assert_str_eq(p.lines.data, "");
	finish(&p);
	nested(&p, 65);
	ck_assert_uint_eq(p.problems, 1);
	ck_assert_int_eq(strncmp(p.lines.data, "f:1:65: [0][0]", 14), 0);
	ck_assert_ptr_nonnull(strstr(p.lines.data, "the document is nested more than 64 levels deep"));
	finish(&p);
	nested(&p, 100000);
	ck_assert_uint_eq(p.problems, 1);
	finish(&p);
}
END_TEST

START_TEST(one_mebibyte_is_read_and_one_byte_more_is_not)
{
	char *text = malloc(UWI_YAML_BYTES + 1);
	struct parsed p;
	ck_assert_ptr_nonnull(text);
	memset(text, ' ', UWI_YAML_BYTES + 1);
	memcpy(text, "a: 1 #", 6);
	parse_bytes(&p, text, UWI_YAML_BYTES);
	ck_assert_str_eq(p.lines.data, "");
	finish(&p);
	parse_bytes(&p, text, UWI_YAML_BYTES + 1);
	ck_assert_str_eq(p.lines.data, "f:1:1: the document is larger than 1 MiB\n");
	ck_assert_ptr_null(p.root);
	finish(&p);
	free(text);
}
END_TEST

START_TEST(too_many_values_are_refused)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	struct parsed p;
	uw_buf_text(&text, "a: [");
	for (int i = 0; i < 40000; i++)
		uw_buf_text(&text, "x,");
	uw_buf_text(&text, "]\n");
	parse_bytes(&p, text.data, text.len);
	ck_assert_uint_eq(p.problems, 1);
	ck_assert_ptr_nonnull(strstr(p.lines.data, "a[32765]: the document holds too many values"));
	finish(&p);
}
END_TEST

START_TEST(a_second_document_is_refused_where_it_begins)
{
	expect("a: 1\n---\nb: 2\n", "f:2:1: a second document begins here; a file holds one\n");
	expect("---\na: 1\n...\n", "");
}
END_TEST

START_TEST(tags_merge_keys_and_keys_that_are_no_words_are_refused)
{
	expect("a: !!str 5\n", "");
	expect("a: !!int 5\nb: !mine { c: 1 }\n",
	       "f:1:4: a: the tag tag:yaml.org,2002:int is not part of this format; leave it out\n"
	       "f:2:4: b: the tag !mine is not part of this format; leave it out\n");
	expect("a: { <<: { b: 1 } }\n",
	       "f:1:6: a: merge keys (<<) are not part of this format; use `extends`\n");
	expect("? [x]\n: 1\n? {}\n: 2\n", "f:1:3: a key must be a word\nf:3:3: a key must be a word\n");
	expect("'': 2\n", "f:1:1: a key must be a word\n");
}
END_TEST

START_TEST(bad_bytes_are_found_where_they_are)
{
	struct parsed p;
	expect("a: 1\nb: \"x\xff\"\n", "f:2:6: no valid YAML: invalid leading UTF-8 octet\n");
	expect("a: \xc3\xa4\x01\n", "f:1:5: no valid YAML: control characters are not allowed\n");
	expect("a: \"x\\0y\"\n", "f:1:4: a: a value cannot hold a NUL byte\n");
	expect("\xff\xfe"
	       "a",
	       "f:1:1: no valid YAML: invalid leading UTF-8 octet\n");
	parse_bytes(&p, "a: 1\0\n", 6);
	ck_assert_uint_eq(p.problems, 1);
	finish(&p);
	expect("\xef\xbb\xbf"
	       "a: 1\n",
	       "");
}
END_TEST

START_TEST(syntax_errors_have_a_position)
{
	expect("a: [1\nb: 2\n",
	       "f:2:2: a[1]: no valid YAML: did not find expected ',' or ']', while parsing a "
	       "flow sequence\n");
	expect("a: 1\n\tb: 2\n",
	       "f:2:1: a: no valid YAML: found a tab character that violates indentation, "
	       "while scanning a plain scalar\n");
	expect("", "");
	expect("# nothing\n", "");
}
END_TEST

START_TEST(an_empty_text_has_no_root)
{
	struct parsed p;
	parse_bytes(&p, "", 0);
	ck_assert_ptr_null(p.root);
	finish(&p);
}
END_TEST

START_TEST(control_bytes_of_a_document_do_not_reach_a_message)
{
	expect("\"a\\nb\": 1\n\"a\\nb\": 2\n",
	       "f:2:1: a?b: the key is here a second time; the first is at line 1\n");
}
END_TEST

UW_TESTS("core/yaml", values_have_kind_text_and_position, duplicate_keys_are_found_at_the_second,
         an_undefined_or_circular_alias_is_a_problem_and_the_rest_is_read,
         an_alias_is_a_copy_with_the_positions_of_its_anchor, aliases_of_aliases_are_bounded,
         depth_counts_what_aliases_add, sixty_four_levels_are_read_and_one_more_is_not,
         one_mebibyte_is_read_and_one_byte_more_is_not, too_many_values_are_refused,
         a_second_document_is_refused_where_it_begins,
         tags_merge_keys_and_keys_that_are_no_words_are_refused, bad_bytes_are_found_where_they_are,
         syntax_errors_have_a_position, an_empty_text_has_no_root,
         control_bytes_of_a_document_do_not_reach_a_message)
