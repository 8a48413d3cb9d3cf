/*
 * Lost memory in a world's life (C-61): each allocation of core fails in turn from
 * opening to closing. The answer is NO_MEMORY, or the work was done without it;
 * whatever was made is ended, and nothing is kept.
 */
#include "tests/unit.h"

#include "stub_world.h"

UW_NEEDS_FILES_OF_ROOT;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);

static long left = -1; /* allocations until one fails; -1: none does */

static int fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size)
{
	return fails() ? NULL : __real_realloc(pointer, size);
}

static int command(struct stub_world *stub, struct uw_world *world, struct uw_session *session)
{
	const struct uw_subprocess *sub = uw_world_subprocess(world);
	static const char *const argv[] = {"/bin/true", "word", NULL}, *const env[] = {"A=b", NULL};
	const struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .env_set = env, .umask = 0xffffffffu};
	struct uw_exit exit = {.size = sizeof exit};
	struct uw_process *process;
	struct uw_call call;
	int code;
	uw_call_init(&call, session);
	code = sub->v->spawn(sub->self, &call, &spawn, &process, &stub->err);
	if (code < 0)
		return code;
	(void)sub->v->terminate(sub->self, process, 0, &stub->err);
	code = sub->v->wait(sub->self, &call, process, UW_WAIT_EMPTY, &exit, &stub->err);
	(void)sub->v->dispose(sub->self, process, &stub->err);
	return code;
}

static int life(struct stub_world *stub, const char *path, long *ret_left)
{
	const struct uw_world_options options = {.size = sizeof options, .bundle = path};
	const struct uw_session_options wanted = {.size = sizeof wanted, .mode = UW_MODE_WORKSPACE_WRITE};
	struct uw_world *world = NULL;
	struct uw_session *session = NULL;
	int code = uw_world_open(stub->host, &options, &world, &stub->err);
	if (code == 0)
		code = uw_session_open(world, &wanted, &session, &stub->err);
	if (code == 0 && !uw_world_shell(world, &stub->err))
		code = stub->err.code;
	if (code == 0)
		code = command(stub, world, session);
	*ret_left = left; /* negative: the allocation came and failed */
	left = -1;
	(void)uw_world_close(world, NULL);
	return code;
}

START_TEST(each_lost_allocation_is_an_error_and_nothing_is_kept)
{
	struct stub_world *stub = stub_open_host();
	struct uw_world *world;
	char path[PATH_MAX];
	long unused = -1;
	/* the first one proves, and leaves the bundle's file for the others */
	stub_ok(stub, stub_try_world(stub, STUB_BUNDLE "services: { shell: { plugin: stub-shell, state: %A } }\n", &world));
	stub_ok(stub, uw_world_close(world, &stub->err));
	snprintf(path, sizeof path, "%.95s/bundle.yaml", stub->temp.path);
	stub_ok(stub, life(stub, path, &unused));
	unused = -1;
	for (long n = 0; unused < 0; n++) { /* until one lives through with allocations to spare */
		int code;
		left = n;
		code = life(stub, path, &unused);
		ck_assert_msg(code == 0 || code == UW_E_NO_MEMORY, "allocation %ld: %s: %s", n, uw_code_name(code), stub->err.message);
		ck_assert_int_eq(stub->state.created, stub->state.destroyed);
		ck_assert_int_eq(stub->state.policies, stub->state.policies_released);
		ck_assert_int_eq(stub->state.confines, stub->state.releases);
	}
	stub_close(&stub);
}
END_TEST

UW_TESTS("world_oom", each_lost_allocation_is_an_error_and_nothing_is_kept)
