#include "core/process.h"

#include "core/gate.h"
#include "core/host_internal.h"
#include "core/queue.h"
#include "core/settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TAIL_MAX 8192 /* of stderr, looked at for an inferred denial */

static const struct uw_subprocess_v1 *table(const struct uw_process *process)
{
	return process->generation->slots[UWI_SUBPROCESS].v;
}

static void *provider(const struct uw_process *process)
{
	return process->generation->slots[UWI_SUBPROCESS].self;
}

static void lock(struct uw_process *process)
{
	(void)pthread_mutex_lock(&process->world->lock);
}

static void unlock(struct uw_process *process)
{
	(void)pthread_mutex_unlock(&process->world->lock);
}

/* ---- life ---- */

int uwi_process_create(struct uwi_entry *entry, struct uw_process **ret_process, struct uw_error *err)
{
	struct uw_process *process = calloc(1, sizeof *process);
	if (!process)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_QUEUE, UW_EFFECT_NONE, ENOMEM, "no memory for a process");
	process->world = entry->gate->world;
	process->generation = entry->generation;
	process->session = entry->session;
	process->policy = entry->policy;
	process->exit_fd = -1;
	process->mode = entry->policy->value->mode;
	process->users = 1; /* the spawn itself */
	lock(process);
	entry->generation->leases++;
	entry->policy->refs++;
	process->next = process->world->processes;
	process->world->processes = process;
	unlock(process);
	*ret_process = process;
	return 0;
}

/* Off the list; drops what it holds of world and session. Nothing of the provider is left. */
static void destroy(struct uw_process *process)
{
	struct uw_world *world = process->world;
	uwi_queue_leave(process);
	lock(process);
	for (struct uw_process **at = &world->processes; *at; at = &(*at)->next)
		if (*at == process) {
			*at = process->next;
			break;
		}
	(void)pthread_cond_broadcast(&world->changed);
	unlock(process);
	uwi_policy_drop(world, process->policy);
	uwi_lease_drop(process->generation);
	uw_arena_finish(&process->arena);
	free(process);
}

int uwi_process_confined(struct uw_process *process, struct uw_confined *confined,
                         struct uw_error *err)
{
	process->confined = confined;
	process->backend = uw_arena_text(&process->arena, confined->backend);
	process->enforcement = confined->enforcement;
	process->dialect = confined->dialect;
	for (int row = 0; row < UW_OP_COUNT; row++) {
		process->rows[row] = confined->rows[row];
		process->rows[row].reason = uw_arena_text(&process->arena, confined->rows[row].reason);
	}
	if (process->arena.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFINE, UW_EFFECT_NONE, ENOMEM, "no memory for a process");
	return 0;
}

static int release(struct uw_process *process, const struct uw_outcome *outcome, struct uw_error *err)
{
	const struct uwi_slot *slot = &process->generation->slots[UWI_SANDBOX];
	struct uw_confined *confined;
	int code;
	lock(process);
	confined = process->confined;
	process->confined = NULL;
	unlock(process);
	if (!confined)
		return 0;
	(void)uwi_turn_enter(slot, NULL, UW_STAGE_SETTLE, NULL);
	code = ((const struct uw_sandbox_v1 *)slot->v)->release(slot->self, confined, outcome, err);
	uwi_turn_leave(slot);
	return uwi_gate_judge(slot, UW_STAGE_SETTLE, UW_EFFECT_DONE, code, err);
}

void uwi_process_started(struct uw_process *process, struct uw_process *inner)
{
	const struct uwi_slot *slot = &process->generation->slots[UWI_SUBPROCESS];
	int exit_fd = table(process)->process_fd(slot->self, inner, UW_PROCESS_EXIT);
	lock(process);
	process->inner = inner;
	process->exit_fd = exit_fd;
	process->started = 1;
	unlock(process);
	uwi_queue_wake(process->world);
	uwi_process_leave(process);
}

static void give_back(struct uw_process *process, const struct uw_outcome *outcome)
{
	struct uw_error err = UW_ERROR_INIT;
	if (release(process, outcome, &err) < 0)
		uwi_host_log(process->world->host, UW_LOG_WARNING,
		             "the confinement of a command that never ran was not given back: %s", err.message);
}

void uwi_process_unconfine(struct uw_process *process)
{
	const struct uw_outcome outcome = {.size = sizeof outcome, .broke_off = 1};
	give_back(process, &outcome);
}

void uwi_process_abandon(struct uw_process *process)
{
	if (!process)
		return;
	give_back(process, NULL);
	destroy(process);
}

/* ---- handles ---- */

static struct uw_process *find(const struct uw_world *world, const void *handle)
{
	struct uw_process *process = world->processes;
	while (process && (const void *)process != handle)
		process = process->next;
	return process;
}

int uwi_process_owned(struct uw_world *world, const void *process)
{
	int owned;
	(void)pthread_mutex_lock(&world->lock);
	owned = find(world, process) != NULL;
	(void)pthread_mutex_unlock(&world->lock);
	return owned;
}

int uwi_process_enter(struct uw_world *world, struct uw_process *process, struct uw_error *err)
{
	struct uw_process *found;
	(void)pthread_mutex_lock(&world->lock);
	found = find(world, process);
	if (found && (found->disposing || !found->started))
		found = NULL;
	if (found)
		found->users++;
	(void)pthread_mutex_unlock(&world->lock);
	if (found)
		return 0;
	if (process && uwi_world_another(world, uwi_process_owned, process))
		return uw_fail(err, UW_E_WORLD_MISMATCH, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
		               "the process belongs to another world; nothing was done");
	return uw_fail(err, UW_E_PROCESS_NOT_FOUND, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
	               "this world has no such process; nothing was done");
}

void uwi_process_leave(struct uw_process *process)
{
	lock(process);
	process->users--;
	(void)pthread_cond_broadcast(&process->world->changed);
	unlock(process);
}

/* ---- what became of it ---- */

struct text {
	char data[TAIL_MAX + 1];
	size_t len;
};

static int take(void *arg, const char *data, size_t len)
{
	struct text *text = arg;
	if (len > TAIL_MAX - text->len)
		len = TAIL_MAX - text->len;
	memcpy(text->data + text->len, data, len);
	text->len += len;
	return 0;
}

/* The path as fs of this world resolves it under this policy (S-15). */
static int canonical(void *arg, const char *path, size_t len, char *ret, size_t size)
{
	const struct uw_process *process = arg;
	const struct uwi_generation *generation = process->generation;
	const struct uw_fs *fs = &generation->fs_gates[generation->fs_count - 1].handle.fs;
	struct uw_call call = UW_CALL_INIT;
	struct uw_target *target = NULL;
	int fits;
	call.policy = process->policy->value;
	call.view = &process->policy->value->view;
	if (fs->v->resolve(fs->self, &call, (struct uw_bytes){path, len}, process->cwd, 0, &target, NULL) < 0)
		return -1;
	fits = target->key.len < size;
	if (fits) {
		memcpy(ret, target->key.data, target->key.len);
		ret[target->key.len] = '\0';
	}
	target->release(target);
	return fits ? 0 : -1;
}

static void settle(struct uw_process *process, struct uw_exit *exit)
{
	const struct uw_stream_facts *facts = process->stream == 1 ? &exit->out : &exit->err;
	struct text text = {{0}, 0};
	struct uw_call call = UW_CALL_INIT;
	uint64_t from = facts->total > TAIL_MAX ? facts->total - TAIL_MAX : 0, start, next;
	struct uwi_settle settle = {process->policy->value, process->dialect, process->cwd, NULL, 0,
	                            canonical, process};
	if (process->mode != UW_MODE_DANGER_FULL_ACCESS && process->stream > 0 &&
	    table(process)->output(provider(process), &call, process->inner, process->stream, from, TAIL_MAX,
	                           (struct uw_sink){take, &text}, &start, &next, NULL) == 0) {
		settle.text = text.data;
		settle.text_len = text.len;
	}
	uwi_settle(&settle, exit);
}

void uwi_process_tell(struct uw_process *process, int complete, struct uw_exit *exit)
{
	struct uw_outcome outcome = {.size = sizeof outcome, .started = 1, .status = exit->status};
	struct uw_error err = UW_ERROR_INIT;
	int known;
	exit->backend = process->backend;
	exit->mode = process->mode;
	exit->enforcement = process->enforcement;
	exit->rule = process->rule;
	memcpy(exit->rows, process->rows, sizeof exit->rows);
	if (exit->phase < UW_PHASE_EXITED)
		return;
	uwi_queue_leave(process);
	lock(process);
	known = process->has_final;
	if (known) { /* said once: it does not change any more */
		exit->denied = process->final.denied;
		exit->evidence = process->final.evidence;
		memcpy(exit->denied_path, process->final.denied_path, sizeof exit->denied_path);
		memcpy(exit->denied_rule, process->final.denied_rule, sizeof exit->denied_rule);
	}
	unlock(process);
	if (!known)
		settle(process, exit);
	if (complete || exit->phase >= UW_PHASE_EMPTY) {
		lock(process);
		process->final = *exit;
		process->has_final = 1;
		unlock(process);
	}
	if (exit->phase >= UW_PHASE_EMPTY && release(process, &outcome, &err) < 0)
		uwi_host_log(process->world->host, UW_LOG_WARNING,
		             "the confinement of a command was not given back: %s", err.message);
}

/* ---- ending ---- */

/* Waits until this call is the only one on the handle. */
static void alone(struct uw_process *process)
{
	lock(process);
	while (process->users > 1)
		(void)pthread_cond_wait(&process->world->changed, &process->world->lock);
	unlock(process);
}

int uwi_process_end(struct uw_process *process, struct uw_error *err)
{
	const struct uwi_slot *slot = &process->generation->slots[UWI_SUBPROCESS];
	struct uw_call call = UW_CALL_INIT;
	struct uw_error one = UW_ERROR_INIT;
	struct uw_exit exit = {.size = sizeof exit};
	struct uw_process *inner = process->inner;
	int code = 0, failed;
	if (!inner) { /* ended with its session */
		alone(process);
		return 0;
	}
	failed = table(process)->terminate(slot->self, inner, 0, &one);
	uwi_collect(err, &code, uwi_gate_judge(slot, UW_STAGE_RETIRE, UW_EFFECT_UNKNOWN, failed, &one), &one);
	alone(process); /* whoever waited has been told */
	failed = table(process)->wait(slot->self, &call, inner, UW_WAIT_EMPTY, &exit, &one);
	failed = uwi_gate_judge(slot, UW_STAGE_RETIRE, UW_EFFECT_UNKNOWN, failed, &one);
	if (failed == 0)
		uwi_process_tell(process, 1, &exit);
	uwi_collect(err, &code, failed, &one);
	lock(process);
	process->inner = NULL;
	process->exit_fd = -1;
	unlock(process);
	failed = table(process)->dispose(slot->self, inner, &one);
	uwi_collect(err, &code, uwi_gate_judge(slot, UW_STAGE_RETIRE, UW_EFFECT_UNKNOWN, failed, &one), &one);
	failed = release(process, &(struct uw_outcome){.size = sizeof(struct uw_outcome), .started = 1, .status = exit.status}, &one);
	uwi_collect(err, &code, failed, &one);
	uwi_queue_leave(process);
	return code;
}

int uwi_process_dispose(struct uw_process *process, struct uw_error *err)
{
	int code;
	lock(process);
	process->disposing = 1;
	unlock(process);
	code = uwi_process_end(process, err);
	destroy(process);
	return code;
}

static int belongs(const struct uw_process *process, const struct uw_session *session)
{
	return session ? process->session == session : process->session != NULL;
}

/* The next one that this stage of ending has not seen, in use by us; NULL: none. */
static struct uw_process *next_for(struct uw_world *world, const struct uw_session *session, int stage)
{
	struct uw_process *process;
	(void)pthread_mutex_lock(&world->lock);
	for (process = world->processes; process; process = process->next)
		if (process->started && !process->disposing && process->ending < stage &&
		    belongs(process, session)) {
			process->ending = stage;
			process->users++;
			break;
		}
	(void)pthread_mutex_unlock(&world->lock);
	return process;
}

/* Those that their own holders are disposing of right now. */
static void wait_for_disposals(struct uw_world *world, const struct uw_session *session)
{
	struct uw_process *process;
	(void)pthread_mutex_lock(&world->lock);
	do {
		for (process = world->processes; process; process = process->next)
			if (process->disposing && belongs(process, session))
				break;
		if (process)
			(void)pthread_cond_wait(&world->changed, &world->lock);
	} while (process);
	(void)pthread_mutex_unlock(&world->lock);
}

void uwi_process_end_all(struct uw_world *world, struct uw_session *session, struct uw_error *all,
                         int *code)
{
	struct uw_process *process;
	while ((process = next_for(world, session, 1)) != NULL) { /* all are asked before one is waited for */
		const struct uwi_slot *slot = &process->generation->slots[UWI_SUBPROCESS];
		(void)table(process)->terminate(slot->self, process->inner, 0, NULL);
		uwi_process_leave(process);
	}
	while ((process = next_for(world, session, 2)) != NULL) {
		struct uw_error one = UW_ERROR_INIT;
		uwi_collect(all, code, uwi_process_end(process, &one), &one);
		lock(process);
		process->session = NULL;
		unlock(process);
		uwi_process_leave(process);
	}
	wait_for_disposals(world, session);
}

void uwi_process_free_all(struct uw_world *world)
{
	while (world->processes)
		destroy(world->processes);
}
