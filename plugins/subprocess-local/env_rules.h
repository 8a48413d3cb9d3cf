/*
 * Which variables of the host's environment no command gets (P-3). Both lists
 * stand in env_rules.c in full. No state, any thread.
 */
#ifndef UW_SUBPROCESS_ENV_RULES_H
#define UW_SUBPROCESS_ENV_RULES_H

#include <umwelt/types.h>

#include <stddef.h>

/* The rule that denies the name of len bytes ("credential", "hook", "host"), or NULL. */
const char *env_denied(const char *name, size_t len);
/* 1 if the name belongs to the minimal environment. */
int env_minimal(const char *name, size_t len);
/* 1 if the name matches a pattern: exact, or a prefix that ends in `*`. */
int env_matches(const char *name, size_t len, const char *pattern);
/* A line for each rule: "kind match", e.g. "credential word KEY". */
int env_rules_print(struct uw_sink sink);

#endif
