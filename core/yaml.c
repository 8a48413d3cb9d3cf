/*
 * yaml: libyaml's events as nodes.
 *
 * A frame per open collection; a value is attached to its parent when it is
 * complete, so that a collection in the place of a key is seen as one. Aliases
 * become copies, which count against the same budget as what is written out.
 */
#include "core/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct frame {
	struct uwi_node *node;
	struct uwi_node *key; /* MAP: read, its value not yet */
	size_t capacity;
};

struct anchor {
	const char *name;
	struct uwi_node *node;
	struct anchor *before;
};

struct reader {
	yaml_parser_t parser;
	struct uw_arena *arena;
	const struct uwi_source *source;
	struct uwi_problems *problems;
	struct frame frames[UWI_YAML_LEVELS];
	size_t depth;
	struct anchor *anchors; /* newest first */
	struct uwi_node *root;
	size_t values, documents;
	int stop; /* the rest of the document is not read */
	int no_memory;
};

static void *no_memory(struct reader *reader)
{
	reader->no_memory = reader->stop = 1;
	return NULL;
}

/* The key path of the value that is read now, and of `leaf` below it (may be NULL). */
static void find_path(const struct reader *reader, const char *leaf, char path[UWI_KEY_PATH_MAX])
{
	char parent[UWI_KEY_PATH_MAX];
	path[0] = '\0';
	for (size_t i = 0; i < reader->depth; i++) {
		const struct frame *frame = &reader->frames[i];
		(void)snprintf(parent, sizeof parent, "%s", path);
		if (frame->node->kind == UWI_LIST)
			uwi_index_path(path, parent, frame->node->count);
		else if (frame->key && frame->key->text)
			uwi_key_path(path, parent, frame->key->text);
	}
	if (leaf) {
		(void)snprintf(parent, sizeof parent, "%s", path);
		uwi_key_path(path, parent, leaf);
	}
}

__attribute__((format(printf, 4, 5))) static void
report(struct reader *reader, const struct uwi_node *at, const char *leaf, const char *format, ...)
{
	char path[UWI_KEY_PATH_MAX], text[UW_ERROR_MESSAGE_MAX];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	find_path(reader, leaf, path);
	uwi_problem(reader->problems, UW_E_BUNDLE_INVALID, at, path, "%s", text);
}

/* A fatal problem: nothing after it is read. */
static void stop(struct reader *reader, const struct uwi_node *at, const char *text)
{
	report(reader, at, NULL, "%s", text);
	reader->stop = 1;
}

static int place(struct reader *reader, struct uwi_node *node, size_t line, size_t column)
{
	const struct uwi_source *source = reader->source;
	node->file = source->file;
	node->dir = source->dir;
	node->trusted = source->trusted;
	if (source->where) {
		node->where = source->where;
		return 0;
	}
	node->line = (unsigned)line;
	node->column = (unsigned)column;
	node->where =
	    uw_arena_printf(reader->arena, "%s:%u:%u", source->file, node->line, node->column);
	if (!node->where)
		no_memory(reader);
	return node->where ? 0 : -1;
}

static struct uwi_node *new_node(struct reader *reader, enum uwi_node_kind kind, yaml_mark_t mark)
{
	struct uwi_node *node = uw_arena_alloc(reader->arena, 1, sizeof *node);
	if (!node)
		return no_memory(reader);
	node->kind = kind;
	node->text = ""; /* also of what becomes no text: a broken key is still looked at */
	if (place(reader, node, mark.line + 1, mark.column + 1) < 0)
		return NULL;
	if (++reader->values > UWI_YAML_VALUES) {
		stop(reader, node, "the document holds too many values (with those that aliases repeat)");
		return NULL;
	}
	return node;
}

static int grow(struct reader *reader, struct frame *frame)
{
	struct uwi_node *node = frame->node;
	size_t capacity = frame->capacity ? frame->capacity * 2 : 4;
	struct uwi_node **items = uw_arena_alloc(reader->arena, capacity, sizeof *items);
	struct uwi_node **keys =
	    node->kind != UWI_MAP ? NULL : uw_arena_alloc(reader->arena, capacity, sizeof *keys);
	if (!items || (node->kind == UWI_MAP && !keys)) {
		no_memory(reader);
		return -1;
	}
	if (node->count)
		memcpy(items, node->items, node->count * sizeof *items);
	if (node->count && keys)
		memcpy(keys, node->keys, node->count * sizeof *keys);
	node->items = items;
	node->keys = keys;
	frame->capacity = capacity;
	return 0;
}

/* What stands in the place of a key becomes a key, or BROKEN. */
static void take_key(struct reader *reader, struct frame *frame, struct uwi_node *node)
{
	frame->key = node;
	if (node->kind == UWI_BROKEN)
		return;
	if (node->kind == UWI_NULL && node->text_len)
		node->kind = UWI_SCALAR; /* ~ and null are words like others here */
	if (node->kind == UWI_SCALAR && node->text_len && (node->quoted || strcmp(node->text, "<<")))
		return;
	frame->key = NULL; /* not part of its own path */
	report(reader, node, NULL, "%s",
	       node->kind == UWI_SCALAR && node->text_len
	           ? "merge keys (<<) are not part of this format; use `extends`"
	           : "a key must be a word");
	frame->key = node;
	node->kind = UWI_BROKEN;
}

static void attach(struct reader *reader, struct uwi_node *node)
{
	struct frame *frame;
	if (!reader->depth) {
		reader->root = node;
		return;
	}
	frame = &reader->frames[reader->depth - 1];
	if (frame->node->kind == UWI_MAP && !frame->key) {
		take_key(reader, frame, node);
		return;
	}
	if (frame->node->count == frame->capacity && grow(reader, frame) < 0)
		return;
	if (frame->node->kind == UWI_MAP)
		frame->node->keys[frame->node->count] = frame->key;
	frame->node->items[frame->node->count++] = node;
	frame->key = NULL;
}

/* ---- anchors and aliases ---- */

static void remember(struct reader *reader, const yaml_char_t *name, struct uwi_node *node)
{
	struct anchor *anchor;
	if (!name)
		return;
	anchor = uw_arena_alloc(reader->arena, 1, sizeof *anchor);
	if (anchor)
		anchor->name = uw_arena_text(reader->arena, (const char *)name);
	if (!anchor || !anchor->name) {
		no_memory(reader);
		return;
	}
	anchor->node = node;
	anchor->before = reader->anchors;
	reader->anchors = anchor;
}

/* A copy with the positions of the original, below `level` levels. NULL: stopped. */
static struct uwi_node *copy(struct reader *reader, const struct uwi_node *node, size_t level)
{
	struct uwi_node *twin = uw_arena_alloc(reader->arena, 1, sizeof *twin);
	if (!twin)
		return no_memory(reader);
	*twin = *node;
	if (++reader->values > UWI_YAML_VALUES) {
		stop(reader, node, "aliases repeat too many values");
		return NULL;
	}
	if (node->kind != UWI_LIST && node->kind != UWI_MAP)
		return twin;
	if (level >= UWI_YAML_LEVELS) {
		stop(reader, node, "aliases nest more than 64 levels");
		return NULL;
	}
	twin->items = uw_arena_alloc(reader->arena, node->count, sizeof *twin->items);
	twin->keys = uw_arena_alloc(reader->arena, node->count, sizeof *twin->keys);
	if (!twin->items || !twin->keys)
		return no_memory(reader);
	for (size_t i = 0; i < node->count; i++) {
		if (node->kind == UWI_MAP)
			twin->keys[i] = copy(reader, node->keys[i], level + 1);
		if (node->kind == UWI_MAP && !twin->keys[i])
			return NULL;
		twin->items[i] = copy(reader, node->items[i], level + 1);
		if (!twin->items[i])
			return NULL;
	}
	return twin;
}

static int is_open(const struct reader *reader, const struct uwi_node *node)
{
	for (size_t i = 0; i < reader->depth; i++)
		if (reader->frames[i].node == node)
			return 1;
	return 0;
}

static void on_alias(struct reader *reader, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	const struct anchor *anchor = reader->anchors;
	struct uwi_node *node;
	while (anchor && strcmp(anchor->name, name))
		anchor = anchor->before;
	if (anchor && !is_open(reader, anchor->node)) {
		node = copy(reader, anchor->node, reader->depth);
		if (node)
			attach(reader, node);
		return;
	}
	node = new_node(reader, UWI_BROKEN, event->start_mark);
	if (!node)
		return;
	report(reader, node, NULL,
	       anchor ? "the alias *%s stands inside the value that it names"
	              : "the alias *%s has no anchor &%s before it",
	       name, name);
	attach(reader, node);
}

/* ---- values ---- */

static void check_tag(struct reader *reader, const struct uwi_node *node, const yaml_char_t *tag,
                      const char *allowed)
{
	const char *name = (const char *)tag;
	if (name && strcmp(name, "!") && strcmp(name, allowed))
		report(reader, node, NULL, "the tag %.100s is not part of this format; leave it out", name);
}

static int reads_as_null(const struct uwi_node *node)
{
	static const char *const words[] = {"", "~", "null", "Null", "NULL"};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!node->quoted && !strcmp(node->text, words[i]))
			return 1;
	return 0;
}

static void on_scalar(struct reader *reader, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	struct uwi_node *node = new_node(reader, UWI_SCALAR, event->start_mark);
	if (!node)
		return;
	check_tag(reader, node, event->data.scalar.tag, YAML_STR_TAG);
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || event->data.scalar.tag;
	node->text = uw_arena_copy(reader->arena, text, len);
	node->text_len = len;
	if (!node->text) {
		no_memory(reader);
		return;
	}
	if (memchr(text, '\0', len)) {
		report(reader, node, NULL, "a value cannot hold a NUL byte");
		node->kind = UWI_BROKEN;
	} else if (reads_as_null(node)) {
		node->kind = UWI_NULL;
	}
	remember(reader, event->data.scalar.anchor, node);
	attach(reader, node);
}

static void on_open(struct reader *reader, enum uwi_node_kind kind, yaml_mark_t mark,
                    const yaml_char_t *anchor, const yaml_char_t *tag)
{
	struct uwi_node *node = new_node(reader, kind, mark);
	if (!node)
		return;
	check_tag(reader, node, tag, kind == UWI_MAP ? YAML_MAP_TAG : YAML_SEQ_TAG);
	if (reader->depth == UWI_YAML_LEVELS) {
		stop(reader, node, "the document is nested more than 64 levels deep");
		return;
	}
	remember(reader, anchor, node);
	reader->frames[reader->depth++] = (struct frame){.node = node};
}

static int by_text(const void *left, const void *right)
{
	const struct uwi_node *a = *(struct uwi_node *const *)left,
	                      *b = *(struct uwi_node *const *)right;
	int order = strcmp(a->text, b->text);
	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}

static void check_duplicates(struct reader *reader, const struct uwi_node *map)
{
	struct uwi_node **keys = uw_arena_alloc(reader->arena, map->count, sizeof *keys);
	size_t count = 0;
	if (!keys) {
		no_memory(reader);
		return;
	}
	for (size_t i = 0; i < map->count; i++)
		if (map->keys[i]->kind == UWI_SCALAR)
			keys[count++] = map->keys[i];
	qsort(keys, count, sizeof *keys, by_text);
	for (size_t i = 1; i < count; i++)
		if (!strcmp(keys[i]->text, keys[i - 1]->text))
			report(reader, keys[i], keys[i]->text,
			       "the key is here a second time; the first is at line %u", keys[i - 1]->line);
}

static void on_close(struct reader *reader)
{
	struct uwi_node *node = reader->frames[--reader->depth].node;
	if (node->kind == UWI_MAP && node->count > 1)
		check_duplicates(reader, node);
	attach(reader, node);
}

/* ---- the stream ---- */

static void on_document(struct reader *reader, const yaml_event_t *event)
{
	struct uwi_node at = {.kind = UWI_BROKEN};
	if (reader->documents++ == 0)
		return;
	if (place(reader, &at, event->start_mark.line + 1, event->start_mark.column + 1) == 0)
		stop(reader, &at, "a second document begins here; a file holds one");
}

static void take(struct reader *reader, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT: on_document(reader, event); break;
	case YAML_SCALAR_EVENT: on_scalar(reader, event); break;
	case YAML_ALIAS_EVENT: on_alias(reader, event); break;
	case YAML_SEQUENCE_START_EVENT:
		on_open(reader, UWI_LIST, event->start_mark, event->data.sequence_start.anchor,
		        event->data.sequence_start.tag);
		break;
	case YAML_MAPPING_START_EVENT:
		on_open(reader, UWI_MAP, event->start_mark, event->data.mapping_start.anchor,
		        event->data.mapping_start.tag);
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: on_close(reader); break;
	case YAML_STREAM_END_EVENT: reader->stop = 1; break;
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_NO_EVENT: break;
	}
}

/* libyaml tells where a bad byte is by its offset alone. */
static void find_offset(const char *data, size_t offset, size_t *ret_line, size_t *ret_column)
{
	*ret_line = *ret_column = 1;
	for (size_t i = 0; i < offset; i++) {
		if (data[i] == '\n') {
			++*ret_line;
			*ret_column = 1;
		} else if (((unsigned char)data[i] & 0xc0) != 0x80) {
			++*ret_column;
		}
	}
}

static void on_syntax_error(struct reader *reader, const char *data, size_t len)
{
	const yaml_parser_t *parser = &reader->parser;
	struct uwi_node at = {.kind = UWI_BROKEN};
	size_t line = parser->problem_mark.line + 1, column = parser->problem_mark.column + 1;
	if (parser->error == YAML_MEMORY_ERROR) {
		no_memory(reader);
		return;
	}
	if (parser->error == YAML_READER_ERROR)
		find_offset(data, parser->problem_offset < len ? parser->problem_offset : len, &line,
		            &column);
	if (place(reader, &at, line, column) < 0)
		return;
	report(reader, &at, NULL, "no valid YAML: %s%s%s",
	       parser->problem ? parser->problem : "it cannot be read", parser->context ? ", " : "",
	       parser->context ? parser->context : "");
	reader->stop = 1;
}

static void read_all(struct reader *reader, const char *data, size_t len)
{
	yaml_event_t event;
	yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader->parser, (const unsigned char *)data, len);
	while (!reader->stop) {
		if (!yaml_parser_parse(&reader->parser, &event)) {
			on_syntax_error(reader, data, len);
			return;
		}
		take(reader, &event);
		yaml_event_delete(&event);
	}
}

int uwi_yaml_parse(struct uw_arena *arena, const struct uwi_source *source, const char *data,
                   size_t len, struct uwi_problems *problems, struct uwi_node **ret_root)
{
	struct reader reader = {.arena = arena, .source = source, .problems = problems};
	struct uwi_node at = {.kind = UWI_BROKEN};
	if (len > UWI_YAML_BYTES) {
		if (place(&reader, &at, 1, 1) < 0)
			return UW_E_NO_MEMORY;
		stop(&reader, &at, "the document is larger than 1 MiB");
		*ret_root = NULL;
		return 0;
	}
	if (!yaml_parser_initialize(&reader.parser))
		return UW_E_NO_MEMORY;
	read_all(&reader, data, len);
	yaml_parser_delete(&reader.parser);
	if (reader.no_memory)
		return UW_E_NO_MEMORY;
	*ret_root = reader.root;
	return 0;
}
