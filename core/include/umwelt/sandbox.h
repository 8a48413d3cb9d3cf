/*
 * sandbox/1: how a command is confined. Three verbs, none of which starts or
 * kills anything (S-10): the result of confine is data that subprocess composes
 * to `wrapper + launcher`.
 */
#ifndef UMWELT_SANDBOX_H
#define UMWELT_SANDBOX_H

#include <umwelt/call.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UW_SANDBOX_SERVICE "sandbox/1"

enum uw_enforcement { UW_UNCONFINED = 1, UW_PARTIAL = 2, UW_FULL = 3 };

/* Rows of the enforcement table (S-12): name, printed name. */
#define UW_OPERATIONS(X)                                                                         \
	X(CONTENT, "content")                                                                        \
	X(CREATION, "creation")                                                                      \
	X(METADATA, "metadata")                                                                      \
	X(PROTECTED_EXISTING, "protected-existing")                                                  \
	X(PROTECTED_ABSENT, "protected-absent")                                                      \
	X(DESCRIPTORS, "descriptors")                                                                \
	X(UNIX_SOCKETS, "unix-sockets")                                                              \
	X(NETWORK, "network")                                                                        \
	X(READS, "reads")                                                                            \
	X(PROCESSES, "processes")                                                                    \
	X(LIMITS, "limits")                                                                          \
	X(SYSV_IPC, "sysv-ipc")                                                                      \
	X(LOCKS, "locks")                                                                            \
	X(TERMINAL, "terminal")                                                                      \
	X(DEVICES, "devices")                                                                        \
	X(PRIVILEGE, "privilege")                                                                    \
	X(HARD_LINKS, "hard-links")                                                                  \
	X(TEMP, "temp")

enum uw_operation {
#define UW_OPERATION_ENUM(name, text) UW_OP_##name,
	UW_OPERATIONS(UW_OPERATION_ENUM)
#undef UW_OPERATION_ENUM
	    UW_OP_COUNT
};

enum uw_hold { UW_HOLD_NONE = 0, UW_HOLD_DETECTED = 1, UW_HOLD_PARTIAL = 2, UW_HOLD_FULL = 3 };

struct uw_enforcement_row {
	int32_t hold; /* enum uw_hold */
	int32_t promised; /* 1: the policy promises this row; FULL is said only if all promised are full */
	const char *reason; /* one line, where hold is not full; static or as long as the confined */
};

/* errno values by which this backend denies, for inferred evidence (S-43) */
#define UW_DIALECT_EROFS  1u
#define UW_DIALECT_EACCES 2u
#define UW_DIALECT_EPERM  4u
#define UW_DIALECT_EXDEV  8u
#define UW_DIALECT_EBUSY  16u /* of a protected path or a directory above it, which are mount points */

/* Descriptor fd of the provider's process goes to the wrapper as number `as` (UW_LAUNCH_FD_FIRST..). */
struct uw_fd_pass {
	int fd;
	int as;
};

/*
 * What confine answers. Owned by the sandbox provider, given back by release.
 * wrapper: words before the launcher (may be none), wrapper[0] an absolute path.
 * profile: launch.h records >= 32, ready to be appended to a job.
 */
struct uw_confined {
	size_t size;
	const char *const *wrapper;
	size_t wrapper_count;
	const void *profile;
	size_t profile_len;
	const struct uw_fd_pass *passes;
	size_t pass_count;
	uint64_t remote_id; /* of a far side, in place of descriptors; 0 locally */
	struct uw_view view;
	const char *backend;  /* "bwrap", "landlock", "none", "runner" */
	int32_t enforcement;  /* enum uw_enforcement */
	uint32_t dialect;
	struct uw_enforcement_row rows[UW_OP_COUNT];
	uint32_t pid_namespace; /* 1: the range has one of its own */
	uint32_t in_run_check;  /* 1: profile has NONCE and FORBIDDEN */
	/* runner-failure rules, used only where the launcher's report is absent (S-14) */
	int32_t failure_exit;   /* -1: any non-zero */
	const char *const *failure_signatures;
	size_t failure_count;
	void *impl;
	/*
	 * 1: it names things of others that may vanish at any moment (a socket to be
	 * masked), which breaks the wrapper off before the launcher. Then, and only if
	 * nothing was run, the confinement may be made anew for the same request.
	 */
	uint32_t may_pass;
	uint32_t reserved;
};

struct uw_outcome {
	size_t size;
	int32_t started; /* 1: the command was executed */
	int32_t status;  /* raw wait status */
	int32_t broke_off; /* 1: the wrapper ended before the launcher was reached (may_pass) */
	int32_t reserved;
};

/* What doctor shows (C-73): lines for a person. */
struct uw_sandbox_status {
	size_t size;
	int32_t usable;       /* 1 or 0, as far as can be known without starting anything */
	char reason[512];     /* why not, or version facts */
	char advice[512];     /* what the owner could do; may be empty */
};

struct uw_sandbox_v1 {
	size_t size;
	int (*realm)(void *self, struct uw_realm *ret_realm, struct uw_error *err);
	/*
	 * The view a process confined under this policy will have. policy->view is
	 * empty when asked. Entries live until the policy is released: they are
	 * written into sink one by one and copied there.
	 */
	int (*view)(void *self, const struct uw_call *call, const struct uw_policy *policy,
	            int (*sink)(void *arg, const struct uw_view_entry *entry), void *arg,
	            struct uw_error *err);
	/*
	 * SANDBOX_UNAVAILABLE (effect none) for what cannot be confined as asked;
	 * never a silent pass-through (S-11). cwd is the outside path the command
	 * will start in. The policy must outlive the confined.
	 */
	int (*confine)(void *self, const struct uw_call *call, const struct uw_policy *policy,
	               const char *cwd, struct uw_confined **ret_confined, struct uw_error *err);
	/* Undoes masks and mount points; NULL outcome: it never ran. Errors are reported, all is tried. */
	int (*release)(void *self, struct uw_confined *confined, const struct uw_outcome *outcome,
	               struct uw_error *err);
	int (*status)(void *self, struct uw_sandbox_status *ret_status, struct uw_error *err);
};

struct uw_sandbox {
	const struct uw_sandbox_v1 *v;
	void *self;
};

#ifdef __cplusplus
}
#endif
#endif
