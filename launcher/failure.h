/*
 * Why nothing was run: filled where it arises, in the launcher or in the child
 * before exec, and told to the host as one REFUSED or EXEC_FAILED.
 */
#ifndef UL_FAILURE_H
#define UL_FAILURE_H

#include <umwelt/launch.h>

struct ul_failure {
	uint32_t what; /* enum uw_launch_what */
	int32_t os_errno;
	char text[UW_SAID_TEXT_MAX];
};

/* Fills failure and returns -1. */
int ul_fail(struct ul_failure *failure, uint32_t what, int os_errno, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
