/*
 * What to do about each code: the advice beside an error, and the page of
 * `umwelt explain`. One entry per code; a test holds that none is missing.
 */
#include <string.h>
#include <strings.h>

#include "cmd/cmd.h"

static const struct {
	int code;
	const char *advice;
} table[] = {
    {UW_E_INVALID_ARGS, "see `umwelt COMMAND --help`, or umwelt(1)"},
    {UW_E_NO_MEMORY, "free memory, or raise the limit of this user, and try again"},
    {UW_E_CANCELLED, "nothing to do; what was done up to then is told by the effect"},
    {UW_E_TIMED_OUT, "give more time (--timeout), or let the command do less"},
    {UW_E_BUSY, "wait until the other one is done, and try again"},
    {UW_E_UNSUPPORTED, "`umwelt doctor` shows what this machine and this kernel can do"},
    {UW_E_IO_ERROR, "look at the errno in the message: a full disk, a closed pipe or a broken device"},
    {UW_E_INTERNAL, "please report it, with the message and the output of `umwelt doctor`"},
    {UW_E_NOT_BUILT, "this version does not have it; `umwelt --help` lists what it has"},
    {UW_E_NOT_DEPLOYED, "copy the file to the place where the world is"},
    {UW_E_CONFIG_INVALID, "mend the host configuration at the line named, or leave --config out"},
    {UW_E_BUNDLE_INVALID, "mend the bundle at the line named; `umwelt check BUNDLE` shows all problems at once"},
    {UW_E_BUNDLE_NOT_FOUND, "name a preset (read-only, workspace, guarded, sdk-minimal) or the path of a YAML file"},
    {UW_E_BUNDLE_UNTRUSTED, "move the bundle out of the workspace to a place that only you can write, or leave the key out"},
    {UW_E_PLUGIN_NOT_FOUND, "`umwelt plugins` lists what was found, and what was skipped and why"},
    {UW_E_PLUGIN_UNTRUSTED, "let root or yourself own the file and each directory above it, writable by nobody else"},
    {UW_E_PLUGIN_LOAD_FAILED, "`umwelt plugins` tells the loader's reason; rebuild or reinstall the plugin"},
    {UW_E_PLUGIN_ABI_MISMATCH, "rebuild the plugin with the headers of this version"},
    {UW_E_PLUGIN_INVALID, "the plugin's author has to mend it"},
    {UW_E_PLUGIN_CRASHED, "reinstall the plugin; the file may be truncated"},
    {UW_E_PLUGIN_MISBEHAVED, "the plugin's author has to mend it; what was done is told by the effect"},
    {UW_E_PLUGIN_DUPLICATE, "remove one of the two files"},
    {UW_E_CAPABILITY_WITHHELD, "grant the service in the bundle's `grants:`, or choose another plugin"},
    {UW_E_SERVICE_MISSING, "choose a bundle that names a provider of the service"},
    {UW_E_REALM_MISMATCH, "fs, subprocess and sandbox of a world must act on one machine and mount view; mend the bundle"},
    {UW_E_WORLD_MISMATCH, "read again in this world: what was seen in another does not hold here"},
    {UW_E_PROOF_FAILED, "`umwelt doctor` shows which backend works here and what could be done"},
    {UW_E_WORLD_CLOSED, "open the world again"},
    {UW_E_SESSION_NOT_FOUND, "leave --session out, and the command has a session of its own"},
    {UW_E_SESSION_BUSY, "wait for the process that holds it, or end that one"},
    {UW_E_WORKSPACE_INVALID, "name an existing directory with --workspace, or change to one"},
    {UW_E_WORKSPACE_REFUSED, "choose a narrower workspace than /, a home directory or what holds Umwelt's own state"},
    {UW_E_POLICY_INVALID, "mend the `policy:` part of the bundle"},
    {UW_E_SANDBOX_UNAVAILABLE, "`umwelt doctor` shows which backend works here and what could be done"},
    {UW_E_POLICY_EVALUATION_FAILED, "mend the guard's rules; until then nothing is run"},
    {UW_E_UNKNOWN_DECISION, "use a guard of the same version as Umwelt"},
    {UW_E_POLICY_DENIED, "do it another way, or change the guard's rules"},
    {UW_E_APPROVAL_REQUIRED, "let a person approve it, then try again"},
    {UW_E_PERSON_REQUIRED, "run it yourself, outside of any command that Umwelt runs"},
    {UW_E_MODE_REFUSED, "stay within the bundle's mode, or let its owner widen `max_mode`"},
    {UW_E_CONNECTION_LOST, "see that the far machine is up, and open the world again"},
    {UW_E_FS_NOT_FOUND, "look at the path; relative ones start at the current directory if it lies in the workspace, else at the workspace"},
    {UW_E_FS_NOT_DIRECTORY, "one part of the path is a file"},
    {UW_E_FS_NOT_REGULAR_FILE, "only regular files are read and written; for others use a command"},
    {UW_E_FS_NOT_TEXT, "redirect the output to a file or a pipe, which get the bytes as they are"},
    {UW_E_FS_TOO_LARGE, "read it in parts, or use a command"},
    {UW_E_FS_PERMISSION_DENIED, "change the file's permissions, or act as a user that has them"},
    {UW_E_FS_SANDBOX_DENIED, "choose a wider mode (--mode workspace-write), or a path inside the workspace"},
    {UW_E_FS_IO_ERROR, "look at the errno in the message, and at the kernel's log"},
    {UW_E_FS_STALE_VERSION, "read the file again, and decide anew"},
    {UW_E_FS_EXISTS, "choose another name, or leave --create or --no-replace out"},
    {UW_E_FS_NOT_OBSERVED, "read the file first"},
    {UW_E_FS_AMBIGUOUS_EDIT, "give more text around it so that it occurs once, or --all"},
    {UW_E_FS_EDIT_NOT_FOUND, "read the file again; the old text must be the file's to the byte"},
    {UW_E_FS_ABORTED, "nothing was changed; try again"},
    {UW_E_FS_LOOP, "mend the symbolic links of the path"},
    {UW_E_FS_BAD_PATH, "give a path"},
    {UW_E_FS_NAME_TOO_LONG, "choose a shorter name"},
    {UW_E_FS_NO_SPACE, "free space, or raise the quota; the old content is whole"},
    {UW_E_FS_READ_ONLY, "the file system is mounted read-only; choose another place"},
    {UW_E_FS_NOT_EMPTY, "remove what is in it first, or use rm -r"},
    {UW_E_FS_CROSS_DEVICE, "copy and remove, for instance by `umwelt run mv`"},
    {UW_E_FS_BUSY, "wait until the other process is done with the file"},
    {UW_E_EXEC_NOT_FOUND, "look at the name, and at PATH"},
    {UW_E_EXEC_NOT_EXECUTABLE, "make it executable (chmod +x), or name its interpreter"},
    {UW_E_CWD_INVALID, "name an existing directory that can be entered"},
    {UW_E_SPAWN_FAILED, "a limit of processes or descriptors may be reached; nothing was run"},
    {UW_E_LAUNCHER_FAILED, "reinstall Umwelt; umwelt-launch must belong to root or yourself and be writable by nobody else"},
    {UW_E_PROCESS_NOT_FOUND, "it has ended"},
    {UW_E_RANGE_LOST, "look for processes that stayed behind"},
};

const char *cmd_advice(int code)
{
	for (size_t i = 0; i < UW_COUNT(table); i++)
		if (table[i].code == code)
			return table[i].advice;
	return NULL;
}

int cmd_code_of_name(const char *name)
{
	if (!strncasecmp(name, "UW_E_", 5))
		name += 5;
#define CODE_OF_NAME(code, number, meaning)                                                      \
	if (!strcasecmp(name, #code))                                                                    \
		return -(number);
	UW_ERRORS(CODE_OF_NAME)
#undef CODE_OF_NAME
	return 0;
}
