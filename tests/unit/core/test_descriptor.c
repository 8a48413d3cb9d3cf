/* core/descriptor: validation and copies, tables that are older and newer than this version (C-3, C-4). */
#include "tests/unit.h"

#include "common/cleanup.h"
#include "core/descriptor.h"

#include <string.h>
#include <umwelt/umwelt.h>

static void function(void)
{
}

/* An interface as its first release had it, as this version has it, and as a later one may. */
struct example {
	size_t size;
	void (*functions[8])(void);
};

#define BYTES(count) (sizeof(size_t) + (count) * sizeof(void (*)(void)))

/* two functions at first, four now */
static const struct uwi_shape shapes[] = {{"example/1", BYTES(4), BYTES(2)}, {NULL, 0, 0}};

static int create(const struct uw_host_api *host, struct uw_plugin_context *context,
                  const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	(void)host, (void)context, (void)config, (void)ret_self, (void)err;
	return 0;
}

static int destroy(void *self, struct uw_error *err)
{
	(void)self, (void)err;
	return 0;
}

struct made {
	struct example table;
	struct uw_provides provides;
	struct uw_plugin plugin;
};

static struct made *make(size_t functions)
{
	static struct made made;
	made = (struct made){.table = {BYTES(functions), {0}}};
	for (size_t i = 0; i < functions; i++)
		made.table.functions[i] = function;
	made.provides = (struct uw_provides){"example/1", UW_THREADS_SERIAL, 0, &made.table};
	made.plugin = (struct uw_plugin){.size = sizeof made.plugin, .abi_major = UW_ABI_MAJOR, .name = "some-thing",
	                                 .version = "1.2", .summary = "Some thing", .provides = &made.provides,
	                                 .provides_count = 1, .create = create, .destroy = destroy};
	return &made;
}

static int copy(struct uw_arena *arena, const struct made *made, struct uw_plugin *ret, struct uw_error *err)
{
	return uwi_descriptor_copy(arena, &made->plugin, "some-thing", "/p/some-thing.so", shapes, ret, err);
}

static void refused(const struct made *made, const char *why)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	struct uw_error err = UW_ERROR_INIT;
	struct uw_plugin ret;
	ck_assert_int_eq(copy(&arena, made, &ret, &err), UW_E_PLUGIN_INVALID);
	if (!strstr(err.message, why) || !strstr(err.message, "/p/some-thing.so"))
		ck_abort_msg("wanted [%s] in: %s", why, err.message);
}

START_TEST(a_table_older_than_this_version_ends_in_null)
{
	for (size_t functions = 2; functions <= 4; functions++) {
		UW_AUTO_ARENA arena = UW_ARENA_INIT;
		struct uw_error err = UW_ERROR_INIT;
		struct uw_plugin ret;
		const struct example *table;
		ck_assert_msg(copy(&arena, make(functions), &ret, &err) == 0, "%s", err.message);
		table = ret.provides[0].interface_table;
		ck_assert_uint_eq(table->size, BYTES(4));
		for (size_t i = 0; i < 4; i++)
			ck_assert(table->functions[i] == (i < functions ? function : NULL));
	}
}
END_TEST

START_TEST(a_table_newer_than_this_version_is_cut)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	struct uw_plugin ret;
	ck_assert_int_eq(copy(&arena, make(8), &ret, NULL), 0);
	ck_assert_uint_eq(((const struct example *)ret.provides[0].interface_table)->size, BYTES(4));
}
END_TEST

START_TEST(a_table_of_an_unknown_service_is_copied_whole)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	struct made *made = make(7);
	struct uw_plugin ret;
	const struct example *table;
	made->provides.service = "of-others/3";
	ck_assert_int_eq(copy(&arena, made, &ret, NULL), 0);
	table = ret.provides[0].interface_table;
	ck_assert_uint_eq(table->size, BYTES(7));
	ck_assert(table->functions[6] == function);
	ck_assert_ptr_ne(table, &made->table);
}
END_TEST

START_TEST(a_table_too_short_or_absurd_is_refused)
{
	struct made *made = make(1);
	refused(made, "at least 24 are mandatory");
	made = make(3);
	made->table.functions[1] = NULL;
	refused(made, "function 2");
	made = make(3);
	made->table.size = BYTES(3) + 1;
	refused(made, "cannot be");
	made->table.size = SIZE_MAX;
	refused(made, "cannot be");
	made->table.size = 0;
	refused(made, "cannot be");
}
END_TEST

START_TEST(later_functions_may_be_null)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	struct made *made = make(4);
	struct uw_plugin ret;
	made->table.functions[2] = NULL;
	ck_assert_int_eq(copy(&arena, made, &ret, NULL), 0);
}
END_TEST

START_TEST(texts_are_copied_not_borrowed)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	char name[] = "some-thing", service[] = "fs/1", help[] = "Help", choice[] = "one";
	const char *const requires_services[] = {service, NULL}, *const choices[] = {choice, NULL};
	struct uw_key key = {"kind", UW_KEY_CHOICE, 1, UW_KEY_NARROWING, 0, 0, 0, choice, choices, help};
	struct made *made = make(2);
	struct uw_plugin ret;
	made->plugin.name = name;
	made->plugin.requires_services = requires_services;
	made->plugin.keys = &key;
	made->plugin.key_count = 1;
	ck_assert_int_eq(copy(&arena, made, &ret, NULL), 0);
	name[0] = service[0] = help[0] = choice[0] = 'X';
	key.name = NULL;
	ck_assert_str_eq(ret.name, "some-thing");
	ck_assert_str_eq(ret.requires_services[0], "fs/1");
	ck_assert_ptr_null(ret.requires_services[1]);
	ck_assert_str_eq(ret.keys[0].name, "kind");
	ck_assert_str_eq(ret.keys[0].help, "Help");
	ck_assert_str_eq(ret.keys[0].choices[0], "one");
	ck_assert_str_eq(ret.keys[0].default_value, "one");
	ck_assert_int_eq(ret.keys[0].required, 1);
}
END_TEST

START_TEST(texts_that_are_malformed_are_refused)
{
	static const char *const names[] = {"", "Upper", "-dash", "with space", "../up", NULL};
	static const char *const versions[] = {"", "v1", "1\n2", NULL};
	for (size_t i = 0; i < UW_COUNT(names); i++) {
		struct made *made = make(2);
		made->plugin.name = names[i];
		refused(made, "its name is");
	}
	for (size_t i = 0; i < UW_COUNT(versions); i++) {
		struct made *made = make(2);
		made->plugin.version = versions[i];
		refused(made, "its version is");
	}
	{
		struct made *made = make(2);
		made->plugin.summary = "two\nlines";
		refused(made, "summary");
	}
}
END_TEST

START_TEST(keys_that_are_malformed_are_refused)
{
	static const char *const no_choices[] = {NULL};
	static const struct {
		struct uw_key key;
		const char *why;
	} cases[] = {
	    {{NULL, UW_KEY_INT, 0, 0, 0, 0, 0, NULL, NULL, "h"}, "(NULL)"},
	    {{"plugin", UW_KEY_INT, 0, 0, 0, 0, 0, NULL, NULL, "h"}, "reserved"},
	    {{"Key", UW_KEY_INT, 0, 0, 0, 0, 0, NULL, NULL, "h"}, "malformed"},
	    {{"k", 99, 0, 0, 0, 0, 0, NULL, NULL, "h"}, "type 99"},
	    {{"k", UW_KEY_INT, 0, 0, 0, 5, 4, NULL, NULL, "h"}, "bounds 5 to 4"},
	    {{"k", UW_KEY_CHOICE, 0, 0, 0, 0, 0, NULL, no_choices, "h"}, "choices"},
	    {{"k", UW_KEY_INT, 0, 0, 0, 0, 0, NULL, NULL, NULL}, "help"},
	    {{"k", UW_KEY_BOOL, 0, 0, 0, 0, 0, "yes", NULL, "h"}, "\"yes\""},
	    {{"k", UW_KEY_INT, 0, 0, 0, 0, 0, "12x", NULL, "h"}, "\"12x\""},
	    {{"k", UW_KEY_INT, 0, 2, 0, 0, 0, NULL, NULL, "h"}, "narrowing (2)"},
	};
	for (size_t i = 0; i < UW_COUNT(cases); i++) {
		struct made *made = make(2);
		made->plugin.keys = &cases[i].key;
		made->plugin.key_count = 1;
		refused(made, cases[i].why);
	}
}
END_TEST

START_TEST(counts_without_tables_are_refused)
{
	struct made *made = make(2);
	made->plugin.key_count = 3;
	refused(made, "no table");
	made = make(2);
	made->plugin.provides = NULL;
	refused(made, "0 services");
	made = make(2);
	made->plugin.provides_count = 1000000;
	refused(made, "1000000 services");
}
END_TEST

START_TEST(the_services_of_this_version_are_whole)
{
	for (const struct uwi_shape *shape = uwi_shapes; shape->service; shape++) {
		ck_assert_uint_ge(shape->known, shape->mandatory);
		ck_assert_uint_gt(shape->mandatory, sizeof(size_t));
		ck_assert_uint_eq(shape->known % sizeof(void *), 0);
	}
}
END_TEST

UW_TESTS("core/descriptor", a_table_older_than_this_version_ends_in_null, a_table_newer_than_this_version_is_cut,
         a_table_of_an_unknown_service_is_copied_whole, a_table_too_short_or_absurd_is_refused,
         later_functions_may_be_null, texts_are_copied_not_borrowed, texts_that_are_malformed_are_refused,
         keys_that_are_malformed_are_refused, counts_without_tables_are_refused,
         the_services_of_this_version_are_whole)
