/*
 * What every subprocess/1 must do, whoever provides it and whatever confines it:
 * tests over a handle alone. A program that has one gives two functions that make
 * and end it inside each test's own process (threads do not survive check's
 * fork), and adds the suite to a case.
 */
#ifndef UW_TESTS_SUBPROCESS_SUITE_H
#define UW_TESTS_SUBPROCESS_SUITE_H

#include <check.h>

#include <umwelt/subprocess.h>

struct subprocess_suite {
	const struct uw_subprocess *service;
	struct uw_call call;    /* policy with workspace and temp; no deadline, no cancel */
	const char *workspace;  /* an empty directory below which commands may write; the realm's path */
	int (*make_dir)(struct subprocess_suite *suite, const char *path, struct uw_dir *ret_dir);
	int pid_namespace;      /* commands see pids of their own */
	void *arg;              /* of open and close */
};

/*
 * open runs in each test's process, after that was given a host's environment
 * with credentials in it; close at its end.
 */
void subprocess_suite_add(TCase *tcase, void (*open)(struct subprocess_suite *suite),
                          void (*close)(struct subprocess_suite *suite));

/* ---- for the programs' own tests ---- */

struct ran {
	struct uw_exit exit;
	char out[65536], err[16384];
	size_t out_len, err_len;
};

/* The one under test in this process. */
extern struct subprocess_suite subprocess_suite_now;

/* The suite's fixture without its tests. */
void subprocess_suite_fixture(TCase *tcase, void (*open)(struct subprocess_suite *suite),
                              void (*close)(struct subprocess_suite *suite));

/* A spawn of argv with everything collected (64 KiB tails) and stdin null. */
struct uw_spawn suite_spawn(const char *const *argv);
struct uw_process *suite_start(const struct uw_spawn *spawn);
/* Waits for OUTPUT, reads it, disposes. */
void suite_finish(struct uw_process *process, struct ran *ret);
void suite_run(const struct uw_spawn *spawn, struct ran *ret);
/* sh -c text */
void suite_sh(const char *text, struct ran *ret);
/* spawn must fail, with effect none; its code. */
int suite_refused(const struct uw_spawn *spawn, struct uw_error *err);
struct uw_exit suite_wait(struct uw_process *process, int what);
void suite_dispose(struct uw_process *process);
/* How many processes have marker in their command line. */
int suite_alive(const char *marker);
/* Waits (bounded, by events of nothing: looks again) until as many are there. */
int suite_await_alive(const char *marker, int count);
/* A word that no other test uses; static per process. */
const char *suite_marker(void);

#endif
