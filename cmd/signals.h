/*
 * Signals to the program while it runs a command: they arrive as bytes of a pipe,
 * to be relayed to the command, at once or when it has started. A second INT
 * cancels the command; before it has started a second INT, TERM, HUP or QUIT
 * cancels the start.
 *
 * A handler cannot be given an argument, so the two pipes are the one global
 * state of the program; started once per process.
 */
#ifndef UW_CMD_SIGNALS_H
#define UW_CMD_SIGNALS_H

#include <umwelt/error.h>

struct cmd_signals {
	int arrived; /* polls readable; cmd_signals_next takes them */
	int cancel;  /* polls readable once the command is to be cancelled */
};

/*
 * Takes INT, TERM, HUP, QUIT, USR1 and USR2, but those that are ignored (a
 * background job's, nohup's), and WINCH. The descriptors stay open until exit.
 */
int cmd_signals_start(struct cmd_signals *ret_signals, struct uw_error *err);
/* From here on all but INT are for the command alone. */
void cmd_signals_started(void);
/* The next signal that arrived, or 0. Does not block. */
int cmd_signals_next(const struct cmd_signals *signals);

#endif
