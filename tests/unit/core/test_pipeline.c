/*
 * The pipeline (C-50..C-54) over counting providers: a refusal at any step confines
 * and starts nothing more, and gives back what the steps before it took.
 */
#include "unit.h"

#include "stub_world.h"

#include <pthread.h>
#include <sys/eventfd.h>

UW_NEEDS_FILES_OF_ROOT;

static struct uw_process *last;

static int spawn_words(struct stub_world *stub, const struct uw_call *call, const char *const *argv)
{
	const struct uw_subprocess *sub = uw_world_subprocess(stub->world);
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffffu};
	last = NULL;
	return sub->v->spawn(sub->self, call, &spawn, &last, &stub->err);
}

static int spawn_one(struct stub_world *stub)
{
	static const char *const argv[] = {"/bin/true", "word", NULL};
	return spawn_words(stub, &stub->call, argv);
}

static void end_process(struct stub_world *stub, int number)
{
	const uint64_t one = 1;
	ck_assert_int_eq(write(stub->state.exit_fds[number], &one, sizeof one), sizeof one);
}

static int dispose(struct stub_world *stub, struct uw_process *process)
{
	const struct uw_subprocess *sub = uw_world_subprocess(stub->world);
	return sub->v->dispose(sub->self, process, &stub->err);
}

static struct uw_exit wait_for(struct stub_world *stub, struct uw_process *process, int what)
{
	const struct uw_subprocess *sub = uw_world_subprocess(stub->world);
	struct uw_exit exit = {.size = sizeof exit};
	stub_ok(stub, sub->v->wait(sub->self, &stub->call, process, what, &exit, &stub->err));
	return exit;
}

/* confines, spawns, releases so far */
#define ck_counts(stub, c, s, r)                                                                 \
	do {                                                                                         \
		ck_assert_int_eq((stub)->state.confines, c);                                             \
		ck_assert_int_eq((stub)->state.spawns, s);                                               \
		ck_assert_int_eq((stub)->state.releases, r);                                             \
	} while (0)

START_TEST(a_command_is_confined_started_told_and_given_back)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_exit exit;
	stub_ok(stub, spawn_one(stub));
	ck_counts(stub, 1, 1, 0);
	ck_assert_str_eq(stub->state.spawned, "word");
	ck_assert_int_eq(stub->state.spawned_mode, UW_MODE_WORKSPACE_WRITE);
	end_process(stub, 0);
	exit = wait_for(stub, last, UW_WAIT_EXIT);
	ck_assert_int_eq(exit.phase, UW_PHASE_EXITED);
	ck_assert_str_eq(exit.backend, "stub");
	ck_assert_str_eq(exit.rule, "no-guard");
	ck_assert_int_eq(exit.mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_int_eq(exit.enforcement, UW_FULL);
	ck_counts(stub, 1, 1, 0); /* the range may live on */
	exit = wait_for(stub, last, UW_WAIT_EMPTY);
	ck_counts(stub, 1, 1, 1);
	ck_assert_str_eq(exit.rows[UW_OP_READS].reason, "a stub"); /* though the confined is gone */
	stub_ok(stub, dispose(stub, last));
	ck_counts(stub, 1, 1, 1);
	ck_assert_int_eq(stub->state.releases_unrun, 0);
	ck_assert_int_eq(stub->state.disposes, 1);
	ck_code(stub, dispose(stub, last), UW_E_PROCESS_NOT_FOUND);
	stub_ok(stub, dispose(stub, NULL));
}
END_TEST

START_TEST(bad_requests_start_nothing)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	const struct uw_subprocess *sub = uw_world_subprocess(stub->world);
	static const char *const empty[] = {NULL}, *const blank[] = {"", NULL}, *const argv[] = {"/bin/true", NULL};
	static const char *const no_name[] = {"=x", NULL}, *const no_value[] = {"NAME", NULL};
	const struct uw_fd_pass pass = {0, 2};
	struct uw_spawn bad[12];
	struct uw_process *process = NULL;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		bad[i] = (struct uw_spawn){.size = sizeof bad[0], .argv = argv};
	bad[0].argv = NULL;
	bad[1].argv = empty;
	bad[2].argv = blank;
	bad[3].program = "bin/true";
	bad[4].env_set = no_name;
	bad[5].env_set = no_value;
	bad[6].stdio[0].kind = UW_STDIO_COLLECT;
	bad[7].stdio[1].kind = UW_STDIO_DATA;
	bad[8].stdio[2].kind = 77;
	bad[9].passes = &pass;
	bad[9].pass_count = 1;
	bad[10].env_base = 9;
	bad[11].size = 8;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		int code = sub->v->spawn(sub->self, &stub->call, &bad[i], &process, &stub->err);
		ck_assert_msg(code == UW_E_INVALID_ARGS, "%zu: %s", i, uw_code_name(code));
		ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	}
	ck_code(stub, sub->v->spawn(sub->self, &stub->call, NULL, &process, &stub->err), UW_E_INVALID_ARGS);
	ck_assert_ptr_null(process);
	ck_counts(stub, 0, 0, 0);
}
END_TEST

START_TEST(what_is_refused_before_confine_confines_nothing)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_call call = stub->call;
	static const char *const argv[] = {"/bin/true", NULL};
	call.session = NULL;
	ck_code(stub, spawn_words(stub, &call, argv), UW_E_SESSION_NOT_FOUND);
	call = stub->call;
	call.deadline_ns = 1;
	ck_code(stub, spawn_words(stub, &call, argv), UW_E_TIMED_OUT);
	call.deadline_ns = 0;
	call.cancel_fd = eventfd(1, EFD_CLOEXEC);
	ck_code(stub, spawn_words(stub, &call, argv), UW_E_CANCELLED);
	close(call.cancel_fd);
	stub->state.workspace_ino = 99;
	ck_code(stub, spawn_one(stub), UW_E_WORKSPACE_INVALID);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_counts(stub, 0, 0, 0);
	stub->state.workspace_ino = 0;
	stub_ok(stub, spawn_one(stub)); /* and no slot was lost */
}
END_TEST

START_TEST(what_cannot_be_confined_is_not_started)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	stub->state.confine_fails = 1;
	ck_code(stub, spawn_one(stub), UW_E_SANDBOX_UNAVAILABLE);
	ck_counts(stub, 1, 0, 0);
	stub->state.confine_fails = 0;
	for (int lie = 1; lie <= 4; lie++) {
		stub->state.confine_lies = lie;
		ck_code(stub, spawn_one(stub), UW_E_SANDBOX_UNAVAILABLE);
		ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
		ck_assert_ptr_nonnull(strstr(stub->logged, "misbehaved"));
	}
	ck_counts(stub, 5, 0, 3); /* each answer was given back; the fourth was none */
	ck_assert_int_eq(stub->state.releases_unrun, 3);
	stub->state.confine_lies = 0;
}
END_TEST

START_TEST(danger_is_confined_with_an_empty_profile)
{
	AUTO_STUB stub = stub_open_host();
	const struct uw_session_options options = {.size = sizeof options, .mode = UW_MODE_DANGER_FULL_ACCESS};
	struct uw_exit exit;
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &stub->world));
	stub_ok(stub, uw_session_open(stub->world, &options, &stub->session, &stub->err));
	uw_call_init(&stub->call, stub->session);
	stub->state.confines = stub->state.spawns = stub->state.releases = 0;
	stub_ok(stub, spawn_one(stub));
	ck_counts(stub, 1, 1, 0);
	end_process(stub, 0);
	exit = wait_for(stub, last, UW_WAIT_EMPTY);
	ck_assert_int_eq(exit.enforcement, UW_UNCONFINED);
	ck_assert_int_eq(exit.denied, UW_DENIED_NO);
	stub_ok(stub, dispose(stub, last));
}
END_TEST

START_TEST(a_failed_start_gives_the_confinement_back_as_never_run)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	stub->state.spawn_fails = 1;
	ck_code(stub, spawn_one(stub), UW_E_EXEC_NOT_FOUND);
	ck_counts(stub, 1, 1, 1);
	ck_assert_int_eq(stub->state.releases_unrun, 1);
	stub->state.spawn_fails = 0;
	stub->state.spawn_gives_null = 1;
	ck_code(stub, spawn_one(stub), UW_E_PLUGIN_MISBEHAVED);
	ck_counts(stub, 2, 2, 2);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_UNKNOWN);
	ck_assert_ptr_null(last);
	stub->state.spawn_gives_null = 0;
}
END_TEST

static void rewrite(void *arg)
{
	char *word = arg;
	strcpy(word, "evil");
}

START_TEST(what_runs_is_what_was_asked_though_the_caller_changes_it_meanwhile)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	char word[] = "good";
	const char *const argv[] = {"/bin/echo", word, NULL};
	stub->state.in_confine = rewrite;
	stub->state.in_confine_arg = word;
	stub_ok(stub, spawn_words(stub, &stub->call, argv));
	ck_assert_str_eq(word, "evil");
	ck_assert_str_eq(stub->state.spawned, "good");
	stub->state.in_confine = NULL;
	end_process(stub, 0);
	stub_ok(stub, dispose(stub, last));
}
END_TEST

/* ---- processes as handles ---- */

START_TEST(a_process_of_another_world_is_refused)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_world *second;
	const struct uw_subprocess *sub;
	struct uw_process *process;
	struct uw_exit exit = {.size = sizeof exit};
	int nothing = 0;
	stub_ok(stub, spawn_one(stub));
	process = last;
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &second));
	sub = uw_world_subprocess(second);
	stub->state.disposes = 0; /* what its proof did */
	ck_code(stub, sub->v->wait(sub->self, NULL, process, UW_WAIT_EXIT, &exit, &stub->err), UW_E_WORLD_MISMATCH);
	ck_code(stub, sub->v->signal(sub->self, process, 15, &stub->err), UW_E_WORLD_MISMATCH);
	ck_code(stub, sub->v->dispose(sub->self, process, &stub->err), UW_E_WORLD_MISMATCH);
	ck_assert_int_eq(sub->v->process_fd(sub->self, process, UW_PROCESS_EXIT), -1);
	ck_assert_int_eq(sub->v->pid(sub->self, process), 0);
	ck_code(stub, sub->v->terminate(sub->self, (struct uw_process *)(void *)&nothing, 0, &stub->err), UW_E_PROCESS_NOT_FOUND);
	ck_assert_int_eq(stub->state.disposes, 0);
	stub_ok(stub, dispose(stub, process));
}
END_TEST

START_TEST(closing_a_session_ends_its_commands_and_keeps_their_last_word)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_session *first = stub->session;
	struct uw_process *one, *two;
	struct uw_exit exit;
	int code;
	stub_ok(stub, spawn_one(stub));
	one = last;
	stub_ok(stub, spawn_one(stub));
	two = last;
	stub_session(stub);
	stub->state.terminates = 0;
	stub_ok(stub, uw_session_close(first, &stub->err));
	ck_assert_int_ge(stub->state.terminates, 2);
	ck_assert_int_eq(stub->state.disposes, 2);
	ck_assert_int_eq(stub->state.releases, 2);
	exit = wait_for(stub, one, UW_WAIT_EMPTY);
	ck_assert_int_eq(exit.phase, UW_PHASE_EMPTY);
	ck_assert_str_eq(exit.backend, "stub");
	code = uw_world_subprocess(stub->world)->v->signal(uw_world_subprocess(stub->world)->self, one, 15, &stub->err);
	ck_code(stub, code, UW_E_PROCESS_NOT_FOUND);
	stub_ok(stub, dispose(stub, one));
	stub_ok(stub, dispose(stub, two));
	ck_assert_int_eq(stub->state.disposes, 2);
}
END_TEST

START_TEST(closing_the_world_ends_what_nobody_disposed_of)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	stub_ok(stub, spawn_one(stub));
	stub_ok(stub, spawn_one(stub));
	stub_ok(stub, uw_world_close(stub->world, &stub->err));
	ck_assert_int_eq(stub->state.disposes, 2);
	ck_assert_int_eq(stub->state.releases, 2);
}
END_TEST

static void *wait_empty(void *arg)
{
	struct stub_world *stub = arg;
	const struct uw_subprocess *sub = uw_world_subprocess(stub->world);
	struct uw_exit exit = {.size = sizeof exit};
	return sub->v->wait(sub->self, &stub->call, last, UW_WAIT_EMPTY, &exit, NULL) == 0 ? stub : NULL;
}

START_TEST(disposing_waits_for_those_who_wait)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	pthread_t waiter;
	void *told;
	stub_ok(stub, spawn_one(stub));
	ck_assert_int_eq(pthread_create(&waiter, NULL, wait_empty, stub), 0);
	stub_ok(stub, dispose(stub, last));
	ck_assert_int_eq(pthread_join(waiter, &told), 0); /* told, or too late: never a handle that is gone */
	ck_assert_int_eq(stub->state.releases, 1);
}
END_TEST

/* ---- the queue (C-52) ---- */

static void *spawn_thread(void *arg)
{
	struct stub_world *stub = arg;
	const struct uw_subprocess *sub = uw_world_subprocess(stub->world);
	static const char *const argv[] = {"/bin/true", "late", NULL};
	const struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffffu};
	struct uw_process *process = NULL;
	return sub->v->spawn(sub->self, &stub->call, &spawn, &process, NULL) == 0 ? process : NULL;
}

START_TEST(a_fifth_command_waits_until_one_has_ended)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_call call = stub->call;
	static const char *const argv[] = {"/bin/true", NULL};
	struct uw_process *running[4];
	pthread_t fifth;
	void *process;
	for (int i = 0; i < 4; i++) {
		stub_ok(stub, spawn_one(stub));
		running[i] = last;
	}
	call.deadline_ns = uw_now_ns() + 20000000;
	ck_code(stub, spawn_words(stub, &call, argv), UW_E_TIMED_OUT);
	call.deadline_ns = 0;
	call.cancel_fd = eventfd(1, EFD_CLOEXEC);
	ck_code(stub, spawn_words(stub, &call, argv), UW_E_CANCELLED);
	close(call.cancel_fd);
	ck_counts(stub, 4, 4, 0); /* a queued one that is cancelled starts nothing */
	ck_assert_int_eq(pthread_create(&fifth, NULL, spawn_thread, stub), 0);
	end_process(stub, 2); /* nobody calls wait: the end itself is seen */
	ck_assert_int_eq(pthread_join(fifth, &process), 0);
	ck_assert_ptr_nonnull(process);
	ck_assert_int_eq(stub->state.spawns, 5);
	for (int i = 0; i < 4; i++)
		stub_ok(stub, dispose(stub, running[i]));
	stub_ok(stub, dispose(stub, process));
}
END_TEST

static void *spawn_again(void *arg)
{
	struct stub_world *stub = arg;
	const struct uw_subprocess *sub = uw_world_subprocess(stub->world);
	static const char *const argv[] = {"/bin/true", "late", NULL};
	const struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffffu};
	struct uw_process *process = NULL;
	while (sub->v->spawn(sub->self, &stub->call, &spawn, &process, NULL) == UW_E_BUSY)
		sched_yield();
	return process;
}

START_TEST(more_than_max_queued_is_busy)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE "limits: { max_running: 1, max_per_session: 1, max_queued: 1 }\n");
	struct uw_process *first;
	pthread_t queued;
	void *process;
	int code;
	stub_ok(stub, spawn_one(stub));
	first = last;
	ck_assert_int_eq(pthread_create(&queued, NULL, spawn_again, stub), 0);
	do { /* until the other one stands in the queue */
		struct uw_call call = stub->call;
		static const char *const argv[] = {"/bin/true", NULL};
		call.deadline_ns = uw_now_ns() + 5000000;
		code = spawn_words(stub, &call, argv);
	} while (code == UW_E_TIMED_OUT);
	ck_code(stub, code, UW_E_BUSY);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	stub_ok(stub, dispose(stub, first));
	ck_assert_int_eq(pthread_join(queued, &process), 0);
	ck_assert_int_eq(stub->state.spawns, 2);
	if (process)
		stub_ok(stub, dispose(stub, process));
}
END_TEST

START_TEST(closing_a_session_sends_its_queued_commands_away)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE "limits: { max_running: 1, max_per_session: 1 }\n");
	struct uw_session *first = stub->session;
	struct uw_process *holder;
	pthread_t queued;
	void *process;
	stub_session(stub);
	stub_ok(stub, spawn_one(stub)); /* by the second session */
	holder = last;
	uw_call_init(&stub->call, first);
	ck_assert_int_eq(pthread_create(&queued, NULL, spawn_thread, stub), 0);
	stub_ok(stub, uw_session_close(first, &stub->err));
	ck_assert_int_eq(pthread_join(queued, &process), 0);
	ck_assert_ptr_null(process);
	ck_assert_int_eq(stub->state.spawns, 1);
	stub_ok(stub, dispose(stub, holder));
}
END_TEST

START_TEST(a_shell_goes_through_the_same_steps)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE "services: { shell: { plugin: stub-shell, state: %A } }\n");
	const struct uw_shell *shell = uw_world_shell(stub->world, &stub->err);
	struct uw_shell_request request = {.size = sizeof request, .text = {"echo", 4}};
	struct uw_process *process = NULL;
	ck_assert_ptr_nonnull(shell);
	stub->state.confine_fails = 1;
	ck_code(stub, shell->v->start(shell->self, &stub->call, &request, &process, &stub->err), UW_E_SANDBOX_UNAVAILABLE);
	ck_counts(stub, 1, 0, 0);
	stub->state.confine_fails = 0;
	stub_ok(stub, shell->v->start(shell->self, &stub->call, &request, &process, &stub->err));
	ck_counts(stub, 2, 1, 0);
	stub_ok(stub, dispose(stub, process));
	request.text = (struct uw_bytes){"a\0b", 3};
	ck_code(stub, shell->v->start(shell->self, &stub->call, &request, &process, &stub->err), UW_E_INVALID_ARGS);
}
END_TEST

UW_TESTS("pipeline", a_command_is_confined_started_told_and_given_back, bad_requests_start_nothing,
         what_is_refused_before_confine_confines_nothing, what_cannot_be_confined_is_not_started,
         danger_is_confined_with_an_empty_profile,
         a_failed_start_gives_the_confinement_back_as_never_run,
         what_runs_is_what_was_asked_though_the_caller_changes_it_meanwhile,
         a_process_of_another_world_is_refused,
         closing_a_session_ends_its_commands_and_keeps_their_last_word,
         closing_the_world_ends_what_nobody_disposed_of, disposing_waits_for_those_who_wait,
         a_fifth_command_waits_until_one_has_ended, more_than_max_queued_is_busy,
         closing_a_session_sends_its_queued_commands_away, a_shell_goes_through_the_same_steps)
