/*
 * Allocation failure is an error like others (C-61): each allocation of a load, a
 * print, a schema and a configuration fails in turn, libyaml's among them. Each
 * time the answer is NO_MEMORY and nothing is kept (the address sanitizer's build
 * counts leaks).
 */
#include "tests/temp.h"
#include "tests/unit.h"

#include "common/buf.h"
#include "core/bundle.h"
#include "core/bundle_schema.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

UW_NEEDS_FILES_OF_ROOT;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);

static long left = -1; /* allocations until one fails; -1: none does */

static int fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size)
{
	return fails() ? NULL : __real_realloc(pointer, size);
}

static char presets[PATH_MAX];
static char file[112];

static void write_file(const char *text)
{
	struct temp temp = temp_make();
	ck_assert_ptr_nonnull(realpath("bundles", presets));
	(void)snprintf(file, sizeof file, "%s", temp_file(&temp, "bundle.yaml", text));
}

static int discard(void *arg, const char *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 0;
}

/* One load with every allocation from the n-th on in order; 1: it got through. */
static int run(long n, int expected)
{
	char *dirs[] = {presets, NULL};
	const char *const sets[] = {"world.sandbox={plugin: sandbox-landlock}", "limits.max_running=3",
	                            NULL};
	struct uwi_settings settings = {.bundle_dirs = dirs};
	struct uw_world_options options = {.size = sizeof options,
	                                   .bundle = file,
	                                   .workspace = "/usr/lib",
	                                   .mode = UW_MODE_READ_ONLY,
	                                   .sets = sets};
	struct uw_error err = UW_ERROR_INIT;
	struct uwi_bundle *bundle = NULL;
	int code;
	left = n;
	code = uwi_bundle_load(&settings, &options, NULL, &bundle, &err);
	if (code == 0)
		code = uwi_bundle_print(bundle, (struct uw_sink){discard, NULL}, &err);
	n = left;
	left = -1;
	uwi_bundle_free(bundle);
	if (n >= 0) {
		ck_assert_msg(code == expected, "%d %s", code, err.message);
		return 1;
	}
	ck_assert_msg(code == UW_E_NO_MEMORY, "%d %s", code, err.message);
	ck_assert_int_eq(err.code, UW_E_NO_MEMORY);
	ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
	return 0;
}

static void in_turn(const char *text, int expected)
{
	long n = 0;
	write_file(text);
	while (n < 100000 && !run(n, expected))
		n++;
	ck_assert_int_gt(n, 20);
	ck_assert_int_lt(n, 100000);
	unlink(file);
}

START_TEST(each_allocation_of_a_load_fails_in_turn)
{
	setenv("UW_V", "x", 1);
	in_turn("umwelt: 1\nextends: workspace\nenv: [UW_V]\nproviders: { box: { plugin: p } }\n"
	        "services: { shell: { a: &x '${UW_V}', b: [ *x, { c: 1 } ] }, lsp: box }\n"
	        "policy: { protected: [a, b], writable: [ /x, { path: /y, missing: create } ] }\n"
	        "grants: { p: [fs] }\ntools: [read]\nescalation: { tools: [] }\n",
	        0);
}
END_TEST

START_TEST(each_allocation_of_a_faulty_load_fails_in_turn)
{
	in_turn(
	    "umwelt: 1\nextends: read-only\npolcy: 1\npolicy: { mode: x, network: 5, workspace: ~/x }\n"
	    "tools: [rread]\n",
	    UW_E_BUNDLE_INVALID);
}
END_TEST

START_TEST(each_allocation_of_a_search_for_presets_fails_in_turn)
{
	long n = 0;
	ck_assert_ptr_nonnull(realpath("bundles", presets));
	strcpy(file, "gone");
	while (n < 100000 && !run(n, UW_E_BUNDLE_NOT_FOUND))
		n++;
	ck_assert_int_gt(n, 3);
}
END_TEST

START_TEST(each_allocation_of_a_configuration_and_a_schema_fails_in_turn)
{
	static const char *const colours[] = {"red", NULL};
	static const char *const services[] = {"fs/1", NULL};
	static const struct uw_key keys[] = {
	    {.name = "words", .type = UW_KEY_STRINGS, .default_value = "x"},
	    {.name = "path", .type = UW_KEY_PATH},
	    {.name = "colour", .type = UW_KEY_CHOICE, .choices = colours, .default_value = "red"},
	};
	const struct uw_plugin_facts facts = {
	    .size = sizeof facts, .name = "p", .provides = services, .keys = keys, .key_count = 3};
	struct uwi_node path = {
	    .kind = UWI_SCALAR, .text = "x", .text_len = 1, .dir = "/d", .trusted = 1};
	struct uwi_node name = {.kind = UWI_SCALAR, .text = "path", .text_len = 4};
	struct uwi_node *items[] = {&path}, *names[] = {&name};
	struct uwi_node map = {
	    .kind = UWI_MAP, .items = items, .keys = names, .count = 1, .where = "f:1:1"};
	long n;
	for (n = 0;; n++) {
		struct uwi_problems problems = {.count = 0};
		struct uw_config *config;
		left = n;
		config = uwi_config_create(keys, 3, &map, "x", &problems);
		n = left < 0 ? n : -1;
		left = -1;
		uwi_config_destroy(config);
		if (n < 0)
			break;
		ck_assert_ptr_null(config);
		ck_assert_int_eq(problems.code, UW_E_NO_MEMORY);
	}
	for (n = 0;; n++) {
		int code;
		left = n;
		code = uwi_bundle_schema(&facts, 1, (struct uw_sink){discard, NULL}, NULL);
		n = left < 0 ? n : -1;
		left = -1;
		if (n < 0)
			break;
		ck_assert_int_eq(code, UW_E_NO_MEMORY);
	}
}
END_TEST

UW_TESTS("core/bundle without memory", each_allocation_of_a_load_fails_in_turn,
         each_allocation_of_a_faulty_load_fails_in_turn,
         each_allocation_of_a_search_for_presets_fails_in_turn,
         each_allocation_of_a_configuration_and_a_schema_fails_in_turn)
