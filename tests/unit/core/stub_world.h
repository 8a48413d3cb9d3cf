/*
 * A host and worlds of stub providers for the tests of core. Everything is below a
 * directory of the test's own; what the providers do is in `state`.
 */
#ifndef UW_TESTS_CORE_STUB_WORLD_H
#define UW_TESTS_CORE_STUB_WORLD_H

#include "tests/stub-plugins/stub.h"
#include "tests/temp.h"

#include <limits.h>
#include <umwelt/umwelt.h>

struct stub_world {
	struct temp temp;
	struct stub_state state;
	struct uw_host *host;
	struct uw_world *world;
	struct uw_session *session;
	struct uw_call call;
	struct uw_error err;
	char logged[1024];
};

/* The folder that all was built into: four up from tests/unit/core/test_NAME. */
static inline const char *stub_build(void)
{
	static char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
	ck_assert_int_gt(len, 0);
	path[len] = '\0';
	for (int i = 0; i < 4; i++)
		*strrchr(path, '/') = '\0';
	return path;
}

static inline void stub_log(void *arg, int level, const char *message)
{
	struct stub_world *stub = arg;
	(void)level;
	(void)snprintf(stub->logged, sizeof stub->logged, "%s", message);
}

static inline void stub_ok(struct stub_world *stub, int code)
{
	ck_assert_msg(code == 0, "%s: %s", uw_code_name(code), stub->err.message);
}

#define ck_code(stub, result, wanted)                                                              \
	do {                                                                                         \
		int got_ = (result);                                                                     \
		ck_assert_msg(got_ == (wanted), "wanted %s, got %s: %s", uw_code_name(wanted),           \
		              uw_code_name(got_), (stub)->err.message);                                  \
		ck_assert_int_eq((stub)->err.code, got_);                                                \
	} while (0)

static inline struct stub_world *stub_open_host(void)
{
	static struct stub_world stub;
	struct uw_host_options options = {.size = sizeof options, .log = stub_log, .log_arg = &stub};
	char text[4 * PATH_MAX + 256], config[PATH_MAX];
	memset(&stub, 0, sizeof stub);
	stub.err = (struct uw_error)UW_ERROR_INIT;
	stub.temp = temp_make();
	(void)temp_dir(&stub.temp, "ws");
	(void)temp_dir(&stub.temp, "temps");
	snprintf(text, sizeof text,
	         "plugin_dirs: ( \"%s/tests/stub\" ); scan: \"%s/umwelt-scan\"; state_dir: \"%s/state\"; "
	         "temp_dir: \"%s/temps\"; launcher: \"%s/umwelt-launch\";\n",
	         stub_build(), stub_build(), stub.temp.path, stub.temp.path, stub_build());
	snprintf(config, sizeof config, "%s", temp_file(&stub.temp, "umwelt.conf", text));
	options.config_path = config;
	stub_ok(&stub, uw_host_open(&options, &stub.host, &stub.err));
	return &stub;
}

/* The heart of a bundle; %A stands for the address, %T for the directory. */
#define STUB_HEART                                                                               \
	"umwelt: 1\n"                                                                                \
	"world:\n"                                                                                   \
	"  fs: [ { plugin: stub, state: %A, tag: fs } ]\n"                                           \
	"  subprocess: { plugin: stub, state: %A, tag: sub }\n"                                      \
	"  sandbox: { plugin: stub, state: %A, tag: box }\n"
#define STUB_POLICY                                                                              \
	"policy: { plugin: stub, state: %A, tag: pol, mode: workspace-write, workspace: %T/ws }\n"
#define STUB_REST "guard: none\napproval: none\ntrace: none\n"
#define STUB_BUNDLE STUB_HEART STUB_POLICY STUB_REST

static inline int stub_try_world(struct stub_world *stub, const char *format, struct uw_world **ret_world)
{
	struct uw_world_options options = {.size = sizeof options};
	char text[8192], path[PATH_MAX];
	size_t len = 0;
	for (const char *at = format; *at; at++)
		if (at[0] == '%' && at[1] == 'A')
			len += (size_t)snprintf(text + len, sizeof text - len, "%lld", (long long)(intptr_t)&stub->state), at++;
		else if (at[0] == '%' && at[1] == 'T')
			len += (size_t)snprintf(text + len, sizeof text - len, "%s", stub->temp.path), at++;
		else
			text[len++] = *at;
	text[len] = '\0';
	snprintf(path, sizeof path, "%s", temp_file(&stub->temp, "bundle.yaml", text));
	options.bundle = path;
	return uw_world_open(stub->host, &options, ret_world, &stub->err);
}

static inline void stub_session(struct stub_world *stub)
{
	const struct uw_session_options options = {.size = sizeof options, .mode = UW_MODE_WORKSPACE_WRITE};
	stub_ok(stub, uw_session_open(stub->world, &options, &stub->session, &stub->err));
	uw_call_init(&stub->call, stub->session);
}

/* A world of the usual shape with one session. */
static inline struct stub_world *stub_open(const char *bundle)
{
	struct stub_world *stub = stub_open_host();
	stub_ok(stub, stub_try_world(stub, bundle, &stub->world));
	stub_session(stub);
	stub->state.confines = stub->state.spawns = stub->state.releases = 0; /* what the proof did */
	stub->state.disposes = stub->state.terminates = 0;
	return stub;
}

static inline void stub_close(struct stub_world **held)
{
	struct stub_world *stub = *held;
	uw_host_close(stub->host);
	ck_assert_int_eq(stub->state.created, stub->state.destroyed);
	ck_assert_int_eq(stub->state.policies, stub->state.policies_released);
	temp_remove(&stub->temp);
}
#define AUTO_STUB __attribute__((cleanup(stub_close))) struct stub_world *

static inline struct uw_target *stub_target(struct stub_world *stub, const char *path)
{
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_target *target = NULL;
	stub_ok(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){path, strlen(path)}, NULL, 0,
	                             &target, &stub->err));
	return target;
}

#endif
