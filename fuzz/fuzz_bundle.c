/*
 * Fuzzes core/bundle: any bytes as a bundle, with and without trust, end in a bundle
 * or in problems. What loads is printed, and what is printed must load as the same
 * document (C-11, C-61).
 *
 * The first byte chooses: bit 0, the file lies in the workspace; bit 1, a mode is
 * asked for. Run from the top of the tree.
 */
#include "common/buf.h"
#include "core/bundle.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/umwelt-fuzz.XXXXXX";
static char path[64], presets[PATH_MAX];

static void clean_up(void)
{
	(void)unlink(path);
	(void)rmdir(dir);
}

static void set_up(void)
{
	if (*path)
		return;
	if (!mkdtemp(dir) || !realpath("bundles", presets) || setenv("UW_FUZZ", "v${UW_FUZZ}", 1) < 0)
		abort();
	(void)snprintf(path, sizeof path, "%s/b.yaml", dir);
	(void)atexit(clean_up);
}

static void put(const char *data, size_t size)
{
	FILE *file = fopen(path, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

static int append(void *arg, const char *data, size_t len)
{
	uw_buf_add(arg, data, len);
	return 0;
}

static void on_problem(void *arg, const struct uw_error *error)
{
	(void)arg;
	if (!error->code || !*error->message || strlen(error->message) >= sizeof error->message)
		abort();
}

static struct uwi_bundle *load(const char *workspace, int mode)
{
	char *dirs[] = {presets, NULL};
	struct uwi_settings settings = {.bundle_dirs = dirs};
	struct uw_world_options options = {
	    .size = sizeof options, .bundle = path, .workspace = workspace, .mode = mode};
	struct uwi_problems problems = {.report = on_problem};
	struct uw_error err = UW_ERROR_INIT;
	struct uwi_bundle *bundle = NULL;
	int code = uwi_bundle_load(&settings, &options, &problems, &bundle, &err);
	if ((code == 0) != (bundle != NULL) || (code == 0) != (problems.count == 0) ||
	    (code && code != err.code))
		abort();
	return bundle;
}

static int same(const struct uwi_node *a, const struct uwi_node *b)
{
	if (a->kind != b->kind || a->count != b->count)
		return 0;
	if (a->kind == UWI_SCALAR)
		return !strcmp(a->text, b->text);
	for (size_t i = 0; i < a->count; i++)
		if (!same(a->items[i], b->items[i]) ||
		    (a->kind == UWI_MAP && strcmp(a->keys[i]->text, b->keys[i]->text) != 0))
			return 0;
	return 1;
}

/* The printed document stands where an owner's stands, so nothing of trust changes. */
static void check_print(const struct uwi_bundle *bundle)
{
	UW_AUTO_BUF printed = UW_BUF_INIT;
	struct uwi_bundle *again;
	if (uwi_bundle_print(bundle, (struct uw_sink){append, &printed}, NULL) < 0)
		abort();
	if (printed.len > (1 << 20))
		return; /* more than a document may be: comments and indentation count too */
	put(printed.data, printed.len);
	again = load("/var/empty", 0);
	if (!again)
		abort();
	/* but for the workspace, which is the caller's */
	for (size_t i = 0; i < bundle->root->count; i++)
		if (strcmp(bundle->root->keys[i]->text, "policy") != 0 &&
		    !same(bundle->root->items[i], again->root->items[i]))
			abort();
	uwi_bundle_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uwi_bundle *bundle;
	int inside;
	set_up();
	if (!size)
		return 0;
	inside = data[0] & 1;
	put((const char *)data + 1, size - 1);
	bundle = load(inside ? dir : "/var/empty", data[0] & 2 ? UW_MODE_READ_ONLY : 0);
	if (bundle)
		check_print(bundle);
	uwi_bundle_free(bundle);
	return 0;
}
