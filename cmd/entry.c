/* What stat and ls print of a thing. */
#include "cmd/entry.h"

#include <time.h>

const char *cmd_type_name(int type)
{
	static const char *const names[] = {"absent",  "file", "directory", "symlink",
	                                    "fifo", "socket", "character device", "block device"};
	return type >= 0 && (size_t)type < UW_COUNT(names) ? names[type] : "unknown";
}

void cmd_time_text(struct uw_buf *buf, int64_t time_ns)
{
	int64_t rest = time_ns % 1000000000;
	time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm utc;
	char text[64];
	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	}
	if (!gmtime_r(&seconds, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc)) {
		uw_buf_printf(buf, "@%lld", (long long)seconds);
		return;
	}
	uw_buf_printf(buf, "%s.%09dZ", text, (int)rest);
}

json_t *cmd_stat_json(const struct uw_stat *stat)
{
	UW_AUTO_BUF modified = UW_BUF_INIT;
	json_t *object = json_object();
	char mode[8];
	(void)snprintf(mode, sizeof mode, "%04o", (unsigned)(stat->mode & 07777));
	cmd_time_text(&modified, stat->mtime_ns);
	(void)cmd_json_string(object, "type", cmd_type_name(stat->type));
	(void)cmd_json_string(object, "mode", mode);
	(void)cmd_json_unsigned(object, "bytes", stat->file_size);
	(void)cmd_json_unsigned(object, "uid", stat->uid);
	(void)cmd_json_unsigned(object, "gid", stat->gid);
	(void)cmd_json_unsigned(object, "links", stat->links);
	(void)cmd_json_unsigned(object, "dev", stat->dev);
	(void)cmd_json_unsigned(object, "ino", stat->ino);
	(void)cmd_json_string(object, "modified", modified.data);
	return object;
}
