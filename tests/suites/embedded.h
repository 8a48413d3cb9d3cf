/*
 * A world of the real plugins through the embedding API, as a host has it: from
 * the build directory that this program was built into, on a workspace given.
 */
#ifndef UW_TESTS_EMBEDDED_H
#define UW_TESTS_EMBEDDED_H

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/temp.h"

#include <umwelt/umwelt.h>

struct embedded {
	char top[96]; /* a directory of the test's own: bundle, configuration, state */
	struct uw_host *host;
	struct uw_world *world;
	struct uw_session *session;
	struct uw_call call;
	struct uw_error err;
	char logged[1024];
};

#define EMBEDDED_FS "  fs: [ { plugin: fs-local }, { plugin: fs-sandboxed } ]\n  subprocess: { plugin: subprocess-local }\n"
#define EMBEDDED_REST "services: { shell: { plugin: shell-bash } }\nguard: none\napproval: none\ntrace: none\n"
/* sandbox: one line of YAML; mode likewise */
#define EMBEDDED_BUNDLE(sandbox, policy)                                                         \
	"umwelt: 1\nworld:\n" EMBEDDED_FS "  sandbox: " sandbox "\npolicy: { " policy " }\n" EMBEDDED_REST

static inline void embedded_log(void *arg, int level, const char *message)
{
	struct embedded *world = arg;
	(void)level;
	(void)snprintf(world->logged, sizeof world->logged, "%s", message);
}

static inline void embedded_ok(const struct embedded *world, int code)
{
	ck_assert_msg(code == 0, "%s: %s", uw_code_name(code), world->err.message);
}

static inline const char *embedded_file(const struct embedded *world, const char *name, const char *text)
{
	static char path[PATH_MAX];
	FILE *file;
	(void)snprintf(path, sizeof path, "%s/%s", world->top, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

/* more: further lines of the host configuration. */
static inline void embedded_host(struct embedded *world, const char *more)
{
	struct uw_host_options options = {.size = sizeof options, .log = embedded_log, .log_arg = world};
	char text[2048];
	memset(world, 0, sizeof *world);
	world->err = (struct uw_error)UW_ERROR_INIT;
	(void)snprintf(world->top, sizeof world->top, "%s", temp_make_for_world().path);
	(void)snprintf(text, sizeof text, "state_dir: \"%s/state\";\n%s", world->top, more);
	options.config_path = embedded_file(world, "umwelt.conf", text);
	embedded_ok(world, uw_host_open(&options, &world->host, &world->err));
}

static inline int embedded_try(struct embedded *world, const char *bundle, const char *workspace,
                               struct uw_world **ret_world)
{
	struct uw_world_options options = {.size = sizeof options, .workspace = workspace};
	options.bundle = embedded_file(world, "bundle.yaml", bundle);
	return uw_world_open(world->host, &options, ret_world, &world->err);
}

static inline void embedded_open(struct embedded *world, const char *bundle, const char *workspace)
{
	embedded_host(world, "");
	embedded_ok(world, embedded_try(world, bundle, workspace, &world->world));
	embedded_ok(world, uw_session_open(world->world, NULL, &world->session, &world->err));
	uw_call_init(&world->call, world->session);
}

static inline void embedded_close(struct embedded *world)
{
	uw_host_close(world->host);
	temp_drop(world->top);
}

#endif
