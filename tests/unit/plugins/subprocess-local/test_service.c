/* subprocess-local under the suite of the service, without confinement (mode danger). */
#include "tests/suites/subprocess_suite.c"

#include "local.h"

int main(void)
{
	return local_main("subprocess-local/service", local_open);
}
