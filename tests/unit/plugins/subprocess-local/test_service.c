/* subprocess-local under the suite of the service, without confinement (mode danger). */
#include "local.h"

int main(void)
{
	return local_main("subprocess-local/service", local_open);
}
