/*
 * The table of commands, and the way from argv to one of them: options before
 * the name, the name, options and operands after it, run, close.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/json.h"

const struct command *const cmd_commands[] = {
    &cmd_run,    &cmd_sh,       &cmd_read,    &cmd_write,   &cmd_edit,     &cmd_ls,     &cmd_stat_path,
    &cmd_rm,     &cmd_mv,       &cmd_mkdir,   &cmd_glob,    &cmd_grep,     &cmd_check,  &cmd_doctor,
    &cmd_plugins, &cmd_explain, &cmd_schema,  &cmd_session, &cmd_world,    &cmd_trace,  &cmd_guard,
    &cmd_approve, &cmd_mcp,     &cmd_term,    &cmd_lsp,     &cmd_new_plugin, &cmd_help_command,
    &cmd_version, &cmd_complete, NULL,
};

/*
 * Descriptors 0 to 2 are never free for something else to land on. A closed one
 * is opened so that its use fails as if it were still closed.
 */
static void occupy_standard_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* lowest free: fd itself */
}

static int check_status_fd(struct invocation *in, struct uw_error *err)
{
	const char *text = in->arguments.value[CMD_STATUS_FD];
	uint64_t number;
	int flags, r;
	if (!text)
		return 0;
	r = cmd_parse_number(text, "--status-fd", INT32_MAX, &number, err);
	if (r < 0)
		return r;
	flags = fcntl((int)number, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_CONFIG, UW_EFFECT_NONE, flags < 0 ? errno : 0,
		               "descriptor %s of --status-fd is not open for writing", text);
	/* no command gets it; 0 to 2 are the command's own */
	if (number > 2 && fcntl((int)number, F_SETFD, FD_CLOEXEC) < 0)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_CONFIG, UW_EFFECT_NONE, errno,
		               "descriptor %s of --status-fd: %s", text, strerror(errno));
	in->status_fd = (int)number;
	return 0;
}

static int no_command(const char *word, struct uw_error *err)
{
	const char *names[64], *meant;
	size_t count = 0;
	for (size_t i = 0; cmd_commands[i] && count < UW_COUNT(names); i++)
		if (cmd_commands[i]->summary[0])
			names[count++] = cmd_commands[i]->name;
	meant = cmd_nearest(word, names, count);
	if (meant)
		return cmd_misuse(err, "there is no command \"%s\"; did you mean %s?", word, meant);
	return cmd_misuse(err, "there is no command \"%s\"; umwelt --help lists them", word);
}

/* Options given before the name must be ones that the command takes. */
static int check_leading(const struct invocation *in, struct uw_error *err)
{
	for (size_t i = 0; i < CMD_OPTION_COUNT; i++)
		if (in->arguments.value[i] && !(in->command->options & (UINT64_C(1) << i)))
			return cmd_misuse(err, "%s takes no --%s", in->command->name,
			               cmd_option_facts((enum cmd_option)i)->name);
	return 0;
}

static int check_operands(const struct invocation *in, struct uw_error *err)
{
	const struct command *command = in->command;
	size_t count = in->arguments.operand_count;
	if (count >= command->min_operands && count <= command->max_operands)
		return 0;
	return cmd_misuse(err, "%s; usage: umwelt %s [options]%s%s",
	               count < command->min_operands ? "an operand is missing" : "there are too many operands",
	               command->name, command->operands[0] ? " " : "", command->operands);
}

static int parse(struct invocation *in, size_t argc, char **argv, struct uw_error *err)
{
	size_t used = 0;
	int r = cmd_options_parse(CMD_COMMON | CMD_BIT(VERSION), CMD_OPTIONS_FIRST, 0, argc, argv,
	                          &in->arguments, &used, err);
	in->json = cmd_given(&in->arguments, CMD_JSON);
	if (r < 0 || used == argc)
		return r;
	in->command = cmd_find(argv[used]);
	if (!in->command)
		return no_command(argv[used], err);
	r = check_leading(in, err);
	if (r == 0)
		r = cmd_options_parse(in->command->options, in->command->order, 1, argc - used - 1,
		                      argv + used + 1, &in->arguments, NULL, err);
	in->json = cmd_given(&in->arguments, CMD_JSON);
	if (r == 0)
		r = check_status_fd(in, err);
	if (r == 0 && !cmd_given(&in->arguments, CMD_HELP))
		r = check_operands(in, err);
	return r;
}

static int show_help(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	cmd_help(&text, in->command);
	return cmd_write_buf(&text, err);
}

static int perform(struct invocation *in, size_t argc, char **argv, struct uw_error *err)
{
	int r = parse(in, argc, argv, err);
	if (r < 0)
		return r;
	if (cmd_given(&in->arguments, CMD_HELP))
		return show_help(in, err);
	if (cmd_given(&in->arguments, CMD_VERSION))
		return cmd_version.run(in, err);
	if (!in->command)
		return cmd_misuse(err, "a command is missing; umwelt --help lists them");
	return in->command->run(in, err);
}

int cmd_main(int argc, char **argv)
{
	struct invocation in = {.status_fd = -1};
	struct uw_error err = UW_ERROR_INIT;
	int status;
	occupy_standard_fds();
	/* what cannot be written is an error of write(2); a started command gets the defaults back */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	cmd_json_start(malloc);
	status = perform(&in, argc > 0 ? (size_t)argc - 1 : 0, argv + (argc > 0), &err);
	if (status < 0)
		status = cmd_failed(&in, &err);
	cmd_close(&in);
	cmd_arguments_finish(&in.arguments);
	return status;
}
