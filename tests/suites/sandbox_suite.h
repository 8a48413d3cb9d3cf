/*
 * Tests of sandbox/1 that every provider has to pass: each attack is run
 * unconfined, where it must succeed, then confined, where the enforcement table
 * decides: a row that is full stops it; else the row says so, with a reason.
 *
 * A fixture is a world on its own below /var/tmp: a workspace, a place outside,
 * a temp, the files of the in-run check. fixture_open may become another user,
 * for good: each test is a process of its own.
 */
#ifndef UW_TESTS_SANDBOX_SUITE_H
#define UW_TESTS_SANDBOX_SUITE_H

#include <umwelt/plugin.h>
#include <umwelt/sandbox.h>

#include <sys/types.h>

#include "tests/suites/run_confined.h"

#define SUITE_USER 54321

struct uw_plugin_context;
struct uw_config;

struct fixture {
	struct uw_plugin_context *context;
	struct uw_config *config;
	const struct uw_plugin *plugin;
	const struct uw_sandbox_v1 *v;
	void *self;
	struct uw_policy policy; /* workspace-write, network none; change it as you like */
	struct uw_protected protected_paths[300];
	struct uw_place roots[4];
	char base[256], ws[300], out[300], temp[300], forbidden[300], nonce[300], state[300];
	struct run_result result; /* of the last run */
	int code;                 /* of the last confine */
	struct uw_error err;      /* of the last confine */
	struct uw_confined *confined; /* of the last run; until the next */
};

/* uid 0: stays root. pairs: as in plugin_host.h. */
void fixture_open(struct fixture *fixture, uid_t uid, const char *const *pairs);
/* A fixture whose directory (absolute, created) is given: paths of odd shape, a place below /tmp. */
void fixture_open_at(struct fixture *fixture, uid_t uid, const char *const *pairs, const char *base);
void fixture_close(struct fixture *fixture);
/* A new provider with other keys. */
void fixture_configure(struct fixture *fixture, const char *const *pairs);

/*
 * sh -c TEXT in the workspace, confined under the policy. Environment: PATH, WS,
 * OUT, HOSTPID, SELF (this program: see suite_attack), TMPDIR as the view has it.
 * Returns the exit code as a shell tells it; -1 if it was not started.
 */
int fixture_run(struct fixture *fixture, const char *text);
int fixture_run_pty(struct fixture *fixture, const char *text);
/* The same in danger-full-access. */
int fixture_run_free(struct fixture *fixture, const char *text);
/* sh -c TEXT without launcher and sandbox, by this process; the exit code. */
int fixture_host(struct fixture *fixture, const char *text);
/* Adds a protected path, relative to the workspace or absolute. */
void fixture_protect(struct fixture *fixture, const char *path, const char *rule);
const struct uw_enforcement_row *fixture_row(struct fixture *fixture, int operation);
/* Output of the last run holds text. */
int fixture_said(const struct fixture *fixture, const char *text);

/* Links attack.c in: $SELF --attack WHAT ARG does one thing and tells by its exit code. */
void suite_attack(void);

/* Every case takes the user; each is a START_TEST of the provider's test file. */
#define SANDBOX_SUITE(X)                                                                         \
	X(writes_stay_in_the_workspace)                                                              \
	X(read_only_writes_nothing_but_the_temp)                                                     \
	X(attacks_on_files_outside)                                                                  \
	X(attacks_on_processes_and_kernel)                                                           \
	X(attacks_by_sockets)                                                                        \
	X(attacks_by_what_is_inherited)                                                              \
	X(temp_is_the_sessions)                                                                      \
	X(what_the_command_says_proves_nothing)                                                      \
	X(ends_are_told_as_they_were)                                                                \
	X(places_that_are_gone_or_exchanged)                                                         \
	X(paths_of_odd_shape)                                                                        \
	X(shells_and_tools_work)                                                                     \
	X(git_works_in_the_workspace)                                                                \
	X(tables_are_honest)                                                                         \
	X(danger_is_not_confined)                                                                    \
	X(what_cannot_be_confined_is_refused)

#define SANDBOX_CASE(name) void sandbox_case_##name(uid_t uid);
SANDBOX_SUITE(SANDBOX_CASE)
#undef SANDBOX_CASE

#endif
