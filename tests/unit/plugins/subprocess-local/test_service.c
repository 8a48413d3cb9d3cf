/* subprocess-local under the suite of the service, without confinement (mode danger). */
#include "tests/suites/subprocess_suite.c"

#include "local.h"

int main(void)
{
	Suite *checks = suite_create("subprocess-local/service");
	TCase *tcase = tcase_create("service");
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	subprocess_suite_add(tcase, local_open, local_close);
	suite_add_tcase(checks, tcase);
	runner = srunner_create(checks);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
