/* umwelt doctor: what of Umwelt works on this machine, why not, and what to do about it (C-73). */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "cmd/commands.h"
#include "cmd/doctor.h"
#include "cmd/json.h"
#include "cmd/operations.h"
#include "cmd/text.h"

#define MAX_BACKENDS 16

/* What each row of the table is about; for --explain. */
static const char *const operation_meanings[UW_OP_COUNT] = {
    [UW_OP_CONTENT] = "changing the content of files outside the writable roots",
    [UW_OP_CREATION] = "making and removing files and directories there",
    [UW_OP_METADATA] = "changing mode, owner, times, attributes and flags there",
    [UW_OP_PROTECTED_EXISTING] = "changing protected paths that exist",
    [UW_OP_PROTECTED_ABSENT] = "making protected paths that do not exist",
    [UW_OP_DESCRIPTORS] = "using descriptors that were open before",
    [UW_OP_UNIX_SOCKETS] = "speaking to unix sockets of others",
    [UW_OP_NETWORK] = "reaching the network",
    [UW_OP_READS] = "reading files; no mode promises anything here",
    [UW_OP_PROCESSES] = "seeing and signalling processes of others",
    [UW_OP_LIMITS] = "changing limits and scheduling of processes of others",
    [UW_OP_SYSV_IPC] = "System V shared memory, semaphores and queues of others",
    [UW_OP_LOCKS] = "holding locks and leases on files outside",
    [UW_OP_TERMINAL] = "typing into the terminal of others",
    [UW_OP_DEVICES] = "making and opening devices",
    [UW_OP_PRIVILEGE] = "gaining privilege",
    [UW_OP_HARD_LINKS] = "writing through hard links that were made before",
    [UW_OP_TEMP] = "seeing or changing temporary files of others",
};

struct report {
	struct doctor_backend *backends; /* MAX_BACKENDS of them, then the bundle's own */
	size_t count;
	const char *bundle;
	struct doctor_backend *chosen; /* the bundle as it is */
	char workspace[64];
};

static int take_backend(void *arg, const struct uw_plugin_facts *facts)
{
	struct report *report = arg;
	for (size_t i = 0; !facts->skipped && facts->provides && facts->provides[i]; i++) {
		if (strcmp(facts->provides[i], UW_SANDBOX_SERVICE) || report->count == MAX_BACKENDS)
			continue;
		(void)snprintf(report->backends[report->count].plugin,
		               sizeof report->backends[report->count].plugin, "%s", facts->name);
		report->count++;
	}
	return 0;
}

static const char *enforcement_name(int enforcement)
{
	const char *name = cmd_enforcement_name(enforcement);
	return name ? name : "unavailable";
}

static void show_text(struct uw_buf *text, const char *label, const char *value)
{
	if (!value[0])
		return;
	uw_buf_printf(text, "  %s", label);
	cmd_text_show(text, value, strlen(value), "    ");
	uw_buf_byte(text, '\n');
}

static void show_usable(struct uw_buf *text, const char *name, const struct doctor_backend *backend)
{
	int colour = cmd_colour(STDOUT_FILENO);
	uw_buf_printf(text, "%s: %s%s%s\n", name, !colour ? "" : backend->usable ? "\033[32m" : "\033[31m",
	              backend->usable ? "usable" : "not usable", colour ? "\033[m" : "");
	show_text(text, "", backend->reason);
	show_text(text, "advice: ", backend->advice);
}

static void show_table(struct uw_buf *text, const struct doctor_backend *backend, int explain)
{
	uw_buf_printf(text, "  %-20s %-12s %s\n", "operation", "read-only", "workspace-write");
	uw_buf_printf(text, "  %-20s %-12s %s\n", "(as a whole)", enforcement_name(backend->modes[0].enforcement),
	              enforcement_name(backend->modes[1].enforcement));
	for (size_t i = 0; i < UW_OP_COUNT; i++) {
		const char *reason = backend->modes[1].rows[i].reason ? backend->modes[1].rows[i].reason
		                                                      : backend->modes[0].rows[i].reason;
		uw_buf_printf(text, "  %-20s %-12s ", cmd_operation_name(i), cmd_hold_name(backend->modes[0].rows[i].hold));
		uw_buf_printf(text, reason ? "%-15s  %s\n" : "%s%s\n", cmd_hold_name(backend->modes[1].rows[i].hold),
		              reason ? reason : "");
		if (explain)
			uw_buf_printf(text, "    %s%s\n", operation_meanings[i],
			              backend->modes[1].rows[i].promised ? "; promised by the mode" : "");
	}
	for (size_t i = 0; i < UW_COUNT(backend->modes); i++)
		if (backend->modes[i].error.code)
			uw_buf_printf(text, "  %s: %s: %s\n", uw_mode_name(backend->modes[i].mode),
			              uw_code_name(backend->modes[i].error.code), backend->modes[i].error.message);
}

static void show_host(struct invocation *in, struct uw_buf *text)
{
	static const struct {
		int which;
		const char *label;
	} paths[] = {{UW_PATH_LAUNCHER, "launcher"}, {UW_PATH_BWRAP, "bwrap"}, {UW_PATH_STATE, "state"},
	             {UW_PATH_TEMP, "temp"}};
	struct utsname name;
	uw_buf_printf(text, "umwelt %s, ", uw_version_string());
	if (uname(&name) == 0)
		uw_buf_printf(text, "%s %s %s, ", name.sysname, name.release, name.machine);
	uw_buf_printf(text, "uid %lu\n", (unsigned long)geteuid());
	for (size_t i = 0; i < UW_COUNT(paths); i++) {
		const char *path = uw_host_path(in->host, paths[i].which);
		uw_buf_printf(text, "%-9s %s\n", paths[i].label, path ? path : "none");
	}
}

static void show_report(struct invocation *in, const struct report *report, struct uw_buf *text)
{
	int explain = cmd_given(&in->arguments, CMD_EXPLAIN);
	show_host(in, text);
	for (size_t i = 0; i < report->count; i++) {
		uw_buf_byte(text, '\n');
		show_usable(text, report->backends[i].plugin, &report->backends[i]);
		if (report->backends[i].usable)
			show_table(text, &report->backends[i], explain);
	}
	if (report->count == 0)
		uw_buf_text(text, "\nno sandbox plugin was found; `umwelt plugins` says why\n");
	uw_buf_printf(text, "\nbundle ");
	show_usable(text, report->bundle, report->chosen);
}

static json_t *mode_json(const struct doctor_mode *mode)
{
	json_t *object = json_object();
	(void)cmd_json_string(object, "enforcement", enforcement_name(mode->enforcement));
	if (mode->enforcement)
		(void)cmd_json_put(object, "operations", cmd_operations_json(mode->rows));
	if (mode->error.code)
		(void)cmd_json_put(object, "error", cmd_json_error(&mode->error));
	return object;
}

static json_t *backend_json(const struct doctor_backend *backend, const char *name)
{
	json_t *object = json_object(), *modes = json_object();
	(void)cmd_json_string(object, "name", name);
	(void)cmd_json_bool(object, "usable", backend->usable);
	(void)cmd_json_string(object, "reason", backend->reason);
	(void)cmd_json_string(object, "advice", backend->advice);
	for (size_t i = 0; backend->usable && i < UW_COUNT(backend->modes); i++)
		(void)cmd_json_put(modes, uw_mode_name(backend->modes[i].mode), mode_json(&backend->modes[i]));
	(void)cmd_json_put(object, "modes", modes);
	if (backend->error.code)
		(void)cmd_json_put(object, "error", cmd_json_error(&backend->error));
	return object;
}

static int tell(struct invocation *in, const struct report *report, struct uw_error *err)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	int r = 0;
	if (cmd_wants_json(in)) {
		json_t *object = json_object(), *list = json_array();
		for (size_t i = 0; i < report->count; i++)
			(void)json_array_append_new(list, backend_json(&report->backends[i], report->backends[i].plugin));
		(void)cmd_json_put(object, "backends", list);
		(void)cmd_json_put(object, "bundle", backend_json(report->chosen, report->bundle));
		r = cmd_answer(in, object, err);
	}
	if (r == 0 && !in->json) {
		show_report(in, report, &text);
		r = cmd_write_buf(&text, err);
	}
	if (r < 0)
		return r;
	return report->chosen->usable ? CMD_OK : cmd_status_of_code(report->chosen->error.code);
}

static int examine_all(struct invocation *in, struct report *report, struct uw_error *err)
{
	int r = uw_host_plugins(in->host, take_backend, report, err);
	for (size_t i = 0; r == 0 && i < report->count; i++) {
		char plugin[sizeof report->backends[i].plugin];
		memcpy(plugin, report->backends[i].plugin, sizeof plugin);
		r = doctor_examine(in, report->bundle, plugin, report->workspace, &report->backends[i], err);
	}
	if (r == 0)
		r = doctor_examine(in, report->bundle, NULL, report->workspace, report->chosen, err);
	return r < 0 ? r : tell(in, report, err);
}

static int examine(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_FREE struct doctor_backend *backends = calloc(MAX_BACKENDS + 1, sizeof *backends);
	const char *bundle = in->arguments.value[CMD_BUNDLE];
	struct report report = {.backends = backends, .bundle = bundle ? bundle : "read-only",
	                        .workspace = "/var/tmp/umwelt-doctor.XXXXXX"};
	int r;
	if (!backends)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "no memory");
	report.chosen = &backends[MAX_BACKENDS];
	if (!mkdtemp(report.workspace))
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, errno,
		               "no directory can be made below /var/tmp: %s", strerror(errno));
	r = examine_all(in, &report, err);
	(void)rmdir(report.workspace);
	return r;
}

static int show_env_rules(struct invocation *in, struct uw_error *err)
{
	const struct uw_subprocess *subprocess = NULL;
	int r = cmd_open(in, err);
	if (r == 0)
		r = cmd_subprocess(in, &subprocess, err);
	if (r < 0)
		return r;
	if (!subprocess->v->env_rules)
		return uw_fail(err, UW_E_UNSUPPORTED, UW_STAGE_READ, UW_EFFECT_NONE, 0,
		               "the subprocess provider of this bundle does not tell its rules");
	return subprocess->v->env_rules(subprocess->self, cmd_sink_out(err), err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	int r;
	if (cmd_given(&in->arguments, CMD_ENV_RULES))
		return show_env_rules(in, err);
	r = cmd_open_host(in, err);
	return r < 0 ? r : examine(in, err);
}

const struct command cmd_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Say what works on this machine, why not, and what to do about it",
    .about = "Each sandbox backend is tried in a world of its own. The table tells for each operation what\n"
             "holds it: full, partial, detected or none. The exit status is non-zero if the bundle\n"
             "(--bundle, else read-only) cannot work here.",
    .options = CMD_HOST | CMD_BIT(BUNDLE) | CMD_BIT(EXPLAIN) | CMD_BIT(ENV_RULES),
    .run = run,
};
