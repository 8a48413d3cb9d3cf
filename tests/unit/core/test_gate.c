/* The gate (C-5): arguments, results, sessions, targets of other worlds (C-36), thread model, policy. */
#include "unit.h"

#include "stub_world.h"

#include <pthread.h>
#include <sys/eventfd.h>

UW_NEEDS_FILES_OF_ROOT;

static int sink_nothing(void *arg, const char *data, size_t len)
{
	(void)arg, (void)data, (void)len;
	return 0;
}

static int sink_refuses(void *arg, const char *data, size_t len)
{
	(void)arg, (void)data, (void)len;
	return UW_E_FS_TOO_LARGE;
}

static int stat_nothing(void *arg, size_t index, const struct uw_stat *stat, const struct uw_error *err)
{
	(void)arg, (void)index, (void)stat, (void)err;
	return 0;
}

static int write_to(struct stub_world *stub, const struct uw_target *target)
{
	const struct uw_fs *fs = uw_world_fs(stub->world);
	const struct uw_write_request request = {.size = sizeof request, .intent = UW_WRITE_UNCONDITIONAL,
	                                         .content = {"x", 1}, .from_fd = -1};
	struct uw_write_result result = {.size = sizeof result};
	return fs->v->write(fs->self, &stub->call, target, &request, &result, &stub->err);
}

static int stat_of(struct stub_world *stub, const struct uw_target *target)
{
	const struct uw_fs *fs = uw_world_fs(stub->world);
	return fs->v->stat_many(fs->self, &stub->call, &target, 1, 0, (struct uw_stat_sink){stat_nothing, NULL},
	                        &stub->err);
}

START_TEST(bad_arguments_never_reach_the_provider)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_target *target = stub_target(stub, "/a"), *other = NULL;
	struct uw_write_request request = {.size = sizeof request, .from_fd = -1};
	struct uw_write_result result = {.size = sizeof result};
	const struct uw_edit empty = {{"", 0}, {"x", 1}, 0, 0};
	const struct uw_edit_request edit = {.size = sizeof edit, .edits = &empty, .edit_count = 1};
	struct uw_text_info info = {.size = sizeof info};
	struct uw_text_info unset = {.size = 0};
	int before = stub->state.fs_calls;
	struct uw_error *err = &stub->err;
	ck_code(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"", 0}, NULL, 0, &other, err), UW_E_FS_BAD_PATH);
	ck_code(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"a\0b", 3}, NULL, 0, &other, err), UW_E_FS_BAD_PATH);
	ck_code(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){NULL, 3}, NULL, 0, &other, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"/a", 2}, NULL, 0, NULL, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"/a", 2}, NULL, 128, &other, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"a", 1}, "rel", 0, &other, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->write(fs->self, &stub->call, target, NULL, &result, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->write(fs->self, &stub->call, target, &request, &result, err), UW_E_INVALID_ARGS); /* no intent */
	request.intent = UW_WRITE_REPLACE; /* no version */
	ck_code(stub, fs->v->write(fs->self, &stub->call, target, &request, &result, err), UW_E_INVALID_ARGS);
	request.intent = UW_WRITE_CREATE;
	request.flags = 0x80;
	ck_code(stub, fs->v->write(fs->self, &stub->call, target, &request, &result, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->edit(fs->self, &stub->call, target, &edit, &result, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->read_text(fs->self, &stub->call, target, NULL, (struct uw_sink){NULL, NULL}, &info, err),
	        UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->read_text(fs->self, &stub->call, target, NULL, (struct uw_sink){sink_nothing, NULL}, &unset, err),
	        UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->mkdir(fs->self, &stub->call, target, 0x80, err), UW_E_INVALID_ARGS);
	ck_code(stub, fs->v->remove(fs->self, &stub->call, NULL, 0, err), UW_E_INVALID_ARGS);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_assert_int_eq(stub->state.fs_calls - before, 2); /* remove verified the workspace by resolve and stat */
	ck_assert_int_eq(stub->state.writes, 0);
	target->release(target);
}
END_TEST

START_TEST(err_may_be_null_and_success_leaves_it_alone)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_target *target = stub_target(stub, "/a");
	ck_assert_int_eq(fs->v->mkdir(fs->self, &stub->call, NULL, 0, NULL), UW_E_INVALID_ARGS);
	stub->state.fs_returns = 12345;
	ck_assert_int_eq(fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"/a", 2}, NULL, 0, &target, NULL),
	                 UW_E_PLUGIN_MISBEHAVED);
	stub->state.fs_returns = 0;
	stub->err.code = UW_E_BUSY; /* of an earlier call */
	ck_assert_int_eq(stat_of(stub, target), 0);
	ck_assert_int_eq(stub->err.code, UW_E_BUSY);
	target->release(target);
}
END_TEST

/* ---- results ---- */

START_TEST(a_code_that_nobody_knows_is_misbehaviour)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_target *target = stub_target(stub, "/a");
	stub->state.fs_returns = -4711;
	ck_code(stub, stat_of(stub, target), UW_E_PLUGIN_MISBEHAVED);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_assert_ptr_nonnull(strstr(stub->logged, "stub misbehaved"));
	stub->state.fs_returns = 0;
	target->release(target);
}
END_TEST

START_TEST(of_a_broken_mutation_the_effect_is_unknown)
{
	AUTO_STUB stub = stub_open("umwelt: 1\nworld:\n  fs: [ { plugin: stub, state: %A } ]\n"
	                           "  subprocess: { plugin: stub, state: %A }\n  sandbox: { plugin: stub, state: %A }\n"
	                           STUB_POLICY STUB_REST);
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_target *target = stub_target(stub, "/a");
	int fd = -1;
	ck_code(stub, fs->v->open(fs->self, &stub->call, target, &fd, NULL, &stub->err), UW_E_PLUGIN_MISBEHAVED);
	ck_assert_int_eq(fd, -1);
	stub->state.resolve_gives_null = 1;
	ck_code(stub, write_to(stub, target), UW_E_WORKSPACE_INVALID); /* the check before it met the fault */
	ck_assert_int_eq(stub->state.writes, 0);
	stub->state.resolve_gives_null = 0;
	target->release(target);
}
END_TEST

START_TEST(a_failure_without_a_word_gets_one)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_target *target = stub_target(stub, "/a");
	stub->state.fs_returns = UW_E_FS_LOOP;
	stub->err.code = UW_E_BUSY;
	ck_code(stub, stat_of(stub, target), UW_E_FS_LOOP);
	ck_assert_str_eq(stub->err.message, "too many symbolic links");
	stub->state.fs_returns = 0;
	target->release(target);
}
END_TEST

START_TEST(what_a_sink_refuses_comes_back)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_target *target = stub_target(stub, "/a");
	ck_code(stub, fs->v->process_path(fs->self, &stub->call, target, (struct uw_sink){sink_refuses, NULL}, &stub->err),
	        UW_E_FS_TOO_LARGE);
	ck_assert_str_eq(stub->logged, "");
	target->release(target);
}
END_TEST

START_TEST(a_success_without_its_object_is_misbehaviour)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_target *target = NULL;
	stub->state.resolve_gives_null = 1;
	ck_code(stub, fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"/a", 2}, NULL, 0, &target, &stub->err),
	        UW_E_PLUGIN_MISBEHAVED);
	ck_assert_ptr_null(target);
	stub->state.resolve_gives_null = 0;
}
END_TEST

/* ---- whose call, whose target ---- */

START_TEST(a_target_of_another_world_is_refused_and_nothing_is_done)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_world *first = stub->world, *second;
	struct uw_session *session = NULL;
	struct uw_target *target = stub_target(stub, "/a");
	int before;
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &second));
	stub_ok(stub, uw_session_open(second, NULL, &session, &stub->err));
	uw_call_init(&stub->call, session);
	stub->world = second;
	before = stub->state.fs_calls;
	ck_code(stub, stat_of(stub, target), UW_E_WORLD_MISMATCH);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_assert_int_eq(stub->state.fs_calls, before);
	stub->world = first;
	/* and a session of another world just so */
	ck_code(stub, stat_of(stub, target), UW_E_WORLD_MISMATCH);
	ck_assert_int_eq(stub->state.fs_calls, before);
	target->release(target);
}
END_TEST

START_TEST(a_session_that_is_not_open_is_refused)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_target *target = stub_target(stub, "/a");
	struct uw_session_facts forged = *uw_session_facts(stub->session);
	int before = stub->state.fs_calls;
	stub->call.session = &forged;
	ck_code(stub, stat_of(stub, target), UW_E_SESSION_NOT_FOUND);
	ck_code(stub, write_to(stub, target), UW_E_SESSION_NOT_FOUND);
	uw_call_init(&stub->call, stub->session);
	stub_ok(stub, uw_session_close(stub->session, &stub->err));
	ck_code(stub, stat_of(stub, target), UW_E_SESSION_NOT_FOUND);
	ck_assert_int_eq(stub->state.fs_calls, before);
	target->release(target);
}
END_TEST

START_TEST(without_a_session_all_is_read_only)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_target *target = stub_target(stub, "/a");
	stub->call.session = NULL;
	stub_ok(stub, stat_of(stub, target));
	ck_code(stub, write_to(stub, target), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_assert_ptr_nonnull(strstr(stub->err.message, "[sandbox: file access denied under read-only mode]"));
	ck_assert_int_eq(stub->state.writes, 0);
	target->release(target);
}
END_TEST

START_TEST(cancelled_and_late_calls_do_nothing)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_target *target = stub_target(stub, "/a");
	int before = stub->state.fs_calls;
	stub->call.cancel_fd = eventfd(1, EFD_CLOEXEC);
	ck_code(stub, write_to(stub, target), UW_E_CANCELLED);
	close(stub->call.cancel_fd);
	stub->call.cancel_fd = -1;
	stub->call.deadline_ns = 1;
	ck_code(stub, write_to(stub, target), UW_E_TIMED_OUT);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_assert_int_eq(stub->state.fs_calls, before);
	target->release(target);
}
END_TEST

START_TEST(a_replaced_workspace_stops_mutations_not_reads)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_target *target = stub_target(stub, "/a");
	stub_ok(stub, write_to(stub, target));
	stub->state.workspace_ino = 99;
	ck_code(stub, write_to(stub, target), UW_E_WORKSPACE_INVALID);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_assert_int_eq(stub->state.writes, 1);
	stub_ok(stub, stat_of(stub, target));
	target->release(target);
}
END_TEST

START_TEST(policy_is_resolved_once_for_many_calls)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	struct uw_target *target = stub_target(stub, "/a");
	int before = stub->state.policies; /* of the proof, and one of the session */
	for (int i = 0; i < 100; i++)
		stub_ok(stub, stat_of(stub, target));
	ck_assert_int_eq(stub->state.policies, before);
	target->release(target);
}
END_TEST

START_TEST(a_host_may_ask_for_a_policy)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	const struct uw_policy_service *service = uw_world_policy(stub->world);
	struct uw_policy_wish wish = {sizeof wish, UW_MODE_READ_ONLY, 0};
	struct uw_policy *policy = NULL;
	stub_ok(stub, service->v->resolve(service->self, &stub->call, &wish, &policy, &stub->err));
	ck_assert_int_eq(policy->mode, UW_MODE_READ_ONLY);
	policy->release(policy);
	wish.mode = 77;
	ck_code(stub, service->v->resolve(service->self, &stub->call, &wish, &policy, &stub->err), UW_E_INVALID_ARGS);
	stub->call.session = NULL;
	wish.mode = 0;
	ck_code(stub, service->v->resolve(service->self, &stub->call, &wish, &policy, &stub->err), UW_E_INVALID_ARGS);
}
END_TEST

/* ---- threads ---- */

static void *stat_often(void *arg)
{
	struct stub_world *stub = arg;
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_call call;
	struct uw_error err = UW_ERROR_INIT;
	uw_call_init(&call, stub->session);
	for (int i = 0; i < 20; i++) {
		struct uw_target *target = NULL;
		if (fs->v->resolve(fs->self, &call, (struct uw_bytes){"/a", 2}, NULL, 0, &target, &err) == 0)
			target->release(target);
	}
	return NULL;
}

static int most_at_once(struct stub_world *stub)
{
	pthread_t threads[4];
	stub->state.slow_ms = 1;
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, stat_often, stub), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	stub->state.slow_ms = 0;
	return stub->state.most_inside;
}

START_TEST(a_serial_provider_sees_one_call_at_a_time)
{
	AUTO_STUB stub = stub_open("umwelt: 1\nworld:\n  fs: [ { plugin: stub-serial, state: %A } ]\n"
	                           "  subprocess: { plugin: stub, state: %A }\n  sandbox: { plugin: stub, state: %A }\n"
	                           STUB_POLICY STUB_REST);
	ck_assert_int_eq(most_at_once(stub), 1);
}
END_TEST

START_TEST(a_parallel_provider_sees_several)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	ck_assert_int_gt(most_at_once(stub), 1);
}
END_TEST

static void *hold_turn(void *arg)
{
	return stat_often(arg);
}

START_TEST(waiting_for_a_turn_ends_with_the_deadline)
{
	AUTO_STUB stub = stub_open("umwelt: 1\nworld:\n  fs: [ { plugin: stub-serial, state: %A } ]\n"
	                           "  subprocess: { plugin: stub, state: %A }\n  sandbox: { plugin: stub, state: %A }\n"
	                           STUB_POLICY STUB_REST);
	const struct uw_fs *fs = uw_world_fs(stub->world);
	struct uw_target *target = NULL;
	pthread_t holder;
	int code = 0;
	stub->state.slow_ms = 200;
	ck_assert_int_eq(pthread_create(&holder, NULL, hold_turn, stub), 0);
	while (stub->state.inside == 0)
		sched_yield();
	stub->call.deadline_ns = uw_now_ns() + 5000000;
	code = fs->v->resolve(fs->self, &stub->call, (struct uw_bytes){"/a", 2}, NULL, 0, &target, &stub->err);
	stub->state.slow_ms = 0;
	ck_assert_int_eq(pthread_join(holder, NULL), 0);
	ck_code(stub, code, UW_E_TIMED_OUT);
}
END_TEST

START_TEST(a_session_in_use_is_closed_after_its_calls)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	pthread_t worker;
	stub->state.slow_ms = 2;
	ck_assert_int_eq(pthread_create(&worker, NULL, stat_often, stub), 0);
	while (stub->state.inside == 0)
		sched_yield();
	stub_ok(stub, uw_session_close(stub->session, &stub->err));
	ck_assert_int_eq(pthread_join(worker, NULL), 0);
}
END_TEST

UW_TESTS("gate", bad_arguments_never_reach_the_provider, err_may_be_null_and_success_leaves_it_alone,
         a_code_that_nobody_knows_is_misbehaviour, of_a_broken_mutation_the_effect_is_unknown,
         a_failure_without_a_word_gets_one, what_a_sink_refuses_comes_back,
         a_success_without_its_object_is_misbehaviour,
         a_target_of_another_world_is_refused_and_nothing_is_done, a_session_that_is_not_open_is_refused,
         without_a_session_all_is_read_only, cancelled_and_late_calls_do_nothing,
         a_replaced_workspace_stops_mutations_not_reads, policy_is_resolved_once_for_many_calls,
         a_host_may_ask_for_a_policy, a_serial_provider_sees_one_call_at_a_time,
         a_parallel_provider_sees_several, waiting_for_a_turn_ends_with_the_deadline,
         a_session_in_use_is_closed_after_its_calls)
