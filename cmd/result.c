/* The object of C-72: what `run --json` and `sh --json` answer. docs/run-result.schema.json describes it. */
#include <string.h>

#include "cmd/json.h"
#include "cmd/operations.h"
#include "cmd/process.h"

static const char *phase_name(const struct cmd_process *process)
{
	if (!process->started)
		return "not-started";
	switch (process->exit.phase) {
	case UW_PHASE_EXITED: return "exited";
	case UW_PHASE_EMPTY: return "range-empty";
	case UW_PHASE_LOST: return "lost";
	default: return "running";
	}
}

/*
 * Without a guard everything is allowed, by a rule of that name (C-13). An error
 * of a later step tells that the guard had let it pass.
 */
static json_t *decision_json(const struct cmd_process *process, const struct uw_error *error)
{
	const char *value = NULL, *rule = NULL, *reason = NULL;
	json_t *object;
	int stage = error ? error->stage : UW_STAGE_NONE;
	if (process->started || (stage >= UW_STAGE_QUEUE && stage <= UW_STAGE_SETTLE)) {
		value = "allow";
		rule = "no-guard";
		reason = "the bundle has no guard";
	} else if (error && error->code == UW_E_POLICY_DENIED) {
		value = "deny";
		reason = error->message;
	} else if (error && error->code == UW_E_APPROVAL_REQUIRED) {
		value = "ask";
		reason = error->message;
	}
	if (!value)
		return NULL;
	object = json_object();
	(void)cmd_json_string(object, "value", value);
	(void)cmd_json_string(object, "rule", rule);
	(void)cmd_json_string(object, "revision", NULL);
	(void)cmd_json_string(object, "reason", reason);
	return object;
}

/* The kept bytes from `offset` to `end`. */
static void fetch(struct invocation *in, struct cmd_process *process, int stream, uint64_t offset,
                  uint64_t end, struct uw_buf *text)
{
	const struct uw_subprocess *sub = process->subprocess;
	while (offset < end) {
		uint64_t from = 0, next = 0;
		if (sub->v->output(sub->self, &in->call, process->process, stream, offset, end - offset,
		                   cmd_sink_buf(text), &from, &next, NULL) < 0 ||
		    next <= offset)
			return;
		offset = next;
	}
}

/* object[name] = what was kept of a stream; facts of what was not go to `truncated`. */
static void add_stream(struct invocation *in, struct cmd_process *process, int stream, json_t *object,
                       json_t *truncated)
{
	const char *name = stream == 1 ? "stdout" : "stderr";
	const struct uw_stream_facts *facts = stream == 1 ? &process->exit.out : &process->exit.err;
	UW_AUTO_BUF text = UW_BUF_INIT;
	json_t *cut = json_object();
	uint64_t omitted = facts->lossy && facts->tail_offset > facts->head_len
	                       ? facts->tail_offset - facts->head_len
	                       : 0;
	if (omitted) {
		fetch(in, process, stream, 0, facts->head_len, &text);
		uw_buf_printf(&text, "\n[... %llu bytes left out ...]\n", (unsigned long long)omitted);
		fetch(in, process, stream, facts->tail_offset, facts->total, &text);
	} else {
		fetch(in, process, stream, 0, facts->total, &text);
	}
	(void)cmd_json_text(object, name, text.data ? text.data : "", text.len);
	(void)cmd_json_unsigned(cut, "total", facts->total);
	(void)cmd_json_unsigned(cut, "omitted", omitted);
	if (omitted)
		(void)cmd_json_unsigned(cut, "at", facts->head_len);
	(void)cmd_json_put(truncated, name, cut);
}

static void add_end(struct invocation *in, struct cmd_process *process, json_t *object)
{
	static const char *const limits[] = {NULL, "wall", "cpu", "memory", "files", "file-size", "output", "core"};
	const struct uw_exit *exit = &process->exit;
	json_t *truncated = json_object(), *timing = json_object();
	if (exit->signal > 0)
		(void)cmd_json_integer(object, "signal", exit->signal);
	else if (exit->exit_code >= 0)
		(void)cmd_json_integer(object, "exit", exit->exit_code);
	if (exit->limit > 0 && (size_t)exit->limit < UW_COUNT(limits))
		(void)cmd_json_string(object, "limit", limits[exit->limit]);
	for (int stream = 1; stream <= 2; stream++)
		if (process->collected[stream])
			add_stream(in, process, stream, object, truncated);
	(void)cmd_json_put(object, "truncated", truncated);
	(void)cmd_json_string(object, "spill", exit->out.spill);
	(void)cmd_json_unsigned(timing, "user_us", exit->user_us);
	(void)cmd_json_unsigned(timing, "system_us", exit->system_us);
	(void)cmd_json_unsigned(timing, "wall_us", exit->wall_us);
	(void)cmd_json_unsigned(timing, "max_rss_kib", exit->max_rss_kib);
	(void)cmd_json_put(object, "timing", timing);
	(void)cmd_json_bool(object, "descendants", exit->descendants != 0);
	(void)cmd_json_unsigned(object, "killed", exit->killed);
}

static json_t *sandbox_json(const struct invocation *in, const struct cmd_process *process)
{
	static const char *const verdicts[] = {"no", "yes", "unknown"};
	static const char *const evidences[] = {"none", "kernel", "inferred"};
	const struct uw_exit *exit = &process->exit;
	json_t *object = json_object();
	if (!process->started) {
		(void)cmd_json_string(object, "mode", uw_mode_name(in->facts.mode));
		(void)cmd_json_string(object, "backend", in->facts.sandbox);
		return object;
	}
	(void)cmd_json_string(object, "mode", uw_mode_name(exit->mode));
	(void)cmd_json_string(object, "backend", exit->backend);
	(void)cmd_json_string(object, "enforcement", cmd_enforcement_name(exit->enforcement));
	(void)cmd_json_put(object, "operations", cmd_operations_json(exit->rows));
	(void)cmd_json_string(object, "denied", verdicts[exit->denied >= 0 && exit->denied < 3 ? exit->denied : 2]);
	(void)cmd_json_string(object, "evidence",
	                      evidences[exit->evidence >= 0 && exit->evidence < 3 ? exit->evidence : 0]);
	(void)cmd_json_string(object, "path", exit->denied_path[0] ? exit->denied_path : NULL);
	(void)cmd_json_string(object, "rule", exit->denied_rule[0] ? exit->denied_rule : NULL);
	(void)cmd_json_bool(object, "in_run", exit->checks != 0);
	return object;
}

json_t *cmd_result_json(struct invocation *in, struct cmd_process *process, const struct uw_error *error)
{
	json_t *object = json_object(), *decision = decision_json(process, error);
	if (decision)
		(void)cmd_json_put(object, "decision", decision);
	(void)cmd_json_string(object, "phase", phase_name(process));
	if (process->started)
		add_end(in, process, object);
	if (in->world)
		(void)cmd_json_put(object, "sandbox", sandbox_json(in, process));
	if (error)
		(void)cmd_json_put(object, "error", cmd_json_error(error));
	if (process->request[0])
		(void)cmd_json_string(object, "request", process->request);
	if (in->session)
		(void)cmd_json_string(object, "session", uw_session_facts(in->session)->id);
	if (in->world) {
		(void)cmd_json_unsigned(object, "generation", in->facts.generation);
		(void)cmd_json_string(object, "realm", in->facts.realm_id);
		(void)cmd_json_string(object, "proof", in->facts.proof);
	}
	return object;
}
