/*
 * subprocess-local: processes of the machine that the host runs on.
 *
 * All functions may be called from any thread; one process is disposed of once,
 * when no other call works with it.
 */
#include <umwelt/plugin.h>

#include "common/cleanup.h"
#include "common/realm.h"
#include "env_rules.h"
#include "service.h"
#include "spawn.h"

#include <fcntl.h>
#include <stdlib.h>

extern char **environ;

static int realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	(void)self;
	return uw_realm_read(ret_realm, err);
}

static int resolve(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
                   const char *name, struct uw_sink sink, struct uw_error *err)
{
	return spawn_resolve(self, call, spawn, name, sink, err);
}

static int spawn_one(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
                     struct uw_process **ret_process, struct uw_error *err)
{
	return spawn_process(self, call, spawn, ret_process, err);
}

static int process_fd(void *self, struct uw_process *process, int which)
{
	(void)self;
	return service_process_fd(process, which);
}

static int64_t pid(void *self, struct uw_process *process)
{
	(void)self;
	return service_pid(process);
}

static int wait_for(void *self, const struct uw_call *call, struct uw_process *process, int what,
                    struct uw_exit *ret_exit, struct uw_error *err)
{
	(void)self;
	return service_wait(process, call, what, ret_exit, err);
}

static int output(void *self, const struct uw_call *call, struct uw_process *process, int stream,
                  uint64_t offset, uint64_t max, struct uw_sink sink, uint64_t *ret_offset,
                  uint64_t *ret_next, struct uw_error *err)
{
	(void)self;
	return service_output(process, call, stream, offset, max, sink, ret_offset, ret_next, err);
}

static int send_signal(void *self, struct uw_process *process, int number, struct uw_error *err)
{
	(void)self;
	return service_signal(process, number, err);
}

static int terminate(void *self, struct uw_process *process, uint32_t grace_ms, struct uw_error *err)
{
	(void)self;
	return service_terminate(process, grace_ms, err);
}

static int pty_resize(void *self, struct uw_process *process, struct uw_pty size, struct uw_error *err)
{
	(void)self;
	return service_pty_resize(process, size, err);
}

static int pty_foreground(void *self, struct uw_process *process, struct uw_foreground *ret,
                          struct uw_error *err)
{
	(void)self;
	return service_pty_foreground(process, ret, err);
}

static int pty_signal(void *self, struct uw_process *process, int number, struct uw_error *err)
{
	(void)self;
	return service_pty_signal(process, number, err);
}

static int dispose(void *self, struct uw_process *process, struct uw_error *err)
{
	(void)self;
	return service_dispose(process, err);
}

static int env_rules(void *self, struct uw_sink sink, struct uw_error *err)
{
	(void)self;
	(void)err;
	return env_rules_print(sink);
}

static int close_fd(void *self, struct uw_process *process, int which, struct uw_error *err)
{
	(void)self;
	return service_close_fd(process, which, err);
}

static const struct uw_subprocess_v1 interface_table = {
    .size = sizeof(struct uw_subprocess_v1),
    .realm = realm,
    .resolve = resolve,
    .spawn = spawn_one,
    .process_fd = process_fd,
    .pid = pid,
    .wait = wait_for,
    .output = output,
    .signal = send_signal,
    .terminate = terminate,
    .pty_resize = pty_resize,
    .pty_foreground = pty_foreground,
    .pty_signal = pty_signal,
    .dispose = dispose,
    .env_rules = env_rules,
    .close_fd = close_fd,
};

static int read_environment(struct provider *provider, const struct uw_config *config,
                            struct uw_error *err)
{
	size_t count = provider->host->config_count(config, "env_pass");
	UW_AUTO_FREE const char **names = calloc(count + 1, sizeof *names);
	if (!names)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "no memory for the environment");
	for (size_t i = 0; i < count; i++)
		names[i] = provider->host->config_item(config, "env_pass", i);
	return env_base_init(&provider->env, environ, names, count, err);
}

/* Processes that are still there end first; the first failure is told, all are tried. */
static int destroy(void *self, struct uw_error *err)
{
	struct provider *provider = self;
	struct uw_process *process;
	int r = 0;
	if (!provider)
		return 0;
	while ((process = pump_any(&provider->pump))) {
		int one = service_dispose(process, r == 0 ? err : NULL);
		r = r == 0 ? one : r;
	}
	pump_finish(&provider->pump);
	env_base_finish(&provider->env);
	cgroups_close(&provider->cgroups);
	uw_fd_close(&provider->null_fd);
	free(provider);
	return r;
}

static int create(const struct uw_host_api *host, struct uw_plugin_context *context,
                  const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	struct provider *provider = calloc(1, sizeof *provider);
	int r;
	if (!provider)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory");
	provider->host = host;
	provider->context = context;
	provider->grace_ms = (uint32_t)host->config_int(config, "grace_ms");
	provider->tail_ms = (uint32_t)host->config_int(config, "tail_ms");
	provider->start_ms = (uint32_t)host->config_int(config, "start_ms");
	provider->cgroups.dir_fd = -1;
	r = pump_init(&provider->pump, err);
	if (r < 0) {
		free(provider);
		return r;
	}
	provider->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (provider->null_fd < 0)
		r = uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, errno, "cannot open /dev/null");
	if (r == 0)
		r = read_environment(provider, config, err);
	if (r < 0) {
		(void)destroy(provider, NULL);
		return r;
	}
	if (host->config_bool(config, "cgroup"))
		cgroups_open(&provider->cgroups);
	*ret_self = provider;
	return 0;
}

static const struct uw_key keys[] = {
    {.name = "env_pass",
     .type = UW_KEY_STRINGS,
     .default_value = "all",
     .help = "all, minimal, or the names of host variables that commands get"},
    {.name = "grace_ms",
     .type = UW_KEY_INT,
     .min = 1,
     .max = 600000,
     .default_value = "2000",
     .help = "from TERM to KILL when a range is ended"},
    {.name = "tail_ms",
     .type = UW_KEY_INT,
     .min = 1,
     .max = 600000,
     .default_value = "250",
     .help = "how long descendants may go on after the command has ended"},
    {.name = "cgroup",
     .type = UW_KEY_BOOL,
     .default_value = "true",
     .help = "hold each range in a control group too, where the host may make one"},
    {.name = "start_ms",
     .type = UW_KEY_INT,
     .min = 100,
     .max = 600000,
     .default_value = "30000",
     .help = "how long a sandbox may take until the launcher reports"},
};

static const struct uw_provides provides[] = {
    {.service = UW_SUBPROCESS_SERVICE, .threads = UW_THREADS_PARALLEL, .interface_table = &interface_table},
};

static const struct uw_plugin plugin = {
    .size = sizeof(struct uw_plugin),
    .abi_major = UW_ABI_MAJOR,
    .name = "subprocess-local",
    .version = UW_VERSION,
    .summary = "processes of this machine, each with all its descendants",
    .provides = provides,
    .provides_count = UW_COUNT(provides),
    .keys = keys,
    .key_count = UW_COUNT(keys),
    .create = create,
    .destroy = destroy,
};

UW_EXPORT const struct uw_plugin *uw_plugin_entry(void)
{
	return &plugin;
}
