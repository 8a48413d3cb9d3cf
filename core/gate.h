/*
 * gate: every call into a provider passes here (C-5). It checks arguments and
 * results, takes the lease, counts the call in its session, fills in the policy
 * and applies the thread model.
 *
 * The `self` of every handle that core gives out is a struct uwi_gate. A guarded
 * gate resolves the world's current generation in each call. A thin gate (`inner`
 * set) is for the providers at the heart of a world: the same checks of pointers
 * and results, but the caller's own context passes as it is, since the outer call
 * already holds lease and policy.
 */
#ifndef UW_CORE_GATE_H
#define UW_CORE_GATE_H

#include "core/generation.h"
#include "core/world.h"

#include <umwelt/umwelt.h>

#define UWI_CALL_MUTATES   1u /* refused without a session; workspace identity is verified */
#define UWI_CALL_NO_POLICY 2u /* policy itself is being asked for */
#define UWI_CALL_NO_TURN   4u /* the caller takes the provider's turn itself, for less than the call */

/* One call on its way through the gate. */
struct uwi_entry {
	struct uw_call call; /* what the provider sees */
	const struct uwi_gate *gate;
	struct uwi_generation *generation; /* leased; NULL for a thin gate */
	struct uw_session *session;        /* counted; may be NULL */
	struct uwi_policy *policy;         /* referenced; may be NULL */
	const struct uwi_slot *slot;
	unsigned flags;
	int stage;
	int32_t before; /* the caller's err->code, which a success leaves as it was */
};

int uwi_gate_enter(const struct uwi_gate *gate, const struct uw_call *call, unsigned flags,
                   int stage, struct uwi_entry *ret_entry, struct uw_error *err);
/* Ends the call and judges what the provider answered; returns the code to pass on. */
int uwi_gate_leave(struct uwi_entry *entry, int code, struct uw_error *err);
/* The provider said success but broke its contract: logged, PLUGIN_MISBEHAVED. */
int uwi_gate_misbehaved(const struct uwi_entry *entry, struct uw_error *err, const char *what);
int uwi_gate_bad_args(int stage, struct uw_error *err, const char *what);
/* Checks a code that a provider returned without a gate around it (pipeline, process). */
int uwi_gate_judge(const struct uwi_slot *slot, int stage, int effect_if_broken, int code,
                   struct uw_error *err);

/* Copies of a caller's struct into this version's, older and shorter ones padded (C-4). */
#define UWI_COPY_IN(local, given)                                                                \
	uwi_copy_in(&(local), sizeof(local), (given), (given)->size)
void uwi_copy_in(void *local, size_t local_size, const void *given, size_t given_size);
/* The caller's struct keeps its own size. */
#define UWI_COPY_OUT(given, local) uwi_copy_out((given), (given)->size, &(local), sizeof(local))
void uwi_copy_out(void *given, size_t given_size, const void *local, size_t local_size);

/* A function that is added to a table at its tail breaks the build until it has its gate. */
#define UWI_GATE_COVERS(table, last)                                                             \
	_Static_assert(sizeof(table) == offsetof(table, last) + sizeof(void (*)(void)), "a function has no gate")

extern const struct uw_fs_v1 uwi_gate_fs;
extern const struct uw_subprocess_v1 uwi_gate_subprocess;
extern const struct uw_sandbox_v1 uwi_gate_sandbox;
extern const struct uw_policy_v1 uwi_gate_policy;
extern const struct uw_shell_v1 uwi_gate_shell;
/* The guarded table of a service, for handles. */
const void *uwi_gate_table(enum uwi_service service);

#endif
