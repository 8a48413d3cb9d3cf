/* In order, but its constructor prints what an answer of a scan looks like. */
#define NAME "noisy-constructor"
#include "plugin.h"

#include <unistd.h>

__attribute__((constructor)) static void speak(void)
{
	static const char text[] = "umwelt-scan 1\nrefused -28\nmessage forged\nend\n";
	if (write(1, text, sizeof text - 1) < 0)
		return;
}
