/*
 * A plugin that is in order, as pieces: each faulty plugin includes this, defines
 * what differs, and lets the rest stand. One defect per file.
 */
#ifndef UW_TESTS_FAULTY_PLUGIN_H
#define UW_TESTS_FAULTY_PLUGIN_H

#include <umwelt/umwelt.h>

#ifndef NAME
#error "a faulty plugin defines NAME first"
#endif
#ifndef MAJOR
#define MAJOR UW_ABI_MAJOR
#endif
#ifndef SIZE
#define SIZE sizeof(struct uw_plugin)
#endif
#ifndef SERVICE
#define SERVICE "shell/1"
#endif
#ifndef TABLE
#define TABLE &table
#endif
#ifndef TABLE_SIZE
#define TABLE_SIZE sizeof(struct uw_shell_v1)
#endif
#ifndef START
#define START start
#endif
#ifndef THREADS
#define THREADS UW_THREADS_PARALLEL
#endif
#ifndef MORE_PROVIDES
#define MORE_PROVIDES
#endif
#ifndef KEYS
#define KEYS {"size", UW_KEY_INT, 0, UW_KEY_NARROWING, 0, 1, 9, "3", NULL, "How large it is"}
#endif
#ifndef CREATE
#define CREATE create
#endif
#ifndef CREATE_BODY
#define CREATE_BODY
#endif

__attribute__((unused)) static int start(void *self, const struct uw_call *call, const struct uw_shell_request *request,
                                         struct uw_process **ret_process, struct uw_error *err)
{
	(void)self, (void)call, (void)request, (void)ret_process;
	return uw_fail(err, UW_E_UNSUPPORTED, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0, "nothing is here");
}

static const char *dialect(void *self)
{
	(void)self;
	return "sh";
}

__attribute__((unused)) static struct uw_shell_v1 table = {TABLE_SIZE, START, dialect};

__attribute__((unused)) static int create(const struct uw_host_api *host, struct uw_plugin_context *context,
                                          const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	(void)host, (void)context, (void)config, (void)err;
	CREATE_BODY
	*ret_self = &table;
	return 0;
}

static int destroy(void *self, struct uw_error *err)
{
	(void)self, (void)err;
	return 0;
}

__attribute__((unused)) static const struct uw_provides provides[] = {{SERVICE, THREADS, 0, TABLE}, MORE_PROVIDES};
__attribute__((unused)) static const struct uw_key keys[] = {KEYS};
__attribute__((unused)) static const char *const requires_services[] = {"fs/1", NULL};
__attribute__((unused)) static const char *const optional_services[] = {"trace/1", NULL};

__attribute__((unused)) static const struct uw_plugin plugin = {
    .size = SIZE,
    .abi_major = MAJOR,
    .name = NAME,
    .version = "1.0",
    .summary = "A plugin of the tests",
    .provides = provides,
    .provides_count = sizeof provides / sizeof provides[0],
    .requires_services = requires_services,
    .optional_services = optional_services,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = CREATE,
    .destroy = destroy,
};

#ifndef OWN_ENTRY
const struct uw_plugin *uw_plugin_entry(void)
{
	return &plugin;
}
#endif

#endif
