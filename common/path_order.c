#include "common/path_order.h"

#include <string.h>

int uw_path_within(const char *path, const char *parent)
{
	size_t len = strlen(parent);
	if (len > 0 && parent[len - 1] == '/')
		len--;
	return strncmp(path, parent, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

int uw_path_below(const char *path, const char *parent)
{
	return uw_path_within(path, parent) && !uw_path_within(parent, path);
}

size_t uw_path_common_len(const char *a, const char *b)
{
	size_t i = 0, last = 1;
	while (a[i] && a[i] == b[i]) {
		if (a[i] == '/' && i > 0)
			last = i;
		i++;
	}
	if ((a[i] == '\0' && (b[i] == '/' || b[i] == '\0')) || (b[i] == '\0' && a[i] == '/'))
		last = i > 0 ? i : 1;
	return last;
}

int uw_path_compare(const char *a, const char *b)
{
	size_t i = 0;
	while (a[i] && a[i] == b[i])
		i++;
	if (a[i] == b[i])
		return 0;
	/* the slash sorts before every other byte, the end before the slash */
	if (!a[i] || !b[i])
		return a[i] ? 1 : -1;
	if (a[i] == '/' || b[i] == '/')
		return a[i] == '/' ? -1 : 1;
	return (unsigned char)a[i] < (unsigned char)b[i] ? -1 : 1;
}
