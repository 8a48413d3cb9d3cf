/* The network namespace of the range. */
#ifndef UL_NET_H
#define UL_NET_H

#include "launcher/job.h"

/* LOOPBACK_UP: lo is up after it, or the job is refused. */
int ul_net_loopback_up(const struct ul_job *job, struct ul_failure *failure);

#endif
