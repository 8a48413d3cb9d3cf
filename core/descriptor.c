#include "core/descriptor.h"

#include "common/cleanup.h"

#include <ctype.h>
#include <string.h>
#include <umwelt/umwelt.h>

#define PROVIDES_MAX 32
#define SERVICES_MAX 64
#define KEYS_MAX     256
#define CHOICES_MAX  256
#define TABLE_MAX    ((size_t)4096)

#define UPTO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

const struct uwi_shape uwi_shapes[] = {
    {UW_FS_SERVICE, sizeof(struct uw_fs_v1), UPTO(struct uw_fs_v1, path_of_local)},
    {UW_SUBPROCESS_SERVICE, sizeof(struct uw_subprocess_v1), UPTO(struct uw_subprocess_v1, env_rules)},
    {UW_SANDBOX_SERVICE, sizeof(struct uw_sandbox_v1), UPTO(struct uw_sandbox_v1, status)},
    {UW_POLICY_SERVICE, sizeof(struct uw_policy_v1), UPTO(struct uw_policy_v1, resolve)},
    {UW_SHELL_SERVICE, sizeof(struct uw_shell_v1), UPTO(struct uw_shell_v1, dialect)},
    {NULL, 0, 0},
};

struct copying {
	struct uw_arena *arena;
	const char *path;
	const struct uwi_shape *shapes;
	struct uw_error *err;
};

static int invalid(const struct copying *copying, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int invalid(const struct copying *copying, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	uw_fail(copying->err, UW_E_PLUGIN_INVALID, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "plugin %s: %s",
	        copying->path, text);
	uw_error_detail(copying->err, "path", copying->path, strlen(copying->path));
	return UW_E_PLUGIN_INVALID;
}

int uwi_plugin_name_valid(const char *text)
{
	size_t len = strlen(text);
	return len > 0 && len <= 64 && islower((unsigned char)text[0]) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* "name/revision" */
static int service_valid(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
	size_t digits;
	if (len == 0 || len > 64 || text[len] != '/')
		return 0;
	digits = strspn(text + len + 1, "0123456789");
	return digits > 0 && digits < 6 && text[len + 1 + digits] == '\0';
}

static int key_name_valid(const char *text)
{
	size_t len = strlen(text);
	if (!strcmp(text, "plugin") || !strcmp(text, "name"))
		return 0;
	return len > 0 && len <= 64 && islower((unsigned char)text[0]) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

/* One line without control bytes. */
static int line_valid(const char *text)
{
	if (!text || strlen(text) > 1024)
		return 0;
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return 0;
	return 1;
}

/* A NULL-terminated list of texts, all valid by `valid` (NULL: any). */
static int copy_list(const struct copying *copying, const char *const *given, size_t max,
                     int (*valid)(const char *), const char *what, const char *const **ret)
{
	size_t count = 0;
	char **list;
	*ret = NULL;
	if (!given)
		return 0;
	for (; given[count]; count++) {
		if (count == max)
			return invalid(copying, "%s is longer than %zu entries or not ended by NULL", what, max);
		if (valid && !valid(given[count]))
			return invalid(copying, "%s holds \"%s\", which is malformed", what, given[count]);
	}
	list = uw_arena_alloc(copying->arena, count + 1, sizeof *list);
	for (size_t i = 0; list && i < count; i++)
		list[i] = uw_arena_text(copying->arena, given[i]);
	*ret = (const char *const *)list;
	return 0;
}

/* ---- interface tables ---- */

static const struct uwi_shape *find_shape(const struct copying *copying, const char *service)
{
	for (const struct uwi_shape *shape = copying->shapes; shape->service; shape++)
		if (!strcmp(shape->service, service))
			return shape;
	return NULL;
}

/* All functions of the first release stand after the size. */
static int check_functions(const struct copying *copying, const char *service, const char *table,
                           size_t mandatory)
{
	for (size_t at = sizeof(size_t); at + sizeof(void *) <= mandatory; at += sizeof(void *)) {
		void *function;
		memcpy(&function, table + at, sizeof function);
		if (!function)
			return invalid(copying, "function %zu of its %s table is NULL; all %zu are mandatory",
			               at / sizeof(void *), service, mandatory / sizeof(void *) - 1);
	}
	return 0;
}

static int copy_table(const struct copying *copying, const struct uw_provides *given, const void **ret)
{
	const struct uwi_shape *shape = find_shape(copying, given->service);
	size_t size, known;
	char *table;
	int result = 0;
	if (!given->interface_table)
		return invalid(copying, "its table of %s is NULL", given->service);
	memcpy(&size, given->interface_table, sizeof size);
	if (size < 2 * sizeof(void *) || size > TABLE_MAX || size % sizeof(void *))
		return invalid(copying, "its table of %s says it has %zu bytes, which cannot be", given->service, size);
	if (shape && size < shape->mandatory)
		return invalid(copying, "its table of %s has %zu bytes, at least %zu are mandatory", given->service, size,
		               shape->mandatory);
	if (shape)
		result = check_functions(copying, given->service, given->interface_table, shape->mandatory);
	if (result < 0)
		return result;
	known = shape ? shape->known : size;
	table = uw_arena_alloc(copying->arena, 1, known);
	if (table) {
		memcpy(table, given->interface_table, size < known ? size : known);
		memcpy(table, &known, sizeof known);
	}
	*ret = table;
	return 0;
}

static int copy_provides(const struct copying *copying, const struct uw_plugin *given, struct uw_plugin *ret)
{
	struct uw_provides *provides;
	size_t count = given->provides_count;
	if (count == 0 || count > PROVIDES_MAX || !given->provides)
		return invalid(copying, "it provides %zu services, wanted 1 to %d", given->provides ? count : 0,
		               PROVIDES_MAX);
	provides = uw_arena_alloc(copying->arena, count, sizeof *provides);
	for (size_t i = 0; provides && i < count; i++) {
		const struct uw_provides *from = &given->provides[i];
		int result;
		if (!from->service || !service_valid(from->service))
			return invalid(copying, "service %zu is called \"%s\", wanted NAME/REVISION", i + 1,
			               from->service ? from->service : "(NULL)");
		for (size_t k = 0; k < i; k++)
			if (!strcmp(provides[k].service, from->service))
				return invalid(copying, "it provides %s twice", from->service);
		if (from->threads != UW_THREADS_PARALLEL && from->threads != UW_THREADS_SERIAL)
			return invalid(copying, "%s has thread model %d, wanted 1 (parallel) or 2 (serial)", from->service,
			               (int)from->threads);
		result = copy_table(copying, from, &provides[i].interface_table);
		if (result < 0)
			return result;
		provides[i].threads = from->threads;
		provides[i].service = uw_arena_text(copying->arena, from->service);
		if (!provides[i].service || !provides[i].interface_table)
			break;
	}
	ret->provides = provides;
	ret->provides_count = count;
	return 0;
}

/* ---- keys ---- */

/* The default must be a value that the key itself would take. */
static int default_valid(const struct uw_key *key)
{
	const char *text = key->default_value;
	char *end;
	long long number;
	if (!text)
		return 1;
	switch (key->type) {
	case UW_KEY_BOOL: return !strcmp(text, "true") || !strcmp(text, "false");
	case UW_KEY_INT:
		errno = 0;
		number = strtoll(text, &end, 10);
		if (errno || end == text || *end)
			return 0;
		return (!key->min && !key->max) || (number >= key->min && number <= key->max);
	case UW_KEY_CHOICE:
		for (size_t i = 0; key->choices[i]; i++)
			if (!strcmp(key->choices[i], text))
				return 1;
		return 0;
	default: return 1;
	}
}

static int check_key(const struct copying *copying, const struct uw_key *key, size_t index)
{
	if (!key->name || !key_name_valid(key->name))
		return invalid(copying, "config key %zu is called \"%s\", which is malformed or reserved", index + 1,
		               key->name ? key->name : "(NULL)");
	if (key->type < UW_KEY_BOOL || key->type > UW_KEY_TREE)
		return invalid(copying, "config key %s has type %d, which this version does not know", key->name,
		               (int)key->type);
	if (key->min > key->max)
		return invalid(copying, "config key %s has bounds %lld to %lld", key->name, (long long)key->min,
		               (long long)key->max);
	if (key->type == UW_KEY_CHOICE && (!key->choices || !key->choices[0]))
		return invalid(copying, "config key %s is a choice without choices", key->name);
	if (!line_valid(key->help) || !key->help[0])
		return invalid(copying, "config key %s has no line of help", key->name);
	if (!default_valid(key))
		return invalid(copying, "config key %s has the default \"%s\", which it would refuse", key->name,
		               key->default_value);
	if (key->narrowing != UW_KEY_OWNER && key->narrowing != UW_KEY_NARROWING)
		return invalid(copying, "config key %s is neither owner nor narrowing (%d)", key->name,
		               (int)key->narrowing);
	return 0;
}

static int copy_keys(const struct copying *copying, const struct uw_plugin *given, struct uw_plugin *ret)
{
	struct uw_key *keys;
	if (given->key_count > KEYS_MAX || (given->key_count && !given->keys))
		return invalid(copying, "it has %zu config keys%s, at most %d can be", given->key_count,
		               given->keys ? "" : " and no table", KEYS_MAX);
	keys = uw_arena_alloc(copying->arena, given->key_count + 1, sizeof *keys);
	for (size_t i = 0; keys && i < given->key_count; i++) {
		int result = check_key(copying, &given->keys[i], i);
		for (size_t k = 0; result == 0 && k < i; k++)
			if (!strcmp(given->keys[k].name, given->keys[i].name))
				result = invalid(copying, "it has config key %s twice", given->keys[i].name);
		keys[i] = given->keys[i];
		if (result == 0)
			result = copy_list(copying, given->keys[i].choices, CHOICES_MAX, NULL, "a list of choices",
			                   &keys[i].choices);
		if (result < 0)
			return result;
		keys[i].name = uw_arena_text(copying->arena, given->keys[i].name);
		keys[i].default_value = uw_arena_text(copying->arena, given->keys[i].default_value);
		keys[i].help = uw_arena_text(copying->arena, given->keys[i].help);
	}
	ret->keys = keys;
	ret->key_count = given->key_count;
	return 0;
}

/* ---- the whole ---- */

static int check_abi(const struct copying *copying, const struct uw_plugin *given)
{
	const size_t mandatory = UPTO(struct uw_plugin, destroy);
	if (given->abi_major != UW_ABI_MAJOR) {
		uw_fail(copying->err, UW_E_PLUGIN_ABI_MISMATCH, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		        "plugin %s was built for ABI major %u, this host has %u; rebuild it", copying->path,
		        (unsigned)given->abi_major, UW_ABI_MAJOR);
		uw_error_detail(copying->err, "path", copying->path, strlen(copying->path));
		return UW_E_PLUGIN_ABI_MISMATCH;
	}
	if (given->size < mandatory || given->size > TABLE_MAX)
		return invalid(copying, "its descriptor says it has %zu bytes, at least %zu are mandatory", given->size,
		               mandatory);
	return 0;
}

static int check_texts(const struct copying *copying, const struct uw_plugin *given, const char *name)
{
	if (!given->name || !uwi_plugin_name_valid(given->name))
		return invalid(copying, "its name is \"%s\", wanted lower case letters, digits and dashes",
		               given->name ? given->name : "(NULL)");
	if (name && strcmp(given->name, name) != 0)
		return invalid(copying, "its name is \"%s\", but the file's says \"%s\"", given->name, name);
	if (!line_valid(given->version) || !given->version[0] || !isdigit((unsigned char)given->version[0]))
		return invalid(copying, "its version is \"%s\", wanted one that begins with a digit",
		               given->version ? given->version : "(NULL)");
	if (!line_valid(given->summary) || !given->summary[0])
		return invalid(copying, "it has no summary of one line");
	if (!given->create || !given->destroy)
		return invalid(copying, "its %s function is NULL", given->create ? "destroy" : "create");
	return 0;
}

int uwi_descriptor_copy(struct uw_arena *arena, const struct uw_plugin *given, const char *name,
                        const char *path, const struct uwi_shape *shapes, struct uw_plugin *ret,
                        struct uw_error *err)
{
	struct copying copying = {arena, path, shapes, err};
	struct uw_plugin copy = {0};
	int result;
	if (!given)
		return invalid(&copying, "its entry function returned NULL instead of a descriptor");
	result = check_abi(&copying, given);
	if (result == 0)
		result = check_texts(&copying, given, name);
	if (result < 0)
		return result;
	memcpy(&copy, given, given->size < sizeof copy ? given->size : sizeof copy);
	copy.size = sizeof copy;
	copy.name = uw_arena_text(arena, given->name);
	copy.version = uw_arena_text(arena, given->version);
	copy.summary = uw_arena_text(arena, given->summary);
	result = copy_provides(&copying, given, &copy);
	if (result == 0)
		result = copy_list(&copying, given->requires_services, SERVICES_MAX, service_valid,
		                   "its list of required services", &copy.requires_services);
	if (result == 0)
		result = copy_list(&copying, given->optional_services, SERVICES_MAX, service_valid,
		                   "its list of optional services", &copy.optional_services);
	if (result == 0)
		result = copy_keys(&copying, given, &copy);
	if (result == 0 && arena->failed)
		result = uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
	if (result == 0)
		*ret = copy;
	return result;
}
