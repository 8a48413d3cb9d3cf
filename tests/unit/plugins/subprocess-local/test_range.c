/*
 * subprocess-local: what happens when host, launcher or wrapper break off, and
 * what waiting costs. Over the real launcher.
 */
#include "common/cleanup.h"

#include "common/io.h"
#include "local.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "tests/unit.h"

UW_NEEDS_THE_MACHINE;

#define suite subprocess_suite_now

static struct uw_confined confined;

static int fails_confined(const char *const *wrapper, size_t count, struct uw_error *err)
{
	const char *argv[] = {"true", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	confined = (struct uw_confined){.size = sizeof confined, .wrapper = wrapper, .wrapper_count = count};
	spawn.confined = &confined;
	return suite_refused(&spawn, err);
}

/* S-42, peer/E8, peer/E17 */
START_TEST(a_wrapper_that_breaks_off_is_the_sandboxes_failure)
{
	const char *missing[] = {"/no/such/wrapper"}, *directory[] = {"/etc"};
	const char *speaks[] = {"/bin/sh", "-c", "echo 'bwrap: boom' >&2; exit 3"};
	const char *quiet[] = {"/bin/true"}, *killed[] = {"/bin/sh", "-c", "kill -9 $$"};
	struct uw_error err;
	ck_assert_int_eq(fails_confined(missing, 1, &err), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(err.os_errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(err.message, "/no/such/wrapper"));
	ck_assert_int_eq(fails_confined(directory, 1, &err), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(fails_confined(speaks, 3, &err), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.message, "status 3"));
	ck_assert_ptr_nonnull(strstr(err.message, "bwrap: boom"));
	ck_assert_int_eq(fails_confined(quiet, 1, &err), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(fails_confined(killed, 3, &err), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.message, "signal 9"));
}
END_TEST

START_TEST(a_wrapper_that_hangs_is_ended_and_nothing_stays)
{
	static const char *const pairs[] = {"start_ms", "100", NULL};
	char text[128];
	const char *hangs[] = {"/bin/bash", "-c", text};
	struct uw_error err;
	local_close(&suite);
	local_open_with(&suite, pairs);
	(void)snprintf(text, sizeof text, "exec -a %s sleep 300", suite_marker());
	ck_assert_int_eq(fails_confined(hangs, 3, &err), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(suite_alive(suite_marker()), 0);
}
END_TEST

/* What a wrapper says is in no stream of the command (S-41). */
START_TEST(the_wrappers_words_are_not_the_commands)
{
	const char *wrapper[] = {"/bin/sh", "-c", "echo from-the-wrapper >&2; echo out; exec \"$0\""};
	const char *argv[] = {"sh", "-c", "echo hi; echo err >&2", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	confined = (struct uw_confined){.size = sizeof confined, .wrapper = wrapper, .wrapper_count = 3};
	spawn.confined = &confined;
	suite_run(&spawn, &ran);
	ck_assert_str_eq(ran.out, "hi\n");
	ck_assert_str_eq(ran.err, "err\n");
}
END_TEST

/* The agent may set LD_PRELOAD for its command, not for what confines it. */
START_TEST(the_wrapper_has_nothing_of_the_commands_environment)
{
	const char *wrapper[] = {"/bin/sh", "-c", NULL};
	const char *argv[] = {"true", NULL}, *set[] = {"LD_PRELOAD=/evil.so", "EVIL=1", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	char text[512], path[256];
	(void)snprintf(path, sizeof path, "%s/wrapper-env", suite.workspace);
	(void)snprintf(text, sizeof text, "env >%s; exec \"$0\"", path);
	wrapper[2] = text;
	confined = (struct uw_confined){.size = sizeof confined, .wrapper = wrapper, .wrapper_count = 3};
	spawn.confined = &confined;
	spawn.env_set = set;
	suite_run(&spawn, &ran);
	(void)snprintf(text, sizeof text, "cat %s", path);
	suite_sh(text, &ran);
	ck_assert_ptr_nonnull(strstr(ran.out, "PATH="));
	ck_assert_ptr_null(strstr(ran.out, "EVIL"));
	ck_assert_ptr_null(strstr(ran.out, "evil"));
}
END_TEST

START_TEST(a_malformed_profile_starts_nothing)
{
	const char *argv[] = {"true", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_error err;
	confined = (struct uw_confined){.size = sizeof confined, .profile = "garbage!", .profile_len = 8};
	spawn.confined = &confined;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_SANDBOX_UNAVAILABLE);
}
END_TEST

START_TEST(a_missing_launcher_is_an_error_of_its_own)
{
	const char *argv[] = {"true", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct local *local = suite.arg;
	struct uw_error err;
	(void)close(local->context.executables[UW_PATH_LAUNCHER]);
	local->context.executables[UW_PATH_LAUNCHER] = 0;
	local->context.paths[UW_PATH_LAUNCHER] = "/no/such/launcher";
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_LAUNCHER_FAILED);
}
END_TEST

/* ---- a range of processes that try to stay ---- */

/* A session of its own, a double fork, one that ignores TERM; four with the shell. */
static void tree_text(char *text, size_t size)
{
	const char *marker = suite_marker();
	(void)snprintf(text, size,
	               "setsid bash -c 'exec -a %s sleep 300' & (setsid bash -c 'exec -a %s sleep 300' & ) ; "
	               "setsid bash -c 'trap \"\" TERM HUP INT; : %s; while :; do sleep 300; done' & "
	               "trap '' TERM; while :; do wait; sleep 1; done",
	               marker, marker, marker);
}

static struct uw_process *start_tree(void)
{
	char text[1024];
	const char *argv[] = {"bash", "-c", text, NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	tree_text(text, sizeof text);
	process = suite_start(&spawn);
	ck_assert_int_eq(suite_await_alive(suite_marker(), 4), 4);
	return process;
}

/* P-12 */
static void host_dies(void (*become)(void))
{
	pid_t host;
	const char *marker = suite_marker();
	host = fork();
	ck_assert_int_ge(host, 0);
	if (host == 0) {
		become();
		(void)start_tree();
		(void)kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(host, NULL, 0), host);
	ck_assert_int_eq(suite_await_alive(marker, 0), 0);
}

static void stay_root(void)
{
}

static void become_user(void)
{
	if (getuid() != 0)
		return;
	ck_assert_int_eq(setresgid(54321, 54321, 54321), 0);
	ck_assert_int_eq(setresuid(54321, 54321, 54321), 0);
}

START_TEST(nothing_survives_a_killed_host)
{
	host_dies(stay_root);
}
END_TEST

START_TEST(nothing_survives_a_killed_host_of_an_ordinary_user)
{
	host_dies(become_user);
}
END_TEST

/* The launcher of a process: the parent of its command. */
static pid_t launcher_of(struct uw_process *process)
{
	char path[64], line[512];
	int parent = 0;
	int64_t pid = suite.service->v->pid(suite.service->self, process);
	ck_assert_int_gt(pid, 0);
	(void)snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	ck_assert_int_gt(uw_read_line_of(path, line, sizeof line), 0);
	ck_assert_int_eq(sscanf(strrchr(line, ')') + 1, " %*c %d", &parent), 1);
	return parent;
}

START_TEST(a_killed_launcher_is_told_and_what_is_seen_of_its_range_is_ended)
{
	char text[256];
	const char *argv[] = {"bash", "-c", text, NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_exit facts;
	/* both in the command's session: what a walk can find without a parent */
	(void)snprintf(text, sizeof text, "trap '' TERM; (exec -a %s sleep 300) & : %s; while :; do wait; done",
	               suite_marker(), suite_marker());
	process = suite_start(&spawn);
	ck_assert_int_eq(suite_await_alive(suite_marker(), 2), 2);
	ck_assert_int_eq(kill(launcher_of(process), SIGKILL), 0);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.phase, UW_PHASE_LOST);
	ck_assert_int_eq(facts.exit_code, -1);
	ck_assert_int_eq(suite_await_alive(suite_marker(), 0), 0);
	ck_assert_int_eq(suite.service->v->dispose(suite.service->self, process, NULL), UW_E_RANGE_LOST);
}
END_TEST

/* Until so many processes are the children of parent. */
static void await_children(pid_t parent, int count)
{
	char path[64];
	int found = -1;
	(void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
	for (int looks = 0; looks < 2000 && found != count; looks++) {
		FILE *children = fopen(path, "re");
		int child;
		ck_assert_ptr_nonnull(children);
		for (found = 0; fscanf(children, "%d", &child) == 1;)
			found++;
		(void)fclose(children);
		if (found != count)
			(void)poll(NULL, 0, 10);
	}
	ck_assert_int_eq(found, count);
}

/* Two with a session of their own and nobody but the launcher as their parent. */
static struct uw_process *start_escapees(void)
{
	char text[256];
	const char *argv[] = {"bash", "-c", text, NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	/* a backslash in the shells' texts, so that the two alone bear the marker, and only in their sessions */
	(void)snprintf(text, sizeof text, "for i in 1 2; do (setsid bash -c 'exec -a %.1s\\%s sleep 300' &); done; sleep 300; :",
	               suite_marker(), suite_marker() + 1);
	process = suite_start(&spawn);
	ck_assert_int_eq(suite_await_alive(suite_marker(), 2), 2);
	await_children(launcher_of(process), 3); /* the shell, and the two */
	return process;
}

/* P-11, P-12 */
START_TEST(a_control_group_holds_what_left_its_session_when_the_launcher_is_killed)
{
	struct uw_process *process = start_escapees();
	struct uw_exit facts;
	ck_assert_int_eq(kill(launcher_of(process), SIGKILL), 0);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.phase, UW_PHASE_LOST);
	ck_assert_int_eq(suite.service->v->dispose(suite.service->self, process, NULL), UW_E_RANGE_LOST);
	if (facts.range & UW_RANGE_CGROUP)
		ck_assert_int_eq(suite_await_alive(suite_marker(), 0), 0);
	else
		fprintf(stderr, "# no control group may be made here\n");
}
END_TEST

static void kill_marked(const char *marker)
{
	char text[128];
	struct ran ran;
	(void)snprintf(text, sizeof text, "pkill -9 -f '^%s'", marker);
	suite_sh(text, &ran);
}

/* What the README says cannot be held: it does survive, and nobody claims otherwise. */
START_TEST(without_a_group_what_left_its_session_survives_a_killed_launcher)
{
	static const char *const pairs[] = {"cgroup", "false", NULL};
	struct uw_process *process;
	struct uw_exit facts;
	local_close(&suite);
	local_open_with(&suite, pairs);
	process = start_escapees();
	ck_assert_int_eq(kill(launcher_of(process), SIGKILL), 0);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.phase, UW_PHASE_LOST);
	ck_assert_uint_eq(facts.range, UW_RANGE_SUBREAPER);
	ck_assert_int_eq(suite.service->v->dispose(suite.service->self, process, NULL), UW_E_RANGE_LOST);
	ck_assert_int_eq(suite_alive(suite_marker()), 2);
	kill_marked(suite_marker());
	ck_assert_int_eq(suite_await_alive(suite_marker(), 0), 0);
}
END_TEST

START_TEST(a_launcher_that_does_not_answer_is_ended_by_the_host)
{
	struct uw_process *process = start_tree();
	struct uw_exit facts;
	ck_assert_int_eq(kill(launcher_of(process), SIGSTOP), 0);
	ck_assert_int_eq(suite.service->v->terminate(suite.service->self, process, 100, NULL), 0);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.phase, UW_PHASE_LOST);
	/* the launcher was the parent of all of them, so the walk found all */
	ck_assert_int_eq(suite_await_alive(suite_marker(), 0), 0);
	ck_assert_int_eq(suite.service->v->dispose(suite.service->self, process, NULL), UW_E_RANGE_LOST);
}
END_TEST

START_TEST(the_end_of_the_provider_ends_its_processes)
{
	(void)start_tree();
	local_close(&suite);
	ck_assert_int_eq(suite_alive(suite_marker()), 0);
	local_open(&suite);
}
END_TEST

/* ---- what it costs ---- */

static int open_descriptors(void)
{
	DIR *fds = opendir("/proc/self/fd");
	int count = 0;
	while (readdir(fds))
		count++;
	(void)closedir(fds);
	return count;
}

START_TEST(no_descriptor_and_no_zombie_stays_behind)
{
	const char *missing[] = {"/no/such/program", NULL}, *argv[] = {"true", NULL};
	struct uw_spawn bad = suite_spawn(missing), good = suite_spawn(argv);
	struct uw_error err;
	struct ran ran;
	int before;
	good.control = 1;
	good.stdio[0].kind = UW_STDIO_PIPE;
	suite_run(&good, &ran);
	before = open_descriptors();
	for (int i = 0; i < 20; i++) {
		suite_run(&good, &ran);
		(void)suite_refused(&bad, &err);
	}
	ck_assert_int_le(open_descriptors(), before); /* fewer: what an earlier one held is closed by now */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static int64_t cpu_us(void)
{
	struct rusage usage;
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec +
	       usage.ru_stime.tv_usec;
}

static long wakeups(void)
{
	struct rusage usage;
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_nvcsw;
}

/* TSan has a thread that looks around ten times a second */
#ifdef __SANITIZE_THREAD__
#define WAKEUPS 100
#else
#define WAKEUPS 3
#endif

/* P-16, W26: many processes with descendants, one of them past its exit, and nobody looks */
START_TEST(waiting_costs_no_cpu)
{
	const char *argv[] = {"sh", "-c", "sleep 300 & exit 0", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *processes[16];
	struct uw_call call = suite.call;
	int64_t cpu;
	long woken;
	spawn.tail = UW_TAIL_KEEP;
	spawn.tail_ms = 1;
	for (size_t i = 0; i < UW_COUNT(processes); i++) {
		processes[i] = suite_start(&spawn);
		(void)suite_wait(processes[i], UW_WAIT_OUTPUT);
	}
	cpu = cpu_us();
	woken = wakeups();
	call.deadline_ns = uw_now_ns() + 1000000000;
	ck_assert_int_eq(suite.service->v->wait(suite.service->self, &call, processes[0], UW_WAIT_EMPTY, NULL, NULL),
	                 UW_E_TIMED_OUT);
	/* one wait, one end of it: no poll in between, however slow the machine */
	ck_assert_int_le(wakeups() - woken, WAKEUPS);
	ck_assert_int_lt(cpu_us() - cpu, 20000);
	for (size_t i = 0; i < UW_COUNT(processes); i++)
		suite_dispose(processes[i]);
}
END_TEST

static long peak_kib(void)
{
	struct rusage usage;
	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

/* a sanitizer's shadow and quarantine grow with what was allocated once */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLACK_KIB 65536
#else
#define SLACK_KIB 4096
#endif

/* P-4, W30: memory does not follow the output; times are the benchmark's business */
START_TEST(a_gibibyte_of_output_costs_constant_memory)
{
	const char *argv[] = {"sh", "-c", "head -c 1073741824 /dev/zero", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	long before = peak_kib();
	int64_t started = uw_now_ns();
	spawn.stdio[1].collect.head = 30000;
	spawn.stdio[1].collect.tail = 34000;
	suite_run(&spawn, &ran);
	ck_assert_uint_eq(ran.exit.out.total, 1073741824);
	ck_assert_int_lt(peak_kib() - before, SLACK_KIB);
	fprintf(stderr, "# 1 GiB in %lld ms\n", (long long)(uw_now_ns() - started) / 1000000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_wrapper_that_breaks_off_is_the_sandboxes_failure,
	    a_wrapper_that_hangs_is_ended_and_nothing_stays,
	    the_wrappers_words_are_not_the_commands,
	    the_wrapper_has_nothing_of_the_commands_environment,
	    a_malformed_profile_starts_nothing,
	    a_missing_launcher_is_an_error_of_its_own,
	    nothing_survives_a_killed_host,
	    nothing_survives_a_killed_host_of_an_ordinary_user,
	    a_killed_launcher_is_told_and_what_is_seen_of_its_range_is_ended,
	    a_control_group_holds_what_left_its_session_when_the_launcher_is_killed,
	    without_a_group_what_left_its_session_survives_a_killed_launcher,
	    a_launcher_that_does_not_answer_is_ended_by_the_host,
	    the_end_of_the_provider_ends_its_processes,
	    no_descriptor_and_no_zombie_stays_behind,
	    waiting_costs_no_cpu,
	    a_gibibyte_of_output_costs_constant_memory,
	};
	Suite *checks = suite_create("subprocess-local/range");
	TCase *tcase = tcase_create("range");
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	subprocess_suite_fixture(tcase, local_open, local_close);
	for (size_t i = 0; i < UW_COUNT(tests); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(checks, tcase);
	runner = srunner_create(checks);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
