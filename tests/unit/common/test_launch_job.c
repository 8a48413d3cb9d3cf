/* common/launch_job and common/launch_read: jobs as written and as read (S-50). */
#include "tests/unit.h"

#include "common/cleanup.h"
#include "common/launch_job.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

static const struct uw_launch_life plain_life = {0, 022, 300, 0};

/* A job with every type of record. */
static void write_job(struct uw_buf *job)
{
	const char *const argv[] = {"sh", "", "-c", "exit 3", NULL};
	const char *const env[] = {"A=1", NULL};
	const uint8_t nonce[UW_LAUNCH_NONCE_SIZE] = {1, 2, 3};
	struct uw_launch_confine confine = {UW_LAUNCH_LANDLOCK | UW_LAUNCH_FILTER, 0, 1, 0};
	uw_job_begin(job);
	uw_job_text(job, UW_LAUNCH_EXEC, "/bin/sh");
	uw_job_words(job, UW_LAUNCH_ARGV, argv);
	uw_job_words(job, UW_LAUNCH_ENV, env);
	uw_job_cwd(job, 6, "/tmp");
	uw_job_pass(job, 7, 3);
	uw_job_limit(job, 0, 1, 2);
	uw_job_life(job, &plain_life);
	uw_job_confine(job, &confine);
	uw_job_rule(job, UW_LAUNCH_READ, 1, "/");
	uw_job_nonce(job, nonce, "/tmp/nonce");
	uw_job_text(job, UW_LAUNCH_FORBIDDEN, "/var/tmp/f");
	uw_job_place(job, 1, 2, "/tmp");
	uw_job_end(job);
	ck_assert_int_eq(job->failed, 0);
}

static int check(const struct uw_buf *job)
{
	struct uw_job_fault fault = {NULL, 0};
	int status = uw_job_check(job->data, job->len, &fault);
	if (status < 0)
		ck_assert_ptr_nonnull(fault.why);
	return status;
}

START_TEST(a_whole_job_is_read_as_it_was_written)
{
	UW_AUTO_BUF job = UW_BUF_INIT;
	struct uw_job_item item;
	struct uw_job_fault fault;
	size_t at = 0, count = 0;
	write_job(&job);
	ck_assert_int_eq(check(&job), 0);
	while (uw_job_next(job.data, job.len, &at, &item, &fault) > 0) {
		count++;
		if (item.type == UW_LAUNCH_ARGV) {
			ck_assert_uint_eq(uw_job_word_count(&item), 4);
			ck_assert_int_eq(memcmp(item.text, "sh\0\0-c\0exit 3", 14), 0);
		}
		if (item.type == UW_LAUNCH_NONCE) {
			ck_assert_str_eq(item.text, "/tmp/nonce");
			ck_assert_int_eq(((const uint8_t *)item.payload)[2], 3);
		}
	}
	ck_assert_uint_eq(count, 14);
	ck_assert_uint_eq(at, job.len);
}
END_TEST

START_TEST(a_job_cut_at_any_byte_is_refused)
{
	UW_AUTO_BUF job = UW_BUF_INIT;
	struct uw_job_fault fault;
	size_t len;
	write_job(&job);
	for (len = 0; len < job.len; len++) {
		/* a copy of exactly that size, so that a sanitizer sees a read behind it */
		char *copy = malloc(len ? len : 1);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, job.data, len);
		ck_assert_int_eq(uw_job_check(copy, len, &fault), -1);
		free(copy);
	}
}
END_TEST

START_TEST(any_changed_byte_is_refused_or_stays_within_bounds)
{
	UW_AUTO_BUF job = UW_BUF_INIT;
	struct uw_job_fault fault;
	unsigned seed = 12345;
	char *copy;
	write_job(&job);
	copy = malloc(job.len);
	ck_assert_ptr_nonnull(copy);
	for (size_t at = 0; at < job.len; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(copy, job.data, job.len);
			copy[at] = (char)(copy[at] ^ (1 << bit));
			(void)uw_job_check(copy, job.len, &fault);
		}
	}
	for (size_t round = 0; round < 20000; round++) {
		memcpy(copy, job.data, job.len);
		for (size_t k = 0; k < 3; k++) {
			seed = seed * 1103515245u + 12345u;
			copy[(seed >> 8) % job.len] = (char)(seed >> 16);
		}
		(void)uw_job_check(copy, job.len - seed % 3, &fault);
	}
	free(copy);
}
END_TEST

/* Every header of a record: each type and length that is wrong is refused. */
START_TEST(a_flipped_type_or_length_is_refused)
{
	UW_AUTO_BUF job = UW_BUF_INIT;
	struct uw_job_item item;
	struct uw_job_fault fault;
	static const uint32_t lengths[] = {0, 7, 0x7fffffff, 0x80000000u, 0xfffffff8u, 0xffffffffu};
	size_t at = 0, start = 0;
	write_job(&job);
	while (uw_job_next(job.data, job.len, &at, &item, &fault) > 0) {
		uint32_t type = item.type, length = item.length, unknown = 77;
		memcpy(job.data + start, &unknown, 4);
		ck_assert_int_eq(check(&job), -1);
		memcpy(job.data + start, &type, 4);
		for (size_t i = 0; i < UW_COUNT(lengths); i++) {
			if ((lengths[i] + 7) / 8 == (length + 7) / 8 && lengths[i] >= 4)
				continue;
			if (lengths[i] == length)
				continue;
			memcpy(job.data + start + 4, &lengths[i], 4);
			ck_assert_int_eq(check(&job), -1);
		}
		memcpy(job.data + start + 4, &length, 4);
		ck_assert_int_eq(check(&job), 0);
		start = at;
	}
}
END_TEST

static struct uw_buf minimal(int with_life, int with_end)
{
	struct uw_buf job = UW_BUF_INIT;
	const char *const argv[] = {"x", NULL};
	uw_job_begin(&job);
	uw_job_text(&job, UW_LAUNCH_EXEC, "/x");
	uw_job_words(&job, UW_LAUNCH_ARGV, argv);
	uw_job_words(&job, UW_LAUNCH_ENV, NULL);
	if (with_life)
		uw_job_life(&job, &plain_life);
	if (with_end)
		uw_job_end(&job);
	return job;
}

START_TEST(missing_doubled_and_trailing_records_are_refused)
{
	UW_AUTO_BUF fine = minimal(1, 1), no_life = minimal(0, 1), no_end = minimal(1, 0);
	UW_AUTO_BUF doubled = minimal(1, 0), trailing = minimal(1, 1);
	ck_assert_int_eq(check(&fine), 0);
	ck_assert_int_eq(check(&no_life), -1);
	ck_assert_int_eq(check(&no_end), -1);
	uw_job_life(&doubled, &plain_life);
	uw_job_end(&doubled);
	ck_assert_int_eq(check(&doubled), -1);
	uw_job_limit(&trailing, 0, 0, 0);
	ck_assert_int_eq(check(&trailing), -1);
}
END_TEST

START_TEST(a_thousand_passes_fit_and_their_bounds_hold)
{
	UW_AUTO_BUF most = minimal(1, 0), more = minimal(1, 0), twice = minimal(1, 0),
				high = minimal(1, 0);
	UW_AUTO_BUF negative = minimal(1, 0), own = minimal(1, 0);
	for (int i = 0; i < UW_LAUNCH_PASS_MAX + 1; i++) {
		if (i < UW_LAUNCH_PASS_MAX)
			uw_job_pass(&most, 6 + i, 3 + i);
		uw_job_pass(&more, 6 + i, 3 + i);
	}
	uw_job_pass(&twice, 6, 3);
	uw_job_pass(&twice, 7, 3);
	uw_job_pass(&high, 6, UW_LAUNCH_PASS_AS_MAX + 1);
	uw_job_pass(&negative, 6, -1);
	uw_job_pass(&own, UW_LAUNCH_FD_CONTROL, 3); /* the control socket can never be passed */
	uw_job_end(&most);
	uw_job_end(&more);
	uw_job_end(&twice);
	uw_job_end(&high);
	uw_job_end(&negative);
	uw_job_end(&own);
	ck_assert_int_eq(check(&most), 0);
	ck_assert_int_eq(check(&more), -1);
	ck_assert_int_eq(check(&twice), -1);
	ck_assert_int_eq(check(&high), -1);
	ck_assert_int_eq(check(&negative), -1);
	ck_assert_int_eq(check(&own), -1);
}
END_TEST

START_TEST(a_profile_can_hold_nothing_but_profile_records)
{
	UW_AUTO_BUF job = minimal(1, 0), profile = UW_BUF_INIT, evil = UW_BUF_INIT, loose = UW_BUF_INIT;
	struct uw_launch_confine confine = {UW_LAUNCH_LANDLOCK, 0, 0, 0};
	struct uw_job_fault fault = {NULL, 0};
	uw_job_confine(&profile, &confine);
	uw_job_rule(&profile, UW_LAUNCH_READ, 1, "/");
	ck_assert_int_eq(uw_job_profile(&job, profile.data, profile.len, &fault), 0);
	uw_job_end(&job);
	ck_assert_int_eq(check(&job), 0);
	uw_job_text(&evil, UW_LAUNCH_EXEC, "/bin/evil");
	ck_assert_int_eq(uw_job_profile(&job, evil.data, evil.len, &fault), -1);
	ck_assert_ptr_nonnull(fault.why);
	ck_assert_int_eq(job.failed, 1);
	uw_job_rule(&loose, UW_LAUNCH_READ, 1, "/"); /* a rule without CONFINE would confine nothing */
	ck_assert_int_eq(uw_job_check_profile(loose.data, loose.len, &fault), -1);
}
END_TEST

START_TEST(flags_that_are_not_known_or_stand_alone_are_refused)
{
	static const uint64_t wrong[] = {1ull << 63, UW_LAUNCH_CONFINE_KNOWN + 1, UW_LAUNCH_NO_INET,
	                                 UW_LAUNCH_SCOPE, UW_LAUNCH_OWN_UNIX | UW_LAUNCH_FILTER};
	for (size_t i = 0; i < UW_COUNT(wrong); i++) {
		UW_AUTO_BUF profile = UW_BUF_INIT;
		struct uw_launch_confine confine = {wrong[i], 0, 0, 0};
		struct uw_job_fault fault;
		uw_job_confine(&profile, &confine);
		ck_assert_int_eq(uw_job_check_profile(profile.data, profile.len, &fault), -1);
	}
}
END_TEST

START_TEST(a_sealed_job_cannot_be_changed)
{
	UW_AUTO_BUF job = UW_BUF_INIT, broken = minimal(1, 0);
	UW_AUTO_FD fd = -1;
	struct uw_job_fault fault = {NULL, 0};
	write_job(&job);
	ck_assert_int_eq(uw_job_seal(&job, &fd, &fault), 0);
	ck_assert_int_eq((int)write(fd, "x", 1), -1);
	ck_assert_int_eq(ftruncate(fd, 0), -1);
	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(uw_job_seal(&broken, &fd, &fault), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_nonnull(fault.why);
}
END_TEST

START_TEST(empty_paths_fail_the_job)
{
	UW_AUTO_BUF job = UW_BUF_INIT, rule = UW_BUF_INIT;
	uw_job_text(&job, UW_LAUNCH_EXEC, "");
	uw_job_rule(&rule, UW_LAUNCH_READ, 1, NULL);
	ck_assert_int_eq(job.failed, 1);
	ck_assert_int_eq(rule.failed, 1);
}
END_TEST

UW_TESTS("common/launch_job", a_whole_job_is_read_as_it_was_written,
         a_job_cut_at_any_byte_is_refused, any_changed_byte_is_refused_or_stays_within_bounds,
         a_flipped_type_or_length_is_refused, missing_doubled_and_trailing_records_are_refused,
         a_thousand_passes_fit_and_their_bounds_hold,
         a_profile_can_hold_nothing_but_profile_records,
         flags_that_are_not_known_or_stand_alone_are_refused, a_sealed_job_cannot_be_changed,
         empty_paths_fail_the_job)
