/*
 * The state directory: made where it is missing, checked where it stands. Only
 * this user may own it and read it, and its name is not a link.
 */
#include "core/settings.h"

#include "common/cleanup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int fail_io(struct uw_error *err, const char *path)
{
	int saved = errno;
	uw_fail(err, UW_E_IO_ERROR, UW_STAGE_CONFIG, UW_EFFECT_NONE, saved, "state directory %s: %s", path,
	        strerror(saved));
	uw_error_detail(err, "path", path, strlen(path));
	return UW_E_IO_ERROR;
}

/* Each missing directory of the path, 0700. */
static int make_path(const char *path, struct uw_error *err)
{
	UW_AUTO_FREE char *part = strdup(path);
	if (!part)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM, "out of memory");
	for (char *at = part + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST && access(part, F_OK) < 0)
			return fail_io(err, part);
		*at = '/';
	}
	if (mkdir(part, 0700) < 0 && errno != EEXIST)
		return fail_io(err, part);
	return 0;
}

int uwi_settings_state_dir(const struct uwi_settings *settings, const char **ret_path,
                           struct uw_error *err)
{
	const char *path = settings->state_dir;
	struct stat stat;
	UW_AUTO_FD dir = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 && errno == ENOENT) {
		int result = make_path(path, err);
		if (result < 0)
			return result;
		dir = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (dir < 0 || fstat(dir, &stat) < 0)
		return fail_io(err, path);
	if (stat.st_uid != geteuid())
		return uw_fail(err, UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "state directory %s belongs to uid %lu, wanted %lu", path,
		               (unsigned long)stat.st_uid, (unsigned long)geteuid());
	if (stat.st_mode & 077)
		return uw_fail(err, UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "state directory %s has mode %04o, wanted 0700; chmod 700 it", path,
		               (unsigned)(stat.st_mode & 07777));
	*ret_path = path;
	return 0;
}
