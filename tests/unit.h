/*
 * What every unit test includes: check, and a main that runs the tests named.
 * CK_FORK=no runs them in one process, for a debugger.
 */
#ifndef UW_TESTS_UNIT_H
#define UW_TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

/* Runs each test, forked; the case's time limit is generous: no test depends on speed. */
#define UW_TESTS(name, ...)                                                                      \
	int main(void)                                                                               \
	{                                                                                            \
		const TTest *const tests[] = {__VA_ARGS__};                                              \
		Suite *suite = suite_create(name);                                                       \
		TCase *tcase = tcase_create(name);                                                       \
		SRunner *runner;                                                                         \
		int failed;                                                                              \
		tcase_set_timeout(tcase, 120);                                                           \
		for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)                              \
			tcase_add_test(tcase, tests[i]);                                                     \
		suite_add_tcase(suite, tcase);                                                           \
		runner = srunner_create(suite);                                                          \
		srunner_run_all(runner, CK_NORMAL);                                                      \
		failed = srunner_ntests_failed(runner);                                                  \
		srunner_free(runner);                                                                    \
		return failed ? 1 : 0;                                                                   \
	}

#endif
