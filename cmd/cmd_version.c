/* umwelt version */
#include "cmd/commands.h"
#include "cmd/json.h"

static int run(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	if (cmd_wants_json(in)) {
		json_t *object = json_object();
		(void)cmd_json_string(object, "version", uw_version_string());
		(void)cmd_json_integer(object, "abi_major", UW_ABI_MAJOR);
		return cmd_answer(in, object, err);
	}
	uw_buf_printf(&text, "umwelt %s (ABI %u)\n", uw_version_string(), UW_ABI_MAJOR);
	return cmd_write_buf(&text, err);
}

const struct command cmd_version = {
    .name = "version",
    .operands = "",
    .summary = "Print the version",
    .options = CMD_BIT(JSON) | CMD_BIT(STATUS_FD) | CMD_BIT(HELP),
    .run = run,
};
