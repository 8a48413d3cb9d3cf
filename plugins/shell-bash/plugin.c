/*
 * shell-bash: command text of a dialect as one argument of that shell (P-20). The
 * text is never quoted, split or changed; it goes by argv as it came (shell/S08).
 * The shell process itself is what subprocess confines and spawns (P-21).
 *
 * Immutable after create; any thread.
 */
#include <umwelt/plugin.h>
#include <umwelt/shell.h>

#include "common/cleanup.h"

#include <stdlib.h>
#include <string.h>

/* The kernel takes no longer word of argv (MAX_ARG_STRLEN, with its NUL). */
#define TEXT_MAX ((128u << 10) - 1)

struct dialect {
	const char *name;
	const char *program;
	const char *options[4]; /* before the text; NULL-terminated */
};

static const struct dialect dialects[] = {
    {"bash", "/bin/bash", {"--noprofile", "--norc", "-c", NULL}},
    {"sh", "/bin/sh", {"-c", NULL}},
    {"pwsh", "pwsh", {"-NoProfile", "-NonInteractive", "-Command", NULL}},
};

/* No pager, no editor, no colour, messages that read the same everywhere (shell/S14). */
static const char *const quiet[] = {
    "PAGER=cat",  "GIT_PAGER=cat", "MANPAGER=cat",       "SYSTEMD_PAGER=cat", "EDITOR=false",
    "VISUAL=false", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_TERMINAL_PROMPT=0",
    "TERM=dumb",  "NO_COLOR=1",    "LC_MESSAGES=C",
};

/* These would win over LC_MESSAGES; a caller's own setting stays. */
static const char *const unset[] = {"LC_ALL", "LANGUAGE"};

struct shell {
	const struct uw_subprocess *subprocess;
	const struct dialect *dialect;
	char *program;
	uint64_t timeout_ms, head, tail, spill_bytes;
};

static int invalid(struct uw_error *err, const char *what)
{
	return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_SNAPSHOT, UW_EFFECT_NONE, 0, "shell: %s", what);
}

static int check_text(struct uw_bytes text, struct uw_error *err)
{
	if (!text.len || !text.data)
		return invalid(err, "the command text is empty");
	if (memchr(text.data, '\0', text.len))
		return invalid(err, "the command text holds a NUL byte");
	if (text.len > TEXT_MAX)
		return invalid(err, "the command text is longer than 131071 bytes; write it to a file and run that");
	return 0;
}

static int check_request(const struct shell *shell, const struct uw_shell_request *given,
                         struct uw_shell_request *ret, struct uw_error *err)
{
	if (!given || !UW_HAS(struct uw_shell_request, given->size, text))
		return invalid(err, "the struct has no size");
	memset(ret, 0, sizeof *ret);
	memcpy(ret, given, given->size < sizeof *ret ? given->size : sizeof *ret);
	if (!ret->timeout_ms)
		ret->timeout_ms = shell->timeout_ms;
	if (ret->timeout_ms > 600000 && ret->timeout_ms > shell->timeout_ms)
		return invalid(err, "the timeout is longer than 600000 ms");
	return check_text(ret->text, err);
}

static size_t count_of(const char *const *words)
{
	size_t count = 0;
	while (words && words[count])
		count++;
	return count;
}

static int caller_sets(const char *const *words, const char *name)
{
	size_t len = strlen(name);
	for (size_t i = 0; words && words[i]; i++)
		if (!strncmp(words[i], name, len) && words[i][len] == '=')
			return 1;
	return 0;
}

/* Ours first: of a name that is set twice, the later holds. */
static const char **environment(const struct uw_shell_request *request)
{
	size_t count = count_of(request->env_set), at = 0;
	const char **words = calloc(UW_COUNT(quiet) + count + 1, sizeof *words);
	for (size_t i = 0; words && i < UW_COUNT(quiet); i++)
		/* a terminal has its own idea of TERM */
		if (!(request->pty && !strncmp(quiet[i], "TERM=", 5)))
			words[at++] = quiet[i];
	for (size_t i = 0; words && i < count; i++)
		words[at++] = request->env_set[i];
	return words;
}

static void set_stdio(const struct shell *shell, const struct uw_shell_request *request,
                      struct uw_spawn *spawn)
{
	memcpy(spawn->stdio, request->stdio, sizeof spawn->stdio);
	for (int i = 1; i < 3; i++) {
		struct uw_stdio *stdio = &spawn->stdio[i];
		if (stdio->kind != UW_STDIO_NULL || request->pty)
			continue;
		stdio->kind = UW_STDIO_COLLECT;
		stdio->collect.head = shell->head;
		stdio->collect.tail = shell->tail;
		stdio->collect.spill_max = shell->spill_bytes;
		stdio->collect.copy_fd = -1;
	}
}

static int run(const struct shell *shell, const struct uw_call *call,
               const struct uw_shell_request *request, const char *text,
               struct uw_process **ret_process, struct uw_error *err)
{
	const char *argv[UW_COUNT(shell->dialect->options) + 2] = {shell->program};
	const char *removed[UW_COUNT(unset) + 1] = {NULL};
	size_t count = 1, removes = 0;
	UW_AUTO_FREE const char **words = environment(request);
	struct uw_spawn spawn = {
	    .size = sizeof spawn,
	    .argv = argv,
	    .cwd = request->cwd,
	    .env_set = words,
	    .env_unset = removed,
	    .tail = request->tail,
	    .pty = request->pty,
	    .umask = 0xffffffff,
	    .shell_text = request->text,
	    .dialect = shell->dialect->name,
	};
	if (!words)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SNAPSHOT, UW_EFFECT_NONE, 0, "no memory");
	for (size_t i = 0; shell->dialect->options[i]; i++)
		argv[count++] = shell->dialect->options[i];
	argv[count] = text;
	for (size_t i = 0; i < UW_COUNT(unset); i++)
		if (!caller_sets(request->env_set, unset[i]))
			removed[removes++] = unset[i];
	spawn.limits.wall_ms = request->timeout_ms;
	set_stdio(shell, request, &spawn);
	return shell->subprocess->v->spawn(shell->subprocess->self, call, &spawn, ret_process, err);
}

static int start(void *self, const struct uw_call *call, const struct uw_shell_request *given,
                 struct uw_process **ret_process, struct uw_error *err)
{
	const struct shell *shell = self;
	struct uw_shell_request request;
	UW_AUTO_FREE char *text = NULL;
	int r = check_request(shell, given, &request, err);
	if (r < 0)
		return r;
	text = malloc(request.text.len + 1);
	if (!text)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SNAPSHOT, UW_EFFECT_NONE, 0, "no memory");
	memcpy(text, request.text.data, request.text.len);
	text[request.text.len] = '\0';
	return run(shell, call, &request, text, ret_process, err);
}

static const char *dialect(void *self)
{
	const struct shell *shell = self;
	return shell->dialect->name;
}

static const struct uw_shell_v1 interface_table = {
    .size = sizeof(struct uw_shell_v1),
    .start = start,
    .dialect = dialect,
};

static int destroy(void *self, struct uw_error *err)
{
	struct shell *shell = self;
	(void)err;
	if (shell)
		free(shell->program);
	free(shell);
	return 0;
}

static const struct dialect *find_dialect(const char *name)
{
	for (size_t i = 0; name && i < UW_COUNT(dialects); i++)
		if (!strcmp(dialects[i].name, name))
			return &dialects[i];
	return NULL;
}

static int create(const struct uw_host_api *host, struct uw_plugin_context *context,
                  const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	struct shell *shell = calloc(1, sizeof *shell);
	const char *program = host->config_string(config, "shell");
	uint64_t max_output = (uint64_t)host->config_int(config, "max_output");
	if (!shell)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory");
	shell->subprocess = host->service(context, UW_SUBPROCESS_SERVICE);
	shell->dialect = find_dialect(host->config_string(config, "dialect"));
	shell->timeout_ms = (uint64_t)host->config_int(config, "timeout_ms");
	shell->spill_bytes = (uint64_t)host->config_int(config, "spill_bytes");
	shell->head = max_output / 2;
	shell->tail = max_output - shell->head;
	if (!shell->subprocess || !shell->dialect) {
		int missing = !shell->subprocess;
		(void)destroy(shell, NULL);
		return uw_fail(err, missing ? UW_E_SERVICE_MISSING : UW_E_BUNDLE_INVALID, UW_STAGE_PREPARE,
		               UW_EFFECT_NONE, 0, "%s: shell-bash %s", host->config_where(config, NULL),
		               missing ? "needs subprocess/1" : "knows no such dialect");
	}
	shell->program = strdup(program && *program ? program : shell->dialect->program);
	if (!shell->program) {
		(void)destroy(shell, NULL);
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0, "no memory");
	}
	*ret_self = shell;
	return 0;
}

static const char *const dialect_names[] = {"bash", "sh", "pwsh", NULL};

static const struct uw_key keys[] = {
    {.name = "dialect",
     .type = UW_KEY_CHOICE,
     .default_value = "bash",
     .choices = dialect_names,
     .help = "the language of command texts (pwsh is tested with a stand-in only)"},
    {.name = "shell",
     .type = UW_KEY_STRING,
     .help = "the shell's program, in the world's realm: an absolute path or a bare name; default by dialect"},
    {.name = "timeout_ms",
     .type = UW_KEY_INT,
     .min = 1,
     .max = 600000,
     .default_value = "120000",
     .help = "how long a command may take where the caller does not say"},
    {.name = "max_output",
     .type = UW_KEY_INT,
     .min = 0,
     .max = 67108864,
     .default_value = "64000",
     .help = "bytes of stdout and of stderr that are kept, half from the start and half from the end"},
    {.name = "spill_bytes",
     .type = UW_KEY_INT,
     .min = 0,
     .default_value = "67108864",
     .max = 1099511627776,
     .help = "how much of longer output goes to a file of the session's temp; 0: none"},
};

static const char *const requires_services[] = {UW_SUBPROCESS_SERVICE, NULL};

static const struct uw_provides provides[] = {
    {.service = UW_SHELL_SERVICE, .threads = UW_THREADS_PARALLEL, .interface_table = &interface_table},
};

static const struct uw_plugin plugin = {
    .size = sizeof(struct uw_plugin),
    .abi_major = UW_ABI_MAJOR,
    .name = "shell-bash",
    .version = UW_VERSION,
    .summary = "command text, run by bash, sh or pwsh",
    .provides = provides,
    .provides_count = UW_COUNT(provides),
    .requires_services = requires_services,
    .keys = keys,
    .key_count = UW_COUNT(keys),
    .create = create,
    .destroy = destroy,
};

UW_EXPORT const struct uw_plugin *uw_plugin_entry(void)
{
	return &plugin;
}
