/* The program's own terminal. */
#include "cmd/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

int cmd_terminal_is_ours(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) &&
	       tcgetpgrp(STDIN_FILENO) == getpgrp();
}

int cmd_terminal_is_anothers(void)
{
	/* -1: it is no controlling terminal, so nobody has its foreground */
	pid_t foreground = isatty(STDIN_FILENO) ? tcgetpgrp(STDIN_FILENO) : -1;
	return foreground > 0 && foreground != getpgrp();
}

struct uw_pty cmd_terminal_size(void)
{
	struct winsize size;
	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0)
		return (struct uw_pty){24, 80};
	return (struct uw_pty){size.ws_row, size.ws_col};
}

void cmd_terminal_raw(struct cmd_terminal *terminal)
{
	struct termios raw;
	if (tcgetattr(STDIN_FILENO, &terminal->before) < 0)
		return;
	raw = terminal->before;
	cfmakeraw(&raw);
	terminal->raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

void cmd_terminal_restore(struct cmd_terminal *terminal)
{
	if (terminal->raw)
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
	terminal->raw = 0;
}
