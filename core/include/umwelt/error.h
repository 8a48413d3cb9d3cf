/*
 * Errors: what happened, where, and what it did to the world.
 *
 * Contract. A function that can fail returns int: 0, or one of the negative
 * codes below. Its last parameter is a struct uw_error pointer, which may be
 * NULL, and which is written only on failure. Outputs are named ret_* and are
 * written only on success. Library code never prints and never exits.
 *
 * Effect says what the failed call did: nothing is ever retried or replayed
 * unless it is UW_EFFECT_NONE.
 */
#ifndef UMWELT_ERROR_H
#define UMWELT_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The one list of codes: name, number, meaning. Numbers are fixed for ever; new
 * codes are appended with new numbers. The printed name is the first column,
 * the C name has UW_E_ before it.
 */
#define UW_ERRORS(X)                                                                             \
	/* 1..19: any service */                                                                     \
	X(INVALID_ARGS, 1, "an argument is missing, malformed or out of its bounds")                 \
	X(NO_MEMORY, 2, "memory could not be had")                                                   \
	X(CANCELLED, 3, "the caller cancelled the call")                                             \
	X(TIMED_OUT, 4, "the deadline of the call passed")                                           \
	X(BUSY, 5, "a limit or a lock is taken; try again later")                                    \
	X(UNSUPPORTED, 6, "this provider or this kernel cannot do it")                               \
	X(IO_ERROR, 7, "the operating system reported an error")                                     \
	X(INTERNAL, 8, "Umwelt broke one of its own rules; please report it")                        \
	X(NOT_BUILT, 9, "this part of Umwelt is not in this build")                                  \
	X(NOT_DEPLOYED, 10, "the local file does not exist in the world's realm")                    \
	/* 20..39: configuration and plugins */                                                      \
	X(CONFIG_INVALID, 20, "the host configuration is wrong")                                     \
	X(BUNDLE_INVALID, 21, "the bundle is wrong")                                                 \
	X(BUNDLE_NOT_FOUND, 22, "there is no bundle of that name")                                   \
	X(BUNDLE_UNTRUSTED, 23, "a bundle from an untrusted place sets what only an owner may set")  \
	X(PLUGIN_NOT_FOUND, 24, "no trusted directory holds that plugin")                            \
	X(PLUGIN_UNTRUSTED, 25, "the file, its owner or a directory above it is not trusted")        \
	X(PLUGIN_LOAD_FAILED, 26, "the dynamic loader refused the file")                             \
	X(PLUGIN_ABI_MISMATCH, 27, "the plugin was built for another major of the ABI")              \
	X(PLUGIN_INVALID, 28, "the plugin's descriptor breaks a rule of the ABI")                    \
	X(PLUGIN_CRASHED, 29, "the plugin crashed while it was scanned in a child")                  \
	X(PLUGIN_MISBEHAVED, 30, "the plugin broke its contract during a call")                      \
	X(PLUGIN_DUPLICATE, 31, "two plugins carry one name")                                        \
	X(CAPABILITY_WITHHELD, 32, "the bundle withholds a service that the plugin requires")        \
	X(SERVICE_MISSING, 33, "the world has no provider of that service")                          \
	/* 40..59: worlds, sessions, policy */                                                       \
	X(REALM_MISMATCH, 40, "two providers act on different places")                               \
	X(WORLD_MISMATCH, 41, "the object belongs to another world or generation")                   \
	X(PROOF_FAILED, 42, "the world could not be proven to be one place")                         \
	X(WORLD_CLOSED, 43, "the world was closed or retired")                                       \
	X(SESSION_NOT_FOUND, 44, "there is no such session")                                         \
	X(SESSION_BUSY, 45, "another process writes this session")                                   \
	X(WORKSPACE_INVALID, 46, "the workspace is missing, not a directory, or was replaced")       \
	X(WORKSPACE_REFUSED, 47, "the workspace is too wide to be writable")                         \
	X(POLICY_INVALID, 48, "the policy names something that does not exist or cannot be")         \
	X(SANDBOX_UNAVAILABLE, 49, "the command cannot be confined as asked; it was not run")        \
	X(POLICY_EVALUATION_FAILED, 50, "the guard failed; nothing was run")                         \
	X(UNKNOWN_DECISION, 51, "the guard gave a decision that this version does not know")         \
	X(POLICY_DENIED, 52, "the guard's rules refuse it; nothing was run")                         \
	X(APPROVAL_REQUIRED, 53, "a person has to approve it; nothing was run")                      \
	X(PERSON_REQUIRED, 54, "only a person outside the world may do this")                        \
	X(MODE_REFUSED, 55, "the wider mode may not be had")                                         \
	X(CONNECTION_LOST, 56, "the far side of the world is gone")                                  \
	/* 60..89: files */                                                                          \
	X(FS_NOT_FOUND, 60, "nothing is there")                                                      \
	X(FS_NOT_DIRECTORY, 61, "it is not a directory")                                             \
	X(FS_NOT_REGULAR_FILE, 62, "it is not a regular file")                                       \
	X(FS_NOT_TEXT, 63, "the content is binary")                                                  \
	X(FS_TOO_LARGE, 64, "the content is larger than this operation takes")                       \
	X(FS_PERMISSION_DENIED, 65, "the operating system refuses this user")                        \
	X(FS_SANDBOX_DENIED, 66, "the policy of the session refuses it")                             \
	X(FS_IO_ERROR, 67, "the file system reported an error")                                      \
	X(FS_STALE_VERSION, 68, "the file is not the version that was expected")                     \
	X(FS_EXISTS, 69, "something is there already")                                               \
	X(FS_NOT_OBSERVED, 70, "the session has not seen what it would change")                      \
	X(FS_AMBIGUOUS_EDIT, 71, "the old text occurs more than once")                               \
	X(FS_EDIT_NOT_FOUND, 72, "the old text does not occur")                                      \
	X(FS_ABORTED, 73, "the call was cancelled before anything was changed")                      \
	X(FS_LOOP, 74, "too many symbolic links")                                                    \
	X(FS_BAD_PATH, 75, "the path is empty or holds a NUL byte")                                  \
	X(FS_NAME_TOO_LONG, 76, "the path or one of its names is too long")                          \
	X(FS_NO_SPACE, 77, "the file system or the quota is full")                                   \
	X(FS_READ_ONLY, 78, "the file system is mounted read-only")                                  \
	X(FS_NOT_EMPTY, 79, "the directory is not empty")                                            \
	X(FS_CROSS_DEVICE, 80, "the two ends lie on different file systems")                         \
	X(FS_BUSY, 81, "another process uses the file")                                              \
	/* 90..109: processes */                                                                     \
	X(EXEC_NOT_FOUND, 90, "there is no such program")                                            \
	X(EXEC_NOT_EXECUTABLE, 91, "the file cannot be executed")                                    \
	X(CWD_INVALID, 92, "the working directory cannot be entered")                                \
	X(SPAWN_FAILED, 93, "the process could not be started")                                      \
	X(LAUNCHER_FAILED, 94, "the launcher is missing, untrusted or broke off")                    \
	X(PROCESS_NOT_FOUND, 95, "there is no such process")                                         \
	X(RANGE_LOST, 96, "the launcher was killed; what it kept was ended as far as it was seen")

enum uw_code {
	UW_OK = 0,
#define UW_ERROR_ENUM(name, number, meaning) UW_E_##name = -(number),
	UW_ERRORS(UW_ERROR_ENUM)
#undef UW_ERROR_ENUM
};

/* What a failed call did to the world. */
#define UW_EFFECTS(X)                                                                            \
	X(NONE, "none")       /* nothing was changed */                                              \
	X(DONE, "done")       /* it was committed; something after it failed */                      \
	X(UNKNOWN, "unknown") /* it may have been done */

enum uw_effect {
#define UW_EFFECT_ENUM(name, text) UW_EFFECT_##name,
	UW_EFFECTS(UW_EFFECT_ENUM)
#undef UW_EFFECT_ENUM
};

/* Where in its life a request failed. */
#define UW_STAGES(X)                                                                             \
	X(NONE, "none")                                                                              \
	X(CONFIG, "config")                                                                          \
	X(LOAD, "load")                                                                              \
	X(PREPARE, "prepare")                                                                        \
	X(COMMIT, "commit")                                                                          \
	X(RETIRE, "retire")                                                                          \
	X(SNAPSHOT, "snapshot")                                                                      \
	X(POLICY, "policy")                                                                          \
	X(CLASSIFY, "classify")                                                                      \
	X(APPROVE, "approve")                                                                        \
	X(QUEUE, "queue")                                                                            \
	X(CONFINE, "confine")                                                                        \
	X(RECORD, "record")                                                                          \
	X(SPAWN, "spawn")                                                                            \
	X(RUN, "run")                                                                                \
	X(SETTLE, "settle")                                                                          \
	X(RESOLVE, "resolve")                                                                        \
	X(FENCE, "fence")                                                                            \
	X(READ, "read")                                                                              \
	X(STAGE, "stage")                                                                            \
	X(PUBLISH, "publish")                                                                        \
	X(TRANSPORT, "transport")

enum uw_stage {
#define UW_STAGE_ENUM(name, text) UW_STAGE_##name,
	UW_STAGES(UW_STAGE_ENUM)
#undef UW_STAGE_ENUM
};

#define UW_ERROR_MESSAGE_MAX 2048
#define UW_ERROR_DETAIL_MAX  4096

/*
 * Caller-owned. Initialise with UW_ERROR_INIT; size tells the callee how much it
 * may write. message is one sentence or more for a person, without a newline at
 * its end. detail holds "name=value\n" lines (a value's backslash, newline and
 * control bytes are written \xHH) for machines: path, rule, expected, found, ...
 */
struct uw_error {
	size_t size;
	int32_t code;   /* enum uw_code */
	int32_t stage;  /* enum uw_stage */
	int32_t effect; /* enum uw_effect */
	int32_t os_errno;
	char message[UW_ERROR_MESSAGE_MAX];
	char detail[UW_ERROR_DETAIL_MAX];
};

#define UW_ERROR_INIT                                                                            \
	{                                                                                            \
		sizeof(struct uw_error), 0, 0, 0, 0, {0}, { 0 }                                          \
	}

/* The printed name of a code ("FS_NOT_FOUND"), or "UNKNOWN". Static memory. Any thread. */
static inline const char *uw_code_name(int code)
{
	switch (code) {
	case UW_OK: return "OK";
#define UW_ERROR_NAME(name, number, meaning)                                                     \
	case UW_E_##name: return #name;
		UW_ERRORS(UW_ERROR_NAME)
#undef UW_ERROR_NAME
	default: return "UNKNOWN";
	}
}

/* The meaning of a code, one line, static memory. Any thread. */
static inline const char *uw_code_meaning(int code)
{
	switch (code) {
	case UW_OK: return "success";
#define UW_ERROR_MEANING(name, number, meaning)                                                  \
	case UW_E_##name: return meaning;
		UW_ERRORS(UW_ERROR_MEANING)
#undef UW_ERROR_MEANING
	default: return "a code that this version does not know";
	}
}

/* The printed name of an effect. Static memory. Any thread. */
static inline const char *uw_effect_name(int effect)
{
	static const char *const names[] = {
#define UW_EFFECT_TEXT(name, text) text,
	    UW_EFFECTS(UW_EFFECT_TEXT)
#undef UW_EFFECT_TEXT
	};
	return effect >= 0 && (size_t)effect < sizeof names / sizeof names[0] ? names[effect] : "unknown";
}

/* The printed name of a stage. Static memory. Any thread. */
static inline const char *uw_stage_name(int stage)
{
	static const char *const names[] = {
#define UW_STAGE_TEXT(name, text) text,
	    UW_STAGES(UW_STAGE_TEXT)
#undef UW_STAGE_TEXT
	};
	return stage >= 0 && (size_t)stage < sizeof names / sizeof names[0] ? names[stage] : "none";
}

/*
 * Fills err (which may be NULL) and returns code, so that a failing path reads
 * "return uw_fail(...)". detail is emptied. Never allocates. Any thread.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
static inline int uw_fail(struct uw_error *err, int code, int stage, int effect, int os_errno,
                          const char *format, ...)
{
	va_list args;
	if (!err)
		return code;
	err->code = code;
	err->stage = stage;
	err->effect = effect;
	err->os_errno = os_errno;
	err->detail[0] = '\0';
	va_start(args, format);
	(void)vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return code;
}

/*
 * Appends one "name=value" line to err->detail, the value escaped as the struct
 * says. A line that does not fit is left out whole. NULL err or value: nothing.
 */
static inline void uw_error_detail(struct uw_error *err, const char *name, const char *value,
                                   size_t value_len)
{
	size_t at, i, start;
	if (!err || !value)
		return;
	for (at = 0; at < sizeof err->detail && err->detail[at]; at++)
		;
	start = at;
	for (i = 0; name[i]; i++)
		if (at < sizeof err->detail)
			err->detail[at++] = name[i];
	if (at < sizeof err->detail)
		err->detail[at++] = '=';
	for (i = 0; i < value_len; i++) {
		unsigned char byte = (unsigned char)value[i];
		if (at >= sizeof err->detail - 6) {
			err->detail[start < sizeof err->detail ? start : sizeof err->detail - 1] = '\0';
			return;
		}
		if (byte < 0x20 || byte == 0x7f || byte == '\\') {
			static const char hex[] = "0123456789abcdef";
			err->detail[at++] = '\\';
			err->detail[at++] = 'x';
			err->detail[at++] = hex[byte >> 4];
			err->detail[at++] = hex[byte & 15];
		} else {
			err->detail[at++] = (char)byte;
		}
	}
	if (at < sizeof err->detail - 1) {
		err->detail[at++] = '\n';
		err->detail[at] = '\0';
	} else {
		err->detail[start < sizeof err->detail ? start : sizeof err->detail - 1] = '\0';
	}
}

#ifdef __cplusplus
}
#endif
#endif
