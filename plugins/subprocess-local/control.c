/*
 * The launcher's reports and what is told to it. The socket's other end is held
 * by the launcher alone: the command never has it, so nothing it does can forge
 * a report (S-41).
 */
#include "process.h"

#include "common/cleanup.h"
#include "copier.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* SCM_CREDENTIALS names the sender as this process sees it, across PID namespaces. */
static pid_t sender_of(struct msghdr *message)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		struct ucred credentials;
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
		return credentials.pid;
	}
	return 0;
}

int control_receive(int fd, struct uw_launch_said *ret_said, pid_t *ret_pid)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec part = {ret_said, sizeof *ret_said};
	struct msghdr message = {
	    .msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof control,
	};
	ssize_t got;
	memset(ret_said, 0, sizeof *ret_said);
	do
		got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == ECONNRESET ? 0 : -1;
	if (got == 0)
		return 0;
	if ((size_t)got < offsetof(struct uw_launch_said, text)) {
		errno = EPROTO;
		return -1;
	}
	ret_said->text[sizeof ret_said->text - 1] = '\0';
	if (ret_pid)
		*ret_pid = sender_of(&message);
	return 1;
}

int process_tell(struct uw_process *process, uint32_t type, int32_t number, uint32_t grace_ms)
{
	struct uw_launch_tell tell = {.type = type, .number = number, .grace_ms = grace_ms};
	if (process->control_fd < 0) {
		errno = ESRCH;
		return -1;
	}
	return send(process->control_fd, &tell, sizeof tell, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* Which of the limits made the command end as it did (P-1), where the status shows it. */
static int limit_of(const struct uw_process *process, const struct uw_launch_said *said)
{
	int signal = WIFSIGNALED(said->status) ? WTERMSIG(said->status) : 0;
	int code = WIFEXITED(said->status) ? WEXITSTATUS(said->status) : -1;
	uint64_t cpu_us = said->user_us + said->system_us;
	if (process->exit.limit || process->exit.cancelled)
		return process->exit.limit;
	/* a shell in front tells its child's signal as 128 + n */
	if (process->limits.file_size && (signal == SIGXFSZ || code == 128 + SIGXFSZ))
		return UW_LIMIT_FILE_SIZE;
	if (process->limits.cpu_s &&
	    (signal == SIGXCPU || code == 128 + SIGXCPU ||
	     ((signal == SIGKILL || code == 128 + SIGKILL) && cpu_us / 1000000 >= process->limits.cpu_s)))
		return UW_LIMIT_CPU;
	return UW_LIMIT_NONE;
}

static void on_exited(struct uw_process *process, const struct uw_launch_said *said)
{
	struct uw_exit *facts = &process->exit;
	if (facts->phase != UW_PHASE_RUNNING)
		return;
	facts->phase = UW_PHASE_EXITED;
	facts->status = said->status;
	facts->exit_code = WIFEXITED(said->status) ? WEXITSTATUS(said->status) : -1;
	facts->signal = WIFSIGNALED(said->status) ? WTERMSIG(said->status) : 0;
	facts->limit = limit_of(process, said);
	facts->user_us = said->user_us;
	facts->system_us = said->system_us;
	facts->wall_us = said->wall_us;
	facts->max_rss_kib = said->max_rss_kib;
	facts->exited_ns = uw_now_ns();
	process->deadline_ns = process->wall_ns = 0;
	process->tail_ns = facts->exited_ns + (int64_t)process->tail_ms * 1000000;
	event_set(&process->exited);
}

static void on_empty(struct uw_process *process, const struct uw_launch_said *said)
{
	struct uw_exit *facts = &process->exit;
	facts->phase = UW_PHASE_EMPTY;
	facts->killed = said->killed;
	facts->descendants |= said->killed > 0;
	facts->empty_ns = uw_now_ns();
	process->deadline_ns = process->wall_ns = process->tail_ns = process->stuck_ns = 0;
	/* nobody is left who could write: what is in the pipes now is all */
	for (size_t i = 0; i < UW_COUNT(process->streams); i++)
		if (process->streams[i].copier)
			copier_drain(process->streams[i].copier);
	pump_close(&process->provider->pump, &process->control_fd);
	pump_close(&process->provider->pump, &process->launcher_fd);
	pump_close(&process->provider->pump, &process->cancel_fd);
	event_set(&process->exited);
	event_set(&process->empty);
}

void process_control(struct uw_process *process)
{
	struct uw_launch_said said;
	int r = 1;
	while (process->control_fd >= 0 && r > 0) {
		r = control_receive(process->control_fd, &said, NULL);
		if (r > 0 && said.type == UW_SAID_EXITED)
			on_exited(process, &said);
		else if (r > 0 && said.type == UW_SAID_EMPTY)
			on_empty(process, &said);
	}
	if (process->control_fd >= 0 && r == 0)
		process_lost(process);
}
