/*
 * Runs a command as a subprocess provider would, wrapper + launcher, with nothing
 * of core: for tests that look at what a confinement really does. The launcher is
 * $BUILD/umwelt-launch (build/ if unset).
 */
#ifndef UW_TESTS_RUN_CONFINED_H
#define UW_TESTS_RUN_CONFINED_H

#include <umwelt/launch.h>
#include <umwelt/sandbox.h>

struct run_spec {
	const struct uw_confined *confined; /* NULL: no wrapper, no profile */
	const char *const *argv;            /* argv[0] is the program, absolute */
	const char *const *env;
	const char *cwd;
	int pty; /* 1: stdio is a new PTY, which is the controlling terminal */
};

struct run_result {
	int started;
	struct uw_launch_said refused; /* type 0: it was not refused */
	struct uw_launch_said said;    /* STARTED */
	int status;        /* raw, of EXITED; -1 if it did not exit */
	int runner_status; /* raw, of what was executed: wrapper or launcher */
	size_t out_len;
	char out[1 << 18]; /* stdout and stderr, with a NUL; the rest is dropped */
};

/* Absolute path of the launcher. Static memory. */
const char *run_launcher(void);
/* Fails the check test if it cannot even start. The range is empty when it returns. */
void run_confined(const struct run_spec *spec, struct run_result *ret);
/* Exit code, 128 + signal, or -1 if it was not started. */
int run_exit_code(const struct run_result *result);

#endif
