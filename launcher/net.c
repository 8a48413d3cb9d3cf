#include "launcher/net.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int ul_net_loopback_up(const struct ul_job *job, struct ul_failure *failure)
{
	struct ifreq request;
	int fd, status, saved;
	if (!ul_job_has(job, UW_LAUNCH_LOOPBACK_UP))
		return 0;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, errno,
		               "no socket to bring the loopback interface up");
	memset(&request, 0, sizeof request);
	memcpy(request.ifr_name, "lo", sizeof "lo");
	status = ioctl(fd, SIOCGIFFLAGS, &request);
	if (status == 0 && !(request.ifr_flags & IFF_UP)) { /* a wrapper may have done it */
		request.ifr_flags = (short)(request.ifr_flags | IFF_UP | IFF_RUNNING);
		status = ioctl(fd, SIOCSIFFLAGS, &request);
	}
	saved = errno;
	(void)close(fd);
	if (status < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, saved,
		               "the loopback interface cannot be brought up");
	return 0;
}
