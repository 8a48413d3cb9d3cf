/*
 * stub: fs/1, sandbox/1, policy/1 and subprocess/1 that do nothing and count it,
 * or fail as the test says. Built under several names with other descriptors:
 *   stub          all four services, parallel
 *   stub-serial   the same, serial
 *   stub-wrapper  fs/1 over the fs/1 that it is given
 *   stub-shell    shell/1 over subprocess/1
 *   stub-asker    shell/1; asks for a service that it does not list
 */
#include <umwelt/launch.h>
#include <umwelt/plugin.h>
#include <umwelt/umwelt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "stub.h"

struct stub {
	struct stub_state *state;
	const struct uw_fs *fs;
	const struct uw_subprocess *subprocess;
};

static struct stub_state *state_of(void *self)
{
	return ((struct stub *)self)->state;
}

static int realm(struct stub_state *state, int who, struct uw_realm *ret_realm)
{
	memset(ret_realm, 0, sizeof *ret_realm);
	ret_realm->size = sizeof *ret_realm;
	strcpy(ret_realm->boot_id, "boot");
	strcpy(ret_realm->label, who == 1 ? "box-one" : who == 2 ? "box-two" : "box");
	ret_realm->uid = state->realm_of == who ? 1001 : 1000;
	return 0;
}

/* ---- fs ---- */

static int enter(void *self)
{
	struct stub_state *state = state_of(self);
	int inside = atomic_fetch_add(&state->inside, 1) + 1;
	atomic_fetch_add(&state->fs_calls, 1);
	if (inside > atomic_load(&state->most_inside))
		atomic_store(&state->most_inside, inside);
	if (atomic_load(&state->slow_ms)) {
		struct timespec pause = {0, atomic_load(&state->slow_ms) * 1000000L};
		(void)nanosleep(&pause, NULL); /* makes calls overlap where they may */
	}
	atomic_fetch_sub(&state->inside, 1);
	return state->fs_returns;
}

static int fs_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	(void)err;
	return realm(state_of(self), 3, ret_realm);
}

static void free_target(struct uw_target *target)
{
	free((void *)(uintptr_t)target->key.data);
	free(target);
}

static int fs_resolve(void *self, const struct uw_call *call, struct uw_bytes path, const char *cwd,
                      uint32_t flags, struct uw_target **ret_target, struct uw_error *err)
{
	struct uw_target *target;
	char *key;
	int code = enter(self);
	(void)call, (void)cwd, (void)flags, (void)err;
	if (code)
		return code;
	if (state_of(self)->resolve_gives_null)
		return 0;
	target = calloc(1, sizeof *target);
	key = strndup(path.data, path.len);
	if (!target || !key)
		abort();
	target->size = sizeof *target;
	target->key = target->display = (struct uw_bytes){key, strlen(key)};
	target->flags = UW_TARGET_EXISTS;
	target->release = free_target;
	*ret_target = target;
	return 0;
}

static int fs_stat_many(void *self, const struct uw_call *call, const struct uw_target *const *targets,
                        size_t count, uint32_t want_digest, struct uw_stat_sink sink, struct uw_error *err)
{
	struct uw_stat stat = {.size = sizeof stat, .type = UW_FS_DIRECTORY, .dev = 1};
	int code = enter(self);
	(void)call, (void)targets, (void)want_digest, (void)err;
	stat.ino = state_of(self)->workspace_ino ? state_of(self)->workspace_ino : 7;
	for (size_t i = 0; code == 0 && i < count; i++)
		code = sink.stat(sink.arg, i, &stat, NULL);
	return code;
}

static int fs_read_many(void *self, const struct uw_call *call, const struct uw_read_request *requests,
                        size_t count, struct uw_read_sink sink, struct uw_error *err)
{
	(void)call, (void)requests, (void)count, (void)sink, (void)err;
	return enter(self);
}

static int fs_read_text(void *self, const struct uw_call *call, const struct uw_target *target,
                        const struct uw_text_request *request, struct uw_sink sink,
                        struct uw_text_info *ret_info, struct uw_error *err)
{
	(void)call, (void)target, (void)request, (void)sink, (void)ret_info, (void)err;
	return enter(self);
}

static int fs_open(void *self, const struct uw_call *call, const struct uw_target *target, int *ret_fd,
                   struct uw_stat *ret_stat, struct uw_error *err)
{
	(void)call, (void)target, (void)ret_fd, (void)ret_stat, (void)err;
	return enter(self); /* success without a descriptor: a fault by itself */
}

static int fs_open_dir(void *self, const struct uw_call *call, const struct uw_target *target,
                       struct uw_dir **ret_dir, struct uw_error *err)
{
	(void)call, (void)target, (void)ret_dir, (void)err;
	return enter(self);
}

static int fs_list(void *self, const struct uw_call *call, const struct uw_target *target,
                   const struct uw_list_request *request, struct uw_entry_sink sink,
                   uint32_t *ret_more, struct uw_error *err)
{
	(void)call, (void)target, (void)request, (void)sink, (void)ret_more, (void)err;
	return enter(self);
}

static int fs_write(void *self, const struct uw_call *call, const struct uw_target *target,
                    const struct uw_write_request *request, struct uw_write_result *ret_result,
                    struct uw_error *err)
{
	(void)call, (void)target, (void)request, (void)ret_result, (void)err;
	atomic_fetch_add(&state_of(self)->writes, 1);
	return enter(self);
}

static int fs_edit(void *self, const struct uw_call *call, const struct uw_target *target,
                   const struct uw_edit_request *request, struct uw_write_result *ret_result,
                   struct uw_error *err)
{
	(void)call, (void)target, (void)request, (void)ret_result, (void)err;
	return enter(self);
}

static int fs_flags(void *self, const struct uw_call *call, const struct uw_target *target,
                    uint32_t flags, struct uw_error *err)
{
	(void)call, (void)target, (void)flags, (void)err;
	return enter(self);
}

static int fs_rename(void *self, const struct uw_call *call, const struct uw_target *from,
                     const struct uw_target *to, uint32_t flags, struct uw_error *err)
{
	(void)call, (void)from, (void)to, (void)flags, (void)err;
	return enter(self);
}

static int fs_contains(void *self, const struct uw_call *call, const struct uw_target *parent,
                       const struct uw_target *child, uint32_t *ret_contains, struct uw_error *err)
{
	(void)call, (void)parent, (void)child, (void)ret_contains, (void)err;
	return enter(self);
}

static int fs_text(void *self, const struct uw_call *call, const struct uw_target *target,
                   struct uw_sink sink, struct uw_error *err)
{
	(void)call, (void)err;
	if (enter(self))
		return state_of(self)->fs_returns;
	return sink.write(sink.arg, target->key.data, target->key.len);
}

static int fs_path_of_local(void *self, const struct uw_call *call, const char *local_path,
                            struct uw_sink sink, struct uw_error *err)
{
	(void)self, (void)call, (void)local_path, (void)sink;
	return uw_fail(err, UW_E_NOT_DEPLOYED, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0, "not there");
}

static const struct uw_fs_v1 fs = {
    .size = sizeof fs,
    .realm = fs_realm,
    .resolve = fs_resolve,
    .stat_many = fs_stat_many,
    .read_many = fs_read_many,
    .read_text = fs_read_text,
    .open = fs_open,
    .open_dir = fs_open_dir,
    .list = fs_list,
    .write = fs_write,
    .edit = fs_edit,
    .mkdir = fs_flags,
    .remove = fs_flags,
    .rename = fs_rename,
    .contains = fs_contains,
    .process_path = fs_text,
    .file_url = fs_text,
    .path_of_local = fs_path_of_local,
};

/* ---- policy ---- */

struct stub_policy {
	struct uw_policy policy; /* first */
	struct stub_state *state;
};

static void policy_release(struct uw_policy *policy)
{
	atomic_fetch_add(&((struct stub_policy *)policy)->state->policies_released, 1);
	free(policy);
}

static int policy_resolve(void *self, const struct uw_call *call, const struct uw_policy_wish *wish,
                          struct uw_policy **ret_policy, struct uw_error *err)
{
	struct stub_state *state = state_of(self);
	struct stub_policy *made;
	if (state->policy_fails)
		return uw_fail(err, UW_E_WORKSPACE_REFUSED, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "too wide");
	made = calloc(1, sizeof *made);
	if (!made)
		abort();
	atomic_fetch_add(&state->policies, 1);
	made->state = state;
	made->policy.size = sizeof made->policy;
	made->policy.mode = wish->mode ? wish->mode : call->session->mode ? call->session->mode : UW_MODE_READ_ONLY;
	if (state->policy_mode)
		made->policy.mode = state->policy_mode;
	made->policy.workspace = call->session->workspace;
	made->policy.temp = call->session->temp;
	made->policy.release = policy_release;
	*ret_policy = &made->policy;
	return 0;
}

static const struct uw_policy_v1 policy = {.size = sizeof policy, .resolve = policy_resolve};

/* ---- sandbox ---- */

static int sandbox_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	(void)err;
	return realm(state_of(self), 1, ret_realm);
}

static int sandbox_view(void *self, const struct uw_call *call, const struct uw_policy *asked,
                        int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg,
                        struct uw_error *err)
{
	(void)self, (void)call, (void)asked, (void)sink, (void)arg, (void)err;
	return 0;
}

static int sandbox_confine(void *self, const struct uw_call *call, const struct uw_policy *asked,
                           const char *cwd, struct uw_confined **ret_confined, struct uw_error *err)
{
	static const char *const relative[] = {"bwrap", NULL};
	struct stub_state *state = state_of(self);
	struct uw_confined *confined;
	(void)call, (void)cwd;
	atomic_fetch_add(&state->confines, 1);
	if (state->in_confine)
		state->in_confine(state->in_confine_arg);
	if (state->confine_fails)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0, "no");
	if (state->confine_lies == 4)
		return 0;
	confined = calloc(1, sizeof *confined);
	if (!confined)
		abort();
	confined->size = sizeof *confined;
	confined->backend = "stub";
	confined->enforcement = asked->mode == UW_MODE_DANGER_FULL_ACCESS ? UW_UNCONFINED : UW_FULL;
	confined->in_run_check = 1;
	confined->rows[UW_OP_READS].reason = "a stub";
	if (state->confine_lies == 1)
		confined->enforcement = UW_UNCONFINED;
	if (state->confine_lies == 2) {
		confined->wrapper = relative;
		confined->wrapper_count = 1;
	}
	if (state->confine_lies == 3)
		confined->in_run_check = 0;
	*ret_confined = confined;
	return 0;
}

static int sandbox_release(void *self, struct uw_confined *confined, const struct uw_outcome *outcome,
                           struct uw_error *err)
{
	(void)err;
	atomic_fetch_add(&state_of(self)->releases, 1);
	if (!outcome)
		atomic_fetch_add(&state_of(self)->releases_unrun, 1);
	free(confined);
	return 0;
}

static int sandbox_status(void *self, struct uw_sandbox_status *ret_status, struct uw_error *err)
{
	(void)err;
	ret_status->usable = !state_of(self)->unusable;
	strcpy(ret_status->reason, "the stub was told so");
	return 0;
}

static const struct uw_sandbox_v1 sandbox = {
    .size = sizeof sandbox,
    .realm = sandbox_realm,
    .view = sandbox_view,
    .confine = sandbox_confine,
    .release = sandbox_release,
    .status = sandbox_status,
};

/* ---- subprocess ---- */

struct uw_process {
	struct stub_state *state;
	int exit_fd;
	int exit_code;
};

static int sub_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	(void)err;
	return realm(state_of(self), 2, ret_realm);
}

static int sub_resolve(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
                       const char *name, struct uw_sink sink, struct uw_error *err)
{
	(void)self, (void)call, (void)spawn, (void)err;
	return sink.write(sink.arg, name, strlen(name));
}

static void end(struct uw_process *process)
{
	const uint64_t one = 1;
	(void)!write(process->exit_fd, &one, sizeof one);
}

static int sub_spawn(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
                     struct uw_process **ret_process, struct uw_error *err)
{
	struct stub_state *state = state_of(self);
	struct uw_process *process;
	int number = atomic_fetch_add(&state->spawns, 1);
	(void)snprintf(state->spawned, sizeof state->spawned, "%s", spawn->argv[1] ? spawn->argv[1] : "");
	state->spawned_mode = call->policy ? call->policy->mode : 0;
	if (state->spawn_fails)
		return uw_fail(err, UW_E_EXEC_NOT_FOUND, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0, "no such program");
	if (state->spawn_gives_null)
		return 0;
	process = calloc(1, sizeof *process);
	if (!process)
		abort();
	process->state = state;
	process->exit_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	state->exit_fds[number % STUB_PROCESSES] = process->exit_fd;
	if (!strcmp(state->spawned, "--prove")) {
		process->exit_code = state->prove_fails > 0;
		if (state->prove_fails > 0)
			state->prove_fails--;
		end(process);
	}
	*ret_process = process;
	return 0;
}

static int sub_fd(void *self, struct uw_process *process, int which)
{
	(void)self;
	return which == UW_PROCESS_EXIT ? process->exit_fd : -1;
}

static int64_t sub_pid(void *self, struct uw_process *process)
{
	(void)self, (void)process;
	return 1;
}

static int sub_wait(void *self, const struct uw_call *call, struct uw_process *process, int what,
                    struct uw_exit *ret_exit, struct uw_error *err)
{
	struct pollfd ends[2] = {{process->exit_fd, POLLIN, 0}, {call->cancel_fd, POLLIN, 0}};
	(void)self;
	(void)poll(ends, 2, uw_call_poll_ms(call));
	if (!ends[0].revents && uw_call_check(call, UW_STAGE_RUN, err) < 0)
		return err ? err->code : UW_E_CANCELLED;
	ret_exit->phase = what == UW_WAIT_EMPTY ? UW_PHASE_EMPTY : UW_PHASE_EXITED;
	ret_exit->exit_code = process->exit_code;
	ret_exit->status = process->exit_code << 8;
	ret_exit->checks = UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN;
	return 0;
}

static int sub_output(void *self, const struct uw_call *call, struct uw_process *process, int stream,
                      uint64_t offset, uint64_t max, struct uw_sink sink, uint64_t *ret_offset,
                      uint64_t *ret_next, struct uw_error *err)
{
	(void)self, (void)call, (void)process, (void)stream, (void)max, (void)sink, (void)err;
	*ret_offset = *ret_next = offset;
	return 0;
}

static int sub_signal(void *self, struct uw_process *process, int number, struct uw_error *err)
{
	(void)self, (void)number, (void)err;
	end(process);
	return 0;
}

static int sub_terminate(void *self, struct uw_process *process, uint32_t grace_ms, struct uw_error *err)
{
	(void)grace_ms, (void)err;
	atomic_fetch_add(&state_of(self)->terminates, 1);
	end(process);
	return 0;
}

static int sub_pty_resize(void *self, struct uw_process *process, struct uw_pty size, struct uw_error *err)
{
	(void)self, (void)process, (void)size;
	return uw_fail(err, UW_E_UNSUPPORTED, UW_STAGE_RUN, UW_EFFECT_NONE, 0, "no terminal");
}

static int sub_pty_foreground(void *self, struct uw_process *process, struct uw_foreground *ret,
                              struct uw_error *err)
{
	(void)self, (void)process, (void)ret;
	return uw_fail(err, UW_E_UNSUPPORTED, UW_STAGE_RUN, UW_EFFECT_NONE, 0, "no terminal");
}

static int sub_env_rules(void *self, struct uw_sink sink, struct uw_error *err)
{
	(void)self, (void)err;
	return sink.write(sink.arg, "none\n", 5);
}

static int sub_dispose(void *self, struct uw_process *process, struct uw_error *err)
{
	(void)err;
	atomic_fetch_add(&state_of(self)->disposes, 1);
	(void)close(process->exit_fd);
	free(process);
	return 0;
}

static const struct uw_subprocess_v1 subprocess = {
    .size = sizeof subprocess,
    .realm = sub_realm,
    .resolve = sub_resolve,
    .spawn = sub_spawn,
    .process_fd = sub_fd,
    .pid = sub_pid,
    .wait = sub_wait,
    .output = sub_output,
    .signal = sub_signal,
    .terminate = sub_terminate,
    .pty_resize = sub_pty_resize,
    .pty_foreground = sub_pty_foreground,
    .pty_signal = sub_signal,
    .dispose = sub_dispose,
    .env_rules = sub_env_rules,
};

/* ---- shell ---- */

static int shell_start(void *self, const struct uw_call *call, const struct uw_shell_request *request,
                       struct uw_process **ret_process, struct uw_error *err)
{
	const struct stub *stub = self;
	const char *const argv[] = {"sh", "text", NULL};
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffffu};
	spawn.shell_text = request->text;
	spawn.dialect = "sh";
	return stub->subprocess->v->spawn(stub->subprocess->self, call, &spawn, ret_process, err);
}

static const char *shell_dialect(void *self)
{
	(void)self;
	return "sh";
}

static const struct uw_shell_v1 shell = {.size = sizeof shell, .start = shell_start, .dialect = shell_dialect};

/* ---- the plugin ---- */

static int create(const struct uw_host_api *host, struct uw_plugin_context *context,
                  const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	struct stub_state *state = (struct stub_state *)(uintptr_t)host->config_int(config, "state");
	struct stub *stub;
	if (state->create_fails)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "told to fail");
	stub = calloc(1, sizeof *stub);
	if (!stub)
		abort();
	stub->state = state;
	atomic_fetch_add(&state->created, 1);
	(void)snprintf(state->order + strlen(state->order), sizeof state->order - strlen(state->order), "+%s ",
	               host->config_string(config, "tag"));
#if defined(STUB_stub_wrapper)
	stub->fs = host->service(context, UW_FS_SERVICE);
	state->given_fs = stub->fs;
#elif defined(STUB_stub_shell)
	stub->subprocess = host->service(context, UW_SUBPROCESS_SERVICE);
	state->given_subprocess = stub->subprocess;
#elif defined(STUB_stub_asker)
	state->asked_unlisted = host->service(context, UW_SUBPROCESS_SERVICE) != NULL;
#else
	(void)context;
#endif
	*ret_self = stub;
	return 0;
}

static int destroy(void *self, struct uw_error *err)
{
	struct stub *stub = self;
	struct stub_state *state = stub->state;
	int number = atomic_fetch_add(&state->destroyed, 1);
	free(stub);
	if (state->destroy_fails)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_RETIRE, UW_EFFECT_UNKNOWN, 0, "end %d failed", number);
	return 0;
}

#ifdef STUB_stub_serial
#define THREADS UW_THREADS_SERIAL
#else
#define THREADS UW_THREADS_PARALLEL
#endif

static const struct uw_provides provides[] = {
#if defined(STUB_stub_wrapper)
    {UW_FS_SERVICE, THREADS, 0, &fs},
#elif defined(STUB_stub_shell) || defined(STUB_stub_asker)
    {UW_SHELL_SERVICE, THREADS, 0, &shell},
#else
    {UW_FS_SERVICE, THREADS, 0, &fs},
    {UW_SANDBOX_SERVICE, THREADS, 0, &sandbox},
    {UW_POLICY_SERVICE, THREADS, 0, &policy},
    {UW_SUBPROCESS_SERVICE, THREADS, 0, &subprocess},
#endif
};

static const char *const needs[] = {
#if defined(STUB_stub_wrapper)
    UW_FS_SERVICE,
#elif defined(STUB_stub_shell)
    UW_SUBPROCESS_SERVICE,
#endif
    NULL,
};

static const struct uw_key keys[] = {
    {.name = "state", .type = UW_KEY_INT, .required = 1, .help = "address of a struct stub_state"},
    {.name = "tag", .type = UW_KEY_STRING, .default_value = "stub", .help = "for the order of creation"},
};

static const struct uw_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = UW_ABI_MAJOR,
    .name = STUB_NAME,
    .version = "1.0.0",
    .summary = "counts, and fails as it is told",
    .provides = provides,
    .provides_count = sizeof provides / sizeof provides[0],
    .requires_services = needs,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .destroy = destroy,
};

const struct uw_plugin *uw_plugin_entry(void)
{
	/* keeps the tables of the faces that this build does not show from being unused */
	static const void *const all[] = {&fs, &policy, &sandbox, &subprocess, &shell};
	(void)all;
	return &plugin;
}
