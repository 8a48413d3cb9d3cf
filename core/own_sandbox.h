/*
 * own_sandbox: the sandboxes that core itself provides, over data only: `none`,
 * an owner's `runner` (S-14), and the choice within a `chain` (S-13).
 */
#ifndef UW_CORE_OWN_SANDBOX_H
#define UW_CORE_OWN_SANDBOX_H

#include "core/generation.h"

/* An empty profile, no wrapper; a narrower mode than danger-full-access is SANDBOX_UNAVAILABLE. */
void uwi_sandbox_none(struct uwi_generation *generation, struct uwi_slot *ret_slot);
/* The owner's words before the launcher; what they hold is asserted by the owner, and checked in each run. */
void uwi_sandbox_runner(struct uwi_generation *generation, struct uwi_slot *ret_slot);

/* Makes the first member that can be made, so that policy has a sandbox to ask. */
int uwi_sandbox_chain_begin(struct uwi_generation *generation, struct uw_error *err);
/*
 * Proves it, and makes and proves the next ones in order; the first that holds
 * stays the generation's sandbox. SANDBOX_UNAVAILABLE with the reason of each.
 */
int uwi_sandbox_chain_choose(struct uwi_generation *generation, struct uw_error *err);

/* Of both: the realm they are asked about is that of subprocess, where their words will run. */
int uwi_sandbox_own_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err);
/* Of both: inside equals outside. */
int uwi_sandbox_own_view(void *self, const struct uw_call *call, const struct uw_policy *policy,
                         int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg,
                         struct uw_error *err);
int uwi_sandbox_own_release(void *self, struct uw_confined *confined,
                            const struct uw_outcome *outcome, struct uw_error *err);

#endif
