/* What Landlock alone adds to the suite: what it refuses, and its table by ABI. */
#include <string.h>
#include <unistd.h>

#include "common/enforcement.h"
#include "plugin_host.h"
#include "tests/suites/sandbox_suite.h"
#include "table.h"
#include "unit.h"

UW_NEEDS_THE_MACHINE;

/* C-22, S-56 */
START_TEST(what_must_be_held_below_a_root_is_refused)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "mkdir -p .git/hooks"), 0);
	fixture_protect(&fixture, ".git/hooks", "git-hooks");
	ck_assert_int_eq(fixture_run(&fixture, "true"), 0);
	ck_assert_int_eq(fixture_row(&fixture, UW_OP_PROTECTED_EXISTING)->hold, UW_HOLD_NONE);
	ck_assert_int_eq(fixture.confined->enforcement, UW_PARTIAL);
	fixture.policy.protect = UW_PROTECT_ENFORCE;
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	fixture.policy.protect = UW_PROTECT_DETECT;
	fixture_protect(&fixture, "umwelt", "control-plane");
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(fixture.err.message, "/ws/umwelt"));
	fixture.policy.mode = UW_MODE_READ_ONLY;
	ck_assert_int_eq(fixture_run(&fixture, "true"), 0);
	fixture_close(&fixture);
}
END_TEST

/* S-5: never all */
START_TEST(own_sockets_fall_to_none_and_socketpairs_stay)
{
	struct fixture fixture;
	const struct uw_enforcement_row *row;
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_run(&fixture, "! $SELF --attack socket 1"), 0);
	row = fixture_row(&fixture, UW_OP_UNIX_SOCKETS);
	ck_assert_int_eq(row->hold, UW_HOLD_FULL);
	ck_assert_ptr_nonnull(strstr(row->reason, "fell to none"));
	fixture.policy.unix_sockets = UW_UNIX_ALL;
	ck_assert_int_eq(fixture_run(&fixture, "$SELF --attack socket 1"), 0);
	fixture_close(&fixture);
}
END_TEST

START_TEST(the_table_says_what_an_older_kernel_lacks)
{
	struct uw_policy policy = {.size = sizeof policy,
	                           .mode = UW_MODE_READ_ONLY,
	                           .network = UW_NETWORK_NONE,
	                           .unix_sockets = UW_UNIX_OWN,
	                           .temp_kind = UW_TEMP_PRIVATE};
	struct uw_enforcement_row rows[UW_OP_COUNT];
	landlock_table(rows, &policy, 2);
	ck_assert_int_eq(rows[UW_OP_CONTENT].hold, UW_HOLD_PARTIAL);
	ck_assert_int_eq(rows[UW_OP_PROCESSES].hold, UW_HOLD_NONE);
	ck_assert_int_eq(rows[UW_OP_DEVICES].hold, UW_HOLD_PARTIAL);
	landlock_table(rows, &policy, 9);
	ck_assert_int_eq(rows[UW_OP_CONTENT].hold, UW_HOLD_FULL);
	ck_assert_int_eq(rows[UW_OP_METADATA].hold, UW_HOLD_FULL);
	ck_assert_ptr_null(rows[UW_OP_UNIX_SOCKETS].reason);
	policy.mode = UW_MODE_WORKSPACE_WRITE;
	landlock_table(rows, &policy, 9);
	ck_assert_int_eq(rows[UW_OP_METADATA].hold, UW_HOLD_NONE);
	ck_assert(rows[UW_OP_METADATA].promised);
	ck_assert_int_eq(uw_rows_enforcement(rows, policy.mode), UW_PARTIAL);
}
END_TEST

START_TEST(root_keeps_six_capabilities_or_none)
{
	static const char *const none[] = {"root_caps", "none", NULL};
	struct fixture fixture;
	if (geteuid() != 0)
		return;
	fixture_open(&fixture, 0, NULL);
	ck_assert_int_eq(fixture_run(&fixture, "grep -q 'CapBnd:.00000000000000db' /proc/self/status && grep -q 'CapEff:.00000000000000db' /proc/self/status"), 0);
	fixture_configure(&fixture, none);
	ck_assert_int_eq(fixture_run(&fixture, "grep -q 'CapEff:.0000000000000000' /proc/self/status"), 0);
	fixture_close(&fixture);
}
END_TEST

START_TEST(status_names_the_abi)
{
	struct fixture fixture;
	struct uw_sandbox_status status = {.size = sizeof status};
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture.v->status(fixture.self, &status, NULL), 0);
	ck_assert(status.usable);
	ck_assert_ptr_nonnull(strstr(status.reason, "Landlock ABI"));
	fixture_close(&fixture);
}
END_TEST

UW_TESTS("sandbox-landlock", what_must_be_held_below_a_root_is_refused,
         own_sockets_fall_to_none_and_socketpairs_stay, the_table_says_what_an_older_kernel_lacks,
         root_keeps_six_capabilities_or_none, status_names_the_abi)
