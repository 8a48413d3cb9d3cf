/*
 * The launcher's first word: was the command executed, and if not, why (S-41,
 * S-42). Only its own message decides; what the wrapper printed is quoted.
 */
#ifndef UW_SUBPROCESS_REPORT_H
#define UW_SUBPROCESS_REPORT_H

#include "plan.h"

/*
 * Waits for it, bound by the call's deadline and cancel and by the provider's
 * start_ms. 0: the command runs, and the process knows launcher and facts; a
 * cancel that came meanwhile has been passed on as an order to end it.
 */
int report_await(struct plan *plan, struct uw_error *err);
/* The wrapper or the launcher itself could not be executed. */
int report_exec_failure(struct plan *plan, int os_errno, int exec, struct uw_error *err);

#endif
