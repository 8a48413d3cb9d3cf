/* The control socket: what is said to the host, and what it tells. */
#ifndef UL_REPORT_H
#define UL_REPORT_H

#include "launcher/failure.h"

#include <sys/resource.h>

/* Each sends one packet; a host that is gone is noticed by the end of file, not here. */
void ul_report_failure(int control, const struct ul_failure *failure);
void ul_report(int control, const struct uw_launch_said *said);

/* 1: a message; 0: none now; -1: the host is gone. What is no message is skipped. */
int ul_report_told(int control, struct uw_launch_tell *ret_tell);

/* 1: EXEC_FAILED is said for this, not REFUSED. */
int ul_report_is_exec_failure(uint32_t what);

#endif
