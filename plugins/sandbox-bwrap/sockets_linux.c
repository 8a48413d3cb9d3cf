/*
 * Unix sockets with a name in the file system, as /proc/net/unix shows them: of
 * this network namespace, at this moment. A line reads
 *   Num RefCount Protocol Flags Type St Inode Path
 * Type 1 and 5 listen where Flags has 0x10000; type 2 receives as soon as bound.
 */
#include "bwrap.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

enum { LISTENS = 0x10000, DATAGRAM = 2 };

/* The path of a line about a socket that takes what strangers send, else NULL. */
static const char *name_of(char *line)
{
	unsigned flags = 0, type = 0;
	int at = 0;
	size_t len = strlen(line);
	if (len > 0 && line[len - 1] == '\n')
		line[len - 1] = '\0';
	if (sscanf(line, "%*s %*x %*x %x %x %*x %*u %n", &flags, &type, &at) < 2 || at == 0)
		return NULL;
	if (!(flags & LISTENS) && type != DATAGRAM)
		return NULL;
	return line[at] && line[at] != '@' ? line + at : NULL;
}

int bwrap_sockets(int (*sink)(void *arg, const char *path), void *arg, struct uw_error *err)
{
	FILE *list = fopen("/proc/net/unix", "re");
	UW_AUTO_FREE char *line = NULL;
	size_t room = 0;
	int result = 0, unplaced = 0;
	if (!list)
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_CONFINE, UW_EFFECT_NONE, errno,
		               "/proc/net/unix cannot be read, so listening sockets cannot be masked");
	while (!result && getline(&line, &room, list) >= 0) {
		const char *name = name_of(line);
		char canonical[PATH_MAX];
		struct stat found;
		if (!name)
			continue;
		if (name[0] != '/') {
			unplaced = 1;
			continue;
		}
		/* gone, of another mount namespace, or not to be reached by this user */
		if (!realpath(name, canonical) || stat(canonical, &found) < 0 || !S_ISSOCK(found.st_mode))
			continue;
		if (access(canonical, W_OK) == 0)
			result = sink(arg, canonical);
	}
	(void)fclose(list);
	return result ? result : unplaced;
}
