#include "plan.h"

#include "common/cleanup.h"
#include "common/launch_job.h"
#include "resolve.h"
#include "view_path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

void plan_init(struct plan *plan, const struct uw_call *call, const struct uw_spawn *spec,
               struct uw_process *process)
{
	memset(plan, 0, sizeof *plan);
	plan->call = call;
	plan->spec = spec;
	plan->confined = spec->confined;
	plan->process = process;
	plan->cwd_fd = plan->capture_fd = -1;
	plan->next_as = UW_LAUNCH_FD_FIRST;
	for (size_t i = 0; plan->confined && i < plan->confined->pass_count; i++)
		if (plan->confined->passes[i].as >= plan->next_as)
			plan->next_as = plan->confined->passes[i].as + 1;
	uw_job_begin(&plan->job);
}

void plan_close_ends(struct plan *plan)
{
	while (plan->end_count)
		uw_fd_close(&plan->ends[--plan->end_count]);
}

void plan_finish(struct plan *plan)
{
	plan_close_ends(plan);
	uw_fd_close(&plan->capture_fd);
	environment_finish(&plan->environment);
	uw_buf_finish(&plan->program);
	uw_buf_finish(&plan->cwd);
	uw_buf_finish(&plan->temp);
	uw_buf_finish(&plan->words);
	uw_buf_finish(&plan->job);
	free(plan->map);
}

int plan_keep(struct plan *plan, int fd)
{
	if (fd >= 0 && plan->end_count < PLAN_ENDS)
		plan->ends[plan->end_count++] = fd;
	return fd;
}

int plan_map(struct plan *plan, int fd, int as)
{
	if (plan->map_count == plan->map_capacity) {
		size_t capacity = plan->map_capacity ? 2 * plan->map_capacity : 32;
		struct start_map *map = realloc(plan->map, capacity * sizeof *map);
		if (!map)
			return -1;
		plan->map = map;
		plan->map_capacity = capacity;
	}
	plan->map[plan->map_count++] = (struct start_map){fd, as};
	return as;
}

int plan_pass(struct plan *plan, int fd)
{
	return plan_map(plan, fd, plan->next_as++);
}

int plan_has_wrapper(const struct plan *plan)
{
	return plan->confined && plan->confined->wrapper_count > 0;
}

static const struct uw_view *view_of(const struct plan *plan)
{
	return plan->confined ? &plan->confined->view : NULL;
}

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0, "no memory to start a process");
}

/* The number of the command's end of the control channel: the lowest that is free. */
static int free_number(const struct uw_spawn *spec)
{
	int number = 3, taken = 1;
	while (taken) {
		taken = 0;
		for (size_t i = 0; i < spec->pass_count; i++)
			taken |= spec->passes[i].as == number;
		number += taken;
	}
	return number;
}

int plan_environment(struct plan *plan, struct uw_error *err)
{
	const struct uw_policy *policy = plan->call ? plan->call->policy : NULL;
	const char *own[2];
	size_t count = 0, channel = 0;
	if (policy && policy->temp.path && view_inside(view_of(plan), policy->temp.path, &plan->temp) < 0)
		uw_buf_truncate(&plan->temp, 0); /* not to be seen from inside: no TMPDIR, no spill */
	if (plan->temp.len && plan->spec->env_base != UW_ENV_EMPTY)
		uw_buf_printf(&plan->words, "TMPDIR=%s", plan->temp.data);
	uw_buf_byte(&plan->words, '\0');
	channel = plan->words.len;
	if (plan->spec->control) {
		plan->channel_as = free_number(plan->spec);
		uw_buf_printf(&plan->words, "UMWELT_CONTROL_FD=%d", plan->channel_as);
	}
	if (plan->words.failed || plan->temp.failed)
		return no_memory(err);
	if (channel > 1)
		own[count++] = plan->words.data;
	if (plan->channel_as)
		own[count++] = plan->words.data + channel;
	return environment_build(&plan->process->provider->env, plan->spec, own, count,
	                         &plan->environment, err);
}

int plan_program(struct plan *plan, struct uw_error *err)
{
	const char *name = plan->spec->program ? plan->spec->program : plan->spec->argv[0];
	if (name[0] != '/')
		return resolve_program(&plan->environment, view_of(plan), name, &plan->program, err);
	/* exec itself says whether it is there, in the place where it will run */
	uw_buf_text(&plan->program, name);
	return plan->program.failed ? no_memory(err) : 0;
}

static int cwd_invalid(struct plan *plan, int os_errno, const char *why, struct uw_error *err)
{
	int r = uw_fail(err, UW_E_CWD_INVALID, UW_STAGE_SPAWN, UW_EFFECT_NONE, os_errno,
	                "the working directory %s %s", plan->cwd_shown, why);
	uw_error_detail(err, "path", plan->cwd_shown, strlen(plan->cwd_shown));
	return r;
}

static int open_workspace(struct plan *plan, const struct uw_policy *policy, struct uw_error *err)
{
	struct stat st;
	plan->cwd_shown = policy->workspace.path;
	if (policy->workspace_dir && policy->workspace_dir->fd >= 0) {
		plan->cwd_fd = policy->workspace_dir->fd;
		return 0;
	}
	plan->cwd_fd =
	    plan_keep(plan, open(policy->workspace.path, O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (plan->cwd_fd < 0)
		return cwd_invalid(plan, errno, "cannot be opened", err);
	if ((policy->workspace.dev || policy->workspace.ino) &&
	    (fstat(plan->cwd_fd, &st) < 0 || (uint64_t)st.st_dev != policy->workspace.dev ||
	     (uint64_t)st.st_ino != policy->workspace.ino))
		return cwd_invalid(plan, ESTALE, "is another directory than the policy names", err);
	return 0;
}

int plan_cwd(struct plan *plan, struct uw_error *err)
{
	const struct uw_policy *policy = plan->call ? plan->call->policy : NULL;
	const struct uw_dir *dir = plan->spec->cwd;
	struct stat st;
	int r;
	plan->cwd_shown = "";
	if (dir) {
		plan->cwd_shown = dir->path ? dir->path : "";
		plan->cwd_fd = dir->fd;
		if (dir->fd < 0)
			return cwd_invalid(plan, EBADF, "belongs to another realm", err);
	} else if (policy && policy->workspace.path) {
		r = open_workspace(plan, policy, err);
		if (r < 0)
			return r;
	} else {
		return uw_fail(err, UW_E_CWD_INVALID, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
		               "no working directory was given and the policy has no workspace");
	}
	if (fstat(plan->cwd_fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return cwd_invalid(plan, ENOTDIR, "is not a directory", err);
	if (st.st_nlink == 0)
		return cwd_invalid(plan, ENOENT, "was deleted", err);
	/* inside a wrapper the handle is of another mount view: entered by path, compared by the handle */
	if (!plan_has_wrapper(plan) && !(plan->confined && plan->confined->view.count))
		return 0;
	r = view_inside(view_of(plan), plan->cwd_shown, &plan->cwd);
	if (plan->cwd.failed)
		return no_memory(err);
	return r < 0 ? cwd_invalid(plan, ENOENT, "is not visible inside the sandbox", err) : 0;
}

/* Standing numbers, and those that the sandbox's words name. */
static int map_fixed(struct plan *plan, int job, int control, struct uw_error *err)
{
	const struct uw_confined *confined = plan->confined;
	int launcher = plan->process->provider->host->executable(plan->process->provider->context,
	                                                         UW_PATH_LAUNCHER, err);
	if (launcher < 0)
		return err && err->code ? err->code : UW_E_LAUNCHER_FAILED;
	if (plan_map(plan, job, UW_LAUNCH_FD_JOB) < 0 || plan_map(plan, control, UW_LAUNCH_FD_CONTROL) < 0 ||
	    plan_map(plan, launcher, UW_LAUNCH_FD_SELF) < 0)
		return no_memory(err);
	for (size_t i = 0; confined && i < confined->pass_count; i++) {
		if (confined->passes[i].as < UW_LAUNCH_FD_FIRST ||
		    confined->passes[i].as > UW_LAUNCH_PASS_AS_MAX)
			return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
			               "the sandbox passes a descriptor as %d", confined->passes[i].as);
		if (plan_map(plan, confined->passes[i].fd, confined->passes[i].as) < 0)
			return no_memory(err);
	}
	return 0;
}

static void job_limits(struct plan *plan)
{
	const struct uw_limits *limits = &plan->spec->limits;
	uint64_t core = limits->core_set ? limits->core_bytes : 0;
	/* the soft limit sends XCPU, the hard one a second later KILL */
	if (limits->cpu_s)
		uw_job_limit(&plan->job, RLIMIT_CPU, limits->cpu_s, limits->cpu_s + 1);
	if (limits->address_space)
		uw_job_limit(&plan->job, RLIMIT_AS, limits->address_space, limits->address_space);
	if (limits->open_files)
		uw_job_limit(&plan->job, RLIMIT_NOFILE, limits->open_files, limits->open_files);
	if (limits->file_size)
		uw_job_limit(&plan->job, RLIMIT_FSIZE, limits->file_size, limits->file_size);
	uw_job_limit(&plan->job, RLIMIT_CORE, core, core);
}

static int job_descriptors(struct plan *plan, struct uw_error *err)
{
	int number = plan_pass(plan, plan->cwd_fd);
	if (number < 0)
		return no_memory(err);
	uw_job_cwd(&plan->job, number, plan->cwd.len ? plan->cwd.data : NULL);
	for (size_t i = 0; i < plan->spec->pass_count; i++) {
		number = plan_pass(plan, plan->spec->passes[i].fd);
		if (number < 0)
			return no_memory(err);
		uw_job_pass(&plan->job, number, plan->spec->passes[i].as);
	}
	return 0;
}

static int job_channel(struct plan *plan, struct uw_error *err)
{
	int pair[2], number;
	if (!plan->channel_as)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return uw_fail(err, UW_E_SPAWN_FAILED, UW_STAGE_SPAWN, UW_EFFECT_NONE, errno,
		               "cannot make the control channel");
	plan->process->channel_fd = pair[0];
	number = plan_pass(plan, plan_keep(plan, pair[1]));
	if (number < 0)
		return no_memory(err);
	uw_job_pass(&plan->job, number, plan->channel_as);
	return 0;
}

static int job_profile(struct plan *plan, struct uw_error *err)
{
	struct uw_job_fault fault = {"", 0};
	if (!plan->confined || !plan->confined->profile_len)
		return 0;
	if (uw_job_profile(&plan->job, plan->confined->profile, plan->confined->profile_len, &fault) == 0)
		return 0;
	return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
	               "the sandbox wrote a malformed profile (%s at byte %zu)", fault.why, fault.at);
}

static int make_control(struct plan *plan, int *ret_child_end, struct uw_error *err)
{
	int pair[2], on = 1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return uw_fail(err, UW_E_SPAWN_FAILED, UW_STAGE_SPAWN, UW_EFFECT_NONE, errno,
		               "cannot make the launcher's socket");
	plan->process->control_fd = pair[0];
	*ret_child_end = plan_keep(plan, pair[1]);
	if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0)
		return uw_fail(err, UW_E_SPAWN_FAILED, UW_STAGE_SPAWN, UW_EFFECT_NONE, errno,
		               "cannot ask for the launcher's pid");
	return 0;
}

static int seal(struct plan *plan, int *ret_fd, struct uw_error *err)
{
	struct uw_job_fault fault = {"it is too large", 0};
	uw_job_end(&plan->job);
	if (uw_job_seal(&plan->job, ret_fd, &fault) == 0)
		return (void)plan_keep(plan, *ret_fd), 0;
	if (errno == EINVAL || errno == E2BIG)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_SPAWN, UW_EFFECT_NONE, errno,
		               "the command cannot be passed on: %s", fault.why);
	return uw_fail(err, UW_E_SPAWN_FAILED, UW_STAGE_SPAWN, UW_EFFECT_NONE, errno,
	               "cannot write the launcher's job");
}

int plan_job(struct plan *plan, struct uw_error *err)
{
	struct uw_launch_life life = {
	    .flags = plan->spec->pty ? UW_LAUNCH_LIFE_PTY : 0,
	    .umask = plan->spec->umask,
	    .host_grace_ms = 300,
	};
	int job = -1, control = -1, r;
	uw_job_text(&plan->job, UW_LAUNCH_EXEC, plan->program.data);
	uw_job_words(&plan->job, UW_LAUNCH_ARGV, plan->spec->argv);
	uw_job_words(&plan->job, UW_LAUNCH_ENV, plan->environment.words);
	r = job_descriptors(plan, err);
	if (r == 0)
		r = job_channel(plan, err);
	if (r < 0)
		return r;
	job_limits(plan);
	uw_job_life(&plan->job, &life);
	r = job_profile(plan, err);
	if (r == 0)
		r = seal(plan, &job, err);
	if (r == 0)
		r = make_control(plan, &control, err);
	return r < 0 ? r : map_fixed(plan, job, control, err);
}
