/*
 * Allocation failure is an error like others (C-61): each allocation of a spawn
 * fails in turn. Nothing is started, no descriptor and no process stays.
 */
#include "common/cleanup.h"
#include "local.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);

/* Allocations of this thread until one fails; -1: none does. */
static _Thread_local long left = -1;

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

static int open_descriptors(void)
{
	DIR *fds = opendir("/proc/self/fd");
	int count = 0;
	while (readdir(fds))
		count++;
	(void)closedir(fds);
	return count;
}

START_TEST(each_allocation_of_a_spawn_fails_in_turn)
{
	const char *argv[] = {"sh", "-c", "echo hi; echo err >&2", NULL}, *set[] = {"A=1", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	int before, r;
	long n, refused = 0;
	spawn.env_set = set;
	spawn.control = 1;
	spawn.stdio[1].collect.spill_max = 4096;
	spawn.stdio[2].collect.copy_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	suite_run(&spawn, &ran);
	before = open_descriptors();
	for (n = 0; n < 10000; n++) {
		struct uw_error err = UW_ERROR_INIT;
		struct uw_process *process = NULL;
		left = n;
		r = subprocess_suite_now.service->v->spawn(subprocess_suite_now.service->self,
		                                           &subprocess_suite_now.call, &spawn, &process, &err);
		if (r == 0) {
			/* one that could be done without, or all of them were had */
			int all = left >= 0;
			left = -1;
			suite_finish(process, &ran);
			ck_assert_str_eq(ran.out, "hi\n");
			if (all)
				break;
			continue;
		}
		ck_assert_int_eq(left, -1);
		refused++;
		ck_assert_msg(r == UW_E_NO_MEMORY || err.os_errno == ENOMEM, "%ld: %s", n, err.message);
		ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
		ck_assert_ptr_null(process);
		ck_assert_int_le(open_descriptors(), before); /* fewer: what an earlier one held is closed by now */
		ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	}
	ck_assert_int_gt(refused, 10);
	ck_assert_int_lt(n, 10000);
	(void)close(spawn.stdio[2].collect.copy_fd);
}
END_TEST

int main(void)
{
	Suite *checks = suite_create("subprocess-local/spawn_oom");
	TCase *tcase = tcase_create("spawn_oom");
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	subprocess_suite_fixture(tcase, local_open, local_close);
	tcase_add_test(tcase, each_allocation_of_a_spawn_fails_in_turn);
	suite_add_tcase(checks, tcase);
	runner = srunner_create(checks);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
