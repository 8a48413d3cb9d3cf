/* umwelt plugins [NAME]: what discovery found, and the configuration keys of one. */
#include <inttypes.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/json.h"
#include "cmd/text.h"

struct found {
	const char *name; /* only this one; NULL: all */
	struct uw_buf text;
	json_t *list; /* NULL: not wanted */
	size_t count;
};

static void add_services(struct uw_buf *buf, const char *const *services)
{
	for (size_t i = 0; services && services[i]; i++)
		uw_buf_printf(buf, "%s%s", i ? " " : "", services[i]);
}

static void show_line(struct uw_buf *buf, const struct uw_plugin_facts *facts)
{
	UW_AUTO_BUF provides = UW_BUF_INIT;
	if (facts->skipped) {
		uw_buf_text(buf, "skipped ");
		cmd_text_show(buf, facts->path, strlen(facts->path), NULL);
		uw_buf_text(buf, ": ");
		cmd_text_show(buf, facts->skipped, strlen(facts->skipped), "  ");
		uw_buf_byte(buf, '\n');
		return;
	}
	add_services(&provides, facts->provides);
	uw_buf_printf(buf, "%-18s %-8s %-14s %s\n", facts->name, facts->version,
	              provides.data ? provides.data : "", facts->summary ? facts->summary : "");
}

static const char *type_name(int type)
{
	static const char *const names[] = {"?", "bool", "int", "string", "path", "choice", "strings", "tree"};
	return type > 0 && (size_t)type < UW_COUNT(names) ? names[type] : "?";
}

static void show_key(struct uw_buf *buf, const struct uw_key *key)
{
	uw_buf_printf(buf, "  %-20s %-8s", key->name, type_name(key->type));
	uw_buf_printf(buf, " %s\n", key->help ? key->help : "");
	uw_buf_printf(buf, "  %-20s          %s, %s", "", key->required ? "required" : "optional",
	              key->narrowing == UW_KEY_NARROWING ? "narrowing" : "owner");
	if (key->default_value)
		uw_buf_printf(buf, ", default %s", key->default_value[0] ? key->default_value : "\"\"");
	if (key->min || key->max)
		uw_buf_printf(buf, ", %" PRId64 " to %" PRId64, key->min, key->max);
	for (size_t i = 0; key->choices && key->choices[i]; i++)
		uw_buf_printf(buf, "%s%s", i ? " | " : ", one of ", key->choices[i]);
	uw_buf_byte(buf, '\n');
}

static void show_services(struct uw_buf *buf, const char *label, const char *const *services)
{
	if (!services || !services[0])
		return;
	uw_buf_printf(buf, "%-9s ", label);
	add_services(buf, services);
	uw_buf_byte(buf, '\n');
}

static void show_one(struct uw_buf *buf, const struct uw_plugin_facts *facts)
{
	if (facts->skipped) {
		show_line(buf, facts);
		return;
	}
	uw_buf_printf(buf, "%s %s\n%s\n", facts->name, facts->version, facts->summary ? facts->summary : "");
	uw_buf_printf(buf, "file      %s\n", facts->path);
	show_services(buf, "provides", facts->provides);
	show_services(buf, "requires", facts->requires_services);
	show_services(buf, "optional", facts->optional_services);
	uw_buf_text(buf, facts->key_count ? "keys:\n" : "keys: none\n");
	for (size_t i = 0; i < facts->key_count; i++)
		show_key(buf, &facts->keys[i]);
}

static json_t *strings_json(const char *const *strings)
{
	json_t *list = json_array();
	for (size_t i = 0; strings && strings[i]; i++)
		(void)json_array_append_new(list, json_string(strings[i]));
	return list;
}

static json_t *key_json(const struct uw_key *key)
{
	json_t *object = json_object();
	(void)cmd_json_string(object, "name", key->name);
	(void)cmd_json_string(object, "type", type_name(key->type));
	(void)cmd_json_bool(object, "required", key->required != 0);
	(void)cmd_json_string(object, "who", key->narrowing == UW_KEY_NARROWING ? "narrowing" : "owner");
	(void)cmd_json_string(object, "default", key->default_value);
	if (key->min || key->max) {
		(void)cmd_json_integer(object, "min", key->min);
		(void)cmd_json_integer(object, "max", key->max);
	}
	if (key->choices)
		(void)cmd_json_put(object, "choices", strings_json(key->choices));
	(void)cmd_json_string(object, "help", key->help);
	return object;
}

static json_t *plugin_json(const struct uw_plugin_facts *facts)
{
	json_t *object = json_object(), *keys;
	(void)cmd_json_string(object, "path", facts->path);
	(void)cmd_json_string(object, "name", facts->name);
	if (facts->skipped) {
		(void)cmd_json_string(object, "skipped", facts->skipped);
		return object;
	}
	keys = json_array();
	(void)cmd_json_string(object, "version", facts->version);
	(void)cmd_json_string(object, "summary", facts->summary);
	(void)cmd_json_put(object, "provides", strings_json(facts->provides));
	(void)cmd_json_put(object, "requires", strings_json(facts->requires_services));
	(void)cmd_json_put(object, "optional", strings_json(facts->optional_services));
	for (size_t i = 0; i < facts->key_count; i++)
		(void)json_array_append_new(keys, key_json(&facts->keys[i]));
	(void)cmd_json_put(object, "keys", keys);
	return object;
}

/* A skipped file has no name but its own: "NAME.so" or "NAME-VERSION.so". */
static int is_of_name(const struct uw_plugin_facts *facts, const char *name)
{
	const char *file = strrchr(facts->path, '/');
	size_t len = strlen(name);
	if (facts->name)
		return !strcmp(facts->name, name);
	file = file ? file + 1 : facts->path;
	return !strncmp(file, name, len) && (file[len] == '.' || file[len] == '-');
}

static int take(void *arg, const struct uw_plugin_facts *facts)
{
	struct found *found = arg;
	if (found->name && !is_of_name(facts, found->name))
		return 0;
	found->count++;
	if (found->list)
		(void)json_array_append_new(found->list, plugin_json(facts));
	if (found->name)
		show_one(&found->text, facts);
	else
		show_line(&found->text, facts);
	return found->text.failed ? UW_E_NO_MEMORY : 0;
}

static int tell(struct invocation *in, struct found *found, struct uw_error *err)
{
	json_t *object;
	if (found->name && found->count == 0)
		return uw_fail(err, UW_E_PLUGIN_NOT_FOUND, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "there is no plugin %s in the trusted directories", found->name);
	if (cmd_wants_json(in)) {
		int r;
		object = json_object();
		(void)cmd_json_put(object, "plugins", UW_STEAL(found->list));
		r = cmd_answer(in, object, err);
		if (r < 0 || in->json)
			return r;
	}
	return cmd_write_buf(&found->text, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	struct found found = {.text = UW_BUF_INIT};
	int r = cmd_open_host(in, err);
	found.name = in->arguments.operand_count ? in->arguments.operands[0] : NULL;
	found.list = cmd_wants_json(in) ? json_array() : NULL;
	if (r == 0)
		r = uw_host_plugins(in->host, take, &found, err);
	if (r == 0)
		r = tell(in, &found, err);
	json_decref(found.list);
	uw_buf_finish(&found.text);
	return r;
}

const struct command cmd_plugins = {
    .name = "plugins",
    .operands = "[NAME]",
    .summary = "List the plugins, or show one with its configuration keys",
    .about = "Discovery loads nothing into this process. What was skipped is listed with the reason.",
    .options = CMD_HOST,
    .max_operands = 1,
    .run = run,
};
