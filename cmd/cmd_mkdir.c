/* umwelt mkdir PATH... */
#include "cmd/commands.h"
#include "cmd/json.h"

static int make_one(struct invocation *in, const struct uw_fs *fs, const char *path, struct uw_error *err)
{
	UW_AUTO_TARGET target = NULL;
	uint32_t flags = cmd_given(&in->arguments, CMD_PARENTS) ? UW_MKDIR_PARENTS : 0;
	int r = cmd_resolve(in, path, 0, &target, err);
	return r < 0 ? r : fs->v->mkdir(fs->self, &in->call, target, flags, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	const struct uw_fs *fs = NULL;
	json_t *object;
	int r = cmd_open(in, err);
	if (r == 0)
		r = cmd_fs(in, &fs, err);
	for (size_t i = 0; r == 0 && i < in->arguments.operand_count; i++)
		r = make_one(in, fs, in->arguments.operands[i], err);
	if (r < 0 || !cmd_wants_json(in))
		return r;
	object = json_object();
	(void)cmd_json_string(object, "operation", "mkdir");
	(void)cmd_json_unsigned(object, "made", in->arguments.operand_count);
	return cmd_answer(in, object, err);
}

const struct command cmd_mkdir = {
    .name = "mkdir",
    .operands = "PATH...",
    .summary = "Make directories",
    .about = "With -p a directory that is there already is no error.",
    .options = CMD_COMMON | CMD_BIT(PARENTS),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
};
