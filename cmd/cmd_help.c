/* umwelt help [COMMAND], and the hidden helper of the completions. */
#include "cmd/commands.h"

static int show(struct invocation *in, void (*add)(struct uw_buf *, const struct command *),
                struct uw_error *err)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	const struct command *command = NULL;
	if (in->arguments.operand_count) {
		command = cmd_find(in->arguments.operands[0]);
		if (!command)
			return cmd_misuse(err, "there is no command \"%s\"; umwelt --help lists them",
			               in->arguments.operands[0]);
	}
	add(&text, command);
	return cmd_write_buf(&text, err);
}

static int run_help(struct invocation *in, struct uw_error *err)
{
	return show(in, cmd_help, err);
}

static int run_complete(struct invocation *in, struct uw_error *err)
{
	return show(in, cmd_completion_words, err);
}

const struct command cmd_help_command = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "Show the help of a command",
    .options = CMD_BIT(HELP),
    .max_operands = 1,
    .run = run_help,
};

/* no summary: shown nowhere */
const struct command cmd_complete = {
    .name = "__complete",
    .operands = "[COMMAND]",
    .summary = "",
    .options = CMD_BIT(HELP),
    .max_operands = 1,
    .run = run_complete,
};
