/*
 * Finding a program (P-2): an absolute path, or a bare name in the PATH of the
 * child's environment as the child will see it. Links are not resolved.
 */
#ifndef UW_SUBPROCESS_RESOLVE_H
#define UW_SUBPROCESS_RESOLVE_H

#include <umwelt/subprocess.h>

#include "common/buf.h"
#include "environment.h"

/* Writes the inside path of the program. */
int resolve_program(const struct environment *environment, const struct uw_view *view,
                    const char *name, struct uw_buf *out, struct uw_error *err);

#endif
