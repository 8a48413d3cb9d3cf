/* Its constructor ends the process, as if all were well. */
#define NAME "exit-constructor"
#include "plugin.h"

#include <unistd.h>

__attribute__((constructor)) static void leave(void)
{
	_exit(0);
}
