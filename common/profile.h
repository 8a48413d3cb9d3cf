/*
 * Parts of a launcher profile that sandboxes share: grants for what a policy lets
 * a command write, the places that must still stand there, the in-run check
 * (C-39), and who this process is. No state; any thread.
 */
#ifndef UW_COMMON_PROFILE_H
#define UW_COMMON_PROFILE_H

#include <umwelt/plugin.h>
#include <umwelt/sandbox.h>

#include "common/buf.h"

/* CHOWN, DAC_OVERRIDE, FOWNER, FSETID, SETUID, SETGID: what root keeps for work on files (S-60). */
#define UW_FILE_CAPS ((1ull << 0) | (1ull << 1) | (1ull << 3) | (1ull << 4) | (1ull << 6) | (1ull << 7))

/*
 * READ of everything, WRITE of what the policy makes writable (in workspace-write
 * workspace and roots; temp, where there is one, at `temp_inside`), DEVICE of the
 * devices that a shell user needs (S-52).
 */
void uw_profile_rules(struct uw_buf *profile, const struct uw_policy *policy,
                      const char *temp_inside);
/* PLACE of each writable root and of the temp, so that an exchanged one refuses the run. */
void uw_profile_places(struct uw_buf *profile, const struct uw_policy *policy,
                       const char *temp_inside);
/*
 * NONCE and FORBIDDEN. SANDBOX_UNAVAILABLE where the host names neither file nor
 * directory: a confined command does not run unchecked.
 */
int uw_profile_checks(struct uw_buf *profile, const struct uw_host_api *host,
                      struct uw_plugin_context *context, struct uw_error *err);
/* Landlock's ABI on this kernel; 0: not there or turned off, *ret_errno says which. */
int uw_landlock_abi(int *ret_errno);
/* The policy a call goes by: the given one, else read-only with nothing (S-2). */
const struct uw_policy *uw_policy_or_narrowest(const struct uw_policy *policy);
/* SANDBOX_UNAVAILABLE for a mode that is not known, and for workspace-write without a workspace (S-11). */
int uw_policy_check(const struct uw_policy *policy, struct uw_error *err);
/* 1 if path is at or below what the policy lets a command write, the temp left out. */
int uw_policy_writable(const struct uw_policy *policy, const char *path);

#endif
