/* The proof's cache and the chain's choice (C-39, S-13, S-30), by how often the launcher is asked. */
#include "unit.h"

#include "stub_world.h"

UW_NEEDS_FILES_OF_ROOT;

#define HEAD  "umwelt: 1\nworld:\n  fs: [ { plugin: stub, state: %A } ]\n  subprocess: { plugin: stub, state: %A }\n"
#define CHAIN HEAD "  sandbox: { chain: [ { plugin: stub, state: %A, tag: one }, { plugin: stub, state: %A, tag: two } ] }\n" \
	STUB_POLICY STUB_REST

static const char *proof(struct stub_world *stub, const char *bundle)
{
	static char said[16];
	struct uw_world_facts facts = {.size = sizeof facts};
	struct uw_world *world;
	stub->state.spawns = 0;
	stub->state.order[0] = '\0';
	stub_ok(stub, stub_try_world(stub, bundle, &world));
	uw_world_facts(world, &facts);
	ck_assert_str_eq(facts.sandbox, "stub");
	snprintf(said, sizeof said, "%s", facts.proof);
	stub_ok(stub, uw_world_close(world, &stub->err));
	return said;
}

START_TEST(a_proof_runs_both_shapes_once)
{
	AUTO_STUB stub = stub_open_host();
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
	ck_assert_int_eq(stub->state.spawns, 2);
	ck_assert_str_eq(stub->state.spawned, "--prove");
	ck_assert_int_eq(stub->state.confines, stub->state.releases);
	ck_assert_int_eq(stub->state.disposes, 2);
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "cached");
	ck_assert_int_eq(stub->state.spawns, 0);
}
END_TEST

START_TEST(a_world_that_is_read_only_for_ever_proves_that_shape_alone)
{
	AUTO_STUB stub = stub_open_host();
	ck_assert_str_eq(proof(stub, STUB_HEART "policy: { plugin: stub, state: %A, mode: read-only, max_mode: read-only, "
	                       "workspace: %T/ws }\n" STUB_REST), "fresh");
	ck_assert_int_eq(stub->state.spawns, 1);
	ck_assert_int_eq(stub->state.spawned_mode, UW_MODE_READ_ONLY);
}
END_TEST

START_TEST(another_configuration_is_proven_again)
{
	AUTO_STUB stub = stub_open_host();
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
	ck_assert_str_eq(proof(stub, HEAD "  sandbox: { plugin: stub, state: %A, tag: other }\n" STUB_POLICY STUB_REST), "fresh");
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "cached");
}
END_TEST

START_TEST(a_lone_sandbox_that_failed_is_tried_again_each_time)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	stub->state.prove_fails = 2;
	for (int i = 0; i < 2; i++) {
		ck_code(stub, stub_try_world(stub, STUB_BUNDLE, &world), UW_E_SANDBOX_UNAVAILABLE);
		ck_assert_ptr_nonnull(strstr(stub->err.message, "stub cannot be used here: the probe of mode read-only failed"));
		ck_assert_int_eq(stub->state.created, stub->state.destroyed);
	}
	ck_assert_int_eq(stub->state.spawns, 2);
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
}
END_TEST

START_TEST(a_chain_takes_the_next_and_does_not_ask_the_first_again_at_once)
{
	AUTO_STUB stub = stub_open_host();
	stub->state.prove_fails = 1;
	ck_assert_str_eq(proof(stub, CHAIN), "fresh");
	ck_assert_int_eq(stub->state.spawns, 3); /* the first failed in its first shape */
	ck_assert_str_eq(stub->state.order, "+stub +one +pol +stub +two ");
	ck_assert_str_eq(proof(stub, CHAIN), "cached");
	ck_assert_int_eq(stub->state.spawns, 0);
}
END_TEST

START_TEST(a_chain_of_which_none_holds_names_every_reason)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	stub->state.prove_fails = 2;
	ck_code(stub, stub_try_world(stub, CHAIN, &world), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(stub->err.message, "no sandbox of the chain holds here"));
	ck_assert_int_eq(stub->state.created, stub->state.destroyed);
	stub->state.unusable = 1; /* by its own word: not even probed */
	stub->state.spawns = 0;
	ck_code(stub, stub_try_world(stub, CHAIN, &world), UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(stub->err.message, "the stub was told so"));
	ck_assert_int_eq(stub->state.spawns, 0);
}
END_TEST

START_TEST(a_sandbox_that_cannot_confine_or_a_launcher_that_cannot_start_is_no_proof)
{
	AUTO_STUB stub = stub_open_host();
	struct uw_world *world;
	stub->state.confine_fails = 1;
	ck_code(stub, stub_try_world(stub, STUB_BUNDLE, &world), UW_E_SANDBOX_UNAVAILABLE);
	stub->state.confine_fails = 0;
	stub->state.confine_lies = 1;
	ck_code(stub, stub_try_world(stub, STUB_BUNDLE, &world), UW_E_SANDBOX_UNAVAILABLE);
	stub->state.confine_lies = 0;
	stub->state.spawn_fails = 1;
	ck_code(stub, stub_try_world(stub, STUB_BUNDLE, &world), UW_E_SANDBOX_UNAVAILABLE);
	stub->state.spawn_fails = 0;
	ck_assert_int_eq(stub->state.confines - 1, stub->state.releases);
	ck_assert_int_eq(stub->err.stage, UW_STAGE_PREPARE);
}
END_TEST

START_TEST(without_a_place_to_keep_it_a_proof_is_made_each_time)
{
	AUTO_STUB stub = stub_open_host();
	char path[PATH_MAX];
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
	snprintf(path, sizeof path, "rm -rf %.95s/state/proof; touch %.95s/state/proof", stub->temp.path, stub->temp.path);
	ck_assert_int_eq(system(path), 0);
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
	/* nor is a verdict believed that is no verdict */
	snprintf(path, sizeof path, "rm -rf %.95s/state/proof", stub->temp.path);
	ck_assert_int_eq(system(path), 0);
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
	snprintf(path, sizeof path, "for f in %.95s/state/proof/*; do echo '1 999999999999 stub' >$f; done", stub->temp.path);
	ck_assert_int_eq(system(path), 0);
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh"); /* of the future */
	snprintf(path, sizeof path, "for f in %.95s/state/proof/*; do head -c 5000 /dev/zero >$f; done", stub->temp.path);
	ck_assert_int_eq(system(path), 0);
	ck_assert_str_eq(proof(stub, STUB_BUNDLE), "fresh");
}
END_TEST

UW_TESTS("proof", a_proof_runs_both_shapes_once, a_world_that_is_read_only_for_ever_proves_that_shape_alone,
         another_configuration_is_proven_again, a_lone_sandbox_that_failed_is_tried_again_each_time,
         a_chain_takes_the_next_and_does_not_ask_the_first_again_at_once,
         a_chain_of_which_none_holds_names_every_reason,
         a_sandbox_that_cannot_confine_or_a_launcher_that_cannot_start_is_no_proof,
         without_a_place_to_keep_it_a_proof_is_made_each_time)
