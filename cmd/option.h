/*
 * The options of the program: one table, from which parsing, --help, completions
 * and the lint test of the manual all come.
 *
 * A command names the options it takes as a set of bits. Two options may share
 * a name if no command takes both (`--env NAME=VALUE` of run, `--env` of doctor).
 */
#ifndef UW_CMD_OPTION_H
#define UW_CMD_OPTION_H

#include <stddef.h>
#include <stdint.h>

#include <umwelt/error.h>

/* id, long name, letter or 0, name of the argument or NULL, may repeat, help */
#define CMD_OPTIONS(X)                                                                           \
	X(BUNDLE, "bundle", 0, "NAME", 0, "preset, or path of a YAML file (default: read-only)")     \
	X(MODE, "mode", 0, "MODE", 0, "read-only, workspace-write or danger-full-access, in place of the bundle's") \
	X(WORKSPACE, "workspace", 0, "DIR", 0, "the workspace, in place of the bundle's")            \
	X(SESSION, "session", 0, "ID", 0, "a stored session, in place of one of its own")            \
	X(SET, "set", 0, "PATH=VALUE", 1, "override one value of the bundle; VALUE is YAML")         \
	X(CONFIG, "config", 0, "FILE", 0, "host configuration, in place of the user's own")          \
	X(JSON, "json", 0, NULL, 0, "print one JSON object")                                         \
	X(STATUS_FD, "status-fd", 0, "N", 0, "write the JSON object to descriptor N; streams pass through") \
	X(HELP, "help", 'h', NULL, 0, "show this help")                                              \
	X(CWD, "cwd", 0, "DIR", 0, "working directory of the command")                               \
	X(TIMEOUT, "timeout", 0, "TIME", 0, "end the command after TIME: seconds, or with ms, s, m or h") \
	X(ENV, "env", 0, "NAME=VALUE", 1, "set a variable of the command's environment")             \
	X(ASK, "ask", 0, NULL, 0, "ask a person where the guard says so")                            \
	X(APPROVAL, "approval", 0, "TOKEN", 0, "use an approval that was given before")              \
	X(LINES, "lines", 0, "A:B", 0, "only lines A to B, counted from 1; either may be left out")  \
	X(CREATE, "create", 0, NULL, 0, "only if nothing is there yet")                              \
	X(IF_VERSION, "if-version", 0, "VERSION", 0, "only if the file still is that version")       \
	X(OLD, "old", 0, "TEXT", 0, "the text to be replaced")                                       \
	X(NEW, "new", 0, "TEXT", 0, "what replaces it")                                              \
	X(ALL, "all", 0, NULL, 0, "replace every occurrence")                                        \
	X(EDITS, "edits", 0, "FILE", 0, "replacements as a JSON list of {old, new, all}; - is stdin") \
	X(RECURSIVE, "recursive", 'r', NULL, 0, "a directory with all that is below it")             \
	X(PARENTS, "parents", 'p', NULL, 0, "make missing parent directories")                       \
	X(LONG, "long", 'l', NULL, 0, "type, permissions, size and time of each")                    \
	X(NUL, "null", '0', NULL, 0, "end each name with a NUL byte, names as they are")             \
	X(NO_REPLACE, "no-replace", 'n', NULL, 0, "fail if the target is there")                     \
	X(RESOLVED, "resolved", 0, NULL, 0, "print the merged bundle with the origin of each value") \
	X(PROVE, "prove", 0, NULL, 0, "prepare and prove the world as well")                         \
	X(EXPLAIN, "explain", 0, NULL, 0, "say what each row of the table means")                    \
	X(ENV_RULES, "env", 0, NULL, 0, "print which variables are kept from commands")              \
	X(VERSION, "version", 'V', NULL, 0, "print the version")

enum cmd_option {
#define CMD_OPTION_ENUM(id, name, letter, argument, many, help) CMD_##id,
	CMD_OPTIONS(CMD_OPTION_ENUM)
#undef CMD_OPTION_ENUM
	    CMD_OPTION_COUNT
};

struct cmd_option_facts {
	const char *name;
	char letter;
	const char *argument; /* NULL: a flag */
	int many;
	const char *help;
};

/* Facts of an option. Static memory. */
const struct cmd_option_facts *cmd_option_facts(enum cmd_option id);

#define CMD_BIT(id) (UINT64_C(1) << CMD_##id)
/* what every command takes that opens a world */
#define CMD_COMMON                                                                               \
	(CMD_BIT(BUNDLE) | CMD_BIT(MODE) | CMD_BIT(WORKSPACE) | CMD_BIT(SESSION) | CMD_BIT(SET) |    \
	 CMD_BIT(CONFIG) | CMD_BIT(JSON) | CMD_BIT(STATUS_FD) | CMD_BIT(HELP))
/* what those take that open only the host */
#define CMD_HOST (CMD_BIT(CONFIG) | CMD_BIT(JSON) | CMD_BIT(STATUS_FD) | CMD_BIT(HELP))

/*
 * What was given. Values are borrowed from argv. value: the last one of an option
 * that may repeat, "" of a flag, NULL if it was not given.
 */
struct cmd_arguments {
	const char *value[CMD_OPTION_COUNT];
	const char **many[CMD_OPTION_COUNT]; /* NULL-terminated lists of options that may repeat; may be NULL */
	size_t many_count[CMD_OPTION_COUNT];
	const char **operands; /* NULL-terminated */
	size_t operand_count;
};

enum cmd_order {
	CMD_MIXED = 0,     /* options may follow operands */
	CMD_OPTIONS_FIRST, /* the first operand ends the options, as in `run CMD -x` */
};

/*
 * Adds the words argv[0..argc) to ret_arguments, which starts zeroed. Options not
 * in `allowed` are refused with the nearest name. *ret_used: words read, for
 * CMD_OPTIONS_FIRST with `operands` 0 (stop before the first operand). INVALID_ARGS.
 */
int cmd_options_parse(uint64_t allowed, enum cmd_order order, int operands, size_t argc,
                      char *const *argv, struct cmd_arguments *arguments, size_t *ret_used,
                      struct uw_error *err);
void cmd_arguments_finish(struct cmd_arguments *arguments);

/* Fails with a mistake of the caller: nothing was read or opened. */
#define cmd_misuse(err, ...)                                                                     \
	uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, __VA_ARGS__)

/* 1 if option id was given. */
static inline int cmd_given(const struct cmd_arguments *arguments, enum cmd_option id)
{
	return arguments->value[id] != NULL;
}

/* The name in names[0..count) that `word` may have meant, or NULL. */
const char *cmd_nearest(const char *word, const char *const *names, size_t count);

/* "30", "1.5s", "200ms", "2m", "1h" in milliseconds, at least 1. INVALID_ARGS. */
int cmd_parse_time(const char *text, uint64_t *ret_ms, struct uw_error *err);
/* "A:B", "A:", ":B", "A"; 0 where it was left out. INVALID_ARGS. */
int cmd_parse_lines(const char *text, uint64_t *ret_first, uint64_t *ret_last, struct uw_error *err);
/* A decimal number up to max, digits only. INVALID_ARGS naming `what`. */
int cmd_parse_number(const char *text, const char *what, uint64_t max, uint64_t *ret_number,
                     struct uw_error *err);

#endif
