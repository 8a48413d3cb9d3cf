/*
 * The environment of one command (P-3): the host's as the provider was made with
 * it, less what env_rules.c denies, plus what the spec sets. Words are borrowed
 * from the provider and the spec, so it lives as long as the call of spawn.
 */
#ifndef UW_SUBPROCESS_ENVIRONMENT_H
#define UW_SUBPROCESS_ENVIRONMENT_H

#include <umwelt/plugin.h>
#include <umwelt/subprocess.h>

#include <stddef.h>

/* What of the host's environment may pass: taken once, when the provider is made. */
struct env_base {
	char **configured; /* by env_pass; NULL-terminated */
	char **minimal;
};

/*
 * env_pass: "all", "minimal", or names (which pass although a list denies them:
 * the owner named them; a pattern with `*` does not win over the lists).
 */
int env_base_init(struct env_base *base, char *const *host, const char *const *pass, size_t pass_count,
                  struct uw_error *err);
void env_base_finish(struct env_base *base);

struct environment {
	const char **words; /* NULL-terminated */
	size_t count;
};

/* `own` are words that this provider adds where the spec neither sets nor unsets them. */
int environment_build(const struct env_base *base, const struct uw_spawn *spawn,
                      const char *const *own, size_t own_count, struct environment *ret,
                      struct uw_error *err);
void environment_finish(struct environment *environment);
/* The value of a variable, or NULL. */
const char *environment_get(const struct environment *environment, const char *name);

#endif
