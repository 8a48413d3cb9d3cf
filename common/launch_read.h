/*
 * Reads launch jobs (<umwelt/launch.h>): an iterator over records and one check
 * of a whole job, without allocation and without any other file of common/, so
 * that the launcher takes it along. Every byte is untrusted until checked.
 * No state, any thread.
 */
#ifndef UW_COMMON_LAUNCH_READ_H
#define UW_COMMON_LAUNCH_READ_H

#include <umwelt/launch.h>

#include <stddef.h>

/* One record; head is the struct at the payload's start, text what follows it. */
struct uw_job_item {
	uint32_t type;
	uint32_t length;     /* of the payload */
	const void *payload; /* aligned to 8 where the job is */
	const char *text;    /* after the fixed struct; NUL-terminated once checked */
	size_t text_len;     /* with its NULs */
};

/*
 * What is wrong, where. Static text; `at` is the offset of the record.
 */
struct uw_job_fault {
	const char *why;
	size_t at;
};

/*
 * The record at *at, which then moves to the next. 1: there was one; 0: the end
 * of the bytes; -1: malformed, ret_fault says how. Checks each record by itself
 * (type, lengths, padding, text, flags), not their order or number.
 */
int uw_job_next(const void *job, size_t len, size_t *at, struct uw_job_item *ret_item,
                struct uw_job_fault *ret_fault);

/* The whole job: all rules of launch.h that need no kernel. 0 or -1. */
int uw_job_check(const void *job, size_t len, struct uw_job_fault *ret_fault);

/* The profile records alone, as a sandbox provider writes them. 0 or -1. */
int uw_job_check_profile(const void *profile, size_t len, struct uw_job_fault *ret_fault);

/* How many NUL-terminated words a checked ARGV or ENV holds. */
size_t uw_job_word_count(const struct uw_job_item *item);

#endif
