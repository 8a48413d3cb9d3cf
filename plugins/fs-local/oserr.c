/* What the operating system said, as a code of the service and a sentence. */
#include "local.h"

#include "common/strerror.h"
#include "common/text.h"

#include <errno.h>
#include <string.h>

int uwi_fsl_os_code(int os_errno)
{
	switch (os_errno) {
	case ENOENT: return UW_E_FS_NOT_FOUND;
	case ENOTDIR: return UW_E_FS_NOT_DIRECTORY;
	case EISDIR:
	case ENXIO:
	case ENODEV: return UW_E_FS_NOT_REGULAR_FILE;
	case EACCES:
	case EPERM: return UW_E_FS_PERMISSION_DENIED;
	case ELOOP: return UW_E_FS_LOOP;
	case ENAMETOOLONG: return UW_E_FS_NAME_TOO_LONG;
	case EEXIST: return UW_E_FS_EXISTS;
	case ENOTEMPTY: return UW_E_FS_NOT_EMPTY;
	case EXDEV: return UW_E_FS_CROSS_DEVICE;
	case ENOSPC:
	case EDQUOT: return UW_E_FS_NO_SPACE;
	case EROFS: return UW_E_FS_READ_ONLY;
	case EFBIG:
	case EOVERFLOW: return UW_E_FS_TOO_LARGE;
	case EBUSY:
	case ETXTBSY:
	case EWOULDBLOCK: return UW_E_FS_BUSY;
	case EILSEQ: return UW_E_FS_BAD_PATH;
	case ENOMEM: return UW_E_NO_MEMORY;
	case ECANCELED: return UW_E_CANCELLED;
	default: return UW_E_FS_IO_ERROR;
	}
}

static int say(struct uw_error *err, int code, int stage, int effect, int os_errno, const char *verb,
               struct uw_bytes path, const char *reason)
{
	UW_AUTO_BUF shown = UW_BUF_INIT;
	uw_text_escape(&shown, path.data, path.len);
	uw_fail(err, code, stage, effect, os_errno, "cannot %s %.1200s: %s", verb,
	        shown.failed || !shown.data ? "it" : shown.data, reason);
	uw_error_detail(err, "path", path.data, path.len);
	return code;
}

int uwi_fsl_os_error(struct uw_error *err, int stage, int effect, int os_errno, const char *verb,
                     struct uw_bytes path)
{
	int code = uwi_fsl_os_code(os_errno);
	const char *reason = uw_strerror(os_errno);
	if (os_errno == EDQUOT || os_errno == ENOSPC)
		reason = "the file system or the quota is full";
	return say(err, code, stage, effect, os_errno, verb, path, reason);
}

int uwi_fsl_error(struct uw_error *err, int code, int stage, const char *verb, struct uw_bytes path,
                  const char *reason)
{
	return say(err, code, stage, UW_EFFECT_NONE, 0, verb, path, reason);
}
