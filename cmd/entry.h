/* What stat and ls print of a thing. */
#ifndef UW_CMD_ENTRY_H
#define UW_CMD_ENTRY_H

#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/text.h"

/* "file", "directory", "symlink", ... Static memory. */
const char *cmd_type_name(int type);
/* {type, mode, bytes, ...}; NULL without memory. */
json_t *cmd_stat_json(const struct uw_stat *stat);
/* RFC 3339 in UTC, with nanoseconds. */
void cmd_time_text(struct uw_buf *buf, int64_t time_ns);

#endif
