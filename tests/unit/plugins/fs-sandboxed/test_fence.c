/* fs-sandboxed: the fence by policy (F-30..F-34). */
#include "sandboxed.h"

#include "tests/suites/fence_suite.h"

/* the policy travels with the call: there is nothing to be told */
static void suite_policy(struct suite *suite)
{
	(void)suite;
}

/* S-2: a call without a policy is read-only, with no temp */
START_TEST(s2_without_a_policy_nothing_is_written)
{
	suite_open(s);
	s->call.policy = NULL;
	ck_code(s, W(s, "f", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_refusal("read-only", "outside-roots");
	ck_code(s, W(s, "../temp/f", "x"), UW_E_FS_SANDBOX_DENIED);
	suite_close(s);
}
END_TEST

/* S-15: what processes find at a path is what fs finds there, and it is fenced by where it is */
START_TEST(s15_the_policys_view_is_used_and_fenced_by_outside_paths)
{
	struct uw_view_entry entries[2];
	struct uw_target *t;
	suite_open(s);
	entries[0] = (struct uw_view_entry){"/tmp", s->temp, 1, 0};
	entries[1] = (struct uw_view_entry){"/mnt", s->out, 0, 0};
	s->policy.view = (struct uw_view){entries, 2};
	ck_code(s, W(s, "/tmp/log", "x"), 0);
	ck_holds(s, "../temp/log", "x");
	ck_code(s, W(s, "/mnt/log", "x"), UW_E_FS_SANDBOX_DENIED);
	t = target(s, "/tmp/log");
	ck_assert_str_eq(t->display.data, "/tmp/log");
	ck_assert_str_ne(t->key.data, "/tmp/log");
	t->release(t);
	suite_close(s);
}
END_TEST

START_TEST(create_needs_an_inner_provider)
{
	struct uw_error err = UW_ERROR_INIT;
	void *self = NULL;
	context.handles[0] = NULL;
	config.plugin = uw_plugin_entry();
	ck_assert_int_eq(uw_plugin_entry()->create(&test_host_api, &context, &config, &self, &err), UW_E_SERVICE_MISSING);
	ck_assert_ptr_null(self);
}
END_TEST

UW_TESTS("fs-sandboxed fence", FENCE_SUITE, s2_without_a_policy_nothing_is_written,
         s15_the_policys_view_is_used_and_fenced_by_outside_paths, create_needs_an_inner_provider)
