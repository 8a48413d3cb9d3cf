/*
 * The suite with a real wrapper around the launcher: bwrap with a PID namespace
 * and a view. What a sandbox provider would contribute is written down here by
 * hand; the plugins' own pairing is tested through the world.
 */
#include "common/launch_job.h"
#include "local.h"
#include "tests/unit.h"

UW_NEEDS_THE_MACHINE;

static struct uw_subprocess_v1 confining;
static struct uw_subprocess confined_handle;
static struct uw_confined confined;
static struct uw_buf profile;
static struct uw_view_entry view[1];
static const char *wrapper[24];

static int spawn_confined(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
                          struct uw_process **ret_process, struct uw_error *err)
{
	const struct uw_subprocess_v1 *plain = uw_plugin_entry()->provides[0].interface_table;
	struct uw_spawn changed = *spawn;
	changed.confined = &confined;
	return plain->spawn(self, call, &changed, ret_process, err);
}

static void add_words(const char *const *words)
{
	size_t count = 0;
	while (wrapper[count])
		count++;
	while (*words)
		wrapper[count++] = *words++;
	confined.wrapper_count = count;
}

static void open_confined(struct subprocess_suite *given)
{
	struct uw_launch_confine confine = {.flags = UW_LAUNCH_PID1};
	struct local *local;
	local_open(given);
	local = given->arg;
	add_words((const char *const[]){"/usr/bin/bwrap", "--unshare-pid", "--unshare-ipc", "--as-pid-1",
	                                "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", NULL});
	add_words((const char *const[]){"--bind", local->temp, "/tmp", "--bind", local->workspace,
	                                local->workspace, "--", NULL});
	uw_job_confine(&profile, &confine);
	view[0] = (struct uw_view_entry){"/tmp", local->temp, 1, 0};
	confined.size = sizeof confined;
	confined.wrapper = wrapper;
	confined.profile = profile.data;
	confined.profile_len = profile.len;
	confined.view = (struct uw_view){view, 1};
	confined.backend = "bwrap";
	confined.pid_namespace = 1;
	confining = *given->service->v;
	confining.spawn = spawn_confined;
	confined_handle = (struct uw_subprocess){&confining, given->service->self};
	given->service = &confined_handle;
	given->pid_namespace = 1;
}

int main(void)
{
	return local_main("subprocess-local/service, bwrap", open_confined);
}
