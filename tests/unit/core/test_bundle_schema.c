/*
 * core/bundle_schema (C-14): a real validator (python3-jsonschema) takes the schema
 * as one of 2020-12, the presets by it, and agrees with the loader on good and bad
 * documents of tests/schema/.
 */
#include "tests/temp.h"
#include "tests/unit.h"

#include "common/buf.h"
#include "core/bundle.h"
#include "core/bundle_keys.h"
#include "core/bundle_schema.h"
#include "core/yaml.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

UW_NEEDS_FILES_OF_ROOT;

static const char *const fs[] = {"fs/1", NULL};
static const char *const shell[] = {"shell/1", NULL};
static const char *const moods[] = {"calm", "wild", NULL};
static const struct uw_key fs_keys[] = {
    {.name = "root", .type = UW_KEY_PATH, .help = "where \"it\" begins"},
    {.name = "depth", .type = UW_KEY_INT, .default_value = "3"},
};
static const struct uw_key shell_keys[] = {
    {.name = "timeout_ms", .type = UW_KEY_INT, .min = 1, .max = 1000, .default_value = "9"},
    {.name = "mood", .type = UW_KEY_CHOICE, .choices = moods, .default_value = "calm"},
    {.name = "words", .type = UW_KEY_STRINGS},
    {.name = "more", .type = UW_KEY_TREE},
    {.name = "flag", .type = UW_KEY_BOOL, .default_value = "true"},
};
static const struct uw_plugin_facts plugins[] = {
    {.size = sizeof plugins[0], .name = "fs-a", .provides = fs, .keys = fs_keys, .key_count = 2},
    {.size = sizeof plugins[0], .skipped = "broken"},
    {.size = sizeof plugins[0],
     .name = "sh-a",
     .provides = shell,
     .keys = shell_keys,
     .key_count = 5},
};

static int to_file(void *arg, const char *data, size_t len)
{
	return fwrite(data, 1, len, arg) == len ? 0 : UW_E_IO_ERROR;
}

static int validate(const char *const *files)
{
	const char *argv[16] = {"python3", "tests/schema/validate.py", "/dev/fd/9"};
	AUTO_TEMP temp = temp_make();
	FILE *schema = fopen(temp_file(&temp, "schema", ""), "w+");
	int status;
	pid_t child;
	ck_assert_ptr_nonnull(schema);
	ck_assert_int_eq(uwi_bundle_schema(plugins, 3, (struct uw_sink){to_file, schema}, NULL), 0);
	ck_assert_int_eq(fflush(schema), 0);
	rewind(schema);
	for (size_t i = 0; files[i]; i++)
		argv[3 + i] = files[i];
	child = fork();
	if (child == 0) {
		if (dup2(fileno(schema), 9) == 9)
			execvp("python3", (char *const *)argv);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	fclose(schema);
	return status;
}

START_TEST(the_presets_validate_by_the_schema)
{
	const char *const files[] = {"bundles/read-only.yaml", "bundles/workspace.yaml",
	                             "bundles/guarded.yaml", "bundles/sdk-minimal.yaml", NULL};
	ck_assert_int_eq(validate(files), 0);
}
END_TEST

START_TEST(the_validator_tells_good_documents_from_bad_ones)
{
	const char *const files[] = {"tests/schema/bundle.cases.yaml",
	                             "tests/schema/plugins.cases.yaml", NULL};
	ck_assert_int_eq(validate(files), 0);
}
END_TEST

/* ---- the loader on the same documents ---- */

/* The text of one case: lines from its value to the next case, less the indentation. */
static int load_case(const char *text)
{
	AUTO_TEMP temp = temp_make();
	const char *path = temp_file(&temp, "bundle.yaml", text);
	char presets[PATH_MAX];
	char *dirs[] = {presets, NULL};
	struct uwi_settings settings = {.bundle_dirs = dirs};
	struct uw_world_options options = {.size = sizeof options, .bundle = path, .workspace = "/usr/lib"};
	struct uwi_bundle *bundle = NULL;
	int code;
	ck_assert_ptr_nonnull(realpath("bundles", presets));
	code = uwi_bundle_load(&settings, &options, NULL, &bundle, NULL);
	uwi_bundle_free(bundle);
	return code;
}

START_TEST(the_loader_agrees_with_the_validator)
{
	FILE *file = fopen("tests/schema/bundle.cases.yaml", "r");
	char line[1024], name[256] = "";
	UW_AUTO_BUF text = UW_BUF_INIT;
	int more = 1, cases = 0;
	ck_assert_ptr_nonnull(file);
	while (more) {
		more = fgets(line, sizeof line, file) != NULL;
		if (more && (line[0] == '#' || line[0] == ' ')) {
			if (line[0] == ' ')
				uw_buf_text(&text, line + 2);
			continue;
		}
		if (*name) {
			int code = load_case(text.data);
			ck_assert_msg((code != 0) == !strncmp(name, "bad", 3), "%s: %d\n%s", name, code,
			              text.data);
			cases++;
		}
		if (more) {
			char *colon = strstr(line, ":");
			snprintf(name, sizeof name, "%.*s", (int)(colon - line), line);
			uw_buf_finish(&text);
			uw_buf_text(&text, colon + 1 + (colon[1] == ' '));
		}
	}
	fclose(file);
	ck_assert_int_ge(cases, 20);
}
END_TEST

UW_TESTS("core/bundle_schema", the_presets_validate_by_the_schema,
         the_validator_tells_good_documents_from_bad_ones, the_loader_agrees_with_the_validator)
