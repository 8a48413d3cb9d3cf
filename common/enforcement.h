/*
 * The enforcement table (S-12): which rows a policy promises, and what a table
 * says as a whole. A row says full only where the mechanism holds on this kernel;
 * everything else has a reason. No state; any thread.
 */
#ifndef UW_COMMON_ENFORCEMENT_H
#define UW_COMMON_ENFORCEMENT_H

#include <umwelt/sandbox.h>

/*
 * All rows none, promised as the mode promises them:
 *   every confined mode  content creation metadata descriptors processes limits sysv-ipc
 *                        terminal devices privilege temp
 *   workspace-write      protected-existing, where something is protected
 *   by key               network (none), unix-sockets (own, none)
 *   never                protected-absent reads locks hard-links, network when host
 */
void uw_rows_begin(struct uw_enforcement_row rows[UW_OP_COUNT], const struct uw_policy *policy);
/* reason: NULL only with full; static or as long as the rows. */
void uw_row_set(struct uw_enforcement_row rows[UW_OP_COUNT], int operation, int hold,
                const char *reason);
/* UNCONFINED in danger-full-access, FULL if every promised row is full, else PARTIAL. */
int uw_rows_enforcement(const struct uw_enforcement_row rows[UW_OP_COUNT], int mode);
/* Rows that are the same for every backend: reads, locks, hard links, what is absent. */
void uw_rows_common(struct uw_enforcement_row rows[UW_OP_COUNT], const struct uw_policy *policy);

/* The printed name of a row or a hold; "unknown" else. Static memory. */
const char *uw_operation_name(int operation);
const char *uw_hold_name(int hold);

#endif
