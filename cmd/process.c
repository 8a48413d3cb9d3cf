/*
 * One command from start to end. One thread: the provider moves the streams; here
 * are waited for signals to relay, input of the terminal, and the end.
 */
#include "cmd/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>

#include "cmd/signals.h"
#include "cmd/terminal.h"

/* What --json keeps of each stream, and what the verdict reads of stderr (S-43). */
#define KEEP_HEAD    (512u << 10)
#define KEEP_TAIL    (512u << 10)
#define VERDICT_TAIL (64u << 10)

int cmd_process_options(const struct cmd_arguments *given, uint64_t *ret_timeout_ms, struct uw_error *err)
{
	const char *timeout = given->value[CMD_TIMEOUT];
	*ret_timeout_ms = 0;
	if (cmd_given(given, CMD_ASK) || cmd_given(given, CMD_APPROVAL))
		return uw_fail(err, UW_E_NOT_BUILT, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "approvals are not in this build; leave --%s out",
		               cmd_given(given, CMD_ASK) ? "ask" : "approval");
	for (size_t i = 0; i < given->many_count[CMD_ENV]; i++) {
		const char *word = given->many[CMD_ENV][i];
		if (word[0] == '=' || !strchr(word, '='))
			return cmd_misuse(err, "--env wants NAME=VALUE, not \"%s\"", word);
	}
	return timeout ? cmd_parse_time(timeout, ret_timeout_ms, err) : 0;
}

void cmd_dir_release(struct uw_dir **dir)
{
	if (*dir && (*dir)->release)
		(*dir)->release(*dir);
	*dir = NULL;
}

int cmd_process_cwd(struct invocation *in, struct uw_dir **ret_dir, struct uw_error *err)
{
	const char *path = in->arguments.value[CMD_CWD];
	UW_AUTO_TARGET target = NULL;
	struct uw_error why = UW_ERROR_INIT;
	const struct uw_fs *fs = NULL;
	int r = 0;
	*ret_dir = NULL;
	if (!path && !in->cwd)
		return 0;
	r = cmd_fs(in, &fs, &why);
	if (r == 0)
		r = cmd_resolve(in, path ? path : ".", 0, &target, &why);
	if (r == 0)
		r = fs->v->open_dir(fs->self, &in->call, target, ret_dir, &why);
	if (r < 0)
		return uw_fail(err, UW_E_CWD_INVALID, UW_STAGE_SNAPSHOT, UW_EFFECT_NONE, why.os_errno,
		               "the working directory %s: %s: %s", path ? path : in->cwd, uw_code_name(why.code),
		               why.message);
	return 0;
}

/* Descriptors of the host pass through; what has to be seen is collected. */
static void choose_streams(const struct invocation *in, struct cmd_process *process,
                           struct uw_stdio stdio[3], int pty)
{
	static const struct uw_collect keep = {KEEP_HEAD, KEEP_TAIL, 0, -1, 0};
	memset(stdio, 0, 3 * sizeof *stdio);
	stdio[0].kind = cmd_terminal_is_anothers() ? UW_STDIO_NULL : UW_STDIO_INHERIT;
	stdio[1].kind = stdio[2].kind = UW_STDIO_INHERIT;
	if (in->json) {
		for (int i = 1; i <= 2; i++) {
			stdio[i].kind = UW_STDIO_COLLECT;
			stdio[i].collect = keep;
			process->collected[i] = 1;
		}
	} else if (pty) {
		stdio[1].kind = UW_STDIO_COLLECT;
		stdio[1].collect = (struct uw_collect){0, VERDICT_TAIL, 0, STDOUT_FILENO, 0};
	} else if (!isatty(STDERR_FILENO)) {
		/* a terminal stays one for the command; elsewhere its last lines are read for the verdict */
		stdio[2].kind = UW_STDIO_COLLECT;
		stdio[2].collect = (struct uw_collect){0, VERDICT_TAIL, 0, STDERR_FILENO, 0};
	}
}

/* Signals that arrived go to the command's group. */
static void relay(struct cmd_process *process, const struct cmd_signals *signals)
{
	const struct uw_subprocess *sub = process->subprocess;
	int number;
	while ((number = cmd_signals_next(signals)) != 0) {
		if (number == SIGWINCH) {
			if (sub->v->process_fd(sub->self, process->process, UW_PROCESS_PTY) >= 0)
				(void)sub->v->pty_resize(sub->self, process->process, cmd_terminal_size(), NULL);
			continue;
		}
		/* it may have ended just now: nothing to tell then */
		(void)sub->v->signal(sub->self, process->process, number, NULL);
	}
}

/* Input of the terminal on its way to the PTY. */
struct input {
	char data[256];
	size_t at, len;
	int ended;
};

static void move_input(struct input *input, int pty, short terminal_ready, short pty_ready)
{
	if (terminal_ready && input->len == input->at) {
		ssize_t n = read(STDIN_FILENO, input->data, sizeof input->data);
		input->at = 0;
		input->len = n > 0 ? (size_t)n : 0;
		input->ended = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
	}
	if ((pty_ready & POLLOUT) && input->at < input->len) {
		ssize_t n = write(pty, input->data + input->at, input->len - input->at);
		if (n > 0)
			input->at += (size_t)n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			input->ended = 1;
	}
}

/* Until the command itself has ended: keys go in, signals are relayed. */
static void attend_terminal(struct cmd_process *process, const struct cmd_signals *signals)
{
	const struct uw_subprocess *sub = process->subprocess;
	int pty = sub->v->process_fd(sub->self, process->process, UW_PROCESS_PTY);
	int ended = sub->v->process_fd(sub->self, process->process, UW_PROCESS_EXIT);
	struct input input = {.at = 0};
	for (;;) {
		int waits = input.at < input.len;
		struct pollfd fds[] = {{signals->arrived, POLLIN, 0},
		                       {ended, POLLIN, 0},
		                       {input.ended || waits ? -1 : STDIN_FILENO, POLLIN, 0},
		                       {waits && !input.ended ? pty : -1, POLLOUT, 0}};
		if (poll(fds, UW_COUNT(fds), -1) < 0 && errno != EINTR)
			return;
		if (fds[0].revents)
			relay(process, signals);
		if (fds[1].revents)
			return;
		move_input(&input, pty, fds[2].revents, fds[3].revents);
	}
}

/* Waits for the end of the output, then of the whole range. */
static int await(struct invocation *in, struct cmd_process *process, const struct cmd_signals *signals,
                 struct uw_error *err)
{
	static const int stages[] = {UW_WAIT_OUTPUT, UW_WAIT_EMPTY};
	const struct uw_subprocess *sub = process->subprocess;
	struct uw_call call = in->call;
	int r = 0;
	call.cancel_fd = signals->arrived;
	call.deadline_ns = 0;
	for (size_t i = 0; i < UW_COUNT(stages) && r == 0; i++) {
		do {
			relay(process, signals);
			process->exit.size = sizeof process->exit;
			r = sub->v->wait(sub->self, &call, process->process, stages[i], &process->exit, err);
		} while (r == UW_E_CANCELLED);
	}
	return r;
}

/* What the program has to say of the end beside the command's own status; 0: nothing. */
static int judge(const struct cmd_process *process, uint64_t timeout_ms, struct uw_error *err)
{
	const struct uw_exit *exit = &process->exit;
	if (exit->phase == UW_PHASE_LOST)
		return uw_fail(err, UW_E_RANGE_LOST, UW_STAGE_RUN, UW_EFFECT_UNKNOWN, 0,
		               "the launcher was killed and took no report with it; what it kept was ended");
	if (exit->cancelled == 1)
		return uw_fail(err, UW_E_CANCELLED, UW_STAGE_RUN, UW_EFFECT_UNKNOWN, 0,
		               "the command was cancelled and all its processes were ended");
	if (exit->cancelled == 2 || exit->limit == UW_LIMIT_WALL) {
		if (timeout_ms)
			return uw_fail(err, UW_E_TIMED_OUT, UW_STAGE_RUN, UW_EFFECT_UNKNOWN, 0,
			               "the command was ended after %llu ms with all its processes",
			               (unsigned long long)timeout_ms);
		return uw_fail(err, UW_E_TIMED_OUT, UW_STAGE_RUN, UW_EFFECT_UNKNOWN, 0,
		               "the command's time was up and all its processes were ended");
	}
	return 0;
}

static int start_and_wait(struct invocation *in, const struct cmd_start *start,
                          struct cmd_process *process, struct uw_error *err)
{
	struct cmd_terminal terminal = CMD_TERMINAL_INIT;
	struct cmd_signals signals;
	struct uw_stdio stdio[3];
	struct uw_call call = in->call;
	int pty = !in->json && cmd_terminal_is_ours(), r;
	struct uw_pty size = pty ? cmd_terminal_size() : (struct uw_pty){0, 0};
	r = cmd_signals_start(&signals, err);
	if (r < 0)
		return r;
	choose_streams(in, process, stdio, pty);
	call.cancel_fd = signals.cancel;
	call.deadline_ns = start->timeout_ms ? uw_now_ns() + (int64_t)start->timeout_ms * 1000000 : 0;
	if (process->request[0])
		call.trace_id = process->request;
	r = start->start(start->arg, &call, stdio, pty ? &size : NULL, &process->process, err);
	if (r < 0)
		return r;
	process->started = 1;
	cmd_signals_started();
	if (pty) {
		cmd_terminal_raw(&terminal);
		attend_terminal(process, &signals);
	}
	r = await(in, process, &signals, err);
	cmd_terminal_restore(&terminal);
	return r < 0 ? r : judge(process, start->timeout_ms, err);
}

/* A name for this request, so that its records can be found: 128 random bits. */
static void name_request(struct cmd_process *process)
{
	unsigned char bytes[(CMD_REQUEST_SIZE - 1) / 2] = {0};
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return;
	for (size_t i = 0; i < sizeof bytes; i++)
		(void)snprintf(process->request + 2 * i, 3, "%02x", bytes[i]);
}

int cmd_process_run(struct invocation *in, const struct cmd_start *start, struct uw_error *err)
{
	struct cmd_process process = {.exit = {.size = sizeof process.exit}};
	int r = cmd_subprocess(in, &process.subprocess, err), told;
	if (cmd_wants_json(in))
		name_request(&process);
	if (r == 0)
		r = start_and_wait(in, start, &process, err);
	if (process.started && process.exit.denied == UW_DENIED_YES)
		cmd_print_denied(process.exit.mode, process.exit.denied_path, process.exit.denied_rule);
	if (cmd_wants_json(in)) {
		struct uw_error lost = UW_ERROR_INIT;
		told = cmd_answer(in, cmd_result_json(in, &process, r < 0 ? err : NULL), &lost);
		if (told < 0 && r == 0) {
			*err = lost;
			err->effect = UW_EFFECT_DONE;
			r = told;
		}
	}
	if (process.process) {
		struct uw_error late = UW_ERROR_INIT;
		if (process.subprocess->v->dispose(process.subprocess->self, process.process, &late) < 0)
			cmd_note("warning", "after the command's end: %s: %s", uw_code_name(late.code), late.message);
	}
	return r < 0 ? r : cmd_status_of_exit(&process.exit);
}

int cmd_process_told(struct invocation *in, int r, const struct uw_error *err)
{
	struct cmd_process nothing = {.started = 0};
	struct uw_error lost = UW_ERROR_INIT;
	if (r < 0 && cmd_wants_json(in) && !in->answered &&
	    cmd_answer(in, cmd_result_json(in, &nothing, err), &lost) < 0)
		cmd_print_error(&lost);
	return r;
}
