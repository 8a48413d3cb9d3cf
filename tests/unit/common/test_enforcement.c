#include "common/enforcement.h"

#include <string.h>

#include "unit.h"

static void all_full(struct uw_enforcement_row *rows, const struct uw_policy *policy)
{
	uw_rows_begin(rows, policy);
	uw_rows_common(rows, policy);
	for (int i = 0; i < UW_OP_COUNT; i++)
		if (rows[i].promised)
			uw_row_set(rows, i, UW_HOLD_FULL, NULL);
}

/* S-12 */
START_TEST(full_is_said_only_if_every_promised_row_is_full)
{
	struct uw_protected hooks = {"/ws/.git/hooks", "git-hooks", 1, 0, 0, 0};
	struct uw_policy policy = {.size = sizeof policy,
	                           .mode = UW_MODE_WORKSPACE_WRITE,
	                           .network = UW_NETWORK_NONE,
	                           .unix_sockets = UW_UNIX_OWN,
	                           .protected_paths = &hooks,
	                           .protected_count = 1};
	struct uw_enforcement_row rows[UW_OP_COUNT];
	all_full(rows, &policy);
	ck_assert_int_eq(uw_rows_enforcement(rows, policy.mode), UW_FULL);
	for (int i = 0; i < UW_OP_COUNT; i++) {
		int promised = rows[i].promised;
		all_full(rows, &policy);
		uw_row_set(rows, i, UW_HOLD_DETECTED, "x");
		ck_assert_int_eq(uw_rows_enforcement(rows, policy.mode), promised ? UW_PARTIAL : UW_FULL);
	}
}
END_TEST

START_TEST(what_no_mode_promises_is_reported_all_the_same)
{
	struct uw_policy policy = {.size = sizeof policy, .mode = UW_MODE_READ_ONLY, .network = UW_NETWORK_HOST};
	struct uw_enforcement_row rows[UW_OP_COUNT];
	all_full(rows, &policy);
	ck_assert(!rows[UW_OP_READS].promised && !rows[UW_OP_LOCKS].promised);
	ck_assert(!rows[UW_OP_HARD_LINKS].promised && !rows[UW_OP_NETWORK].promised);
	ck_assert(!rows[UW_OP_PROTECTED_ABSENT].promised);
	ck_assert_ptr_nonnull(rows[UW_OP_LOCKS].reason);
	ck_assert_ptr_nonnull(rows[UW_OP_NETWORK].reason);
}
END_TEST

START_TEST(danger_full_access_promises_nothing_and_says_unconfined)
{
	struct uw_policy policy = {.size = sizeof policy, .mode = UW_MODE_DANGER_FULL_ACCESS};
	struct uw_enforcement_row rows[UW_OP_COUNT];
	uw_rows_begin(rows, &policy);
	for (int i = 0; i < UW_OP_COUNT; i++) {
		ck_assert(!rows[i].promised);
		ck_assert_int_eq(rows[i].hold, UW_HOLD_NONE);
		ck_assert_ptr_nonnull(rows[i].reason);
	}
	ck_assert_int_eq(uw_rows_enforcement(rows, policy.mode), UW_UNCONFINED);
}
END_TEST

START_TEST(rows_and_holds_have_printed_names)
{
	ck_assert_str_eq(uw_operation_name(UW_OP_SYSV_IPC), "sysv-ipc");
	ck_assert_str_eq(uw_operation_name(UW_OP_COUNT), "unknown");
	ck_assert_str_eq(uw_hold_name(UW_HOLD_DETECTED), "detected");
	ck_assert_str_eq(uw_hold_name(77), "unknown");
}
END_TEST

UW_TESTS("common/enforcement", full_is_said_only_if_every_promised_row_is_full,
         what_no_mode_promises_is_reported_all_the_same,
         danger_full_access_promises_nothing_and_says_unconfined, rows_and_holds_have_printed_names)
