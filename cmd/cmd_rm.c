/* umwelt rm PATH...: each in turn; the first failure stops. */
#include "cmd/commands.h"
#include "cmd/json.h"

static int remove_one(struct invocation *in, const struct uw_fs *fs, const char *path, struct uw_error *err)
{
	UW_AUTO_TARGET target = NULL;
	uint32_t flags = cmd_given(&in->arguments, CMD_RECURSIVE) ? UW_REMOVE_RECURSIVE : 0;
	int r = cmd_resolve(in, path, UW_RESOLVE_NOFOLLOW, &target, err);
	return r < 0 ? r : fs->v->remove(fs->self, &in->call, target, flags, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	const struct uw_fs *fs = NULL;
	json_t *object;
	int r = cmd_open(in, err);
	if (r == 0)
		r = cmd_fs(in, &fs, err);
	for (size_t i = 0; r == 0 && i < in->arguments.operand_count; i++) {
		r = remove_one(in, fs, in->arguments.operands[i], err);
		if (r < 0 && i > 0 && err->effect == UW_EFFECT_NONE)
			cmd_note("note", "removed before that: %zu of %zu", i, in->arguments.operand_count);
	}
	if (r < 0 || !cmd_wants_json(in))
		return r;
	object = json_object();
	(void)cmd_json_string(object, "operation", "rm");
	(void)cmd_json_unsigned(object, "removed", in->arguments.operand_count);
	return cmd_answer(in, object, err);
}

const struct command cmd_rm = {
    .name = "rm",
    .operands = "PATH...",
    .summary = "Remove files, or directories",
    .about = "A link is removed, not what it leads to. A directory must be empty, or -r be given.",
    .options = CMD_COMMON | CMD_BIT(RECURSIVE),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
};
