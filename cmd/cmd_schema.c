/* umwelt schema: the JSON Schema of a bundle (C-14). */
#include "cmd/commands.h"

static int run(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	int r = cmd_open_host(in, err);
	if (r == 0)
		r = uw_host_schema(in->host, cmd_sink_buf(&text), err);
	return r < 0 ? r : cmd_write_buf(&text, err);
}

const struct command cmd_schema = {
    .name = "schema",
    .operands = "",
    .summary = "Print the JSON Schema of a bundle",
    .about = "For editors, which complete and check a bundle by it. It knows the keys of all plugins that\n"
             "`umwelt plugins` lists.",
    .options = CMD_BIT(CONFIG) | CMD_BIT(HELP),
    .run = run,
};
