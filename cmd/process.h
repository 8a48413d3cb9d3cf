/*
 * Running one command to its end for `run` and `sh`: streams, signals, terminal,
 * verdict, exit status, and the object of C-72.
 */
#ifndef UW_CMD_PROCESS_H
#define UW_CMD_PROCESS_H

#include "cmd/cmd.h"

/* How a command is started: by spawn, or through the shell service. */
struct cmd_start {
	int (*start)(void *arg, const struct uw_call *call, const struct uw_stdio stdio[3],
	             const struct uw_pty *pty, struct uw_process **ret_process, struct uw_error *err);
	void *arg;
	uint64_t timeout_ms; /* 0: none; binds the call's deadline */
};

#define CMD_REQUEST_SIZE 33

/* One command's run. Zeroed at first. */
struct cmd_process {
	const struct uw_subprocess *subprocess;
	struct uw_process *process;
	struct uw_exit exit;
	int started;
	int collected[3];               /* by stream: its text is in the result */
	char request[CMD_REQUEST_SIZE]; /* set if JSON is wanted */
};

/* Options that run and sh share. */
#define CMD_PROCESS_OPTIONS                                                                      \
	(CMD_BIT(CWD) | CMD_BIT(TIMEOUT) | CMD_BIT(ENV) | CMD_BIT(ASK) | CMD_BIT(APPROVAL))

/* Checks and reads --timeout, --env, --ask, --approval; before anything is opened. */
int cmd_process_options(const struct cmd_arguments *given, uint64_t *ret_timeout_ms, struct uw_error *err);
/* The directory the command starts in: --cwd, else the current one, else NULL (the workspace). */
int cmd_process_cwd(struct invocation *in, struct uw_dir **ret_dir, struct uw_error *err);
void cmd_dir_release(struct uw_dir **dir);
#define UW_AUTO_DIR __attribute__((cleanup(cmd_dir_release))) struct uw_dir *

/* Starts it, waits for its end and disposes of it; answers, if JSON is wanted. The exit status. */
int cmd_process_run(struct invocation *in, const struct cmd_start *start, struct uw_error *err);

/*
 * Passes r on, having answered with the object of C-72 if JSON is wanted and
 * nothing was answered yet: what failed before the start has that form too.
 */
int cmd_process_told(struct invocation *in, int r, const struct uw_error *err);

/* result.c: the object of C-72. error NULL: none. NULL without memory. */
json_t *cmd_result_json(struct invocation *in, struct cmd_process *process, const struct uw_error *error);

#endif
