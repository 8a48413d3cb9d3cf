/*
 * The job: read from descriptor 3, checked as a whole before anything of it is
 * used, and then never changed. Its bytes stay mapped until exec.
 */
#ifndef UL_JOB_H
#define UL_JOB_H

#include "common/launch_read.h"
#include "launcher/failure.h"

struct ul_job {
	const char *bytes;
	size_t len;
	const char *exec;
	struct uw_job_item argv, env;
	int has_cwd;
	struct uw_launch_cwd cwd;
	const char *cwd_path;
	struct uw_launch_life life;
	int confined; /* a CONFINE record is there */
	struct uw_launch_confine confine;
	struct uw_launch_nonce nonce;
	const char *nonce_path;
	uint32_t checks; /* UW_CHECKED_* that the job asks for */
};

/* Reads all of fd (a sealed memfd is mapped, anything else read to its end). 0 or -1. */
int ul_job_read(int fd, struct ul_job *job, struct ul_failure *failure);

/* Takes bytes that stay where they are. 0 or -1. */
int ul_job_take(struct ul_job *job, const void *bytes, size_t len, struct ul_failure *failure);

/* The next record of that type after *at (0 at first). 1, or 0 when there is none. */
int ul_job_each(const struct ul_job *job, uint32_t type, size_t *at, struct uw_job_item *ret_item);

static inline int ul_job_has(const struct ul_job *job, uint64_t flag)
{
	return job->confined && (job->confine.flags & flag) != 0;
}

#endif
