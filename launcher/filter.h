/*
 * The system call filter (S-54), assembled by hand: for each architecture that
 * the kernel can run, a table of call numbers and what becomes of them.
 */
#ifndef UL_FILTER_H
#define UL_FILTER_H

#include "launcher/job.h"

#include <linux/filter.h>

#define UL_FILTER_MAX 1024

struct ul_filter {
	struct sock_filter code[UL_FILTER_MAX];
	unsigned short len;
};

/* Assembles the program for these CONFINE flags. 0, or -1 when it does not fit. */
int ul_filter_build(struct ul_filter *filter, uint64_t confine_flags);
/* On the calling process, FILTER or not. Needs no_new_privs. */
int ul_filter_apply(const struct ul_job *job, struct ul_failure *failure);

#endif
