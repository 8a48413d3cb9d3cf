#include "pty.h"

#include "common/cleanup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

#define DEFAULT_ROWS 40
#define DEFAULT_COLS 160

int pty_set_size(int master, struct uw_pty size)
{
	struct winsize window = {
	    .ws_row = size.rows ? size.rows : DEFAULT_ROWS,
	    .ws_col = size.cols ? size.cols : DEFAULT_COLS,
	};
	return ioctl(master, TIOCSWINSZ, &window) < 0 ? errno : 0;
}

int pty_send_signal(int master, int number)
{
#ifdef TIOCSIG
	return ioctl(master, TIOCSIG, number) < 0 ? errno : 0;
#else
	(void)master;
	(void)number;
	return ENOTSUP;
#endif
}

static int open_slave(int master)
{
	char path[64];
	int slave = -1;
#ifdef TIOCGPTPEER
	/* by the master, whatever is mounted at /dev/pts here */
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
#endif
	if (slave < 0 && ptsname_r(master, path, sizeof path) == 0)
		slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return slave;
}

int pty_open(struct uw_pty size, int *ret_master, int *ret_slave)
{
	UW_AUTO_FD master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	UW_AUTO_FD slave = -1;
	int r;
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return errno;
	slave = open_slave(master);
	if (slave < 0)
		return errno;
	r = pty_set_size(master, size);
	if (r)
		return r;
	*ret_master = uw_fd_steal(&master);
	*ret_slave = uw_fd_steal(&slave);
	return 0;
}
