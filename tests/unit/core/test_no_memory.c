/* C-61: every allocation of opening a host, loading and discovery fails once; each is an error, none a crash. */
#include "tests/unit.h"

#include "core/host_internal.h"
#include "place.h"

#include <errno.h>

UW_NEEDS_FILES_OF_ROOT;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

START_TEST(sanitizers_bring_an_allocator_of_their_own)
{
}
END_TEST

UW_TESTS("core/no_memory", sanitizers_bring_an_allocator_of_their_own)

#else

/* glibc's own, below the ones that this program puts in their place */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);

/* How many allocations are still granted; -1: all. */
static _Atomic long granted = -1;

static int refuse(void)
{
	if (granted < 0)
		return 0;
	if (granted == 0) {
		errno = ENOMEM;
		return 1;
	}
	granted--;
	return 0;
}

void *malloc(size_t size)
{
	return refuse() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return refuse() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size)
{
	return refuse() ? NULL : __libc_realloc(pointer, size);
}

/* Runs step with 0, 1, 2, ... allocations until it succeeds: how many it needs. */
static long until_enough(int (*step)(struct place *place, struct uw_error *err), struct place *place)
{
	for (long n = 0; n < 100000; n++) {
		struct uw_error err = UW_ERROR_INIT;
		int result;
		granted = n;
		result = step(place, &err);
		granted = -1;
		if (result == 0)
			return n;
		ck_assert_int_lt(result, 0);
		ck_assert_int_eq(err.code, result);
		ck_assert_int_ne(err.message[0], 0);
		ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
	}
	ck_abort_msg("it never succeeds");
	return 0;
}

static int open_host(struct place *place, struct uw_error *err)
{
	struct uw_host_options options = {sizeof options, NULL, place->temp.path, NULL, NULL};
	struct uw_host *host = NULL;
	int result = uw_host_open(&options, &host, err);
	uw_host_close(host);
	return result;
}

static int load_good(struct place *place, struct uw_error *err)
{
	struct uwi_loader *loader = NULL;
	struct uwi_plugin *plugin;
	int result = uwi_loader_create(place->settings, NULL, NULL, &loader, err);
	if (result == 0)
		result = uwi_loader_get(loader, "good", &plugin, err);
	uwi_loader_destroy(loader);
	return result;
}

static int take(void *arg, const struct uw_plugin_facts *facts)
{
	*(int *)arg += facts->skipped == NULL;
	return 0;
}

static int discover(struct place *place, struct uw_error *err)
{
	int found = 0, result = uwi_loader_discover(place->loader, take, &found, err);
	/* one file's scan may fail alone; then it is skipped with that reason */
	if (result == 0 && found == 0)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "skipped");
	return result;
}

START_TEST(opening_a_host_survives_each_failed_allocation)
{
	AUTO_PLACE place = place_make();
	ck_assert_int_gt(until_enough(open_host, place), 3);
}
END_TEST

START_TEST(loading_a_plugin_survives_each_failed_allocation)
{
	AUTO_PLACE place = place_make();
	(void)put(place, "good", "plugins/good.so");
	ck_assert_int_gt(until_enough(load_good, place), 5);
	ck_assert_int_gt(until_enough(load_good, place), 5);
}
END_TEST

START_TEST(discovery_survives_each_failed_allocation)
{
	AUTO_PLACE place = place_make();
	(void)put(place, "good", "plugins/good.so");
	ck_assert_int_gt(until_enough(discover, place), 5);
	ck_assert_int_gt(until_enough(discover, place), 5);
}
END_TEST

UW_TESTS("core/no_memory", opening_a_host_survives_each_failed_allocation,
         loading_a_plugin_survives_each_failed_allocation, discovery_survives_each_failed_allocation)

#endif
