/* umwelt sh TEXT: a text for the world's shell. */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/process.h"

struct shell_start {
	const struct uw_shell *shell;
	struct uw_shell_request request;
};

static int start(void *arg, const struct uw_call *call, const struct uw_stdio stdio[3],
                 const struct uw_pty *pty, struct uw_process **ret_process, struct uw_error *err)
{
	struct shell_start *shell = arg;
	memcpy(shell->request.stdio, stdio, sizeof shell->request.stdio);
	shell->request.pty = pty;
	return shell->shell->v->start(shell->shell->self, call, &shell->request, ret_process, err);
}

static int perform(struct invocation *in, struct uw_error *err)
{
	const char *text = in->arguments.operands[0];
	UW_AUTO_DIR cwd = NULL;
	struct shell_start shell = {.request = {.size = sizeof shell.request}};
	struct cmd_start how = {.start = start, .arg = &shell};
	int r = cmd_process_options(&in->arguments, &shell.request.timeout_ms, err);
	if (r == 0)
		r = cmd_open(in, err);
	if (r < 0)
		return r;
	shell.shell = uw_world_shell(in->world, err);
	if (!shell.shell)
		return err->code < 0 ? err->code : UW_E_SERVICE_MISSING;
	r = cmd_process_cwd(in, &cwd, err);
	if (r < 0)
		return r;
	shell.request.text = (struct uw_bytes){text, strlen(text)};
	shell.request.cwd = cwd;
	shell.request.env_set = (const char *const *)in->arguments.many[CMD_ENV];
	return cmd_process_run(in, &how, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	return cmd_process_told(in, perform(in, err), err);
}

const struct command cmd_sh = {
    .name = "sh",
    .operands = "TEXT",
    .summary = "Run a text in the world's shell, confined as the bundle says",
    .about = "TEXT reaches the shell as it is, byte for byte. Exit statuses are those of run.",
    .options = CMD_COMMON | CMD_PROCESS_OPTIONS,
    .min_operands = 1,
    .max_operands = 1,
    .runs = 1,
    .run = run,
};
