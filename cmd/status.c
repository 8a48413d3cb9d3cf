/* Exit statuses (C-71). Pure functions. */
#include <sys/wait.h>

#include "cmd/cmd.h"

int cmd_status_of_code(int code)
{
	switch (code) {
	case UW_OK:
		return CMD_OK;
	case UW_E_INVALID_ARGS:
	case UW_E_UNSUPPORTED:
	case UW_E_NOT_BUILT:
	case UW_E_NOT_DEPLOYED:
	case UW_E_CONFIG_INVALID:
	case UW_E_BUNDLE_INVALID:
	case UW_E_BUNDLE_NOT_FOUND:
	case UW_E_BUNDLE_UNTRUSTED:
	case UW_E_SESSION_NOT_FOUND:
	case UW_E_SESSION_BUSY:
	case UW_E_WORKSPACE_INVALID:
	case UW_E_POLICY_INVALID:
	case UW_E_CWD_INVALID:
		return CMD_USAGE;
	case UW_E_PLUGIN_NOT_FOUND:
	case UW_E_PLUGIN_UNTRUSTED:
	case UW_E_PLUGIN_LOAD_FAILED:
	case UW_E_PLUGIN_ABI_MISMATCH:
	case UW_E_PLUGIN_INVALID:
	case UW_E_PLUGIN_CRASHED:
	case UW_E_PLUGIN_DUPLICATE:
	case UW_E_CAPABILITY_WITHHELD:
	case UW_E_SERVICE_MISSING:
	case UW_E_REALM_MISMATCH:
	case UW_E_WORLD_MISMATCH:
	case UW_E_PROOF_FAILED:
	case UW_E_WORLD_CLOSED:
	case UW_E_WORKSPACE_REFUSED:
	case UW_E_CONNECTION_LOST:
		return CMD_WORLD;
	case UW_E_POLICY_EVALUATION_FAILED:
	case UW_E_UNKNOWN_DECISION:
	case UW_E_POLICY_DENIED:
	case UW_E_APPROVAL_REQUIRED:
	case UW_E_PERSON_REQUIRED:
	case UW_E_MODE_REFUSED:
		return CMD_POLICY;
	case UW_E_SANDBOX_UNAVAILABLE:
		return CMD_SANDBOX;
	case UW_E_CANCELLED:
	case UW_E_TIMED_OUT:
		return CMD_ENDED;
	case UW_E_EXEC_NOT_EXECUTABLE:
		return CMD_NOT_EXECUTABLE;
	case UW_E_EXEC_NOT_FOUND:
		return CMD_NOT_FOUND;
	default:
		/* files have a range of codes of their own */
		return code <= UW_E_FS_NOT_FOUND && code > UW_E_EXEC_NOT_FOUND ? CMD_FAILED : CMD_INTERNAL;
	}
}

int cmd_status_of_exit(const struct uw_exit *exit)
{
	if (exit->phase == UW_PHASE_NOT_STARTED || exit->phase == UW_PHASE_LOST)
		return CMD_INTERNAL;
	if (exit->cancelled || exit->limit == UW_LIMIT_WALL)
		return CMD_ENDED;
	if (exit->signal > 0)
		return 128 + exit->signal;
	return exit->exit_code >= 0 ? exit->exit_code : CMD_INTERNAL;
}
