#include "launcher/report.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

void ul_report(int control, const struct uw_launch_said *said)
{
	/* a handful of small packets in a lifetime: the socket's buffer holds them all */
	(void)send(control, said, sizeof *said, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int ul_report_is_exec_failure(uint32_t what)
{
	return what == UW_WHAT_CWD || what == UW_WHAT_EXEC || what == UW_WHAT_LIMIT ||
	       what == UW_WHAT_SYSTEM;
}

void ul_report_failure(int control, const struct ul_failure *failure)
{
	struct uw_launch_said said;
	memset(&said, 0, sizeof said);
	said.type = ul_report_is_exec_failure(failure->what) ? UW_SAID_EXEC_FAILED : UW_SAID_REFUSED;
	said.what = failure->what;
	said.os_errno = failure->os_errno;
	memcpy(said.text, failure->text, sizeof said.text);
	said.text[sizeof said.text - 1] = '\0';
	ul_report(control, &said);
}

int ul_report_told(int control, struct uw_launch_tell *ret_tell)
{
	for (;;) {
		ssize_t n = recv(control, ret_tell, sizeof *ret_tell, MSG_DONTWAIT | MSG_TRUNC);
		if (n == (ssize_t)sizeof *ret_tell)
			return 1;
		if (n == 0)
			return -1;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0 && errno != EINTR)
			return -1;
	}
}
