/* Telling what a mutation of content did: write and edit. */
#ifndef UW_CMD_WROTE_H
#define UW_CMD_WROTE_H

#include "cmd/cmd.h"

/*
 * Notes on stderr, the object on request, and the failure after the commit, if
 * there was one, as the result. verb: "write" or "edit".
 */
int cmd_tell_written(struct invocation *in, const char *verb, const struct uw_write_result *result,
                     struct uw_error *err);
/* The version of --if-version; *ret_given 0 if there is none. INVALID_ARGS. */
int cmd_if_version(const struct invocation *in, struct uw_version *ret_version, int *ret_given,
                   struct uw_error *err);

#endif
