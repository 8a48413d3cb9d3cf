/*
 * Telling results and failures: diagnostics on stderr only, one JSON object on
 * stdout or the status descriptor. A broken stderr is no reason to fail.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/text.h"

int cmd_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	return !(no_colour && *no_colour) && isatty(fd) && !(term && !strcmp(term, "dumb"));
}

/* All of it, also where the descriptor is in non-blocking mode. 0, or -1 with errno. */
static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		} else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			struct pollfd ready = {fd, POLLOUT, 0};
			if (poll(&ready, 1, -1) < 0 && errno != EINTR)
				return -1;
		} else if (n == 0 || errno != EINTR) {
			errno = n == 0 ? EIO : errno;
			return -1;
		}
	}
	return 0;
}

static void to_stderr(const struct uw_buf *buf)
{
	if (!buf->failed && buf->len)
		(void)write_all(STDERR_FILENO, buf->data, buf->len);
}

void cmd_note(const char *level, const char *format, ...)
{
	UW_AUTO_BUF line = UW_BUF_INIT;
	char text[UW_ERROR_MESSAGE_MAX];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	uw_buf_printf(&line, "umwelt: %s: ", level);
	cmd_text_show(&line, text, strlen(text), "  ");
	uw_buf_byte(&line, '\n');
	to_stderr(&line);
}

/* The lines of error->detail, indented, still escaped as they came; not what the message says too. */
static void add_details(struct uw_buf *buf, const struct uw_error *error)
{
	const char *detail = error->detail;
	while (*detail) {
		const char *end = strchr(detail, '\n');
		size_t len = end ? (size_t)(end - detail) : strlen(detail);
		const char *equals = memchr(detail, '=', len);
		if (equals) {
			size_t name = (size_t)(equals - detail), value = len - name - 1;
			UW_AUTO_BUF plain = UW_BUF_INIT;
			uw_text_unescape(&plain, equals + 1, value);
			if (!plain.len || !memmem(error->message, strlen(error->message), plain.data, plain.len)) {
				uw_buf_printf(buf, "  %.*s: ", (int)name, detail);
				cmd_text_show(buf, equals + 1, value, NULL);
				uw_buf_byte(buf, '\n');
			}
		}
		detail += len + (end != NULL);
	}
}

/* The message, its further lines indented. Marker lines of a denial are left to add_denied. */
static void add_message(struct uw_buf *buf, const char *message)
{
	static const char marker[] = "[sandbox: ", hint[] = "[hint: ";
	int first = 1;
	while (*message) {
		const char *end = strchr(message, '\n');
		size_t len = end ? (size_t)(end - message) : strlen(message);
		if (strncmp(message, marker, sizeof marker - 1) && strncmp(message, hint, sizeof hint - 1)) {
			uw_buf_text(buf, first ? "" : "  ");
			cmd_text_show(buf, message, len, NULL);
			uw_buf_byte(buf, '\n');
			first = 0;
		}
		message += len + (end != NULL);
	}
	if (first)
		uw_buf_byte(buf, '\n');
}

static void add_denied(struct uw_buf *buf, int mode)
{
	const char *name = uw_mode_name(mode);
	uw_buf_printf(buf, UW_DENIED_MARKER "\n", name ? name : "read-only");
	uw_buf_text(buf, UW_DENIED_HINT "\n");
}

void cmd_print_error(const struct uw_error *error)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	int colour = cmd_colour(STDERR_FILENO);
	const char *advice = cmd_advice(error->code);
	uw_buf_printf(&text, "umwelt: %s%s%s: ", colour ? "\033[1;31m" : "", uw_code_name(error->code),
	              colour ? "\033[m" : "");
	add_message(&text, error->message);
	add_details(&text, error);
	if (error->effect != UW_EFFECT_NONE)
		uw_buf_printf(&text, "  effect: %s\n",
		              error->effect == UW_EFFECT_DONE ? "done: it was committed, what failed came after it"
		                                              : "unknown: it may have been done; look before you try again");
	if (advice)
		uw_buf_printf(&text, "  advice: %s\n", advice);
	to_stderr(&text);
}

void cmd_print_denied(int mode, const char *path, const char *rule)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	if (path && *path) {
		uw_buf_text(&text, "umwelt: denied: ");
		cmd_text_show(&text, path, strlen(path), NULL);
		if (rule && *rule) {
			uw_buf_text(&text, " (rule ");
			cmd_text_show(&text, rule, strlen(rule), NULL);
			uw_buf_byte(&text, ')');
		}
		uw_buf_byte(&text, '\n');
	}
	add_denied(&text, mode);
	to_stderr(&text);
}

int cmd_write_out(const char *data, size_t len, struct uw_error *err)
{
	if (write_all(STDOUT_FILENO, data, len) == 0)
		return 0;
	return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_NONE, UW_EFFECT_NONE, errno,
	               "cannot write to standard output: %s", strerror(errno));
}

int cmd_write_buf(const struct uw_buf *buf, struct uw_error *err)
{
	if (buf->failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_NONE, UW_EFFECT_NONE, 0, "no memory for the output");
	return buf->len ? cmd_write_out(buf->data, buf->len, err) : 0;
}

static int to_out(void *arg, const char *data, size_t len)
{
	return cmd_write_out(data, len, arg);
}

struct uw_sink cmd_sink_out(struct uw_error *broken)
{
	return (struct uw_sink){to_out, broken};
}

static int to_buf(void *arg, const char *data, size_t len)
{
	struct uw_buf *buf = arg;
	uw_buf_add(buf, data, len);
	return buf->failed ? UW_E_NO_MEMORY : 0;
}

struct uw_sink cmd_sink_buf(struct uw_buf *buf)
{
	return (struct uw_sink){to_buf, buf};
}

int cmd_answer(struct invocation *in, json_t *object, struct uw_error *err)
{
	size_t len = 0;
	UW_AUTO_FREE char *line = object ? cmd_json_line(object, &len) : NULL;
	int r = 0;
	json_decref(object);
	in->answered = 1;
	if (!line)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_NONE, UW_EFFECT_NONE, 0, "no memory for the result");
	if (in->status_fd >= 0 && write_all(in->status_fd, line, len) < 0)
		r = uw_fail(err, UW_E_IO_ERROR, UW_STAGE_NONE, UW_EFFECT_NONE, errno,
		            "cannot write to descriptor %d of --status-fd: %s", in->status_fd, strerror(errno));
	if (in->json) {
		int written = cmd_write_out(line, len, err);
		r = written < 0 ? written : r;
	}
	return r;
}

/* The mode that calls of this invocation have. */
static int mode_in_force(const struct invocation *in)
{
	const struct uw_session_facts *facts = in->session ? uw_session_facts(in->session) : NULL;
	return facts && facts->mode != UW_MODE_UNSET ? facts->mode : in->facts.mode;
}

static void answer_error(struct invocation *in, const struct uw_error *error)
{
	struct uw_error lost = UW_ERROR_INIT;
	json_t *object = json_object();
	if (cmd_json_put(object, "error", cmd_json_error(error)) < 0) {
		json_decref(object);
		object = NULL;
	}
	if (cmd_answer(in, object, &lost) < 0)
		cmd_print_error(&lost);
}

int cmd_failed(struct invocation *in, const struct uw_error *error)
{
	int runs = in->command && in->command->runs;
	/* the reader of our output went away: no news to anyone, and the status that a signal gives */
	if (!runs && error->code == UW_E_IO_ERROR && error->os_errno == EPIPE)
		return 128 + 13;
	cmd_print_error(error);
	if (error->code == UW_E_FS_SANDBOX_DENIED)
		cmd_print_denied(mode_in_force(in), NULL, NULL);
	if (cmd_wants_json(in) && !in->answered)
		answer_error(in, error);
	/* of a file command that the output could not be had is a failure like others */
	if (error->code == UW_E_IO_ERROR && in->command && !runs)
		return CMD_FAILED;
	return cmd_status_of_code(error->code);
}
