/*
 * Cleanup attributes for core, plugins and cmd. Never in public headers.
 * A cleanup never changes errno: it must not disturb the error being returned.
 */
#ifndef UW_COMMON_CLEANUP_H
#define UW_COMMON_CLEANUP_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Closes *fd if it is open and marks it closed. errno stays. */
static inline void uw_fd_close(int *fd)
{
	int saved = errno;
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
	errno = saved;
}

static inline void uw_cleanup_free(void *pointer)
{
	int saved = errno;
	free(*(void **)pointer);
	errno = saved;
}

/* Takes the descriptor out of an auto variable: the caller owns it now. */
static inline int uw_fd_steal(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

#define UW_AUTO_FD   __attribute__((cleanup(uw_fd_close))) int
#define UW_AUTO_FREE __attribute__((cleanup(uw_cleanup_free)))

/* Takes a pointer out of an auto variable. */
#define UW_STEAL(pointer)                                                                        \
	__extension__({                                                                              \
		__typeof__(pointer) uw_taken_ = (pointer);                                               \
		(pointer) = NULL;                                                                        \
		uw_taken_;                                                                               \
	})

#define UW_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
