/* umwelt mv FROM TO: rename; into a directory it is not moved, TO is the new name itself. */
#include "cmd/commands.h"
#include "cmd/json.h"

static int run(struct invocation *in, struct uw_error *err)
{
	const char *const *paths = in->arguments.operands;
	UW_AUTO_TARGET from = NULL;
	UW_AUTO_TARGET to = NULL;
	uint32_t flags = cmd_given(&in->arguments, CMD_NO_REPLACE) ? UW_RENAME_NOREPLACE : 0;
	const struct uw_fs *fs = NULL;
	json_t *object;
	int r = cmd_open(in, err);
	if (r == 0)
		r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = cmd_resolve(in, paths[0], UW_RESOLVE_NOFOLLOW, &from, err);
	if (r == 0)
		r = cmd_resolve(in, paths[1], UW_RESOLVE_NOFOLLOW, &to, err);
	if (r == 0)
		r = fs->v->rename(fs->self, &in->call, from, to, flags, err);
	if (r < 0 || !cmd_wants_json(in))
		return r;
	object = json_object();
	(void)cmd_json_string(object, "operation", "mv");
	(void)cmd_json_string(object, "from", paths[0]);
	(void)cmd_json_string(object, "to", paths[1]);
	return cmd_answer(in, object, err);
}

const struct command cmd_mv = {
    .name = "mv",
    .operands = "FROM TO",
    .summary = "Rename a file or directory",
    .about = "TO is the new name itself, also where it is a directory. A link is moved, not what it leads to.",
    .options = CMD_COMMON | CMD_BIT(NO_REPLACE),
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
