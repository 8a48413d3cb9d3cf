/* Its constructor never returns. */
#define NAME "hang-constructor"
#include "plugin.h"

#include <unistd.h>

__attribute__((constructor)) static void hang(void)
{
	for (;;)
		(void)pause();
}
