/* Building and printing JSON. */
#include "cmd/json.h"

#include <stdlib.h>
#include <string.h>

#include <umwelt/host.h>

#include "cmd/text.h"
#include "common/buf.h"
#include "common/cleanup.h"

/* jansson's allocator is the process's own, and so is what became of it. One thread builds JSON. */
static int lost_memory;
static void *(*allocator)(size_t size);

static void *watched(size_t size)
{
	void *memory = allocator(size);
	lost_memory |= !memory;
	return memory;
}

void cmd_json_start(void *(*allocate)(size_t size))
{
	allocator = allocate;
	lost_memory = 0;
	json_set_alloc_funcs(watched, free);
}

static int no_memory(void)
{
	lost_memory = 1;
	return -1;
}

int cmd_json_put(json_t *object, const char *name, json_t *value)
{
	return json_object_set_new(object, name, value) < 0 ? -1 : 0;
}

static int list_as_escaped(json_t *object, const char *name)
{
	json_t *list = json_object_get(object, "escaped");
	if (!list) {
		list = json_array();
		if (cmd_json_put(object, "escaped", list) < 0)
			return -1;
	}
	return json_array_append_new(list, json_string(name));
}

int cmd_json_text(json_t *object, const char *name, const char *data, size_t len)
{
	UW_AUTO_BUF escaped = UW_BUF_INIT;
	if (!data && len == 0)
		return cmd_json_put(object, name, json_null());
	if (cmd_text_is_plain(data, len))
		return cmd_json_put(object, name, json_stringn(data, len));
	cmd_text_escape(&escaped, data, len);
	if (escaped.failed)
		return no_memory();
	if (cmd_json_put(object, name, json_stringn(escaped.data, escaped.len)) < 0)
		return -1;
	return list_as_escaped(object, name);
}

int cmd_json_string(json_t *object, const char *name, const char *text)
{
	return cmd_json_text(object, name, text, text ? strlen(text) : 0);
}

int cmd_json_integer(json_t *object, const char *name, int64_t number)
{
	return cmd_json_put(object, name, json_integer(number));
}

int cmd_json_unsigned(json_t *object, const char *name, uint64_t number)
{
	/* jansson has no unsigned: what does not fit is not a size that exists */
	return cmd_json_put(object, name, json_integer(number > INT64_MAX ? INT64_MAX : (int64_t)number));
}

int cmd_json_bool(json_t *object, const char *name, int truth)
{
	return cmd_json_put(object, name, json_boolean(truth));
}

char *cmd_json_bytes(const json_t *object, const char *name, size_t *ret_len)
{
	UW_AUTO_BUF bytes = UW_BUF_INIT;
	const json_t *value = json_object_get(object, name), *list = json_object_get(object, "escaped"), *item;
	size_t i;
	int escaped = 0;
	if (!json_is_string(value))
		return NULL;
	json_array_foreach(list, i, item)
		escaped |= json_is_string(item) && !strcmp(json_string_value(item), name);
	if (!escaped)
		uw_buf_add(&bytes, json_string_value(value), json_string_length(value));
	else
		uw_text_unescape(&bytes, json_string_value(value), json_string_length(value));
	*ret_len = bytes.len;
	return uw_buf_steal(&bytes);
}

/* The "name=value" lines of an error, escapes of the values undone. */
static int add_details(json_t *details, const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n'), *equals;
		size_t len = end ? (size_t)(end - text) : strlen(text);
		equals = memchr(text, '=', len);
		if (equals) {
			UW_AUTO_BUF name = UW_BUF_INIT;
			UW_AUTO_BUF value = UW_BUF_INIT;
			size_t at = (size_t)(equals - text) + 1;
			uw_buf_add(&name, text, at - 1);
			uw_text_unescape(&value, text + at, len - at);
			uw_buf_text(&value, ""); /* data is not NULL for an empty value */
			if (name.failed || value.failed)
				return no_memory();
			if (cmd_json_text(details, name.data, value.data, value.len) < 0)
				return -1;
		}
		text += len + (end != NULL);
	}
	return 0;
}

json_t *cmd_json_error(const struct uw_error *error)
{
	json_t *object = json_object(), *details = json_object();
	int bad = cmd_json_string(object, "code", uw_code_name(error->code)) < 0;
	bad |= cmd_json_string(object, "stage", uw_stage_name(error->stage)) < 0;
	bad |= cmd_json_string(object, "effect", uw_effect_name(error->effect)) < 0;
	bad |= cmd_json_string(object, "message", error->message) < 0;
	if (error->os_errno)
		bad |= cmd_json_integer(object, "os_errno", error->os_errno) < 0;
	bad |= !details || add_details(details, error->detail) < 0;
	bad |= cmd_json_put(object, "detail", details) < 0;
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

int cmd_json_version(json_t *object, const char *name, const struct uw_version *version)
{
	char text[UW_VERSION_TEXT_SIZE];
	uw_version_format(version, text);
	return cmd_json_string(object, name, text);
}

/* Bytes of a character that splits lines for some readers, or 0. */
static size_t splits_lines(const char *at, size_t len, const char **ret_escape)
{
	if (len >= 2 && !memcmp(at, "\xc2\x85", 2)) {
		*ret_escape = "\\u0085";
		return 2;
	}
	if (len >= 3 && !memcmp(at, "\xe2\x80", 2) && (at[2] == '\xa8' || at[2] == '\xa9')) {
		*ret_escape = at[2] == '\xa8' ? "\\u2028" : "\\u2029";
		return 3;
	}
	return 0;
}

char *cmd_json_line(const json_t *object, size_t *ret_len)
{
	UW_AUTO_FREE char *text = json_dumps(object, JSON_COMPACT);
	UW_AUTO_BUF line = UW_BUF_INIT;
	size_t len, at = 0, from = 0;
	if (!text || lost_memory)
		return NULL;
	/* outside of strings JSON is ASCII, so these bytes stand in strings only */
	for (len = strlen(text); at < len;) {
		const char *escape;
		size_t step = splits_lines(text + at, len - at, &escape);
		if (step) {
			uw_buf_add(&line, text + from, at - from);
			uw_buf_text(&line, escape);
			from = at + step;
		}
		at += step ? step : 1;
	}
	uw_buf_add(&line, text + from, len - from);
	uw_buf_byte(&line, '\n');
	*ret_len = line.len;
	return uw_buf_steal(&line);
}
