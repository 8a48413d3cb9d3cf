/*
 * What every unit test includes: check, and a main that runs the tests named.
 * CK_FORK=no runs them in one process, for a debugger.
 */
#ifndef UW_TESTS_UNIT_H
#define UW_TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

/*
 * A program with this line needs the bare machine: it starts confined commands,
 * becomes other users, mounts, or looks at processes of others. `tests/run inside`
 * passes it over; all others run in a world of Umwelt as well.
 */
#define UW_NEEDS_THE_MACHINE typedef int uw_needs_the_machine

/*
 * A program with this line trusts files, as Umwelt does, that belong to root or to
 * its user. In a user namespace that does not know root (bwrap of an ordinary user)
 * nothing of the system does, so there it is passed over as well, and counted.
 */
#define UW_NEEDS_FILES_OF_ROOT typedef int uw_needs_files_of_root

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
