#include "core/mapped.h"

#include "common/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* "\012" of the kernel is a newline; the rest stands as it is. */
static void unescape(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++, to++) {
		if (!strncmp(from, "\\012", 4)) {
			*to = '\n';
			from += 3;
		} else {
			*to = *from;
		}
	}
	*to = '\0';
}

/* 1 if the line of /proc/self/maps covers address; then *ret_mapped is set. */
static int match(char *line, uintptr_t address, struct uwi_mapped *ret_mapped)
{
	char *path;
	uintptr_t from = (uintptr_t)strtoull(line, &path, 16), to; /* sscanf for the one line alone: it is slow */
	int at = 0;
	if (*path != '-')
		return 0;
	to = (uintptr_t)strtoull(path + 1, &path, 16);
	if (address < from || address >= to)
		return 0;
	if (sscanf(path, " %*s %*x %x:%x %llu %n", &ret_mapped->major, &ret_mapped->minor, &ret_mapped->inode, &at) < 3 ||
	    !ret_mapped->inode)
		return 0;
	path += at;
	path[strcspn(path, "\n")] = '\0';
	unescape(path);
	ret_mapped->path[0] = '\0';
	if (path[0] == '/' && strlen(path) < sizeof ret_mapped->path)
		memcpy(ret_mapped->path, path, strlen(path) + 1);
	return 1;
}

int uwi_mapped_find(const void *address, struct uwi_mapped *ret_mapped, struct uw_error *err)
{
	UW_AUTO_FREE char *line = NULL;
	struct uwi_mapped found = {0};
	size_t capacity = 0;
	int matched = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return uw_fail(err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, errno,
		               "cannot read /proc/self/maps, which tells what is loaded: %s", strerror(errno));
	while (!matched && getline(&line, &capacity, maps) > 0)
		matched = match(line, (uintptr_t)address, &found);
	(void)fclose(maps);
	if (!matched)
		return uw_fail(err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "no file is mapped where loaded code was expected");
	*ret_mapped = found;
	return 0;
}

int uwi_mapped_of_fd(int fd, struct uwi_mapped *ret_mapped, struct uw_error *err)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	int result;
	if (page == MAP_FAILED)
		return uw_fail(err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, errno,
		               "cannot map the file: %s", strerror(errno));
	result = uwi_mapped_find(page, ret_mapped, err);
	(void)munmap(page, 1);
	return result;
}
