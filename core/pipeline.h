/*
 * pipeline: the one way of a command from request to process (C-50). Its steps
 * and their order are in pipeline.c, which alone calls a provider's spawn (C-54).
 */
#ifndef UW_CORE_PIPELINE_H
#define UW_CORE_PIPELINE_H

#include "core/gate.h"

/* The spawn of the guarded subprocess handle; self is its struct uwi_gate. */
int uwi_pipeline_spawn(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
                       struct uw_process **ret_process, struct uw_error *err);

/* Confinement as every consumer gets it: asked of the sandbox, and its answer checked (S-11). */
int uwi_pipeline_confine(const struct uwi_slot *sandbox, const struct uw_call *call,
                         const struct uw_policy *policy, const char *cwd,
                         struct uw_confined **ret_confined, struct uw_error *err);

/*
 * For the proof alone, whose command is the launcher's own --prove and whose world
 * is not published: confined and started like any other, under a policy of its
 * own, without guard, queue or record. The caller ends and gives back both.
 */
int uwi_pipeline_probe(struct uwi_generation *generation, const struct uw_call *call,
                       const struct uw_policy *policy, const struct uw_spawn *spawn,
                       struct uw_confined **ret_confined, struct uw_process **ret_inner,
                       struct uw_error *err);

#endif
