/*
 * subprocess/1 through the gate. spawn is the pipeline's; all else goes to the
 * provider that made the process, in whatever generation that was.
 */
#include "core/gate.h"
#include "core/pipeline.h"
#include "core/process.h"

#include <string.h>

#define TABLE(slot) ((const struct uw_subprocess_v1 *)(slot)->v)

/* One call on a process. */
struct use {
	struct uw_world *world;
	struct uw_process *process;
	const struct uwi_slot *slot;
	struct uw_process *inner;
};

static int use(void *self, struct uw_process *process, struct use *ret_use, struct uw_error *err)
{
	const struct uwi_gate *gate = self;
	int code = uwi_process_enter(gate->world, process, err);
	if (code < 0)
		return code;
	ret_use->world = gate->world;
	ret_use->process = process;
	ret_use->slot = &process->generation->slots[UWI_SUBPROCESS];
	(void)pthread_mutex_lock(&gate->world->lock);
	ret_use->inner = process->inner;
	(void)pthread_mutex_unlock(&gate->world->lock);
	return 0;
}

static int leave(struct use *use, int code, struct uw_error *err)
{
	code = uwi_gate_judge(use->slot, UW_STAGE_RUN, UW_EFFECT_UNKNOWN, code, err);
	uwi_process_leave(use->process);
	return code;
}

/* What cannot be asked any more: the session ended the command. */
static int ended(struct uw_error *err)
{
	return uw_fail(err, UW_E_PROCESS_NOT_FOUND, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
	               "the session of the process was closed, which ended it");
}

static int gate_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!ret_realm)
		return uwi_gate_bad_args(UW_STAGE_RUN, err, "no place for the realm was given");
	code = uwi_gate_enter(self, NULL, 0, UW_STAGE_RUN, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(&entry, TABLE(entry.slot)->realm(entry.slot->self, ret_realm, err), err);
}

static int gate_resolve(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
                        const char *name, struct uw_sink sink, struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_spawn mine;
	int code;
	if (!name || !name[0] || !sink.write || (spawn && spawn->size < sizeof mine))
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "resolve needs a name, a sink, and the spec's size set");
	memset(&mine, 0, sizeof mine);
	mine.size = sizeof mine;
	if (spawn)
		UWI_COPY_IN(mine, spawn);
	code = uwi_gate_enter(self, call, 0, UW_STAGE_RESOLVE, &entry, err);
	if (code < 0)
		return code;
	code = TABLE(entry.slot)->resolve(entry.slot->self, &entry.call, &mine, name, sink, err);
	return uwi_gate_leave(&entry, code, err);
}

static int gate_process_fd(void *self, struct uw_process *process, int which)
{
	struct use it;
	int fd;
	if (use(self, process, &it, NULL) < 0)
		return -1;
	fd = it.inner ? TABLE(it.slot)->process_fd(it.slot->self, it.inner, which) : -1;
	(void)leave(&it, 0, NULL);
	return fd;
}

static int64_t gate_pid(void *self, struct uw_process *process)
{
	struct use it;
	int64_t pid;
	if (use(self, process, &it, NULL) < 0)
		return 0;
	pid = it.inner ? TABLE(it.slot)->pid(it.slot->self, it.inner) : 0;
	(void)leave(&it, 0, NULL);
	return pid;
}

/* The caller's context, checked, with the policy under which the process runs. */
static int context(const struct use *it, const struct uw_call *call, struct uw_call *ret_call,
                   struct uw_error *err)
{
	struct uw_session *session = NULL;
	int code = 0;
	if (call && call->size < offsetof(struct uw_call, session))
		return uwi_gate_bad_args(UW_STAGE_RUN, err, "the call's size is not set");
	if (call)
		UWI_COPY_IN(*ret_call, call);
	else
		*ret_call = (struct uw_call)UW_CALL_INIT;
	if (ret_call->session)
		code = uwi_session_enter(it->world, ret_call->session, UW_STAGE_RUN, &session, err);
	uwi_session_leave(session); /* the process itself keeps what the call needs */
	ret_call->session = NULL;
	ret_call->policy = it->process->policy->value;
	ret_call->view = &it->process->policy->value->view;
	ret_call->generation = it->process->generation->number;
	return code;
}

static int last_word(const struct use *it, struct uw_exit *exit)
{
	int known;
	(void)pthread_mutex_lock(&it->world->lock);
	known = it->process->has_final;
	if (known)
		*exit = it->process->final;
	(void)pthread_mutex_unlock(&it->world->lock);
	return known;
}

static int gate_wait(void *self, const struct uw_call *call, struct uw_process *process, int what,
                     struct uw_exit *ret_exit, struct uw_error *err)
{
	struct use it;
	struct uw_call mine;
	struct uw_exit exit;
	int code;
	if (what < UW_WAIT_EXIT || what > UW_WAIT_OUTPUT || (ret_exit && ret_exit->size < sizeof ret_exit->size))
		return uwi_gate_bad_args(UW_STAGE_RUN, err, "wait needs one of enum uw_wait_for, and the exit's size set");
	code = use(self, process, &it, err);
	if (code < 0)
		return code;
	memset(&exit, 0, sizeof exit);
	exit.size = sizeof exit;
	code = context(&it, call, &mine, err);
	if (code == 0 && it.inner) {
		code = TABLE(it.slot)->wait(it.slot->self, &mine, it.inner, what, &exit, err);
		if (code == 0)
			uwi_process_tell(process, what != UW_WAIT_EXIT, &exit);
	} else if (code == 0 && !last_word(&it, &exit)) {
		code = ended(err);
	}
	code = leave(&it, code, err);
	if (code == 0 && ret_exit)
		UWI_COPY_OUT(ret_exit, exit);
	return code;
}

static int gate_output(void *self, const struct uw_call *call, struct uw_process *process, int stream,
                       uint64_t offset, uint64_t max, struct uw_sink sink, uint64_t *ret_offset,
                       uint64_t *ret_next, struct uw_error *err)
{
	struct use it;
	struct uw_call mine;
	uint64_t start = offset, next = offset;
	int code;
	if ((stream != 1 && stream != 2) || !sink.write)
		return uwi_gate_bad_args(UW_STAGE_RUN, err, "output needs stream 1 or 2 and a sink");
	code = use(self, process, &it, err);
	if (code < 0)
		return code;
	code = context(&it, call, &mine, err);
	if (code == 0)
		code = it.inner ? TABLE(it.slot)->output(it.slot->self, &mine, it.inner, stream, offset, max, sink,
		                                         &start, &next, err)
		                : ended(err);
	code = leave(&it, code, err);
	if (code == 0 && ret_offset)
		*ret_offset = start;
	if (code == 0 && ret_next)
		*ret_next = next;
	return code;
}

static int gate_signal(void *self, struct uw_process *process, int number, struct uw_error *err)
{
	struct use it;
	int code = use(self, process, &it, err);
	if (code < 0)
		return code;
	code = it.inner ? TABLE(it.slot)->signal(it.slot->self, it.inner, number, err) : ended(err);
	return leave(&it, code, err);
}

static int gate_terminate(void *self, struct uw_process *process, uint32_t grace_ms,
                          struct uw_error *err)
{
	struct use it;
	int code = use(self, process, &it, err);
	if (code < 0)
		return code;
	code = it.inner ? TABLE(it.slot)->terminate(it.slot->self, it.inner, grace_ms, err) : 0;
	return leave(&it, code, err);
}

static int gate_pty_resize(void *self, struct uw_process *process, struct uw_pty size,
                           struct uw_error *err)
{
	struct use it;
	int code = use(self, process, &it, err);
	if (code < 0)
		return code;
	code = it.inner ? TABLE(it.slot)->pty_resize(it.slot->self, it.inner, size, err) : ended(err);
	return leave(&it, code, err);
}

static int gate_pty_foreground(void *self, struct uw_process *process, struct uw_foreground *ret,
                               struct uw_error *err)
{
	struct use it;
	struct uw_foreground facts;
	int code;
	if (!ret || ret->size < sizeof ret->size)
		return uwi_gate_bad_args(UW_STAGE_RUN, err, "pty_foreground needs a place for its facts, its size set");
	code = use(self, process, &it, err);
	if (code < 0)
		return code;
	memset(&facts, 0, sizeof facts);
	facts.size = sizeof facts;
	code = it.inner ? TABLE(it.slot)->pty_foreground(it.slot->self, it.inner, &facts, err) : ended(err);
	code = leave(&it, code, err);
	if (code == 0)
		UWI_COPY_OUT(ret, facts);
	return code;
}

static int gate_pty_signal(void *self, struct uw_process *process, int number, struct uw_error *err)
{
	struct use it;
	int code = use(self, process, &it, err);
	if (code < 0)
		return code;
	code = it.inner ? TABLE(it.slot)->pty_signal(it.slot->self, it.inner, number, err) : ended(err);
	return leave(&it, code, err);
}

static int gate_close_fd(void *self, struct uw_process *process, int which, struct uw_error *err)
{
	struct use it;
	int code = use(self, process, &it, err);
	if (code < 0)
		return code;
	if (!it.inner)
		code = ended(err);
	else if (!TABLE(it.slot)->close_fd) /* a provider of an older header */
		code = uw_fail(err, UW_E_UNSUPPORTED, UW_STAGE_RUN, UW_EFFECT_NONE, 0,
		               "plugin %s cannot close a descriptor of a process",
		               uwi_provider_name(it.slot->provider));
	else
		code = TABLE(it.slot)->close_fd(it.slot->self, it.inner, which, err);
	return leave(&it, code, err);
}

static int gate_dispose(void *self, struct uw_process *process, struct uw_error *err)
{
	const struct uwi_gate *gate = self;
	int code;
	if (!process)
		return 0;
	code = uwi_process_enter(gate->world, process, err);
	return code < 0 ? code : uwi_process_dispose(process, err);
}

static int gate_env_rules(void *self, struct uw_sink sink, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!sink.write)
		return uwi_gate_bad_args(UW_STAGE_RUN, err, "env_rules needs a sink");
	code = uwi_gate_enter(self, NULL, 0, UW_STAGE_RUN, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(&entry, TABLE(entry.slot)->env_rules(entry.slot->self, sink, err), err);
}

UWI_GATE_COVERS(struct uw_subprocess_v1, close_fd);
const struct uw_subprocess_v1 uwi_gate_subprocess = {
    .size = sizeof(struct uw_subprocess_v1),
    .realm = gate_realm,
    .resolve = gate_resolve,
    .spawn = uwi_pipeline_spawn,
    .process_fd = gate_process_fd,
    .pid = gate_pid,
    .wait = gate_wait,
    .output = gate_output,
    .signal = gate_signal,
    .terminate = gate_terminate,
    .pty_resize = gate_pty_resize,
    .pty_foreground = gate_pty_foreground,
    .pty_signal = gate_pty_signal,
    .dispose = gate_dispose,
    .env_rules = gate_env_rules,
    .close_fd = gate_close_fd,
};
