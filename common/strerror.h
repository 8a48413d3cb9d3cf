/*
 * The operating system's own words for an errno: static memory, never allocates,
 * any thread. With glibc in no language but C; with musl as strerror gives it.
 */
#ifndef UW_COMMON_STRERROR_H
#define UW_COMMON_STRERROR_H

#include <string.h>

static inline const char *uw_strerror(int number)
{
#if defined(__GLIBC__)
	const char *text = strerrordesc_np(number);
	return text ? text : "unknown error";
#else
	return strerror(number);
#endif
}

#endif
