/* Worlds from bundles: order of creation, capabilities (C-9), realms (C-31), failures, sessions. */
#include "unit.h"

#include "stub_world.h"

#include <sys/file.h>

UW_NEEDS_FILES_OF_ROOT;

START_TEST(a_world_is_made_inside_out_and_ended_in_reverse)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	struct uw_world_facts facts = {.size = sizeof facts};
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &world));
	ck_assert_str_eq(stub->state.order, "+fs +box +pol +sub ");
	uw_world_facts(world, &facts);
	ck_assert_uint_eq(facts.generation, 1);
	ck_assert_str_eq(facts.realm_label, "box");
	ck_assert_int_eq(facts.mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_ptr_nonnull(strstr(facts.workspace, "/ws"));
	stub_ok(stub, uw_world_close(world, &stub->err));
	ck_assert_int_eq(stub->state.destroyed, 4);
}
END_TEST

START_TEST(generations_are_numbered_per_host)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *one, *two;
	struct uw_world_facts facts = {.size = sizeof facts};
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &one));
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &two));
	uw_world_facts(two, &facts);
	ck_assert_uint_eq(facts.generation, 2);
	stub_ok(stub, uw_world_close(one, &stub->err));
	stub_ok(stub, uw_world_close(two, &stub->err));
	stub_ok(stub, uw_world_close(NULL, &stub->err));
}
END_TEST

START_TEST(one_instance_named_in_several_slots_is_made_once)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	stub_ok(stub, stub_try_world(stub,
	        "umwelt: 1\nproviders:\n  box: { plugin: stub, state: %A, tag: all }\n"
	        "world: { fs: [ box ], subprocess: box, sandbox: box }\n" STUB_POLICY STUB_REST, &world));
	ck_assert_str_eq(stub->state.order, "+all +pol ");
	stub_ok(stub, uw_world_close(world, &stub->err));
}
END_TEST

START_TEST(mixed_realms_are_refused_and_named)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world = NULL;
	stub->state.realm_of = 2;
	ck_code(stub, stub_try_world(stub, STUB_BUNDLE, &world), UW_E_REALM_MISMATCH);
	ck_assert_int_eq(stub->err.effect, UW_EFFECT_NONE);
	ck_assert_ptr_nonnull(strstr(stub->err.message, "differ in uid"));
	ck_assert_ptr_nonnull(strstr(stub->err.message, "box-two"));
	ck_assert_ptr_nonnull(strstr(stub->err.detail, "field=uid\n"));
	ck_assert_ptr_null(world);
	ck_assert_int_eq(stub->state.created, stub->state.destroyed);
	stub->state.realm_of = 1;
	ck_code(stub, stub_try_world(stub, STUB_BUNDLE, &world), UW_E_REALM_MISMATCH);
	ck_assert_ptr_nonnull(strstr(stub->err.message, "box-one"));
}
END_TEST

START_TEST(a_failed_creation_leaves_nothing)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world = NULL;
	stub->state.create_fails = 1;
	ck_code(stub, stub_try_world(stub, STUB_BUNDLE, &world), UW_E_IO_ERROR);
	ck_assert_ptr_null(world);
	ck_assert_int_eq(stub->state.created, 0);
}
END_TEST

START_TEST(every_provider_is_ended_and_every_failure_told)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &world));
	stub->state.destroy_fails = 1;
	ck_code(stub, uw_world_close(world, &stub->err), UW_E_IO_ERROR);
	ck_assert_int_eq(stub->state.destroyed, 4);
	for (int i = 0; i < 4; i++) {
		char text[32];
		snprintf(text, sizeof text, "end %d failed", i);
		ck_assert_ptr_nonnull(strstr(stub->err.message, text));
	}
	stub->state.destroy_fails = 0;
}
END_TEST

/* ---- C-9 ---- */

START_TEST(a_wrapper_gets_what_it_wraps)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	stub_ok(stub, stub_try_world(stub,
	        "umwelt: 1\nworld:\n  fs: [ { plugin: stub, state: %A, tag: in }, { plugin: stub-wrapper, state: %A, tag: out } ]\n"
	        "  subprocess: { plugin: stub, state: %A, tag: sub }\n  sandbox: { plugin: stub, state: %A, tag: box }\n"
	        STUB_POLICY STUB_REST, &world));
	ck_assert_str_eq(stub->state.order, "+in +out +box +pol +sub ");
	ck_assert_ptr_nonnull(stub->state.given_fs);
	ck_assert_ptr_ne(stub->state.given_fs, uw_world_fs(world)); /* not the outer one: that would recur */
	stub_ok(stub, uw_world_close(world, &stub->err));
}
END_TEST

START_TEST(a_required_service_that_is_not_there_refuses_the_world)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	ck_code(stub, stub_try_world(stub,
	        "umwelt: 1\nworld:\n  fs: [ { plugin: stub-wrapper, state: %A } ]\n"
	        "  subprocess: { plugin: stub, state: %A }\n  sandbox: { plugin: stub, state: %A }\n"
	        STUB_POLICY STUB_REST, &world), UW_E_SERVICE_MISSING);
	ck_assert_ptr_nonnull(strstr(stub->err.message, "fs/1"));
	ck_assert_ptr_nonnull(strstr(stub->err.message, "stub-wrapper"));
}
END_TEST

START_TEST(a_withheld_required_service_names_plugin_service_and_line)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	ck_code(stub, stub_try_world(stub,
	        "umwelt: 1\nworld:\n  fs: [ { plugin: stub, state: %A }, { plugin: stub-wrapper, state: %A } ]\n"
	        "  subprocess: { plugin: stub, state: %A }\n  sandbox: { plugin: stub, state: %A }\n"
	        STUB_POLICY STUB_REST "grants: { stub-wrapper: [ fs ] }\n", &world), UW_E_CAPABILITY_WITHHELD);
	ck_assert_ptr_nonnull(strstr(stub->err.message, "fs/1"));
	ck_assert_ptr_nonnull(strstr(stub->err.message, "stub-wrapper"));
	ck_assert_ptr_nonnull(strstr(stub->err.message, "bundle.yaml:"));
	ck_assert_int_eq(stub->state.created, stub->state.destroyed);
}
END_TEST

START_TEST(asking_for_an_unlisted_service_gives_nothing_and_is_noted)
{
	AUTO_STUB stub = stub_open_host();
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE "services: { shell: { plugin: stub-asker, state: %A } }\n", &stub->world));
	ck_assert_ptr_nonnull(uw_world_shell(stub->world, &stub->err));
	ck_assert_int_eq(stub->state.asked_unlisted, 0);
	ck_assert_ptr_nonnull(strstr(stub->logged, "stub-asker"));
	ck_assert_ptr_nonnull(strstr(stub->logged, "subprocess/1"));
}
END_TEST

START_TEST(a_service_is_made_at_first_use_with_the_guarded_handles)
{
	AUTO_STUB stub = stub_open_host();
	const struct uw_shell *shell;
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE "services: { shell: { plugin: stub-shell, state: %A } }\n", &stub->world));
	ck_assert_int_eq(stub->state.created, 4);
	shell = uw_world_shell(stub->world, &stub->err);
	ck_assert_ptr_nonnull(shell);
	ck_assert_int_eq(stub->state.created, 5);
	ck_assert_ptr_eq(stub->state.given_subprocess, uw_world_subprocess(stub->world));
	ck_assert_ptr_eq(shell, uw_world_shell(stub->world, &stub->err));
	ck_assert_int_eq(stub->state.created, 5);
	ck_assert_str_eq(shell->v->dialect(shell->self), "sh");
}
END_TEST

START_TEST(a_service_that_is_not_named_or_not_there_is_an_error_when_used)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &world));
	ck_assert_ptr_null(uw_world_shell(world, &stub->err));
	ck_assert_int_eq(stub->err.code, UW_E_SERVICE_MISSING);
	stub_ok(stub, uw_world_close(world, &stub->err));
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE "services: { shell: { plugin: shell-none } }\n", &world));
	ck_assert_ptr_null(uw_world_shell(world, &stub->err));
	ck_assert_int_eq(stub->err.code, UW_E_PLUGIN_NOT_FOUND);
	stub_ok(stub, uw_world_close(world, &stub->err));
}
END_TEST

START_TEST(a_guard_that_is_not_there_refuses_the_world)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	ck_code(stub, stub_try_world(stub, STUB_HEART STUB_POLICY "guard: { plugin: guard-none }\napproval: none\ntrace: none\n", &world),
	        UW_E_PLUGIN_NOT_FOUND);
	ck_code(stub, stub_try_world(stub, STUB_HEART STUB_POLICY "guard: { plugin: stub, state: %A }\napproval: none\ntrace: none\n", &world),
	        UW_E_NOT_BUILT);
	ck_assert_int_eq(stub->state.created, 0);
}
END_TEST

/* ---- sessions ---- */

static int exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

START_TEST(a_session_has_a_private_temp_that_goes_with_it)
{
	AUTO_STUB stub = stub_open(STUB_BUNDLE);
	const struct uw_session_facts *facts = uw_session_facts(stub->session);
	char temp[PATH_MAX], inside[PATH_MAX];
	struct stat st;
	snprintf(temp, sizeof temp, "%s", facts->temp.path);
	ck_assert_int_eq(lstat(temp, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	ck_assert_uint_eq(st.st_ino, facts->temp.ino);
	ck_assert_int_eq(facts->actor, UW_ACTOR_PERSON);
	ck_assert_str_eq(facts->user, geteuid() == 0 ? "root" : facts->user);
	ck_assert_uint_eq(facts->workspace.ino, 7);
	snprintf(inside, sizeof inside, "%.3000s/link", temp);
	ck_assert_int_eq(symlink(stub->temp.path, inside), 0);
	stub_ok(stub, uw_session_close(stub->session, &stub->err));
	ck_assert_int_eq(exists(temp), 0);
	ck_assert_int_eq(exists(stub->temp.path), 1);
	stub_ok(stub, uw_session_close(NULL, &stub->err));
}
END_TEST

START_TEST(what_policy_refuses_is_told_when_the_session_opens)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_session *session = NULL;
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &stub->world));
	stub->state.policy_fails = 1;
	ck_code(stub, uw_session_open(stub->world, NULL, &session, &stub->err), UW_E_WORKSPACE_REFUSED);
	ck_assert_ptr_null(session);
	stub->state.policy_fails = 0;
	stub_ok(stub, uw_session_open(stub->world, NULL, &session, &stub->err));
}
END_TEST

START_TEST(a_mode_above_the_ceiling_is_refused)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_session *session = NULL;
	const struct uw_session_options options = {.size = sizeof options, .mode = UW_MODE_DANGER_FULL_ACCESS};
	stub_ok(stub, stub_try_world(stub, STUB_HEART "policy: { plugin: stub, state: %A, workspace: %T/ws, mode: read-only, "
	                             "max_mode: workspace-write }\n" STUB_REST, &stub->world));
	ck_code(stub, uw_session_open(stub->world, &options, &session, &stub->err), UW_E_MODE_REFUSED);
	stub->state.policy_mode = UW_MODE_DANGER_FULL_ACCESS; /* a policy provider that widens by itself */
	ck_code(stub, uw_session_open(stub->world, NULL, &session, &stub->err), UW_E_MODE_REFUSED);
	stub->state.policy_mode = 0;
}
END_TEST

START_TEST(a_workspace_that_is_not_absolute_is_refused)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_session *session = NULL;
	const struct uw_session_options options = {.size = sizeof options, .workspace = "ws"};
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &stub->world));
	ck_code(stub, uw_session_open(stub->world, &options, &session, &stub->err), UW_E_WORKSPACE_INVALID);
}
END_TEST

START_TEST(temps_of_hosts_that_are_gone_are_removed_by_the_next)
{
	AUTO_STUB stub = stub_open_host();
	char left[PATH_MAX], used[PATH_MAX], young[PATH_MAX];
	int lock;
	snprintf(left, sizeof left, "%s/temps/umwelt-temp-%lu-left", stub->temp.path, (unsigned long)geteuid());
	snprintf(used, sizeof used, "%s/temps/umwelt-temp-%lu-used", stub->temp.path, (unsigned long)geteuid());
	snprintf(young, sizeof young, "%s/temps/umwelt-new-%lu-young", stub->temp.path, (unsigned long)geteuid());
	ck_assert_int_eq(mkdir(left, 0700), 0);
	ck_assert_int_eq(mkdir(used, 0700), 0);
	ck_assert_int_eq(mkdir(young, 0700), 0);
	lock = open(used, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(flock(lock, LOCK_EX | LOCK_NB), 0);
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE, &stub->world));
	stub_session(stub);
	ck_assert_int_eq(exists(left), 0);
	ck_assert_int_eq(exists(used), 1);  /* a host that lives holds it */
	ck_assert_int_eq(exists(young), 1); /* its host may be about to lock it */
	close(lock);
	ck_assert_int_eq(rmdir(used), 0);
	ck_assert_int_eq(rmdir(young), 0);
}
END_TEST

START_TEST(closing_the_host_closes_worlds_and_sessions)
{
	struct stub_world *stub = stub_open(STUB_BUNDLE);
	char temp[PATH_MAX];
	snprintf(temp, sizeof temp, "%s", uw_session_facts(stub->session)->temp.path);
	stub_close(&stub);
	ck_assert_int_eq(exists(temp), 0);
	uw_host_close(NULL);
}
END_TEST

UW_TESTS("world", a_world_is_made_inside_out_and_ended_in_reverse, generations_are_numbered_per_host,
         one_instance_named_in_several_slots_is_made_once, mixed_realms_are_refused_and_named,
         a_failed_creation_leaves_nothing, every_provider_is_ended_and_every_failure_told,
         a_wrapper_gets_what_it_wraps, a_required_service_that_is_not_there_refuses_the_world,
         a_withheld_required_service_names_plugin_service_and_line,
         asking_for_an_unlisted_service_gives_nothing_and_is_noted,
         a_service_is_made_at_first_use_with_the_guarded_handles,
         a_service_that_is_not_named_or_not_there_is_an_error_when_used,
         a_guard_that_is_not_there_refuses_the_world, a_session_has_a_private_temp_that_goes_with_it,
         what_policy_refuses_is_told_when_the_session_opens, a_mode_above_the_ceiling_is_refused,
         a_workspace_that_is_not_absolute_is_refused, temps_of_hosts_that_are_gone_are_removed_by_the_next,
         closing_the_host_closes_worlds_and_sessions)
