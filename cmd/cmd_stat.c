/* umwelt stat PATH */
#include <inttypes.h>

#include "cmd/commands.h"
#include "cmd/entry.h"

static int run(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_TARGET target = NULL;
	UW_AUTO_BUF text = UW_BUF_INIT;
	char version[UW_VERSION_TEXT_SIZE];
	struct uw_stat stat;
	int r = cmd_open(in, err);
	if (r == 0)
		r = cmd_resolve(in, in->arguments.operands[0], 0, &target, err);
	if (r == 0)
		r = cmd_stat(in, target, 1, &stat, err);
	if (r < 0)
		return r;
	uw_version_format(&stat.version, version);
	if (cmd_wants_json(in)) {
		json_t *object = cmd_stat_json(&stat);
		(void)cmd_json_string(object, "path", in->arguments.operands[0]);
		(void)cmd_json_text(object, "key", target->key.data, target->key.len);
		(void)cmd_json_string(object, "version", version);
		r = cmd_answer(in, object, err);
	}
	if (r < 0 || in->json)
		return r;
	uw_buf_text(&text, "path:        ");
	cmd_text_show(&text, target->key.data, target->key.len, NULL);
	uw_buf_printf(&text, "\ntype:        %s\npermissions: %04o\nsize:        %" PRIu64 "\n",
	              cmd_type_name(stat.type), (unsigned)stat.mode, stat.file_size);
	uw_buf_printf(&text, "owner:       %u:%u\nlinks:       %" PRIu64 "\nmodified:    ", (unsigned)stat.uid,
	              (unsigned)stat.gid, stat.links);
	cmd_time_text(&text, stat.mtime_ns);
	uw_buf_printf(&text, "\nversion:     %s\n", version);
	return cmd_write_buf(&text, err);
}

const struct command cmd_stat_path = {
    .name = "stat",
    .operands = "PATH",
    .summary = "Print the facts of a path",
    .about = "Links are followed. The path printed is the canonical one.",
    .options = CMD_COMMON,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
