/*
 * umwelt-scan NAME PATH: loads one plugin and prints its descriptor (or why it is
 * refused) as core/scan_answer.h says, then ends. It runs as a child of the host,
 * so that a plugin which crashes does so here (C-3, C-7). Whoever starts it has
 * checked the file; it is a safeguard against accidents, not a sandbox.
 *
 * Exit status: 0 if an answer was printed, 120 for wrong usage, 125 else. A
 * plugin's own output goes nowhere.
 */
#include "common/cleanup.h"
#include "common/io.h"
#include "core/descriptor.h"
#include "core/scan_answer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Keeps stdout for the answer alone; the plugin's constructors get /dev/null. */
static int take_stdout(void)
{
	int answer = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (answer < 0 || null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -1;
	return answer;
}

/* A crash here is an answer of its own; nobody needs its memory (1: not even a handler by pipe). */
static void limit_self(void)
{
	const struct rlimit none = {1, 1};
	(void)setrlimit(RLIMIT_CORE, &none);
}

static int scan(const char *name, const char *path, struct uw_buf *out)
{
	UW_AUTO_ARENA arena = UW_ARENA_INIT;
	struct uw_error err = UW_ERROR_INIT;
	struct uw_plugin plugin;
	uw_plugin_entry_fn *entry;
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!handle) {
		const char *reason = dlerror();
		uw_fail(&err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		        "plugin %s could not be loaded: %s", path, reason ? reason : "no reason given");
		uwi_scan_write_refusal(out, &err);
		return 0;
	}
	*(void **)&entry = dlsym(handle, UW_PLUGIN_ENTRY_NAME);
	if (!entry)
		uw_fail(&err, UW_E_PLUGIN_INVALID, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		        "plugin %s does not export %s; is it a plugin?", path, UW_PLUGIN_ENTRY_NAME);
	else
		(void)uwi_descriptor_copy(&arena, entry(), name, path, uwi_shapes, &plugin, &err);
	if (err.code)
		uwi_scan_write_refusal(out, &err);
	else
		uwi_scan_write(out, &plugin);
	return 0;
}

int main(int argc, char **argv)
{
	UW_AUTO_BUF out = UW_BUF_INIT;
	int answer;
	if (argc != 3 || argv[2][0] != '/') {
		(void)fprintf(stderr, "usage: umwelt-scan NAME /PATH/OF/PLUGIN.so\n");
		return 120;
	}
	limit_self();
	answer = take_stdout();
	if (answer < 0)
		return 125;
	(void)scan(argv[1], argv[2], &out);
	if (out.failed || uw_write_full(answer, out.data, out.len) < 0)
		return 125;
	/* no destructor of the plugin runs, and nothing of it can change the status */
	_exit(0);
}
