/*
 * Examining the backends of this machine, each in a world of its own with a
 * temporary workspace: what a report says was seen, not guessed.
 */
#ifndef UW_CMD_DOCTOR_H
#define UW_CMD_DOCTOR_H

#include "cmd/cmd.h"

/* The enforcement table of one mode, or why it cannot be had. */
struct doctor_mode {
	int32_t mode;
	int32_t enforcement; /* 0: error */
	struct uw_enforcement_row rows[UW_OP_COUNT];
	char reasons[UW_OP_COUNT][256];
	struct uw_error error;
};

struct doctor_backend {
	char plugin[128]; /* empty: the bundle's own */
	int usable;
	char reason[UW_ERROR_MESSAGE_MAX];
	char advice[512];
	struct uw_error error; /* if it is not usable */
	struct doctor_mode modes[2];
};

/*
 * Opens bundle's world with `plugin` for its sandbox (NULL: the bundle's own) in
 * workspace, and fills *ret. What is wrong with the backend is no failure.
 */
int doctor_examine(struct invocation *in, const char *bundle, const char *plugin, const char *workspace,
                   struct doctor_backend *ret, struct uw_error *err);

#endif
