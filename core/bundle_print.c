/*
 * bundle_print: the merged document as YAML (C-11): block style, one value a line,
 * its origin as a comment. Read again, it is the same document.
 */
#include "core/bundle.h"

#include "common/buf.h"
#include "common/text.h"

#include <string.h>

#define KEY_MAX 900 /* longer ones cannot be told from a value by YAML's own rule */

static void spaces(struct uw_buf *buf, size_t count)
{
	while (count--)
		uw_buf_byte(buf, ' ');
}

/* Words that read the same without quotes, wherever a block value or key stands. */
static int is_plain(const char *text)
{
	static const char safe[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
	static const char *const nulls[] = {"null", "Null", "NULL"};
	size_t len = strlen(text);
	for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
		if (!strcmp(text, nulls[i]))
			return 0;
	if (!len || text[strspn(text, safe)])
		return 0;
	if (*text == '-' || *text == '+' || *text == '.')
		return len > 1 && text[1] >= '0' && text[1] <= '9';
	return 1;
}

static uint32_t decode(const char *text, size_t len)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t point = (unsigned char)*text & first[len];
	for (size_t i = 1; i < len; i++)
		point = point << 6 | ((unsigned char)text[i] & 0x3f);
	return point;
}

/* Characters that YAML takes only escaped, or that would change how a line looks. */
static int is_hidden(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 ||
	       (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
	       point == 0xfeff || (point & 0xfffe) == 0xfffe;
}

/* is_value: ${ is written $${, as it would be read. */
static void quoted(struct uw_buf *buf, const char *text, int is_value)
{
	uw_buf_byte(buf, '"');
	for (size_t len; *text; text += len) {
		uint32_t point;
		len = uw_utf8_sequence(text, strlen(text) < 4 ? strlen(text) : 4);
		point = len ? decode(text, len) : (unsigned char)*text;
		if (is_value && !strncmp(text, "${", 2))
			uw_buf_byte(buf, '$');
		if (!len || is_hidden(point))
			uw_buf_printf(buf, point > 0xffff ? "\\U%08X" : "\\u%04X", point);
		else if (*text == '"' || *text == '\\')
			uw_buf_printf(buf, "\\%c", *text);
		else
			uw_buf_add(buf, text, len);
		len = len ? len : 1;
	}
	uw_buf_byte(buf, '"');
}

static void origin(struct uw_buf *buf, const struct uwi_node *node)
{
	uw_buf_text(buf, "  # ");
	uw_text_escape(buf, node->where, strlen(node->where));
	uw_buf_byte(buf, '\n');
}

static void print_map(struct uw_buf *buf, const struct uwi_node *map, size_t indent,
                      int first_inline);
static void print_list(struct uw_buf *buf, const struct uwi_node *list, size_t indent);

/* What stands on the line of its key or dash. */
static void print_leaf(struct uw_buf *buf, const struct uwi_node *node)
{
	uw_buf_byte(buf, ' ');
	if (node->kind == UWI_MAP)
		uw_buf_text(buf, "{}");
	else if (node->kind == UWI_LIST)
		uw_buf_text(buf, "[]");
	else if (node->kind != UWI_SCALAR)
		uw_buf_text(buf, "null");
	else if (!node->quoted && is_plain(node->text))
		uw_buf_text(buf, node->text);
	else
		quoted(buf, node->text, 1);
	origin(buf, node);
}

static int is_leaf(const struct uwi_node *node)
{
	return (node->kind != UWI_MAP && node->kind != UWI_LIST) || !node->count;
}

static void print_key(struct uw_buf *buf, const char *key, size_t indent)
{
	size_t start = buf->len;
	if (is_plain(key))
		uw_buf_text(buf, key);
	else
		quoted(buf, key, 0);
	if (buf->len - start <= KEY_MAX) {
		uw_buf_byte(buf, ':');
		return;
	}
	uw_buf_truncate(buf, start);
	uw_buf_text(buf, "? ");
	quoted(buf, key, 0);
	uw_buf_byte(buf, '\n');
	spaces(buf, indent);
	uw_buf_byte(buf, ':');
}

static void print_map(struct uw_buf *buf, const struct uwi_node *map, size_t indent,
                      int first_inline)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct uwi_node *item = map->items[i];
		if (i || !first_inline)
			spaces(buf, indent);
		print_key(buf, map->keys[i]->text, indent);
		if (is_leaf(item)) {
			print_leaf(buf, item);
			continue;
		}
		uw_buf_byte(buf, '\n');
		if (item->kind == UWI_MAP)
			print_map(buf, item, indent + 2, 0);
		else
			print_list(buf, item, indent + 2);
	}
}

static void print_list(struct uw_buf *buf, const struct uwi_node *list, size_t indent)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct uwi_node *item = list->items[i];
		spaces(buf, indent);
		uw_buf_byte(buf, '-');
		if (is_leaf(item)) {
			print_leaf(buf, item);
		} else if (item->kind == UWI_MAP) {
			uw_buf_byte(buf, ' ');
			print_map(buf, item, indent + 2, 1);
		} else {
			uw_buf_byte(buf, '\n');
			print_list(buf, item, indent + 2);
		}
	}
}

int uwi_bundle_print(const struct uwi_bundle *bundle, struct uw_sink sink, struct uw_error *err)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	print_map(&buf, bundle->root, 0, 0);
	if (buf.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "memory could not be had");
	return sink.write(sink.arg, buf.data ? buf.data : "", buf.len);
}
