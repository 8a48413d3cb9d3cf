/* bundle_keys: the table, and look-ups in it. Constant data. */
#include "core/bundle_keys.h"

#include "common/buf.h"
#include "common/cleanup.h"

#include <string.h>

static const char *const modes[] = {"read-only", "workspace-write", "danger-full-access", NULL};
static const char *const networks[] = {"none", "host", NULL};
static const char *const sockets[] = {"none", "own", "all", NULL};
static const char *const gits[] = {"safe", "full", NULL};
static const char *const protects[] = {"enforce", "detect", NULL};
static const char *const temps[] = {"private", "host", NULL};
static const char *const retires[] = {"finish", "terminate", NULL};
static const char *const tools[] = {"read", "write", "edit",     "ls",  "glob",  "grep",
                                    "bash", "job",   "terminal", "lsp", "world", NULL};
static const char *const wideners[] = {"bash", "write", "edit", "terminal", NULL};

#define PROVIDER(path, narrowing, flags, help)                                                   \
	{path, UWI_RULE_PROVIDER, narrowing, UWI_RULE_PLUGIN_KEYS | (flags), 0, 0, NULL, NULL, help},    \
	{                                                                                            \
		path ".plugin", UWI_RULE_TEXT, UWI_OWNER, 0, 0, 0, NULL, NULL,                               \
		    "name of the plugin; all other keys of the map are that plugin's own"                    \
	}

const struct uwi_rule uwi_rules[] = {
    {"umwelt", UWI_RULE_VERSION, UWI_FREE, UWI_RULE_REQUIRED, 1, 1, NULL, NULL,
     "version of the document; must be its first key"},
    {"extends", UWI_RULE_TEXT, UWI_FREE, 0, 0, 0, NULL, NULL,
     "preset or file that this document changes: maps merge, lists replace, null removes"},
    {"env", UWI_RULE_TEXTS, UWI_OWNER, 0, 0, 0, "[]", NULL,
     "the only environment variables that values may use, as ${NAME}"},
    {"providers", UWI_RULE_NAMES, UWI_OWNER, 0, 0, 0, "{}", NULL,
     "named instances, for places that share one"},
    PROVIDER("providers.*", UWI_OWNER, UWI_RULE_ONLY_MAP, "one instance; other keys use its name"),
    {"world", UWI_RULE_MAP, UWI_OWNER, UWI_RULE_REQUIRED, 0, 0, NULL, NULL,
     "what is swapped as one unit and is one place"},
    {"world.fs", UWI_RULE_LIST, UWI_OWNER, UWI_RULE_REQUIRED, 0, 0, NULL, NULL,
     "providers of files, the innermost first; each wraps the one before"},
    PROVIDER("world.fs[]", UWI_OWNER, 0, "one provider of files"),
    PROVIDER("world.subprocess", UWI_OWNER, UWI_RULE_REQUIRED, "the provider of processes"),
    PROVIDER("world.sandbox", UWI_OWNER, UWI_RULE_REQUIRED | UWI_RULE_NONE,
             "what confines commands: a provider, `chain`, `runner` or none"),
    {"world.sandbox.chain", UWI_RULE_LIST, UWI_OWNER, 0, 0, 0, NULL, NULL,
     "sandboxes in order of preference; the first that is proven is the world's"},
    PROVIDER("world.sandbox.chain[]", UWI_OWNER, 0, "one sandbox"),
    {"world.sandbox.runner", UWI_RULE_MAP, UWI_OWNER, 0, 0, 0, NULL, NULL,
     "a program of the owner that confines what it is given to run"},
    {"world.sandbox.runner.argv", UWI_RULE_TEXTS, UWI_OWNER, UWI_RULE_REQUIRED, 0, 0, NULL, NULL,
     "its absolute path and arguments; the command follows them"},
    {"world.sandbox.runner.failure", UWI_RULE_MAP, UWI_OWNER, 0, 0, 0, "{}", NULL,
     "how its own failure is told where the launcher could not report"},
    {"world.sandbox.runner.failure.exit", UWI_RULE_INT, UWI_OWNER, 0, 1, 255, NULL, NULL,
     "its exit status of failure; any but 0 if not set"},
    {"world.sandbox.runner.failure.signatures", UWI_RULE_TEXTS, UWI_OWNER, 0, 0, 0, "[]", NULL,
     "texts on its stderr that tell a failure"},
    {"world.drain_ms", UWI_RULE_INT, UWI_OWNER, 0, 0, 3600000, "30000", NULL,
     "how long a retired world may finish its calls"},
    {"world.on_retire", UWI_RULE_MAP, UWI_OWNER, 0, 0, 0, "{}", NULL,
     "what becomes of that which runs in a retired world"},
    {"world.on_retire.commands", UWI_RULE_CHOICE, UWI_OWNER, 0, 0, 0, "finish", retires,
     "commands: they may finish, or are terminated"},
    {"world.on_retire.terminals", UWI_RULE_CHOICE, UWI_OWNER, 0, 0, 0, "terminate", retires,
     "terminals: they may finish, or are terminated"},
    {"policy", UWI_RULE_MAP, UWI_OWNER, UWI_RULE_PLUGIN_KEYS, 0, 0, "{}", NULL, "what calls may do"},
    {"policy.plugin", UWI_RULE_TEXT, UWI_OWNER, 0, 0, 0, "policy", NULL,
     "the plugin that resolves policies"},
    {"policy.mode", UWI_RULE_CHOICE, UWI_LOWER, 0, 0, 0, "read-only", modes,
     "which files may be changed"},
    {"policy.workspace", UWI_RULE_PATH, UWI_OWNER, UWI_RULE_ENV, 0, 0, NULL, NULL,
     "root of the agent's work, relative to this file; the current directory if not set"},
    {"policy.writable", UWI_RULE_ROOTS, UWI_OWNER, UWI_RULE_ENV, 0, 0, "[]", NULL,
     "further writable roots: a path, or {path: P, missing: create or skip}"},
    {"policy.protected", UWI_RULE_TEXTS, UWI_MORE, UWI_RULE_ENV, 0, 0, "[]", NULL,
     "paths that stay as they are, besides those of git and of Umwelt itself"},
    {"policy.protect", UWI_RULE_CHOICE, UWI_LOWER, 0, 0, 0, "detect", protects,
     "enforce refuses a sandbox that can only detect a change of protected paths"},
    {"policy.network", UWI_RULE_CHOICE, UWI_LOWER, 0, 0, 0, "none", networks,
     "whether commands have the host's network"},
    {"policy.unix_sockets", UWI_RULE_CHOICE, UWI_LOWER, 0, 0, 0, "own", sockets,
     "unix sockets: none, those below writable roots or of the command's own making, or all"},
    {"policy.git", UWI_RULE_CHOICE, UWI_LOWER, 0, 0, 0, "safe", gits,
     "safe protects git's hooks and configuration"},
    {"policy.temp", UWI_RULE_CHOICE, UWI_LOWER, 0, 0, 0, "private", temps,
     "where a sandbox has no view of its own: the session's directory alone, or also the host's /tmp"},
    {"policy.max_mode", UWI_RULE_CHOICE, UWI_LOWER, 0, 0, 0, "danger-full-access", modes,
     "the widest mode that an approval may reach"},
    {"services", UWI_RULE_MAP, UWI_OWNER, 0, 0, 0, "{}", NULL,
     "what is built on the world; each is made at first use"},
    PROVIDER("services.shell", UWI_OWNER, UWI_RULE_REMOVABLE, "runs texts of a shell"),
    PROVIDER("services.terminal", UWI_OWNER, UWI_RULE_REMOVABLE, "keeps terminals"),
    PROVIDER("services.lsp", UWI_OWNER, UWI_RULE_REMOVABLE, "talks to language servers"),
    PROVIDER("services.search", UWI_OWNER, UWI_RULE_REMOVABLE, "finds files and lines"),
    PROVIDER("guard", UWI_OWNER, UWI_RULE_REQUIRED | UWI_RULE_NONE,
             "decides allow, ask or deny for each command; none is to be written out"),
    PROVIDER("approval", UWI_OWNER, UWI_RULE_NONE, "keeps what waits for a person; none if not set"),
    PROVIDER("trace", UWI_OWNER, UWI_RULE_NONE, "records what happens; none if not set"),
    {"trace.required", UWI_RULE_BOOL, UWI_ONLY_TRUE, 0, 0, 0, "true", NULL,
     "nothing starts that cannot be recorded"},
    {"escalation", UWI_RULE_MAP, UWI_OWNER, 0, 0, 0, "{}", NULL, "how wider modes are asked for"},
    {"escalation.tools", UWI_RULE_TEXTS, UWI_FEWER, 0, 0, 0, "[bash, write, edit, terminal]", wideners,
     "tools that may ask for a wider mode"},
    {"tools", UWI_RULE_TEXTS, UWI_FEWER, 0, 0, 0,
     "[read, write, edit, ls, glob, grep, bash, job, terminal, lsp, world]", tools,
     "tools that `umwelt mcp` offers"},
    {"grants", UWI_RULE_NAMES, UWI_OWNER, 0, 0, 0, "{}", NULL, "services to withhold, by plugin"},
    {"grants.*", UWI_RULE_TEXTS, UWI_MORE, 0, 0, 0, NULL, NULL,
     "services that this plugin does not get"},
    {"limits", UWI_RULE_MAP, UWI_OWNER, 0, 0, 0, "{}", NULL, "how much runs at once"},
    {"limits.max_running", UWI_RULE_INT, UWI_LOWER, 0, 1, 1024, "4", NULL,
     "commands that run side by side"},
    {"limits.max_per_session", UWI_RULE_INT, UWI_LOWER, 0, 1, 1024, "4", NULL,
     "commands of one session that run side by side"},
    {"limits.max_queued", UWI_RULE_INT, UWI_LOWER, 0, 0, 65536, "256", NULL,
     "commands of one session that wait"},
};
const size_t uwi_rule_count = UW_COUNT(uwi_rules);

/* The last component of a rule's path if it stands directly below parent, else NULL. */
static const char *name_below(const struct uwi_rule *rule, const struct uwi_rule *parent)
{
	const char *rest = rule->path;
	if (parent) {
		size_t len = strlen(parent->path);
		if (strncmp(rest, parent->path, len) != 0 || rest[len] != '.')
			return NULL;
		rest += len + 1;
	}
	return strpbrk(rest, ".[") ? NULL : rest;
}

const struct uwi_rule *uwi_rule_below(const struct uwi_rule *parent, const char *key)
{
	for (size_t i = 0; i < uwi_rule_count; i++) {
		const char *name = name_below(&uwi_rules[i], parent);
		if (name && (!strcmp(name, key) || !strcmp(name, "*")))
			return &uwi_rules[i];
	}
	return NULL;
}

const struct uwi_rule *uwi_rule_member(const struct uwi_rule *list)
{
	size_t len = strlen(list->path);
	for (size_t i = 0; i < uwi_rule_count; i++)
		if (!strncmp(uwi_rules[i].path, list->path, len) && !strcmp(uwi_rules[i].path + len, "[]"))
			return &uwi_rules[i];
	return NULL;
}

const char *uwi_rule_name(const void *parent, size_t index)
{
	for (size_t i = 0; i < uwi_rule_count; i++) {
		const char *name = name_below(&uwi_rules[i], parent);
		if (name && strcmp(name, "*") != 0 && index-- == 0)
			return name;
	}
	return NULL;
}

/* 1 if `path` is what the pattern stands for. */
static int matches(const char *pattern, const char *path)
{
	while (*pattern) {
		if (*pattern == '*') {
			size_t len = strcspn(path, ".[");
			if (!len)
				return 0;
			path += len;
			pattern++;
		} else if (*pattern == '[' && *path == '[') {
			const char *end = strchr(path, ']');
			if (!end)
				return 0;
			path = end + 1;
			pattern += 2;
		} else if (*pattern++ != *path++) {
			return 0;
		}
	}
	return *path == '\0';
}

const struct uwi_rule *uwi_rule_at(const char *path)
{
	for (size_t i = 0; i < uwi_rule_count; i++)
		if (matches(uwi_rules[i].path, path))
			return &uwi_rules[i];
	return NULL;
}

const struct uwi_rule *uwi_rule_child(const char *path, const char *key)
{
	const struct uwi_rule *parent = uwi_rule_at(path);
	return parent ? uwi_rule_below(parent, key) : NULL;
}

/* ---- for people ---- */

static void list_choices(struct uw_buf *buf, const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++)
		uw_buf_printf(buf, "%s%s", i ? ", " : "", choices[i]);
}

static void describe(struct uw_buf *buf, const struct uwi_rule *rule)
{
	const char *none = rule->flags & UWI_RULE_NONE ? " or none" : "";
	switch (rule->kind) {
	case UWI_RULE_VERSION: uw_buf_text(buf, "the number 1"); break;
	case UWI_RULE_MAP:
	case UWI_RULE_NAMES: uw_buf_text(buf, "a map"); break;
	case UWI_RULE_PROVIDER:
		uw_buf_printf(buf, "a map with `plugin`%s%s",
		              rule->flags & UWI_RULE_ONLY_MAP ? "" : ", an instance's name", none);
		break;
	case UWI_RULE_LIST:
	case UWI_RULE_ROOTS: uw_buf_text(buf, "a list"); break;
	case UWI_RULE_BOOL: uw_buf_text(buf, "true or false"); break;
	case UWI_RULE_INT:
		uw_buf_printf(buf, "a whole number, %lld to %lld", (long long)rule->min, (long long)rule->max);
		break;
	case UWI_RULE_TEXT: uw_buf_text(buf, "text"); break;
	case UWI_RULE_PATH: uw_buf_text(buf, "a path"); break;
	case UWI_RULE_CHOICE:
		uw_buf_text(buf, "one of ");
		list_choices(buf, rule->choices);
		break;
	case UWI_RULE_TEXTS:
		uw_buf_text(buf, "a list of texts");
		if (rule->choices) {
			uw_buf_text(buf, ": ");
			list_choices(buf, rule->choices);
		}
		break;
	}
}

char *uwi_rule_wants(struct uw_arena *arena, const struct uwi_rule *rule)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	describe(&buf, rule);
	return buf.failed ? NULL : uw_arena_copy(arena, buf.data, buf.len);
}

static const char *narrowing_name(const struct uwi_rule *rule)
{
	if (rule->kind == UWI_RULE_MAP || rule->kind == UWI_RULE_NAMES)
		return "each key";
	switch (rule->narrowing) {
	case UWI_FREE: return "any";
	case UWI_LOWER: return rule->kind == UWI_RULE_CHOICE ? "narrowing: an earlier choice" : "narrowing: lower";
	case UWI_FEWER: return "narrowing: fewer";
	case UWI_MORE: return "narrowing: more";
	case UWI_ONLY_TRUE: return "narrowing: true";
	case UWI_OWNER: break;
	}
	return "owner";
}

int uwi_bundle_print_keys(struct uw_sink sink, struct uw_error *err)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	uw_buf_text(&buf, "| key | takes | default | who | what |\n| --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < uwi_rule_count; i++) {
		const struct uwi_rule *rule = &uwi_rules[i];
		const char *missing = rule->flags & UWI_RULE_REQUIRED ? "required" : "";
		uw_buf_printf(&buf, "| `%s` | ", rule->path);
		describe(&buf, rule);
		uw_buf_printf(&buf, " | %s | %s | %s |\n", rule->default_text ? rule->default_text : missing,
		              narrowing_name(rule), rule->help);
	}
	if (buf.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "memory could not be had");
	return sink.write(sink.arg, buf.data, buf.len);
}

char *uwi_path_absolute(struct uw_arena *arena, const char *dir, const char *text)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	const char *at = text;
	if (*text != '/' && strcmp(dir, "/") != 0)
		uw_buf_text(&buf, dir);
	while (*at) {
		size_t len = strcspn(at, "/");
		if (len && !(len == 1 && *at == '.')) {
			uw_buf_byte(&buf, '/');
			uw_buf_add(&buf, at, len);
		}
		at += len + (at[len] == '/');
	}
	if (!buf.len)
		uw_buf_byte(&buf, '/');
	return buf.failed ? NULL : uw_arena_copy(arena, buf.data, buf.len);
}
