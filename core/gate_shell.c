/* shell/1 through the gate: a shell starts nothing but by the guarded subprocess handle it was given. */
#include "core/gate.h"
#include "core/process.h"

#include <string.h>

#define SHELL(entry) ((const struct uw_shell_v1 *)(entry).slot->v)

static int gate_start(void *self, const struct uw_call *call, const struct uw_shell_request *request,
                      struct uw_process **ret_process, struct uw_error *err)
{
	const struct uwi_gate *gate = self;
	struct uwi_entry entry;
	struct uw_shell_request mine;
	struct uw_process *process = NULL;
	int code;
	if (!request || request->size < sizeof mine || !ret_process)
		return uwi_gate_bad_args(UW_STAGE_SNAPSHOT, err,
		                         "start needs a request, its size set, and a place for the process");
	UWI_COPY_IN(mine, request);
	if (!mine.text.data || memchr(mine.text.data, '\0', mine.text.len))
		return uwi_gate_bad_args(UW_STAGE_SNAPSHOT, err, "the command's text is missing or holds a NUL byte");
	code = uwi_gate_enter(gate, call, 0, UW_STAGE_SNAPSHOT, &entry, err);
	if (code < 0)
		return code;
	code = SHELL(entry)->start(entry.slot->self, &entry.call, &mine, &process, err);
	if (code == 0 && !uwi_process_owned(gate->world, process))
		code = uwi_gate_misbehaved(&entry, err, "start gave a process that core did not make");
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0)
		*ret_process = process;
	return code;
}

static const char *gate_dialect(void *self)
{
	struct uwi_entry entry;
	const char *dialect;
	if (uwi_gate_enter(self, NULL, 0, UW_STAGE_SNAPSHOT, &entry, NULL) < 0)
		return NULL;
	dialect = SHELL(entry)->dialect(entry.slot->self);
	(void)uwi_gate_leave(&entry, 0, NULL);
	return dialect;
}

UWI_GATE_COVERS(struct uw_shell_v1, dialect);
const struct uw_shell_v1 uwi_gate_shell = {
    .size = sizeof(struct uw_shell_v1),
    .start = gate_start,
    .dialect = gate_dialect,
};
