/*
 * settle: what an end means (S-40..S-43). Pure but for the two questions it asks:
 * what a path leads to, and whether this user could write there outside.
 *
 * Text on stderr decides nothing about whether a command ran or how it ended; it
 * is looked at only for an inferred denial, in the order cancelled, limit, denial,
 * plain exit.
 */
#ifndef UW_CORE_SETTLE_H
#define UW_CORE_SETTLE_H

#include <umwelt/umwelt.h>

/* What inference is given. */
struct uwi_settle {
	const struct uw_policy *policy;
	uint32_t dialect;      /* UW_DIALECT_* */
	const char *cwd;       /* outside path; base of relative ones */
	const char *text;      /* the end of stderr; NULL: it was not collected */
	size_t text_len;
	/* The canonical outside path of what a confined process calls `path`; 0 or -1. */
	int (*canonical)(void *arg, const char *path, size_t len, char *ret, size_t size);
	void *arg;
};

/* Fills denied, evidence, denied_path and denied_rule of an exit that is EXITED or later. */
void uwi_settle(const struct uwi_settle *settle, struct uw_exit *exit);

/* 1 if the policy lets a command write at this canonical path; else 0, *ret_rule says why. */
int uwi_settle_allows(const struct uw_policy *policy, const char *path, const char **ret_rule);

#endif
