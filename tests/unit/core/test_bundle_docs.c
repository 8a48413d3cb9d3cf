/* docs/bundles.md holds the table of keys as core has it (C-10). UW_WRITE_DOCS=1 writes it there. */
#include "tests/unit.h"

#include "common/buf.h"
#include "core/bundle_keys.h"

#include <stdio.h>
#include <string.h>

#define DOC "docs/bundles.md"
#define BEGIN "<!-- keys: "
#define END "<!-- end of keys -->"

static int append(void *arg, const char *data, size_t len)
{
	uw_buf_add(arg, data, len);
	return 0;
}

static void read_doc(struct uw_buf *text)
{
	FILE *file = fopen(DOC, "r");
	char block[4096];
	size_t len;
	ck_assert_msg(file != NULL, "no " DOC "; tests run from the top of the tree");
	while ((len = fread(block, 1, sizeof block, file)) > 0)
		uw_buf_add(text, block, len);
	fclose(file);
}

START_TEST(the_document_holds_the_table_as_it_is)
{
	UW_AUTO_BUF doc = UW_BUF_INIT;
	UW_AUTO_BUF table = UW_BUF_INIT;
	const char *begin, *end;
	read_doc(&doc);
	ck_assert_int_eq(uwi_bundle_print_keys((struct uw_sink){append, &table}, NULL), 0);
	begin = strstr(doc.data, BEGIN);
	ck_assert_ptr_nonnull(begin);
	begin = strchr(begin, '\n') + 1;
	end = strstr(begin, END);
	ck_assert_ptr_nonnull(end);
	if (getenv("UW_WRITE_DOCS")) {
		FILE *file = fopen(DOC, "w");
		ck_assert_ptr_nonnull(file);
		fprintf(file, "%.*s%s%s", (int)(begin - doc.data), doc.data, table.data, end);
		fclose(file);
		return;
	}
	ck_assert_msg((size_t)(end - begin) == table.len && !memcmp(begin, table.data, table.len),
	              DOC " is not up to date; UW_WRITE_DOCS=1 writes it");
}
END_TEST

START_TEST(every_key_has_help_and_a_known_parent)
{
	for (size_t i = 0; i < uwi_rule_count; i++) {
		const struct uwi_rule *rule = &uwi_rules[i];
		ck_assert_ptr_nonnull(rule->help);
		ck_assert_ptr_eq(uwi_rule_at(rule->path), rule);
		ck_assert_int_eq(rule->kind == UWI_RULE_CHOICE,
		                 rule->choices && rule->kind != UWI_RULE_TEXTS);
	}
	ck_assert_ptr_eq(uwi_rule_at("providers.box"), uwi_rule_at("providers.other"));
	ck_assert_str_eq(uwi_rule_at("world.fs[17].plugin")->path, "world.fs[].plugin");
	ck_assert_ptr_null(uwi_rule_at("world.fs[0]."));
	ck_assert_ptr_null(uwi_rule_at("providers."));
	ck_assert_ptr_null(uwi_rule_at(""));
	ck_assert_str_eq(uwi_rule_child("policy", "mode")->path, "policy.mode");
}
END_TEST

UW_TESTS("core/bundle_keys", the_document_holds_the_table_as_it_is,
         every_key_has_help_and_a_known_parent)
