/*
 * Spawn, step by step: nothing is started before everything that can be refused
 * has been; the call returns when the launcher has reported.
 */
#include "spawn.h"

#include "common/cleanup.h"
#include "common/strerror.h"
#include "copier.h"
#include "plan.h"
#include "report.h"
#include "resolve.h"
#include "spec.h"
#include "start.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/*
 * What a wrapper runs with: nothing of the command's environment, which the
 * agent may have set, and nothing of the host's (C-21).
 */
static const char *const wrapper_env[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};

static int start(struct plan *plan, struct uw_error *err)
{
	static const char *const launcher[] = {"umwelt-launch", NULL};
	const struct uw_confined *confined = plan->confined;
	struct uw_process *process = plan->process;
	UW_AUTO_FREE const char **words = NULL;
	struct start start = {
	    .exec_fd = UW_LAUNCH_FD_SELF,
	    .argv = launcher,
	    .env = wrapper_env,
	    .map = plan->map,
	    .map_count = plan->map_count,
	};
	int os_errno, exec, grouped;
	/* a PID namespace holds all by itself */
	if (!confined || !confined->pid_namespace)
		process->cgroup_fd = cgroup_make(&process->provider->cgroups, process->cgroup_name);
	start.cgroup_fd = process->cgroup_fd;
	if (plan_has_wrapper(plan)) {
		words = calloc(confined->wrapper_count + 2, sizeof *words);
		if (!words)
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
			               "no memory for the wrapper's words");
		memcpy(words, confined->wrapper, confined->wrapper_count * sizeof *words);
		words[confined->wrapper_count] = "/proc/self/fd/5";
		start.path = confined->wrapper[0];
		start.argv = words;
		process->has_wrapper = 1;
	}
	os_errno = start_process(&start, &process->child, &process->child_fd, &exec, &grouped);
	if (grouped)
		process->exit.range |= UW_RANGE_CGROUP;
	plan_close_ends(plan);
	return os_errno ? report_exec_failure(plan, os_errno, exec, err) : 0;
}

static void set_terms(struct uw_process *process, const struct uw_call *call, const struct uw_spawn *spec)
{
	const struct provider *provider = process->provider;
	process->tail = spec->tail;
	process->grace_ms = spec->grace_ms ? spec->grace_ms : provider->grace_ms;
	process->tail_ms = spec->tail_ms ? spec->tail_ms : provider->tail_ms;
	process->limits = spec->limits;
	if (call)
		process->deadline_ns = call->deadline_ns;
}

static int watch(struct uw_process *process, int fd, enum pump_kind kind, struct uw_error *err)
{
	if (fd < 0 || pump_watch(&process->provider->pump, process, fd, kind) == 0)
		return 0;
	return uw_fail(err, UW_E_SPAWN_FAILED, UW_STAGE_SPAWN, UW_EFFECT_DONE, errno,
	               "the process cannot be watched and is ended");
}

static int start_copiers(struct uw_process *process, struct uw_error *err)
{
	for (size_t i = 0; i < UW_COUNT(process->streams); i++) {
		struct stream *stream = &process->streams[i];
		int os_errno = stream->collects && stream->copy_to > 0 ? copier_start(stream, stream->copy_to) : 0;
		if (os_errno)
			return uw_fail(err, os_errno == ENOMEM ? UW_E_NO_MEMORY : UW_E_SPAWN_FAILED, UW_STAGE_SPAWN,
			               UW_EFFECT_NONE, os_errno, "output cannot be copied: %s",
			               uw_strerror(os_errno));
	}
	return 0;
}

/* All that can fail for want of something is done before anything is started. */
static int prepare(struct uw_process *process, struct uw_error *err)
{
	int r = pump_start(&process->provider->pump, err);
	if (r == 0)
		r = pump_enter(&process->provider->pump, process, err);
	return r < 0 ? r : start_copiers(process, err);
}

static int watch_streams(struct uw_process *process, struct uw_error *err)
{
	int r = 0;
	for (size_t i = 0; i < UW_COUNT(process->streams) && r == 0; i++)
		if (process->streams[i].collects && !process->streams[i].copier)
			r = watch(process, process->streams[i].fd, i ? PUMP_STREAM_2 : PUMP_STREAM_1, err);
	return r;
}

/* From here on the pump has it. Its lock is held: no event comes half way. */
static int hand_over(struct uw_process *process, const struct uw_call *call, struct uw_error *err)
{
	int r;
	(void)pthread_mutex_lock(&process->lock);
	if (process->limits.wall_ms)
		process->wall_ns = process->exit.started_ns + (int64_t)process->limits.wall_ms * 1000000;
	if (process->ending)
		process->deadline_ns = process->wall_ns = 0;
	else if (call && call->cancel_fd >= 0)
		process->cancel_fd = fcntl(call->cancel_fd, F_DUPFD_CLOEXEC, 0);
	r = watch_streams(process, err);
	if (r == 0)
		r = watch(process, process->cancel_fd, PUMP_CANCEL, err);
	if (r == 0)
		r = watch(process, process->child_fd, PUMP_CHILD, err);
	if (r == 0)
		r = watch(process, process->launcher_fd, PUMP_LAUNCHER, err);
	if (r == 0)
		r = watch(process, process->control_fd, PUMP_CONTROL, err);
	process_arm(process);
	(void)pthread_mutex_unlock(&process->lock);
	return r;
}

/* Ends what was started but cannot be kept. */
static void undo(struct uw_process *process)
{
	pump_leave(&process->provider->pump, process);
	for (size_t i = 0; i < UW_COUNT(process->streams); i++)
		copier_stop(process->streams[i].copier);
	(void)pthread_mutex_lock(&process->lock);
	pump_close(&process->provider->pump, &process->control_fd);
	process_await_child(process);
	process_close(process);
	(void)pthread_mutex_unlock(&process->lock);
	process_release(process);
}

int spawn_process(struct provider *provider, const struct uw_call *call, const struct uw_spawn *spawn,
                  struct uw_process **ret_process, struct uw_error *err)
{
	struct uw_spawn spec;
	struct uw_process *process;
	struct plan plan;
	int r = spec_copy(spawn, &spec, err);
	if (r == 0)
		r = spec_check(&spec, err);
	if (r == 0)
		r = uw_call_check(call, UW_STAGE_SPAWN, err);
	if (r < 0)
		return r;
	process = process_new(provider);
	if (!process)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0, "no memory for a process");
	set_terms(process, call, &spec);
	plan_init(&plan, call, &spec, process);
	r = plan_environment(&plan, err);
	if (r == 0)
		r = plan_program(&plan, err);
	if (r == 0)
		r = plan_cwd(&plan, err);
	if (r == 0)
		r = plan_stdio(&plan, err);
	if (r == 0)
		r = plan_job(&plan, err);
	if (r == 0)
		r = prepare(process, err);
	if (r == 0)
		r = start(&plan, err);
	if (r == 0)
		r = report_await(&plan, err);
	plan_finish(&plan);
	if (r == 0)
		r = hand_over(process, call, err);
	if (r < 0)
		return undo(process), r;
	*ret_process = process;
	return 0;
}

int spawn_resolve(struct provider *provider, const struct uw_call *call, const struct uw_spawn *spawn,
                  const char *name, struct uw_sink sink, struct uw_error *err)
{
	struct uw_spawn spec = {.size = sizeof spec};
	struct environment environment = {NULL, 0};
	UW_AUTO_BUF path = UW_BUF_INIT;
	int r = spawn ? spec_copy(spawn, &spec, err) : 0;
	const struct uw_view *view = spec.confined ? &spec.confined->view : NULL;
	if (r == 0)
		r = uw_call_check(call, UW_STAGE_RESOLVE, err);
	if (!view && call)
		view = call->view;
	if (r == 0)
		r = environment_build(&provider->env, &spec, NULL, 0, &environment, err);
	if (r == 0)
		r = resolve_program(&environment, view, name, &path, err);
	environment_finish(&environment);
	return r < 0 ? r : sink.write(sink.arg, path.data, path.len);
}
