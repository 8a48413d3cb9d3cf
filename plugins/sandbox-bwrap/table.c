#include "bwrap.h"

#include "common/enforcement.h"

static void unix_row(const struct bwrap *bwrap, const struct uw_policy *policy,
                     const struct bwrap_plan *plan, struct uw_enforcement_row *rows)
{
	/* abstract names: cut by a network namespace, or by Landlock's scope */
	int abstract_cut = policy->network != UW_NETWORK_HOST || (bwrap->abi >= 6 && !bwrap->nesting);
	switch (plan->unix_way) {
	case BWRAP_UNIX_ALL:
		uw_row_set(rows, UW_OP_UNIX_SOCKETS, UW_HOLD_NONE, "unix_sockets is all");
		break;
	case BWRAP_UNIX_MASKED:
		uw_row_set(rows, UW_OP_UNIX_SOCKETS, UW_HOLD_PARTIAL,
		           abstract_cut
		               ? "sockets outside /run, /tmp and /dev are masked one by one: not those that begin "
		                 "to listen later or belong to another network namespace (full from Landlock "
		                 "ABI 9 on)"
		               : "abstract sockets of the host can be reached, since network is host and no "
		                 "Landlock (ABI 6) scopes them");
		break;
	default: uw_row_set(rows, UW_OP_UNIX_SOCKETS, UW_HOLD_FULL, plan->unix_why); break;
	}
}

static void protected_row(const struct bwrap_plan *plan, struct uw_confining *confining,
                          struct uw_enforcement_row *rows)
{
	uw_row_set(rows, UW_OP_PROTECTED_EXISTING, UW_HOLD_FULL,
	           plan->folded ? uw_confined_text(confining, "read-only as a whole: %s", plan->folded)
	                        : NULL);
}

void bwrap_table(const struct bwrap *bwrap, const struct uw_policy *policy,
                 const struct bwrap_plan *plan, struct uw_confining *confining)
{
	static const int full[] = {UW_OP_CONTENT,  UW_OP_CREATION, UW_OP_METADATA, UW_OP_DESCRIPTORS,
	                           UW_OP_PROCESSES, UW_OP_LIMITS,  UW_OP_SYSV_IPC, UW_OP_TERMINAL,
	                           UW_OP_DEVICES,  UW_OP_PRIVILEGE, UW_OP_TEMP};
	struct uw_enforcement_row *rows = confining->result.rows;
	uw_rows_begin(rows, policy);
	if (policy->mode != UW_MODE_DANGER_FULL_ACCESS) {
		uw_rows_common(rows, policy);
		for (size_t i = 0; i < sizeof full / sizeof full[0]; i++)
			uw_row_set(rows, full[i], UW_HOLD_FULL, NULL);
		unix_row(bwrap, policy, plan, rows);
		protected_row(plan, confining, rows);
		if (policy->network == UW_NETWORK_HOST)
			uw_row_set(rows, UW_OP_NETWORK, UW_HOLD_NONE, "network is host");
		else
			uw_row_set(rows, UW_OP_NETWORK, UW_HOLD_FULL, NULL);
		if (!plan->private_tmp)
			uw_row_set(rows, UW_OP_TEMP, UW_HOLD_PARTIAL, "/tmp is the host's, shared and writable");
		if (bwrap->nesting)
			uw_row_set(rows, UW_OP_PRIVILEGE, UW_HOLD_PARTIAL,
			           "nesting is on: no second fence behind the mounts, and user namespaces of "
			           "one's own");
	}
	confining->result.enforcement = uw_rows_enforcement(rows, policy->mode);
}
