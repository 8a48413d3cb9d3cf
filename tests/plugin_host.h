/*
 * A host table for unit tests of plugins: no core, a configuration made of the
 * plugin's defaults plus overrides, handles that the test sets, executables
 * opened by path without checks. A stand-in, for unit tests alone; conformance
 * tests run the plugins under the real core.
 */
#ifndef UW_TESTS_PLUGIN_HOST_H
#define UW_TESTS_PLUGIN_HOST_H

#include <umwelt/plugin.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct uw_config {
	const struct uw_plugin *plugin;
	/* overrides: "key", "value" pairs; a key may recur (a list); value of TREE is not served */
	const char *const *pairs;
};

struct uw_plugin_context {
	const char *services[8]; /* "fs/1", ... */
	const void *handles[8];
	const char *paths[16];   /* by enum uw_host_path */
	int executables[16];     /* by enum uw_host_path, opened on demand; 0 unset */
	uint8_t nonce[16];
	int verbose;
};

static inline const struct uw_key *test_key(const struct uw_config *config, const char *key)
{
	for (size_t i = 0; i < config->plugin->key_count; i++)
		if (!strcmp(config->plugin->keys[i].name, key))
			return &config->plugin->keys[i];
	return NULL;
}

static inline const char *test_item(const struct uw_config *config, const char *key, size_t index)
{
	const struct uw_key *found = test_key(config, key);
	size_t seen = 0;
	for (const char *const *pair = config->pairs; pair && pair[0]; pair += 2)
		if (!strcmp(pair[0], key) && seen++ == index)
			return pair[1];
	return seen == 0 && index == 0 && found ? found->default_value : NULL;
}

static inline int test_is_set(const struct uw_config *config, const char *key)
{
	for (const char *const *pair = config->pairs; pair && pair[0]; pair += 2)
		if (!strcmp(pair[0], key))
			return 1;
	return 0;
}

static inline const char *test_string(const struct uw_config *config, const char *key)
{
	return test_item(config, key, 0);
}

static inline int test_bool(const struct uw_config *config, const char *key)
{
	const char *text = test_item(config, key, 0);
	return text && !strcmp(text, "true");
}

static inline int64_t test_int(const struct uw_config *config, const char *key)
{
	const char *text = test_item(config, key, 0);
	return text ? strtoll(text, NULL, 10) : 0;
}

static inline size_t test_count(const struct uw_config *config, const char *key)
{
	size_t count = 0;
	while (test_item(config, key, count))
		count++;
	return count;
}

static inline const char *test_where(const struct uw_config *config, const char *key)
{
	(void)config;
	(void)key;
	return "test:1:1";
}

static inline const void *test_service(struct uw_plugin_context *context, const char *service)
{
	for (size_t i = 0; i < 8 && context->services[i]; i++)
		if (!strcmp(context->services[i], service))
			return context->handles[i];
	return NULL;
}

static inline const char *test_path(struct uw_plugin_context *context, int which)
{
	return which > 0 && which < 16 ? context->paths[which] : NULL;
}

static inline int test_executable(struct uw_plugin_context *context, int which, struct uw_error *err)
{
	const char *path = test_path(context, which);
	if (!path)
		return uw_fail(err, UW_E_LAUNCHER_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "no such path set"), -1;
	if (!context->executables[which])
		context->executables[which] = open(path, O_PATH | O_CLOEXEC);
	if (context->executables[which] <= 0) {
		context->executables[which] = 0;
		uw_fail(err, UW_E_LAUNCHER_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "cannot open %s", path);
		return -1;
	}
	return context->executables[which];
}

static inline void test_log(struct uw_plugin_context *context, int level, const char *message)
{
	if (context->verbose)
		fprintf(stderr, "# log %d: %s\n", level, message);
}

static inline const uint8_t *test_nonce(struct uw_plugin_context *context)
{
	return context->nonce;
}

static const struct uw_host_api test_host_api = {
    .size = sizeof(struct uw_host_api),
    .abi_major = UW_ABI_MAJOR,
    .service = test_service,
    .path = test_path,
    .executable = test_executable,
    .log = test_log,
    .config_is_set = test_is_set,
    .config_bool = test_bool,
    .config_int = test_int,
    .config_string = test_string,
    .config_count = test_count,
    .config_item = test_item,
    .config_where = test_where,
    .nonce = test_nonce,
};

#endif
