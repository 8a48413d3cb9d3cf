#include "common/confined.h"

#include <string.h>

#include "common/launch_job.h"
#include "common/profile.h"
#include "unit.h"

START_TEST(words_texts_views_and_profile_live_with_the_confined)
{
	struct uw_error err = UW_ERROR_INIT;
	struct uw_confining *confining = uw_confined_start("test");
	const char *text;
	ck_assert_ptr_nonnull(confining);
	for (int i = 0; i < 100; i++)
		uw_confined_words(confining, "--a", "", "b\nc", NULL);
	text = uw_confined_text(confining, "%s-%d", "x", 7);
	uw_confined_view(confining, "/tmp", "/var/tmp/s", 1);
	uw_job_text(&confining->profile, UW_LAUNCH_FORBIDDEN, "/f");
	ck_assert_int_eq(uw_confined_finish(confining, &err), 0);
	ck_assert_uint_eq(confining->result.wrapper_count, 300);
	ck_assert_str_eq(confining->result.wrapper[298], "");
	ck_assert_str_eq(confining->result.wrapper[299], "b\nc");
	ck_assert_str_eq(text, "x-7");
	ck_assert_uint_eq(confining->result.view.count, 1);
	ck_assert_str_eq(confining->result.view.entries[0].outside, "/var/tmp/s");
	ck_assert_int_eq(uw_job_check_profile(confining->result.profile, confining->result.profile_len, NULL), 0);
	uw_confined_free(confining);
	uw_confined_free(NULL);
}
END_TEST

START_TEST(a_failed_addition_is_told_at_the_end)
{
	struct uw_error err = UW_ERROR_INIT;
	struct uw_confining *confining = uw_confined_start("test");
	confining->failed = 1;
	uw_confined_words(confining, "a", NULL);
	ck_assert_str_eq(uw_confined_text(confining, "x"), "");
	ck_assert_int_eq(uw_confined_finish(confining, &err), UW_E_NO_MEMORY);
	ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
	uw_confined_free(confining);
}
END_TEST

/* S-2, S-52 */
START_TEST(rules_follow_the_mode)
{
	struct uw_place root = {"/r", 1, 2};
	struct uw_policy policy = {.size = sizeof policy,
	                           .mode = UW_MODE_READ_ONLY,
	                           .workspace = {"/w", 1, 3},
	                           .roots = &root,
	                           .root_count = 1,
	                           .temp = {"/t", 1, 4}};
	struct uw_buf profile = UW_BUF_INIT;
	uw_profile_rules(&profile, &policy, "/tmp");
	uw_profile_places(&profile, &policy, "/tmp");
	ck_assert_ptr_null(memmem(profile.data, profile.len, "/w", 3));
	ck_assert_ptr_nonnull(memmem(profile.data, profile.len, "/tmp", 5));
	uw_buf_truncate(&profile, 0);
	policy.mode = UW_MODE_WORKSPACE_WRITE;
	uw_profile_rules(&profile, &policy, "/tmp");
	ck_assert_ptr_nonnull(memmem(profile.data, profile.len, "/w", 3));
	ck_assert_ptr_nonnull(memmem(profile.data, profile.len, "/r", 3));
	ck_assert(uw_policy_writable(&policy, "/w/x") && !uw_policy_writable(&policy, "/wx"));
	uw_buf_finish(&profile);
	ck_assert_int_eq(uw_policy_or_narrowest(NULL)->mode, UW_MODE_READ_ONLY);
	ck_assert_ptr_eq(uw_policy_or_narrowest(&policy), &policy);
}
END_TEST

UW_TESTS("common/confined", words_texts_views_and_profile_live_with_the_confined,
         a_failed_addition_is_told_at_the_end, rules_follow_the_mode)
