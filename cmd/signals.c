/* The pipes of signals.h. Handlers do nothing but write(2). */
#include "cmd/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

static int arrived_write = -1, cancel_write = -1;
static volatile sig_atomic_t started, interrupts, early;

static void put(int fd, unsigned char byte)
{
	/* a full pipe loses a signal that a thousand others are waiting before */
	ssize_t n = write(fd, &byte, 1);
	(void)n;
}

static void take(int number)
{
	int saved = errno;
	put(arrived_write, (unsigned char)number);
	interrupts += number == SIGINT;
	early += !started && (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT);
	if ((number == SIGINT && interrupts == 2) || (!started && early == 2))
		put(cancel_write, 1);
	errno = saved;
}

static int open_pipe(int ret_ends[2])
{
	if (pipe(ret_ends) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		if (fcntl(ret_ends[i], F_SETFD, FD_CLOEXEC) < 0 || fcntl(ret_ends[i], F_SETFL, O_NONBLOCK) < 0)
			return -1;
	return 0;
}

int cmd_signals_start(struct cmd_signals *ret_signals, struct uw_error *err)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
	int arrived[2], cancel[2];
	if (open_pipe(arrived) < 0 || open_pipe(cancel) < 0)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_CONFIG, UW_EFFECT_NONE, errno,
		               "a pipe could not be made: %s", strerror(errno));
	arrived_write = arrived[1];
	cancel_write = cancel[1];
	for (size_t i = 0; i < UW_COUNT(numbers); i++) {
		struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART}, before;
		(void)sigemptyset(&action.sa_mask);
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			(void)sigaction(numbers[i], &action, NULL);
	}
	ret_signals->arrived = arrived[0];
	ret_signals->cancel = cancel[0];
	return 0;
}

void cmd_signals_started(void)
{
	started = 1;
}

int cmd_signals_next(const struct cmd_signals *signals)
{
	unsigned char byte;
	return read(signals->arrived, &byte, 1) == 1 ? byte : 0;
}
