#include "launcher/failure.h"

#include <stdarg.h>
#include <stdio.h>

int ul_fail(struct ul_failure *failure, uint32_t what, int os_errno, const char *format, ...)
{
	va_list args;
	failure->what = what;
	failure->os_errno = os_errno;
	va_start(args, format);
	(void)vsnprintf(failure->text, sizeof failure->text, format, args);
	va_end(args);
	return -1;
}
