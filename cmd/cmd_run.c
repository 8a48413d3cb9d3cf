/* umwelt run CMD...: one command, by its words; no shell. */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/process.h"

struct spawn {
	const struct uw_subprocess *subprocess;
	struct uw_spawn spec;
};

static int start(void *arg, const struct uw_call *call, const struct uw_stdio stdio[3],
                 const struct uw_pty *pty, struct uw_process **ret_process, struct uw_error *err)
{
	struct spawn *spawn = arg;
	memcpy(spawn->spec.stdio, stdio, sizeof spawn->spec.stdio);
	spawn->spec.pty = pty;
	return spawn->subprocess->v->spawn(spawn->subprocess->self, call, &spawn->spec, ret_process, err);
}

/*
 * A CMD with a slash starts at the working directory of the command, as a shell
 * would take it (P-2: the service itself refuses relative paths). In program: the
 * absolute path, or nothing for a bare or absolute name.
 */
static int find_program(struct invocation *in, struct uw_buf *program, struct uw_error *err)
{
	const char *name = in->arguments.operands[0], *cwd = in->arguments.value[CMD_CWD];
	UW_AUTO_TARGET base = NULL;
	const struct uw_fs *fs = NULL;
	int r;
	if (name[0] == '/' || !strchr(name, '/'))
		return 0;
	r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = cmd_resolve(in, cwd ? cwd : ".", 0, &base, err);
	if (r == 0)
		r = fs->v->process_path(fs->self, &in->call, base, cmd_sink_buf(program), err);
	if (r < 0)
		return r;
	uw_buf_byte(program, '/');
	uw_buf_text(program, name);
	if (program->failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SNAPSHOT, UW_EFFECT_NONE, 0, "no memory");
	return 0;
}

static int perform(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_DIR cwd = NULL;
	UW_AUTO_BUF program = UW_BUF_INIT;
	struct spawn spawn = {.spec = {.size = sizeof spawn.spec}};
	struct cmd_start how = {.start = start, .arg = &spawn};
	int r = cmd_process_options(&in->arguments, &how.timeout_ms, err);
	if (r == 0 && !in->arguments.operands[0][0])
		r = cmd_misuse(err, "the command's name is empty");
	if (r == 0)
		r = cmd_open(in, err);
	if (r == 0)
		r = cmd_subprocess(in, &spawn.subprocess, err);
	if (r == 0)
		r = cmd_process_cwd(in, &cwd, err);
	if (r == 0)
		r = find_program(in, &program, err);
	if (r < 0)
		return r;
	spawn.spec.argv = in->arguments.operands;
	spawn.spec.program = program.len ? program.data : NULL;
	spawn.spec.cwd = cwd;
	spawn.spec.env_set = (const char *const *)in->arguments.many[CMD_ENV];
	spawn.spec.umask = 0xffffffff;
	return cmd_process_run(in, &how, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	return cmd_process_told(in, perform(in, err), err);
}

const struct command cmd_run = {
    .name = "run",
    .operands = "[--] CMD [ARG...]",
    .summary = "Run a command, confined as the bundle says",
    .about = "The exit status is the command's own: 128+n if signal n ended it, 127 or 126 if it was not\n"
             "found or not executable. Umwelt's own are 120 usage or configuration, 121 world refused,\n"
             "122 refused by policy, 123 sandbox unavailable, 124 timed out or cancelled, 125 internal;\n"
             "--json and --status-fd tell them apart from the command's.",
    .options = CMD_COMMON | CMD_PROCESS_OPTIONS,
    .order = CMD_OPTIONS_FIRST,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .runs = 1,
    .run = run,
};
