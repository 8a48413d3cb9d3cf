#include "common/enforcement.h"

static int promised(const struct uw_policy *policy, int operation)
{
	if (policy->mode == UW_MODE_DANGER_FULL_ACCESS)
		return 0;
	switch (operation) {
	case UW_OP_PROTECTED_EXISTING:
		return policy->mode == UW_MODE_WORKSPACE_WRITE && policy->protected_count > 0;
	case UW_OP_NETWORK: return policy->network == UW_NETWORK_NONE;
	case UW_OP_UNIX_SOCKETS: return policy->unix_sockets != UW_UNIX_ALL;
	case UW_OP_PROTECTED_ABSENT:
	case UW_OP_READS:
	case UW_OP_LOCKS:
	case UW_OP_HARD_LINKS: return 0;
	default: return 1;
	}
}

void uw_rows_begin(struct uw_enforcement_row rows[UW_OP_COUNT], const struct uw_policy *policy)
{
	for (int i = 0; i < UW_OP_COUNT; i++) {
		rows[i].hold = UW_HOLD_NONE;
		rows[i].promised = promised(policy, i);
		rows[i].reason = policy->mode == UW_MODE_DANGER_FULL_ACCESS
		                     ? "danger-full-access confines nothing"
		                     : "not held by this backend";
	}
}

void uw_row_set(struct uw_enforcement_row rows[UW_OP_COUNT], int operation, int hold,
                const char *reason)
{
	rows[operation].hold = hold;
	rows[operation].reason = reason;
}

int uw_rows_enforcement(const struct uw_enforcement_row rows[UW_OP_COUNT], int mode)
{
	if (mode == UW_MODE_DANGER_FULL_ACCESS)
		return UW_UNCONFINED;
	for (int i = 0; i < UW_OP_COUNT; i++)
		if (rows[i].promised && rows[i].hold != UW_HOLD_FULL)
			return UW_PARTIAL;
	return UW_FULL;
}

void uw_rows_common(struct uw_enforcement_row rows[UW_OP_COUNT], const struct uw_policy *policy)
{
	int writes = policy->mode == UW_MODE_WORKSPACE_WRITE;
	uw_row_set(rows, UW_OP_READS, UW_HOLD_NONE, "whatever this user may read can be read");
	uw_row_set(rows, UW_OP_LOCKS, UW_HOLD_NONE,
	           "flock and leases on files that may be read are not refused");
	uw_row_set(rows, UW_OP_HARD_LINKS, UW_HOLD_NONE,
	           "a file linked into a writable place before the command is written through its link");
	if (!writes)
		uw_row_set(rows, UW_OP_PROTECTED_ABSENT, UW_HOLD_FULL, NULL);
	else
		uw_row_set(rows, UW_OP_PROTECTED_ABSENT, UW_HOLD_NONE,
		           "a protected path that does not exist can be created by a command");
}

const char *uw_operation_name(int operation)
{
	static const char *const names[] = {
#define UW_OPERATION_TEXT(name, text) text,
	    UW_OPERATIONS(UW_OPERATION_TEXT)
#undef UW_OPERATION_TEXT
	};
	return operation >= 0 && operation < UW_OP_COUNT ? names[operation] : "unknown";
}

const char *uw_hold_name(int hold)
{
	switch (hold) {
	case UW_HOLD_NONE: return "none";
	case UW_HOLD_DETECTED: return "detected";
	case UW_HOLD_PARTIAL: return "partial";
	case UW_HOLD_FULL: return "full";
	default: return "unknown";
	}
}
