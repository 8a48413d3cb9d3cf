/*
 * Descriptors for the command: each PASS moved to its number, whatever overlaps,
 * all others closed by exec.
 */
#ifndef UL_PASSING_H
#define UL_PASSING_H

#include "launcher/job.h"

/* Marks all from 3 on close-on-exec; once, before anything is passed. */
int ul_passing_hold_all(struct ul_failure *failure);
/*
 * In the child. *kept is a descriptor of the caller's that must stay: it is moved
 * out of the way of a target and stays close-on-exec.
 */
int ul_passing_apply(const struct ul_job *job, int *kept, struct ul_failure *failure);

#endif
