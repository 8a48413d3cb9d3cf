/*
 * The order is the order of the functions called in run(); nothing in a bundle
 * can change it (C-50):
 *
 *   snapshot -> resolve policy -> classify -> approve -> queue -> verify again and
 *   consume -> confine -> record start -> spawn -> (process.c:) settle -> record end
 *
 * Only the exact decision `allow` goes on after classify and approve; any other
 * value stops there with nothing started. A step that fails ends the request with
 * effect none: what came before it is given back, nothing was run.
 */
#include "core/pipeline.h"

#include "common/arena.h"
#include "core/process.h"
#include "core/queue.h"

#include <string.h>

#define WORDS_MAX  65536u
#define PASSES_MAX 256u

/* The guard's decision. There is no guard in this build: everything is allowed by rule `no-guard`. */
enum decision { DECISION_NONE = 0, DECISION_ALLOW = 1 };

struct request {
	struct uwi_entry entry;
	struct uw_spawn spawn; /* the snapshot */
	struct uw_arena arena;
	const char *cwd; /* outside path */
	enum decision decision;
	const char *rule;
	struct uw_process *process;
};

static int bad(struct uw_error *err, const char *what)
{
	return uwi_gate_bad_args(UW_STAGE_SNAPSHOT, err, what);
}

/* ---- snapshot: what is judged later is what was asked now ---- */

static int copy_words(struct request *request, const char *const **words, int assigns,
                      struct uw_error *err)
{
	const char *const *given = *words;
	size_t count = 0;
	const char **mine;
	if (!given)
		return 0;
	while (given[count] && count <= WORDS_MAX)
		count++;
	if (count > WORDS_MAX)
		return bad(err, "there are more than 65536 words");
	mine = uw_arena_alloc(&request->arena, count + 1, sizeof *mine);
	for (size_t i = 0; mine && i < count; i++) {
		mine[i] = uw_arena_text(&request->arena, given[i]);
		if (mine[i] && assigns && (mine[i][0] == '=' || !strchr(mine[i], '=')))
			return bad(err, "an entry of env_set is not NAME=VALUE");
	}
	*words = mine;
	return 0;
}

static int check_stdio(const struct uw_spawn *spawn, struct uw_error *err)
{
	for (int i = 0; i < 3; i++) {
		const struct uw_stdio *io = &spawn->stdio[i];
		if (io->kind < UW_STDIO_NULL || io->kind > UW_STDIO_DATA || (io->kind == UW_STDIO_FD && io->fd < 0) ||
		    (io->kind == UW_STDIO_COLLECT && i == 0) || (io->kind == UW_STDIO_DATA && i != 0) ||
		    (io->kind == UW_STDIO_DATA && !io->data.data && io->data.len))
			return bad(err, "a disposition of stdin, stdout or stderr is not one that it can have");
	}
	for (size_t i = 0; i < spawn->pass_count; i++)
		if (spawn->passes[i].as < 3 || spawn->passes[i].fd < 0)
			return bad(err, "a descriptor to pass has no number of 3 or more");
	return 0;
}

static int check_spawn(const struct uw_spawn *spawn, struct uw_error *err)
{
	if (!spawn->argv || !spawn->argv[0] || !spawn->argv[0][0])
		return bad(err, "the command has no name");
	if (spawn->program && spawn->program[0] != '/')
		return bad(err, "the program is not an absolute path");
	if (spawn->env_base < UW_ENV_CONFIGURED || spawn->env_base > UW_ENV_EMPTY)
		return bad(err, "the base of the environment is not one of enum uw_env_base");
	if (spawn->tail != UW_TAIL_END && spawn->tail != UW_TAIL_KEEP)
		return bad(err, "what becomes of descendants is not one of enum uw_tail");
	if (spawn->control > 1)
		return bad(err, "control is neither 0 nor 1");
	if (spawn->pass_count > PASSES_MAX || (spawn->pass_count && !spawn->passes))
		return bad(err, "there are more than 256 descriptors to pass, or none where some were counted");
	if (!spawn->shell_text.data && spawn->shell_text.len)
		return bad(err, "the command's text is missing");
	if (spawn->cwd && (!spawn->cwd->path || spawn->cwd->path[0] != '/'))
		return bad(err, "the working directory is no handle of open_dir");
	return check_stdio(spawn, err);
}

static int snapshot(struct request *request, const struct uw_spawn *given, struct uw_error *err)
{
	struct uw_spawn *spawn = &request->spawn;
	struct uw_arena *arena = &request->arena;
	int code;
	UWI_COPY_IN(*spawn, given);
	code = check_spawn(spawn, err);
	if (code == 0)
		code = copy_words(request, &spawn->argv, 0, err);
	if (code == 0)
		code = copy_words(request, &spawn->env_set, 1, err);
	if (code == 0)
		code = copy_words(request, &spawn->env_unset, 0, err);
	if (code < 0)
		return code;
	spawn->program = uw_arena_text(arena, spawn->program);
	spawn->dialect = uw_arena_text(arena, spawn->dialect);
	if (spawn->shell_text.data)
		spawn->shell_text.data = uw_arena_copy(arena, spawn->shell_text.data, spawn->shell_text.len);
	if (spawn->pass_count)
		spawn->passes = (const struct uw_fd_pass *)(const void *)uw_arena_copy(
		    arena, (const char *)spawn->passes, spawn->pass_count * sizeof *spawn->passes);
	if (spawn->pty) {
		struct uw_pty *pty = uw_arena_alloc(arena, 1, sizeof *pty);
		if (pty)
			*pty = *spawn->pty;
		spawn->pty = pty;
	}
	spawn->confined = NULL; /* only the pipeline confines */
	if (arena->failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SNAPSHOT, UW_EFFECT_NONE, 0, "no memory for a command");
	return 0;
}

/* ---- the steps after it ---- */

/* The gate has filled the policy in; a command without a session has none and is refused. */
static int resolve_policy(struct request *request, struct uw_error *err)
{
	if (!request->entry.policy)
		return uw_fail(err, UW_E_SESSION_NOT_FOUND, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "a command needs a session; nothing was run");
	if (!request->spawn.cwd)
		request->spawn.cwd = request->entry.policy->value->workspace_dir;
	request->cwd = request->spawn.cwd ? request->spawn.cwd->path : request->entry.policy->value->workspace.path;
	return 0;
}

/* Here a guard will look at the snapshot. */
static int classify(struct request *request, struct uw_error *err)
{
	(void)err;
	request->decision = DECISION_ALLOW;
	request->rule = "no-guard";
	return 0;
}

/* Here a person will be asked where the guard says so. Nothing but allow passes. */
static int approve(struct request *request, struct uw_error *err)
{
	if (request->decision == DECISION_ALLOW)
		return 0;
	return uw_fail(err, UW_E_UNKNOWN_DECISION, UW_STAGE_APPROVE, UW_EFFECT_NONE, 0,
	               "decision %d is not one that lets a command run; nothing was run", (int)request->decision);
}

static int queue(struct request *request, struct uw_error *err)
{
	int code = uwi_process_create(&request->entry, &request->process, err);
	if (code < 0 || request->spawn.pty) /* a terminal holds no slot (C-52) */
		return code;
	return uwi_queue_enter(&request->entry, request->process, err);
}

/* Time has passed: the workspace must still be the one, and nobody cancelled. */
static int verify_and_consume(struct request *request, struct uw_error *err)
{
	int code = uw_call_check(&request->entry.call, UW_STAGE_QUEUE, err);
	if (code < 0)
		return code;
	return uwi_workspace_verify(request->entry.generation, &request->entry.call,
	                            request->entry.policy->value, UW_STAGE_QUEUE, err);
}

static int confine(struct request *request, struct uw_error *err)
{
	const struct uwi_slot *sandbox = &request->entry.generation->slots[UWI_SANDBOX];
	struct uw_confined *confined;
	int code = uwi_pipeline_confine(sandbox, &request->entry.call, request->entry.policy->value,
	                                request->cwd, &confined, err);
	if (code < 0)
		return code;
	request->spawn.confined = confined;
	return uwi_process_confined(request->process, confined, err);
}

/* Here a trace will take the request down before it starts. */
static int record_start(struct request *request, struct uw_error *err)
{
	struct uw_process *process = request->process;
	process->rule = request->rule;
	process->cwd = uw_arena_text(&process->arena, request->cwd);
	if (request->spawn.pty)
		process->stream = request->spawn.stdio[1].kind == UW_STDIO_COLLECT ? 1 : 0;
	else
		process->stream = request->spawn.stdio[2].kind == UW_STDIO_COLLECT ? 2 : 0;
	if (process->arena.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_RECORD, UW_EFFECT_NONE, 0, "no memory for a command");
	return 0;
}

/* The one place where a provider is told to start something (C-54). */
static int start(const struct uwi_slot *slot, const struct uw_call *call, const struct uw_spawn *spawn,
                 struct uw_process **ret_inner, struct uw_error *err)
{
	struct uw_process *inner = NULL;
	int code = uwi_turn_enter(slot, call, UW_STAGE_SPAWN, err);
	if (code < 0)
		return code;
	code = ((const struct uw_subprocess_v1 *)slot->v)->spawn(slot->self, call, spawn, &inner, err);
	uwi_turn_leave(slot);
	if (code == 0 && !inner) {
		uwi_provider_misbehaved(slot->provider, "spawn said success and gave no process");
		return uw_fail(err, UW_E_PLUGIN_MISBEHAVED, UW_STAGE_SPAWN, UW_EFFECT_UNKNOWN, 0,
		               "plugin %s said success and gave no process", uwi_provider_name(slot->provider));
	}
	code = uwi_gate_judge(slot, UW_STAGE_SPAWN, UW_EFFECT_UNKNOWN, code, err);
	if (code == 0)
		*ret_inner = inner;
	return code;
}

static int spawn(struct request *request, struct uw_error *err)
{
	struct uw_process *inner;
	int code = start(request->entry.slot, &request->entry.call, &request->spawn, &inner, err);
	if (code == 0)
		uwi_process_started(request->process, inner);
	return code;
}

/*
 * A confinement that says of itself that it may have passed meanwhile is made anew
 * where the launcher was not reached: the effect is none, the request is the same,
 * and nothing of it was executed (C-53).
 */
enum { CONFINE_TRIES = 3 };

static int passed(const struct uw_confined *confined, int code, const struct uw_error *why)
{
	return code == UW_E_SANDBOX_UNAVAILABLE && why->effect == UW_EFFECT_NONE &&
	       UW_HAS(struct uw_confined, confined->size, may_pass) && confined->may_pass;
}

static int give(struct uw_error *err, int code, const struct uw_error *why)
{
	if (code < 0 && err)
		*err = *why;
	return code;
}

static int confine_and_start(struct request *request, struct uw_error *err)
{
	for (int tries = 1;; tries++) {
		struct uw_error why = UW_ERROR_INIT;
		int code = confine(request, err);
		if (code == 0)
			code = record_start(request, err);
		if (code < 0)
			return code;
		code = spawn(request, &why);
		if (tries == CONFINE_TRIES || !passed(request->spawn.confined, code, &why))
			return give(err, code, &why);
		request->spawn.confined = NULL;
		uwi_process_unconfine(request->process);
	}
}

static int run(struct request *request, const struct uw_spawn *given, struct uw_error *err)
{
	int code = snapshot(request, given, err);
	if (code == 0)
		code = resolve_policy(request, err);
	if (code == 0)
		code = classify(request, err);
	if (code == 0)
		code = approve(request, err);
	if (code == 0)
		code = queue(request, err);
	if (code == 0)
		code = verify_and_consume(request, err);
	if (code == 0)
		code = confine_and_start(request, err);
	if (code < 0)
		uwi_process_abandon(request->process);
	return code;
}

int uwi_pipeline_spawn(void *self, const struct uw_call *call, const struct uw_spawn *spawn_spec,
                       struct uw_process **ret_process, struct uw_error *err)
{
	const struct uwi_gate *gate = self;
	struct request request = {.arena = UW_ARENA_INIT};
	int code;
	if (!spawn_spec || spawn_spec->size < sizeof *spawn_spec || !ret_process)
		return bad(err, "spawn needs a spec, its size set, and a place for the process");
	if (gate->inner)
		return uw_fail(err, UW_E_UNSUPPORTED, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
		               "a provider at the heart of a world starts nothing by itself");
	code = uwi_gate_enter(gate, call, UWI_CALL_NO_TURN, UW_STAGE_SPAWN, &request.entry, err);
	if (code < 0)
		return code;
	code = run(&request, spawn_spec, err);
	uw_arena_finish(&request.arena);
	code = uwi_gate_leave(&request.entry, code, err);
	if (code == 0)
		*ret_process = request.process;
	return code;
}

/* ---- confinement, checked ---- */

/* What is wrong with an answer of confine, or NULL (S-11). */
static const char *fault(const struct uw_confined *confined, const struct uw_policy *policy)
{
	int confines = policy->mode != UW_MODE_DANGER_FULL_ACCESS;
	if (!confined || !confined->backend)
		return "confine said success and gave nothing, or no backend";
	if (confined->wrapper_count && (!confined->wrapper || !confined->wrapper[0] || confined->wrapper[0][0] != '/'))
		return "the wrapper does not start with an absolute path";
	if (confined->profile_len && !confined->profile)
		return "the profile has a length and no bytes";
	if (confined->enforcement < UW_UNCONFINED || confined->enforcement > UW_FULL)
		return "the enforcement is not one of enum uw_enforcement";
	if (confines && confined->enforcement == UW_UNCONFINED)
		return "it passes a command through unconfined that was to be confined";
	if (confines && !confined->in_run_check && !confined->remote_id)
		return "the confinement lacks the check that is made in each run";
	return NULL;
}

int uwi_pipeline_confine(const struct uwi_slot *sandbox, const struct uw_call *call,
                         const struct uw_policy *policy, const char *cwd,
                         struct uw_confined **ret_confined, struct uw_error *err)
{
	const struct uw_sandbox_v1 *v = sandbox->v;
	struct uw_confined *confined = NULL;
	const char *wrong;
	int code = uwi_turn_enter(sandbox, call, UW_STAGE_CONFINE, err);
	if (code < 0)
		return code;
	code = v->confine(sandbox->self, call, policy, cwd, &confined, err);
	uwi_turn_leave(sandbox);
	code = uwi_gate_judge(sandbox, UW_STAGE_CONFINE, UW_EFFECT_NONE, code, err);
	if (code < 0)
		return code;
	wrong = fault(confined, policy);
	if (wrong) {
		if (confined)
			(void)v->release(sandbox->self, confined, NULL, NULL);
		uwi_provider_misbehaved(sandbox->provider, "%s", wrong);
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "plugin %s broke its contract: %s; nothing was run", uwi_provider_name(sandbox->provider),
		               wrong);
	}
	*ret_confined = confined;
	return 0;
}

int uwi_pipeline_probe(struct uwi_generation *generation, const struct uw_call *call,
                       const struct uw_policy *policy, const struct uw_spawn *given,
                       struct uw_confined **ret_confined, struct uw_process **ret_inner,
                       struct uw_error *err)
{
	const struct uwi_slot *sandbox = &generation->slots[UWI_SANDBOX];
	const struct uw_outcome broke_off = {.size = sizeof broke_off, .broke_off = 1};
	struct uw_spawn mine = *given;
	for (int tries = 1;; tries++) {
		struct uw_error why = UW_ERROR_INIT;
		struct uw_confined *confined;
		int again, code = uwi_pipeline_confine(sandbox, call, policy,
		                                       mine.cwd ? mine.cwd->path : policy->workspace.path,
		                                       &confined, err);
		if (code < 0)
			return code;
		mine.confined = confined;
		code = start(&generation->slots[UWI_SUBPROCESS], call, &mine, ret_inner, &why);
		again = tries < CONFINE_TRIES && passed(confined, code, &why);
		if (code == 0) {
			*ret_confined = confined;
			return 0;
		}
		(void)((const struct uw_sandbox_v1 *)sandbox->v)
		    ->release(sandbox->self, confined, again ? &broke_off : NULL, NULL);
		if (!again)
			return give(err, code, &why);
	}
}
