/* The descriptors of all commands: one per file cmd_NAME.c, the unbuilt ones in cmd_later.c. */
#ifndef UW_CMD_COMMANDS_H
#define UW_CMD_COMMANDS_H

#include "cmd/cmd.h"

extern const struct command cmd_run, cmd_sh, cmd_read, cmd_write, cmd_edit, cmd_ls, cmd_stat_path, cmd_rm,
    cmd_mv, cmd_mkdir, cmd_check, cmd_schema, cmd_doctor, cmd_plugins, cmd_explain, cmd_version, cmd_help_command,
    cmd_complete;

/* cmd_later.c */
extern const struct command cmd_glob, cmd_grep, cmd_session, cmd_world, cmd_trace, cmd_guard,
    cmd_approve, cmd_mcp, cmd_term, cmd_lsp, cmd_new_plugin;

#endif
