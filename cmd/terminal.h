/*
 * The program's own terminal while a command has a PTY: raw, and as it was again
 * afterwards on every way out.
 */
#ifndef UW_CMD_TERMINAL_H
#define UW_CMD_TERMINAL_H

#include <termios.h>

#include <umwelt/subprocess.h>

struct cmd_terminal {
	int raw; /* 1: `before` is to be restored */
	struct termios before;
};

#define CMD_TERMINAL_INIT                                                                        \
	{                                                                                            \
		.raw = 0                                                                                 \
	}

/* 1 if stdin, stdout and stderr are terminals and we are in the foreground of it. */
int cmd_terminal_is_ours(void);
/* 1 if stdin is a terminal that another job has the foreground of: not to be read. */
int cmd_terminal_is_anothers(void);
struct uw_pty cmd_terminal_size(void);
void cmd_terminal_raw(struct cmd_terminal *terminal);
/* Does nothing if it is not raw. */
void cmd_terminal_restore(struct cmd_terminal *terminal);

#endif
