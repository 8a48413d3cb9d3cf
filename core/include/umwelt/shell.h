/*
 * shell/1: command text of a dialect, run through subprocess (P-20..P-22).
 */
#ifndef UMWELT_SHELL_H
#define UMWELT_SHELL_H

#include <umwelt/subprocess.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UW_SHELL_SERVICE "shell/1"

struct uw_shell_request {
	size_t size;
	struct uw_bytes text;     /* exact bytes, without NUL */
	const struct uw_dir *cwd; /* NULL: the policy's workspace */
	uint64_t timeout_ms;      /* 0: the provider's timeout_ms; more than its maximum is INVALID_ARGS */
	const char *const *env_set;
	int32_t tail; /* enum uw_tail */
	uint32_t reserved;
	struct uw_stdio stdio[3]; /* [0] NULL kind: /dev/null; [1], [2] NULL kind: collected as configured */
	const struct uw_pty *pty;
};

struct uw_shell_v1 {
	size_t size;
	/* Starts it; the handle is one of the subprocess service of the world. */
	int (*start)(void *self, const struct uw_call *call, const struct uw_shell_request *request,
	             struct uw_process **ret_process, struct uw_error *err);
	/* "bash", "sh" or "pwsh". Static memory. */
	const char *(*dialect)(void *self);
};

struct uw_shell {
	const struct uw_shell_v1 *v;
	void *self;
};

#ifdef __cplusplus
}
#endif
#endif
