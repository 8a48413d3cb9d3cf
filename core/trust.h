/*
 * trust: the checks of C-2 on a file that will be loaded, executed or obeyed.
 *
 * The file is opened once and checked through that descriptor; its directories
 * are walked upwards from the one that holds this very file, so that what was
 * checked is what was opened. Links are resolved before: the real place counts.
 * No state; any thread.
 */
#ifndef UW_CORE_TRUST_H
#define UW_CORE_TRUST_H

#include <umwelt/error.h>

#include <sys/stat.h>

struct uwi_trust_ask {
	const char *what; /* for messages: "plugin", "launcher", "configuration file" */
	int code, stage;  /* of a refusal */
	int executable;   /* opened with O_PATH, an executable bit is required; else O_RDONLY */
	char *const *within; /* NULL-terminated directories, one of which must hold it; NULL: anywhere */
};

struct uwi_trusted {
	int fd; /* the caller's */
	struct stat stat;
	char *path; /* real path; the caller's (free) */
};

#define UWI_TRUSTED_INIT                                                                         \
	{                                                                                            \
		-1, {0}, NULL                                                                            \
	}

/*
 * 0, or ask->code: the message names rule and path; details rule, path, expected,
 * found. os_errno is ENOENT if the file does not exist.
 */
int uwi_trust_open(const char *path, const struct uwi_trust_ask *ask, struct uwi_trusted *ret,
                   struct uw_error *err);
void uwi_trusted_finish(struct uwi_trusted *trusted);

#define UWI_AUTO_TRUSTED __attribute__((cleanup(uwi_trusted_finish))) struct uwi_trusted

#endif
