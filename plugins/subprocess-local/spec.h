/*
 * What a caller may ask of spawn (case peer/F4). Checked before anything is
 * opened or started.
 */
#ifndef UW_SUBPROCESS_SPEC_H
#define UW_SUBPROCESS_SPEC_H

#include <umwelt/subprocess.h>

/* Copies a caller's struct of any age: members it did not know read as zero. INVALID_ARGS. */
int spec_copy(const struct uw_spawn *given, struct uw_spawn *ret_spec, struct uw_error *err);
int spec_check(const struct uw_spawn *spec, struct uw_error *err);

#endif
