/* Its constructor crashes before anybody can ask it anything. */
#define NAME "crash-constructor"
#include "plugin.h"

#include <signal.h>

__attribute__((constructor)) static void crash(void)
{
	(void)raise(SIGSEGV);
}
