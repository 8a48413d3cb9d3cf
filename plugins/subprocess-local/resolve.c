#include "resolve.h"

#include "view_path.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum found { FOUND_NOTHING = 0, FOUND_NOT_EXECUTABLE = 1, FOUND = 2 };

static enum found look(const struct uw_view *view, const char *inside)
{
	struct stat st;
	UW_AUTO_BUF outside = UW_BUF_INIT;
	if (view_outside(view, inside, &outside) < 0 || stat(outside.data, &st) < 0)
		return FOUND_NOTHING;
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, outside.data, X_OK, AT_EACCESS) < 0)
		return FOUND_NOT_EXECUTABLE;
	return FOUND;
}

static int answer(enum found found, const char *name, const char *where, struct uw_error *err)
{
	if (found == FOUND)
		return 0;
	if (found == FOUND_NOT_EXECUTABLE)
		return uw_fail(err, UW_E_EXEC_NOT_EXECUTABLE, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0,
		               "%s%s is no file that this user may execute", name, where);
	return uw_fail(err, UW_E_EXEC_NOT_FOUND, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0,
	               "there is no program %s%s", name, where);
}

static int search(const struct uw_view *view, const char *path, const char *name, struct uw_buf *out,
                  struct uw_error *err)
{
	enum found best = FOUND_NOTHING;
	while (*path && best != FOUND) {
		size_t len = strcspn(path, ":");
		enum found found;
		/* a relative or empty entry would depend on where the host stands: left out */
		if (path[0] == '/') {
			uw_buf_truncate(out, 0);
			uw_buf_add(out, path, len);
			uw_buf_byte(out, '/');
			uw_buf_text(out, name);
			if (out->failed)
				break;
			found = look(view, out->data);
			best = found > best ? found : best;
		}
		path += len + (path[len] == ':');
	}
	if (out->failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0, "no memory for a path");
	return answer(best, name, " in PATH", err);
}

int resolve_program(const struct environment *environment, const struct uw_view *view,
                    const char *name, struct uw_buf *out, struct uw_error *err)
{
	const char *path = environment_get(environment, "PATH");
	uw_buf_truncate(out, 0);
	if (!name || !name[0])
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0,
		               "the name of the program is empty");
	if (name[0] == '/') {
		uw_buf_text(out, name);
		if (out->failed)
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0, "no memory for a path");
		return answer(look(view, name), name, "", err);
	}
	if (strchr(name, '/'))
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0,
		               "%s is relative; a program is an absolute path or a bare name", name);
	return search(view, path ? path : DEFAULT_PATH, name, out, err);
}
