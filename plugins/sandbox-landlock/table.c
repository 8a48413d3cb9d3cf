#include "table.h"

#include "common/enforcement.h"

/* ABIs that brought what a row rests on */
enum { ABI_REFER = 2, ABI_TRUNCATE = 3, ABI_IOCTL_DEV = 5, ABI_SCOPE = 6, ABI_RESOLVE_UNIX = 9 };

static void file_rows(struct uw_enforcement_row *rows, const struct uw_policy *policy, int abi)
{
	if (abi >= ABI_TRUNCATE)
		uw_row_set(rows, UW_OP_CONTENT, UW_HOLD_FULL, NULL);
	else
		uw_row_set(rows, UW_OP_CONTENT, UW_HOLD_PARTIAL,
		           "this kernel's Landlock (ABI below 3) does not refuse truncate(2)");
	uw_row_set(rows, UW_OP_CREATION, UW_HOLD_FULL,
	           abi >= ABI_REFER ? NULL : "renames between directories are refused everywhere");
	if (policy->mode == UW_MODE_READ_ONLY) {
		uw_row_set(rows, UW_OP_METADATA, UW_HOLD_FULL,
		           "refused everywhere, in the temp too: cp -p fails");
		uw_row_set(rows, UW_OP_PROTECTED_EXISTING, UW_HOLD_FULL, NULL);
	} else {
		uw_row_set(rows, UW_OP_METADATA, UW_HOLD_NONE,
		           "Landlock does not govern mode, owner, times and attributes of outside files");
		uw_row_set(rows, UW_OP_PROTECTED_EXISTING, UW_HOLD_NONE,
		           "Landlock cannot except a path from a writable directory");
	}
}

static void unix_row(struct uw_enforcement_row *rows, const struct uw_policy *policy, int abi)
{
	if (policy->unix_sockets == UW_UNIX_ALL)
		uw_row_set(rows, UW_OP_UNIX_SOCKETS, abi >= ABI_SCOPE ? UW_HOLD_PARTIAL : UW_HOLD_NONE,
		           abi >= ABI_SCOPE ? "unix_sockets is all: only abstract names are cut"
		                            : "unix_sockets is all");
	else if (policy->unix_sockets == UW_UNIX_OWN && abi < ABI_RESOLVE_UNIX)
		uw_row_set(rows, UW_OP_UNIX_SOCKETS, UW_HOLD_FULL,
		           "own fell to none: Landlock below ABI 9 cannot tell one's own sockets, so "
		           "socket(AF_UNIX) is refused; socketpair stays");
	else
		uw_row_set(rows, UW_OP_UNIX_SOCKETS, UW_HOLD_FULL, NULL);
}

static void process_rows(struct uw_enforcement_row *rows, int abi)
{
	if (abi >= ABI_SCOPE)
		uw_row_set(rows, UW_OP_PROCESSES, UW_HOLD_PARTIAL,
		           "signals are refused, but other processes are visible in /proc");
	else
		uw_row_set(rows, UW_OP_PROCESSES, UW_HOLD_NONE,
		           "this kernel's Landlock (ABI below 6) does not refuse signals");
	uw_row_set(rows, UW_OP_LIMITS, UW_HOLD_FULL, NULL);
	uw_row_set(rows, UW_OP_SYSV_IPC, UW_HOLD_NONE,
	           "System V IPC and POSIX message queues are shared with the host");
	uw_row_set(rows, UW_OP_TERMINAL, UW_HOLD_FULL, NULL);
	uw_row_set(rows, UW_OP_PRIVILEGE, UW_HOLD_FULL, NULL);
	uw_row_set(rows, UW_OP_DESCRIPTORS, UW_HOLD_FULL, NULL);
}

void landlock_table(struct uw_enforcement_row rows[UW_OP_COUNT], const struct uw_policy *policy,
                    int abi)
{
	uw_rows_begin(rows, policy);
	if (policy->mode == UW_MODE_DANGER_FULL_ACCESS)
		return;
	uw_rows_common(rows, policy);
	file_rows(rows, policy, abi);
	unix_row(rows, policy, abi);
	process_rows(rows, abi);
	if (policy->network == UW_NETWORK_NONE)
		uw_row_set(rows, UW_OP_NETWORK, UW_HOLD_FULL, "local servers fail too");
	else
		uw_row_set(rows, UW_OP_NETWORK, UW_HOLD_NONE, "network is host");
	if (abi < ABI_IOCTL_DEV)
		uw_row_set(rows, UW_OP_DEVICES, UW_HOLD_PARTIAL,
		           "this kernel's Landlock (ABI below 5) does not refuse ioctls of devices");
	else if (policy->mode == UW_MODE_WORKSPACE_WRITE)
		uw_row_set(rows, UW_OP_DEVICES, UW_HOLD_PARTIAL,
		           "a device node that already stands below a writable root can be opened");
	else
		uw_row_set(rows, UW_OP_DEVICES, UW_HOLD_FULL, NULL);
	if (policy->temp_kind == UW_TEMP_HOST && policy->mode == UW_MODE_WORKSPACE_WRITE)
		uw_row_set(rows, UW_OP_TEMP, UW_HOLD_PARTIAL, "temp is host: /tmp is shared and writable");
	else
		uw_row_set(rows, UW_OP_TEMP, UW_HOLD_FULL, NULL);
}
