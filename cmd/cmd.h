/*
 * What the files of the program share: a command's descriptor, one invocation,
 * and how results and failures are told.
 *
 * The program is a consumer like any other: it uses <umwelt/host.h> alone. One
 * file per command (cmd_NAME.c) holds one const descriptor; commands.c has the
 * table of them. One thread; nothing is global but the pipe of signals.c.
 */
#ifndef UW_CMD_CMD_H
#define UW_CMD_CMD_H

#include <jansson.h>

#include <umwelt/host.h>

#include "cmd/option.h"
#include "common/buf.h"
#include "common/cleanup.h"

struct invocation;

struct command {
	const char *name;
	const char *operands; /* as in the usage line; "" if there are none */
	const char *summary;  /* one line, no full stop */
	const char *about;    /* further text of --help; may be NULL */
	uint64_t options;
	enum cmd_order order;
	size_t min_operands, max_operands; /* max SIZE_MAX: any number */
	int runs; /* 1: its exit status is that of what it runs */
	/* the exit status, or a negative code: the caller tells the error */
	int (*run)(struct invocation *in, struct uw_error *err);
};

/* Every command, and NULL. */
extern const struct command *const cmd_commands[];

/* What is open for one invocation; closed by cmd_close in reverse. */
struct invocation {
	const struct command *command;
	struct cmd_arguments arguments;
	int json;      /* --json */
	int status_fd; /* --status-fd, or -1 */
	int answered;  /* the JSON object was written */
	struct uw_host *host;
	struct uw_world *world;
	struct uw_session *session;
	struct uw_world_facts facts; /* once the world is open */
	struct uw_call call;         /* once the session is open */
	char *cwd; /* the current directory if it lies in the workspace, else NULL: the workspace */
};

/* The whole program; main is this. */
int cmd_main(int argc, char **argv);

/* ---- opened.c: host, world, session ---- */

int cmd_open_host(struct invocation *in, struct uw_error *err);
/* The world as the common options say. bundle NULL: --bundle, else read-only. INVALID_ARGS. */
int cmd_world_options(struct invocation *in, const char *bundle, struct uw_world_options *ret,
                      struct uw_error *err);
/* Host, world, session and call. */
int cmd_open(struct invocation *in, struct uw_error *err);
/* Closes what is open; what goes wrong is a warning. */
void cmd_close(struct invocation *in);
/* The world's fs or subprocess, or SERVICE_MISSING. */
int cmd_fs(struct invocation *in, const struct uw_fs **ret_fs, struct uw_error *err);
int cmd_subprocess(struct invocation *in, const struct uw_subprocess **ret, struct uw_error *err);
/* A path of the command line: relative ones start at in->cwd. */
int cmd_resolve(struct invocation *in, const char *path, uint32_t flags, struct uw_target **ret_target,
                struct uw_error *err);
/* Releases *target; NULL is fine. For UW_AUTO_TARGET too. */
void cmd_target_release(struct uw_target **target);
#define UW_AUTO_TARGET __attribute__((cleanup(cmd_target_release))) struct uw_target *

/* Facts of one path, FS_NOT_FOUND if nothing is there. */
int cmd_stat(struct invocation *in, const struct uw_target *target, int want_digest,
             struct uw_stat *ret_stat, struct uw_error *err);

/* ---- report.c: what a person and a program are told ---- */

/* 1 if an object is wanted at all: do not build one else. */
static inline int cmd_wants_json(const struct invocation *in)
{
	return in->json || in->status_fd >= 0;
}
/*
 * Writes the object to stdout (--json) and to the status descriptor; takes the
 * reference. NULL counts as no memory. Failure is told on stderr.
 */
int cmd_answer(struct invocation *in, json_t *object, struct uw_error *err);
/* "umwelt: CODE: message" with advice, effect and details, on stderr. */
void cmd_print_error(const struct uw_error *error);
/* Prints the error, answers {"error": ...} if JSON is wanted, and gives its exit status. */
int cmd_failed(struct invocation *in, const struct uw_error *error);
/* "umwelt: LEVEL: message" on stderr. */
void cmd_note(const char *level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The two marker lines of a denial (F-34), with path and rule where known. */
void cmd_print_denied(int mode, const char *path, const char *rule);
/* 1 if the descriptor is a terminal on which colour is wanted. */
int cmd_colour(int fd);
/* Writes all of it to stdout. IO_ERROR; os_errno EPIPE is not worth a message. */
int cmd_write_out(const char *data, size_t len, struct uw_error *err);
/* The contents of a buffer to stdout, NO_MEMORY if it failed. */
int cmd_write_buf(const struct uw_buf *buf, struct uw_error *err);
/* Sinks: to stdout, what fails there in *broken; into a buffer. */
struct uw_sink cmd_sink_out(struct uw_error *broken);
struct uw_sink cmd_sink_buf(struct uw_buf *buf);

/* ---- status.c ---- */

enum cmd_status {
	CMD_OK = 0,
	CMD_FAILED = 1, /* of a file command */
	CMD_USAGE = 120,
	CMD_WORLD = 121,
	CMD_POLICY = 122,
	CMD_SANDBOX = 123,
	CMD_ENDED = 124, /* timed out or cancelled */
	CMD_INTERNAL = 125,
	CMD_NOT_EXECUTABLE = 126,
	CMD_NOT_FOUND = 127,
};

/* The exit status that goes with an error's code (C-71). */
int cmd_status_of_code(int code);
/* The exit status of `run` for a command that was started. */
int cmd_status_of_exit(const struct uw_exit *exit);

/* ---- advice.c ---- */

/* What to do about a code, or NULL. Static memory. */
const char *cmd_advice(int code);
/* The code of a printed name, with or without UW_E_ before it; 0: there is none. */
int cmd_code_of_name(const char *name);

/* ---- help.c ---- */

/* The help of one command, or of the program (NULL). */
void cmd_help(struct uw_buf *buf, const struct command *command);
/* Words for completion: of the program (NULL) or of a command's options, one a line. */
void cmd_completion_words(struct uw_buf *buf, const struct command *command);
const struct command *cmd_find(const char *name);

#endif
