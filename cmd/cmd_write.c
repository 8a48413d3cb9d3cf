/* umwelt write PATH: what comes on stdin becomes the file's content, in one step. */
#include "cmd/commands.h"
#include "cmd/wrote.h"

static int request_of(const struct invocation *in, struct uw_version *expected,
                      struct uw_write_request *request, struct uw_error *err)
{
	int given, r = cmd_if_version(in, expected, &given, err);
	if (r < 0)
		return r;
	if (given && cmd_given(&in->arguments, CMD_CREATE))
		return cmd_misuse(err, "--create and --if-version exclude each other");
	*request = (struct uw_write_request){.size = sizeof *request, .intent = UW_WRITE_UNCONDITIONAL};
	if (given) {
		request->intent = UW_WRITE_REPLACE;
		request->expected = expected;
	} else if (cmd_given(&in->arguments, CMD_CREATE)) {
		request->intent = UW_WRITE_CREATE;
	}
	if (cmd_given(&in->arguments, CMD_PARENTS))
		request->flags |= UW_WRITE_PARENTS;
	request->from_fd = STDIN_FILENO;
	return 0;
}

static int run(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_TARGET target = NULL;
	struct uw_write_request request;
	struct uw_write_result result = {.size = sizeof result, .after = UW_ERROR_INIT};
	struct uw_version expected;
	const struct uw_fs *fs = NULL;
	int r = request_of(in, &expected, &request, err);
	if (r == 0)
		r = cmd_open(in, err);
	if (r == 0)
		r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = cmd_resolve(in, in->arguments.operands[0], 0, &target, err);
	if (r == 0)
		r = fs->v->write(fs->self, &in->call, target, &request, &result, err);
	return r < 0 ? r : cmd_tell_written(in, "write", &result, err);
}

const struct command cmd_write = {
    .name = "write",
    .operands = "PATH",
    .summary = "Write standard input to a file",
    .about = "The file is replaced in one step, or created: at any time the old or the new content is\n"
             "there, whole. --create and --if-version narrow it.",
    .options = CMD_COMMON | CMD_BIT(CREATE) | CMD_BIT(IF_VERSION) | CMD_BIT(PARENTS),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
