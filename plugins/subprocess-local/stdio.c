/*
 * Dispositions of stdin, stdout and stderr (P-4). Without a wrapper the launcher
 * gets them as its own 0, 1 and 2. A wrapper stays beside the command and would
 * hold them: it gets /dev/null, and a pipe for what it has to say itself, which
 * the command never has; the command's own come by number (launch.h, PASS).
 */
#include "plan.h"

#include "common/cleanup.h"
#include "common/io.h"
#include "common/launch_job.h"
#include "copier.h"
#include "pty.h"

#include <fcntl.h>
#include <sys/mman.h>

static int failed(struct uw_error *err, int os_errno, const char *what)
{
	return uw_fail(err, UW_E_SPAWN_FAILED, UW_STAGE_SPAWN, UW_EFFECT_NONE, os_errno, "cannot make %s",
	               what);
}

static int make_pipe(struct plan *plan, int which, int *ret_child, int *ret_host, struct uw_error *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return failed(err, errno, "a pipe");
	*ret_child = plan_keep(plan, which == 0 ? ends[0] : ends[1]);
	*ret_host = which == 0 ? ends[1] : ends[0];
	return 0;
}

static void set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static int collect(struct plan *plan, int which, int host_end, struct uw_error *err)
{
	struct stream *stream = &plan->process->streams[which - 1];
	const struct uw_collect *wish = &plan->spec->stdio[which].collect;
	const struct uw_policy *policy = plan->call ? plan->call->policy : NULL;
	stream->collects = 1;
	stream->fd = host_end;
	stream->is_pty = plan->spec->pty != NULL;
	stream->copy_to = wish->copy_fd;
	collector_init(&stream->collector, wish->head, wish->tail);
	if (!stream->is_pty)
		set_nonblocking(host_end);
	if (policy && plan->temp.len && wish->spill_max &&
	    spill_setup(&stream->spill, wish->spill_max, &policy->temp, plan->temp.data,
	                which == 1 ? "out" : "err") < 0)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0, "no memory for a file name");
	return 0;
}

/* Anonymous memory with the data: any length, nobody has to feed it, and it ends. */
static int data_file(struct plan *plan, struct uw_bytes data, int *ret_child, struct uw_error *err)
{
	int fd = plan_keep(plan, memfd_create("umwelt-stdin", MFD_CLOEXEC));
	if (fd < 0 || uw_write_full(fd, data.data, data.len) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return failed(err, errno, "a file for stdin");
	*ret_child = fd;
	return 0;
}

/* Short data goes into a pipe, as a command expects it. */
static int make_data(struct plan *plan, struct uw_bytes data, int *ret_child, struct uw_error *err)
{
	int host = -1, r;
	if (data.len > 4096)
		return data_file(plan, data, ret_child, err);
	r = make_pipe(plan, 0, ret_child, &host, err);
	if (r == 0 && uw_write_full(host, data.data, data.len) < 0)
		r = failed(err, errno, "a pipe for stdin");
	uw_fd_close(&host);
	return r;
}

static int open_one(struct plan *plan, int which, int *ret_child, struct uw_error *err)
{
	const struct uw_stdio *stdio = &plan->spec->stdio[which];
	int host = -1, r;
	*ret_child = plan->process->provider->null_fd;
	switch (stdio->kind) {
	case UW_STDIO_INHERIT:
		if (fcntl(which, F_GETFD) >= 0)
			*ret_child = which;
		return 0;
	case UW_STDIO_FD: *ret_child = stdio->fd; return 0;
	case UW_STDIO_DATA: return make_data(plan, stdio->data, ret_child, err);
	case UW_STDIO_PIPE: return make_pipe(plan, which, ret_child, &plan->process->io[which], err);
	case UW_STDIO_COLLECT:
		r = make_pipe(plan, which, ret_child, &host, err);
		return r < 0 ? r : collect(plan, which, host, err);
	default: return 0;
	}
}

static int open_pty(struct plan *plan, int child[3], struct uw_error *err)
{
	int slave = -1, r = pty_open(*plan->spec->pty, &plan->process->pty_fd, &slave);
	if (r)
		return failed(err, r, "a terminal");
	child[0] = child[1] = child[2] = plan_keep(plan, slave);
	if (plan->spec->stdio[1].kind != UW_STDIO_COLLECT)
		return 0;
	return collect(plan, 1, plan->process->pty_fd, err);
}

static int map_stdio(struct plan *plan, const int child[3], int as_it_is, struct uw_error *err)
{
	for (int i = 0; i < 3; i++) {
		int number;
		number = as_it_is ? plan_map(plan, child[i], i) : plan_pass(plan, child[i]);
		if (number < 0)
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
			               "no memory for the command's descriptors");
		if (!as_it_is)
			uw_job_pass(&plan->job, number, i);
	}
	return 0;
}

int plan_stdio(struct plan *plan, struct uw_error *err)
{
	int child[3] = {-1, -1, -1}, wrapper[3], r = 0;
	if (plan->spec->pty)
		r = open_pty(plan, child, err);
	for (int i = 0; i < 3 && r == 0 && !plan->spec->pty; i++)
		r = open_one(plan, i, &child[i], err);
	if (r < 0)
		return r;
	if (!plan_has_wrapper(plan))
		return map_stdio(plan, child, 1, err);
	wrapper[0] = wrapper[1] = plan->process->provider->null_fd;
	r = make_pipe(plan, 2, &wrapper[2], &plan->capture_fd, err);
	if (r < 0)
		return r;
	set_nonblocking(plan->capture_fd);
	r = map_stdio(plan, wrapper, 1, err);
	return r < 0 ? r : map_stdio(plan, child, 0, err);
}
