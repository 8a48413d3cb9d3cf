#include "environment.h"

#include "common/cleanup.h"
#include "env_rules.h"

#include <stdlib.h>
#include <string.h>

static size_t name_len(const char *word)
{
	return strcspn(word, "=");
}

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
	               "no memory for the environment");
}

static int passes(const char *name, size_t len, const char *const *pass, size_t pass_count)
{
	for (size_t i = 0; i < pass_count; i++) {
		if (!strcmp(pass[i], "all") || (!strcmp(pass[i], "minimal") && env_minimal(name, len))) {
			if (!env_denied(name, len))
				return 1;
		} else if (env_matches(name, len, pass[i])) {
			if (!strchr(pass[i], '*') || !env_denied(name, len))
				return 1;
		}
	}
	return 0;
}

static int seen_before(char *const *words, size_t count, const char *word, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (name_len(words[i]) == len && !memcmp(words[i], word, len))
			return 1;
	return 0;
}

static char **filter(char *const *host, const char *const *pass, size_t pass_count)
{
	size_t count = 0, kept = 0;
	char **words;
	while (host && host[count])
		count++;
	words = calloc(count + 1, sizeof *words);
	if (!words)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t len = name_len(host[i]);
		/* of a name that stands twice, getenv and we see the first */
		if (!len || !host[i][len] || !passes(host[i], len, pass, pass_count) ||
		    seen_before(words, kept, host[i], len))
			continue;
		words[kept] = strdup(host[i]);
		if (!words[kept++]) {
			while (kept)
				free(words[--kept]);
			free(words);
			return NULL;
		}
	}
	return words;
}

int env_base_init(struct env_base *base, char *const *host, const char *const *pass, size_t pass_count,
                  struct uw_error *err)
{
	static const char *const minimal[] = {"minimal"};
	base->configured = filter(host, pass, pass_count);
	base->minimal = filter(host, minimal, 1);
	if (base->configured && base->minimal)
		return 0;
	env_base_finish(base);
	return no_memory(err);
}

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

void env_base_finish(struct env_base *base)
{
	free_words(base->configured);
	free_words(base->minimal);
	base->configured = base->minimal = NULL;
}

static size_t count_of(const char *const *words)
{
	size_t count = 0;
	while (words && words[count])
		count++;
	return count;
}

static int sets(const char *const *words, const char *name, size_t len)
{
	for (size_t i = 0; words && words[i]; i++)
		if (name_len(words[i]) == len && !memcmp(words[i], name, len))
			return 1;
	return 0;
}

static int check_words(const struct uw_spawn *spawn, struct uw_error *err)
{
	for (size_t i = 0; spawn->env_set && spawn->env_set[i]; i++) {
		const char *word = spawn->env_set[i];
		if (!name_len(word) || !word[name_len(word)])
			return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
			               "env_set: \"%s\" is not NAME=VALUE", word);
	}
	for (size_t i = 0; spawn->env_unset && spawn->env_unset[i]; i++)
		if (!spawn->env_unset[i][0] || strchr(spawn->env_unset[i], '='))
			return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0,
			               "env_unset: \"%s\" is not a name", spawn->env_unset[i]);
	return 0;
}

static void add_unless_decided(struct environment *environment, const struct uw_spawn *spawn,
                               const char *word)
{
	size_t len = name_len(word);
	if (!sets(spawn->env_set, word, len) && !sets(spawn->env_unset, word, len))
		environment->words[environment->count++] = word;
}

int environment_build(const struct env_base *base, const struct uw_spawn *spawn,
                      const char *const *own, size_t own_count, struct environment *ret,
                      struct uw_error *err)
{
	const char *const *words = NULL;
	int r = check_words(spawn, err);
	if (r < 0)
		return r;
	if (spawn->env_base == UW_ENV_CONFIGURED)
		words = (const char *const *)base->configured;
	else if (spawn->env_base == UW_ENV_MINIMAL)
		words = (const char *const *)base->minimal;
	ret->count = 0;
	ret->words = calloc(count_of(words) + count_of(spawn->env_set) + own_count + 1, sizeof *ret->words);
	if (!ret->words)
		return no_memory(err);
	for (size_t i = 0; words && words[i]; i++) {
		/* what this provider adds stands for the host's own value */
		int replaced = 0;
		for (size_t k = 0; k < own_count; k++)
			replaced |= name_len(own[k]) == name_len(words[i]) &&
			            !memcmp(own[k], words[i], name_len(words[i]));
		if (!replaced)
			add_unless_decided(ret, spawn, words[i]);
	}
	for (size_t i = 0; i < own_count; i++)
		add_unless_decided(ret, spawn, own[i]);
	/* of a name that is set twice, the later holds */
	for (size_t i = 0; spawn->env_set && spawn->env_set[i]; i++)
		if (!sets(spawn->env_set + i + 1, spawn->env_set[i], name_len(spawn->env_set[i])))
			ret->words[ret->count++] = spawn->env_set[i];
	return 0;
}

void environment_finish(struct environment *environment)
{
	free(environment->words);
	environment->words = NULL;
}

const char *environment_get(const struct environment *environment, const char *name)
{
	size_t len = strlen(name);
	for (size_t i = 0; i < environment->count; i++)
		if (!strncmp(environment->words[i], name, len) && environment->words[i][len] == '=')
			return environment->words[i] + len + 1;
	return NULL;
}
