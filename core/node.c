/* node: questions to one value of a tree (core/config.h), and problems found in it. */
#include "core/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct uwi_node *uwi_node_find(const struct uwi_node *map, const char *key)
{
	if (!map || map->kind != UWI_MAP)
		return NULL;
	for (size_t i = 0; i < map->count; i++)
		if (map->keys[i]->kind == UWI_SCALAR && !strcmp(map->keys[i]->text, key))
			return map->items[i];
	return NULL;
}

const struct uwi_node *uwi_node_get(const struct uwi_node *map, const char *key)
{
	return uwi_node_find(map, key);
}

int uwi_node_is(const struct uwi_node *node, const char *text)
{
	return node && node->kind == UWI_SCALAR && !strcmp(node->text, text);
}

int uwi_node_is_bool(const struct uwi_node *node)
{
	return node->kind == UWI_SCALAR && !node->quoted &&
	       (!strcmp(node->text, "true") || !strcmp(node->text, "false"));
}

int uwi_node_int(const struct uwi_node *node, int64_t *ret_value)
{
	const char *digit = node->text;
	char *end;
	long long value;
	if (node->kind != UWI_SCALAR || node->quoted)
		return -1;
	if (*digit == '-' || *digit == '+')
		digit++;
	if (*digit < '0' || *digit > '9')
		return -1;
	errno = 0;
	value = strtoll(node->text, &end, 10);
	if (*end || errno)
		return -1;
	*ret_value = value;
	return 0;
}

/* Integers and floats of YAML 1.2's core schema, decimal ones. */
int uwi_node_is_number(const struct uwi_node *node)
{
	const char *at = node->text;
	size_t digits;
	if (node->kind != UWI_SCALAR || node->quoted)
		return 0;
	if (*at == '-' || *at == '+')
		at++;
	if (!strcmp(at, ".inf") || !strcmp(node->text, ".nan"))
		return 1;
	digits = strspn(at, "0123456789");
	at += digits;
	if (*at == '.') {
		size_t fraction = strspn(++at, "0123456789");
		digits += fraction;
		at += fraction;
	}
	if (!digits)
		return 0;
	if (*at == 'e' || *at == 'E') {
		at++;
		if (*at == '-' || *at == '+')
			at++;
		digits = strspn(at, "0123456789");
		at += digits;
		if (!digits)
			return 0;
	}
	return *at == '\0';
}

const char *uwi_node_kind_name(const struct uwi_node *node)
{
	switch (node->kind) {
	case UWI_MAP: return "a map";
	case UWI_LIST: return "a list";
	case UWI_NULL: return "nothing";
	case UWI_SCALAR: break;
	case UWI_BROKEN: return "broken";
	}
	return uwi_node_is_bool(node)     ? "true or false"
	       : uwi_node_is_number(node) ? "a number"
	                                  : "text";
}

void uwi_key_path(char path[UWI_KEY_PATH_MAX], const char *parent, const char *key)
{
	(void)snprintf(path, UWI_KEY_PATH_MAX, "%.240s%s%.240s", parent, *parent ? "." : "", key);
}

void uwi_index_path(char path[UWI_KEY_PATH_MAX], const char *parent, size_t index)
{
	(void)snprintf(path, UWI_KEY_PATH_MAX, "%.400s[%zu]", parent, index);
}

static void add_number(struct uw_error *error, const char *name, unsigned number)
{
	char text[16];
	int len = snprintf(text, sizeof text, "%u", number);
	uw_error_detail(error, name, text, (size_t)len);
}

/* Line breaks and control bytes of a document must not forge lines of a log. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

void uwi_problem(struct uwi_problems *problems, int code, const struct uwi_node *at,
                 const char *path, const char *format, ...)
{
	struct uw_error error = UW_ERROR_INIT;
	char text[UW_ERROR_MESSAGE_MAX];
	const char *where = at && at->where ? at->where : "";
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	(void)uw_fail(&error, code, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "%s%s%s%s%s", where,
	              *where ? ": " : "", path, *path ? ": " : "", text);
	make_printable(error.message);
	if (at && at->file)
		uw_error_detail(&error, "file", at->file, strlen(at->file));
	if (at && at->line) {
		add_number(&error, "line", at->line);
		add_number(&error, "column", at->column);
	}
	if (*path)
		uw_error_detail(&error, "path", path, strlen(path));
	if (problems->count++ == 0) {
		problems->code = code;
		if (problems->first)
			*problems->first = error;
	}
	if (problems->report)
		problems->report(problems->arg, &error);
}

#define WORD_MAX 48

/* Edit distance with transpositions, of words up to WORD_MAX. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2], *turn;
	for (size_t j = 0; j <= b_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		turn = before;
		before = last;
		last = now;
		now = turn;
	}
	return last[b_len];
}

const char *uwi_nearest(const char *word, const char *(*names)(const void *arg, size_t index),
                        const void *arg)
{
	const char *found = NULL, *name;
	size_t len = strlen(word), best = len / 3 + 1;
	if (len < 2 || len > WORD_MAX)
		return NULL;
	if (best > 3)
		best = 3;
	best++;
	for (size_t i = 0; (name = names(arg, i)) != NULL; i++) {
		size_t name_len = strlen(name), far;
		if (name_len > WORD_MAX || name_len + 3 < len || len + 3 < name_len)
			continue;
		far = distance(word, len, name, name_len);
		if (far < best && far < name_len) {
			best = far;
			found = name;
		}
	}
	return found;
}

static const char *choice_name(const void *arg, size_t index)
{
	return ((const char *const *)arg)[index];
}

void uwi_wrong_choice(struct uwi_problems *problems, const struct uwi_node *node, const char *path,
                      const char *const *choices)
{
	const char *nearest = uwi_nearest(node->text, choice_name, choices);
	char list[512] = "";
	for (size_t i = 0; choices[i]; i++) {
		size_t used = strlen(list);
		(void)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices[i]);
	}
	uwi_problem(problems, UW_E_BUNDLE_INVALID, node, path, "`%.100s` is none of %s%s%s%s",
	            node->text, list, nearest ? "; did you mean `" : "", nearest ? nearest : "",
	            nearest ? "`?" : "");
}
