/* Help and completion words, from the tables of commands and options. */
#include <string.h>

#include "cmd/cmd.h"

const struct command *cmd_find(const char *name)
{
	for (size_t i = 0; cmd_commands[i]; i++)
		if (!strcmp(cmd_commands[i]->name, name))
			return cmd_commands[i];
	return NULL;
}

static void pad(struct uw_buf *buf, size_t from, size_t width)
{
	size_t used = buf->len - from;
	do
		uw_buf_byte(buf, ' ');
	while (++used < width);
}

static void add_options(struct uw_buf *buf, uint64_t options)
{
	for (size_t i = 0; i < CMD_OPTION_COUNT; i++) {
		const struct cmd_option_facts *facts = cmd_option_facts((enum cmd_option)i);
		size_t from = buf->len;
		if (!(options & (UINT64_C(1) << i)))
			continue;
		if (facts->letter)
			uw_buf_printf(buf, "  -%c, --%s", facts->letter, facts->name);
		else
			uw_buf_printf(buf, "      --%s", facts->name);
		if (facts->argument)
			uw_buf_printf(buf, " %s", facts->argument);
		pad(buf, from, 28);
		uw_buf_printf(buf, "%s%s\n", facts->help, facts->many ? " (may repeat)" : "");
	}
}

static void program_help(struct uw_buf *buf)
{
	uw_buf_text(buf, "usage: umwelt [options] COMMAND [options] ...\n\n"
	                 "One coherent world for an agent: what it reads, what it writes, where its processes\n"
	                 "run and what confines them are one place.\n\ncommands:\n");
	for (size_t i = 0; cmd_commands[i]; i++) {
		size_t from = buf->len;
		if (!cmd_commands[i]->summary[0])
			continue;
		uw_buf_printf(buf, "  %s", cmd_commands[i]->name);
		pad(buf, from, 14);
		uw_buf_printf(buf, "%s\n", cmd_commands[i]->summary);
	}
	uw_buf_text(buf, "\noptions before the command:\n");
	add_options(buf, CMD_COMMON | CMD_BIT(VERSION));
	uw_buf_text(buf, "\n`umwelt COMMAND --help` shows more, `umwelt explain CODE` what an error means;\n"
	                 "umwelt(1) tells all.\n");
}

void cmd_help(struct uw_buf *buf, const struct command *command)
{
	if (!command) {
		program_help(buf);
		return;
	}
	uw_buf_printf(buf, "usage: umwelt %s [options]%s%s\n\n%s.\n", command->name,
	              command->operands[0] ? " " : "", command->operands, command->summary);
	if (command->about)
		uw_buf_printf(buf, "\n%s\n", command->about);
	uw_buf_text(buf, "\noptions:\n");
	add_options(buf, command->options);
}

void cmd_completion_words(struct uw_buf *buf, const struct command *command)
{
	uint64_t options = command ? command->options : CMD_COMMON | CMD_BIT(VERSION);
	for (size_t i = 0; !command && cmd_commands[i]; i++)
		if (cmd_commands[i]->summary[0])
			uw_buf_printf(buf, "%s\n", cmd_commands[i]->name);
	for (size_t i = 0; i < CMD_OPTION_COUNT; i++)
		if (options & (UINT64_C(1) << i)) {
			const struct cmd_option_facts *facts = cmd_option_facts((enum cmd_option)i);
			uw_buf_printf(buf, "--%s%s\n", facts->name, facts->argument ? "=" : "");
		}
}
