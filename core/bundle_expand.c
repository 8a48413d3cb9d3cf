/*
 * bundle_expand: ${NAME} in values (C-12): only names of `env:`, once, and only
 * where the value is free text: nothing that decides what confines or what is
 * loaded comes from the environment (C-21). $${ is a written ${. All that is
 * expanded together is bounded.
 */
#include "core/bundle_internal.h"

#include "common/buf.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

#define EXPANDED_MAX ((size_t)1 << 20)
#define NAME_SIZE 256

struct expansion {
	struct uwi_loading *loading;
	const struct uwi_node *env;
	size_t total;
};

static int is_listed(const struct uwi_node *env, const char *name)
{
	if (env && env->kind == UWI_SCALAR)
		return uwi_node_is(env, name);
	for (size_t i = 0; env && env->kind == UWI_LIST && i < env->count; i++)
		if (uwi_node_is(env->items[i], name))
			return 1;
	return 0;
}

#define PROBLEM(expansion, node, path, ...)                                                        \
	uwi_problem((expansion)->loading->problems, UW_E_BUNDLE_INVALID, node, path, __VA_ARGS__)

/* The value of the name between `${` and `}`, or NULL: reported. */
static const char *value_of(struct expansion *expansion, const struct uwi_node *node,
                            const char *path, const char *text, size_t len)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	char name[NAME_SIZE];
	const char *value;
	if (!len || len >= sizeof name || strspn(text, allowed) < len ||
	    (*text >= '0' && *text <= '9')) {
		PROBLEM(expansion, node, path,
		        "${ begins the name of a variable, ${NAME}; write $${ for ${ itself");
		return NULL;
	}
	memcpy(name, text, len);
	name[len] = '\0';
	if (!is_listed(expansion->env, name)) {
		PROBLEM(expansion, node, path,
		        "${%s} is not listed in `env:`; write `env: [%s]`, or $${ for ${ itself", name,
		        name);
		return NULL;
	}
	value = getenv(name);
	if (!value)
		PROBLEM(expansion, node, path, "the environment has no variable %s", name);
	else if (!uw_utf8_valid(value, strlen(value)))
		PROBLEM(expansion, node, path, "the variable %s is not UTF-8", name);
	else
		return value;
	return NULL;
}

/* The text with its variables' values in `buf`; -1: reported. */
static int fill(struct expansion *expansion, const struct uwi_node *node, const char *path,
                struct uw_buf *buf)
{
	const char *at = node->text;
	while (*at && buf->len <= EXPANDED_MAX) {
		const char *end, *value;
		if (!strncmp(at, "$${", 3)) {
			uw_buf_text(buf, "${");
			at += 3;
			continue;
		}
		if (strncmp(at, "${", 2) != 0) {
			uw_buf_byte(buf, *at++);
			continue;
		}
		end = strchr(at, '}');
		value = value_of(expansion, node, path, at + 2, end ? (size_t)(end - at - 2) : 0);
		if (!value)
			return -1;
		uw_buf_text(buf, value);
		at = end + 1;
	}
	return 0;
}

static int expand_text(struct expansion *expansion, const struct uwi_rule *rule, int is_plugins,
                       struct uwi_node *node, const char *path)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	if (node->literal || !strstr(node->text, "${"))
		return 0;
	if (!is_plugins && !(rule->flags & UWI_RULE_ENV)) {
		PROBLEM(expansion, node, path, "the value of this key cannot come from the environment");
		return 0;
	}
	if (fill(expansion, node, path, &buf) < 0)
		return 0;
	expansion->total += buf.len;
	if (expansion->total > EXPANDED_MAX) {
		PROBLEM(expansion, node, path, "the variables of this document expand to more than 1 MiB");
		return 0;
	}
	node->text = buf.failed ? NULL : uw_arena_copy(expansion->loading->arena, buf.data, buf.len);
	if (!node->text) {
		node->text = "";
		return UW_E_NO_MEMORY;
	}
	node->text_len = buf.len;
	return 0;
}

static int expand_scalar(struct expansion *expansion, const struct uwi_rule *rule, int is_plugins,
                         struct uwi_node *node, const char *path)
{
	int status = expand_text(expansion, rule, is_plugins, node, path);
	if (!status && !strncmp(node->text, "~/", 2))
		PROBLEM(
		    expansion, node, path,
		    "~ is not expanded here; write the absolute path, or ${HOME}/%.100s with `env: [HOME]`",
		    node->text + 2);
	return status;
}

/* rule NULL with is_plugins: a plugin's value. rule NULL else: the document. */
static int expand(struct expansion *expansion, const struct uwi_rule *rule, int is_plugins,
                  struct uwi_node *node, const char *path)
{
	char below[UWI_KEY_PATH_MAX];
	int status = 0;
	if (node->kind == UWI_SCALAR)
		return expand_scalar(expansion, rule, is_plugins, node, path);
	if (node->kind != UWI_LIST && node->kind != UWI_MAP)
		return 0;
	for (size_t i = 0; i < node->count && !status; i++) {
		const struct uwi_rule *next = rule;
		if (node->kind == UWI_MAP && node->keys[i]->kind != UWI_SCALAR)
			continue;
		if (node->kind == UWI_LIST) {
			uwi_index_path(below, path, i);
			if (rule && rule->kind == UWI_RULE_LIST)
				next = uwi_rule_member(rule);
		} else {
			uwi_key_path(below, path, node->keys[i]->text);
			if (!is_plugins && (!rule || rule->kind != UWI_RULE_ROOTS))
				next = uwi_rule_below(rule, node->keys[i]->text);
		}
		status = expand(expansion, next, is_plugins || !next, node->items[i], below);
	}
	return status;
}

int uwi_expand(struct uwi_loading *loading)
{
	struct expansion expansion = {.loading = loading, .env = uwi_node_get(loading->root, "env")};
	return expand(&expansion, NULL, 0, loading->root, "");
}
