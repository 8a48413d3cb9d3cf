/*
 * Writes launch jobs and the profiles inside them (<umwelt/launch.h>) into a
 * uw_buf. What cannot be written (memory, a number of bytes beyond the bounds,
 * an empty path) sets the buffer's `failed`: check it once at the end, or let
 * uw_job_seal do it. Reading is common/launch_read.h. No state, any thread.
 *
 * A subprocess provider:             A sandbox provider:
 *   uw_job_begin(&job);                uw_job_confine(&profile, &confine);
 *   uw_job_text(&job, EXEC, path);     uw_job_rule(&profile, READ, 1, "/");
 *   uw_job_words(&job, ARGV, argv);    uw_job_nonce(&profile, nonce, path);
 *   uw_job_words(&job, ENV, env);      uw_job_text(&profile, FORBIDDEN, dir);
 *   uw_job_life(&job, &life);
 *   uw_job_profile(&job, profile, profile_len, &fault);
 *   uw_job_end(&job);
 *   uw_job_seal(&job, &fd, &fault);
 */
#ifndef UW_COMMON_LAUNCH_JOB_H
#define UW_COMMON_LAUNCH_JOB_H

#include <umwelt/launch.h>

#include "common/buf.h"
#include "common/launch_read.h"

/* HEAD */
void uw_job_begin(struct uw_buf *job);
/* Any record: `head` of head_len bytes, then `tail`, as one payload. */
void uw_job_record(struct uw_buf *job, uint32_t type, const void *head, size_t head_len,
                   const void *tail, size_t tail_len);
/* EXEC, FORBIDDEN: a path, not empty. */
void uw_job_text(struct uw_buf *job, uint32_t type, const char *text);
/* ARGV, ENV: a NULL-terminated vector. NULL is an empty one. */
void uw_job_words(struct uw_buf *job, uint32_t type, const char *const *words);
/* path NULL or "": the handle alone */
void uw_job_cwd(struct uw_buf *job, int fd, const char *path);
void uw_job_pass(struct uw_buf *job, int fd, int as);
void uw_job_limit(struct uw_buf *job, uint32_t resource, uint64_t soft, uint64_t hard);
void uw_job_life(struct uw_buf *job, const struct uw_launch_life *life);
void uw_job_confine(struct uw_buf *job, const struct uw_launch_confine *confine);
void uw_job_rule(struct uw_buf *job, uint32_t access, int required, const char *path);
void uw_job_nonce(struct uw_buf *job, const uint8_t nonce[UW_LAUNCH_NONCE_SIZE], const char *path);
void uw_job_place(struct uw_buf *job, uint64_t dev, uint64_t ino, const char *path);
/*
 * Appends a sandbox provider's records. One that is malformed or holds anything
 * but profile records (32..) fails the job: a profile can name no program. Returns
 * 0, or -1 with ret_fault (which may be NULL) filled.
 */
int uw_job_profile(struct uw_buf *job, const void *profile, size_t len,
                   struct uw_job_fault *ret_fault);
/* END */
void uw_job_end(struct uw_buf *job);

/*
 * Checks the whole job as the launcher will and writes it into a sealed memfd at
 * offset 0, close-on-exec: the caller's. Returns 0, or -1 with errno (EINVAL: the
 * job is malformed, ret_fault says how; E2BIG: it is larger than UW_LAUNCH_JOB_MAX;
 * ENOMEM). ret_fault may be NULL.
 */
int uw_job_seal(const struct uw_buf *job, int *ret_fd, struct uw_job_fault *ret_fault);

#endif
