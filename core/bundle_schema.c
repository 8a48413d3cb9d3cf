/*
 * bundle_schema: two tables as one JSON Schema. Where a provider stands, one
 * if/then per plugin that can stand there says which keys it takes; a map without
 * `plugin` is a change of a base's, and may hold any.
 */
#include "core/bundle_schema.h"

#include "common/buf.h"
#include "core/bundle_keys.h"

#include <string.h>

struct schema {
	struct uw_buf buf;
	const struct uw_plugin_facts *plugins;
	size_t plugin_count;
};

static void text(struct uw_buf *buf, const char *value)
{
	uw_buf_byte(buf, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			uw_buf_byte(buf, '\\');
		if ((unsigned char)*value < 0x20)
			uw_buf_printf(buf, "\\u%04x", (unsigned)*value);
		else
			uw_buf_byte(buf, *value);
	}
	uw_buf_byte(buf, '"');
}

static void choices(struct uw_buf *buf, const char *const *values, int or_null)
{
	uw_buf_text(buf, "\"enum\":[");
	for (size_t i = 0; values && values[i]; i++) {
		if (i)
			uw_buf_byte(buf, ',');
		text(buf, values[i]);
	}
	uw_buf_text(buf, or_null ? ",null]" : "]");
}

static void help(struct uw_buf *buf, const char *value)
{
	if (!value)
		return;
	uw_buf_text(buf, ",\"description\":");
	text(buf, value);
}

/* ---- keys of plugins ---- */

static void key_default(struct uw_buf *buf, const struct uw_key *key)
{
	if (!key->default_value || key->type == UW_KEY_TREE || key->type == UW_KEY_STRINGS)
		return;
	uw_buf_text(buf, ",\"default\":");
	if (key->type == UW_KEY_INT || key->type == UW_KEY_BOOL)
		uw_buf_text(buf, key->default_value);
	else
		text(buf, key->default_value);
}

static void plugin_key(struct uw_buf *buf, const struct uw_key *key)
{
	text(buf, key->name);
	uw_buf_text(buf, ":{");
	switch (key->type) {
	case UW_KEY_BOOL: uw_buf_text(buf, "\"type\":[\"boolean\",\"null\"]"); break;
	case UW_KEY_INT:
		uw_buf_text(buf, "\"type\":[\"integer\",\"null\"]");
		if (key->min || key->max)
			uw_buf_printf(buf, ",\"minimum\":%lld,\"maximum\":%lld", (long long)key->min,
			              (long long)key->max);
		break;
	case UW_KEY_CHOICE: choices(buf, key->choices, 1); break;
	case UW_KEY_STRINGS:
		uw_buf_text(buf,
		            "\"type\":[\"string\",\"array\",\"null\"],\"items\":{\"type\":\"string\"}");
		break;
	case UW_KEY_TREE:
		uw_buf_text(buf,
		            "\"type\":[\"object\",\"array\",\"string\",\"number\",\"boolean\",\"null\"]");
		break;
	default: uw_buf_text(buf, "\"type\":[\"string\",\"null\"]"); break;
	}
	help(buf, key->help);
	key_default(buf, key);
	uw_buf_byte(buf, '}');
}

/* 1 if the plugin provides the service, of any revision. */
static int provides(const struct uw_plugin_facts *plugin, const char *service)
{
	size_t len = strlen(service);
	for (size_t i = 0; plugin->provides && plugin->provides[i]; i++)
		if (!strncmp(plugin->provides[i], service, len) && plugin->provides[i][len] == '/')
			return 1;
	return 0;
}

/* The service whose provider stands at a rule's path; "": any. */
static const char *service_at(const struct uwi_rule *rule)
{
	static const char *const places[][2] = {
	    {"providers.", ""},           {"world.fs", "fs"},       {"world.subprocess", "subprocess"},
	    {"world.sandbox", "sandbox"}, {"policy", "policy"},     {"services.", NULL},
	    {"guard", "guard"},           {"approval", "approval"}, {"trace", "trace"},
	};
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		size_t len = strlen(places[i][0]);
		if (!strncmp(rule->path, places[i][0], len))
			return places[i][1] ? places[i][1] : rule->path + len;
	}
	return "";
}

static void one_plugin(struct schema *schema, const struct uwi_rule *rule,
                       const struct uw_plugin_facts *plugin)
{
	struct uw_buf *buf = &schema->buf;
	const char *name;
	uw_buf_text(buf, "{\"if\":{\"properties\":{\"plugin\":{\"const\":");
	text(buf, plugin->name);
	uw_buf_text(
	    buf,
	    "}},\"required\":[\"plugin\"]},\"then\":{\"properties\":{\"name\":{\"type\":\"string\"}");
	for (size_t i = 0; (name = uwi_rule_name(rule, i)) != NULL; i++) {
		uw_buf_byte(buf, ',');
		text(buf, name);
		uw_buf_text(buf, ":true");
	}
	for (size_t i = 0; i < plugin->key_count; i++) {
		if (uwi_rule_below(rule, plugin->keys[i].name))
			continue;
		uw_buf_byte(buf, ',');
		plugin_key(buf, &plugin->keys[i]);
	}
	uw_buf_text(buf, "},\"additionalProperties\":false}}");
}

static void plugin_keys(struct schema *schema, const struct uwi_rule *rule)
{
	const char *service = service_at(rule);
	int count = 0;
	for (size_t i = 0; i < schema->plugin_count; i++) {
		const struct uw_plugin_facts *plugin = &schema->plugins[i];
		if (!plugin->name || plugin->skipped || (*service && !provides(plugin, service)))
			continue;
		uw_buf_text(&schema->buf, count++ ? "," : ",\"allOf\":[");
		one_plugin(schema, rule, plugin);
	}
	if (count)
		uw_buf_byte(&schema->buf, ']');
}

/* ---- core's keys ---- */

static void value(struct schema *schema, const struct uwi_rule *rule);

static void properties(struct schema *schema, const struct uwi_rule *rule)
{
	struct uw_buf *buf = &schema->buf;
	const char *name;
	uw_buf_text(buf, "\"properties\":{");
	for (size_t i = 0; (name = uwi_rule_name(rule, i)) != NULL; i++) {
		if (i)
			uw_buf_byte(buf, ',');
		text(buf, name);
		uw_buf_byte(buf, ':');
		value(schema, uwi_rule_below(rule, name));
	}
	uw_buf_byte(buf, '}');
}

static void map(struct schema *schema, const struct uwi_rule *rule)
{
	struct uw_buf *buf = &schema->buf;
	uw_buf_text(buf, "\"type\":[\"object\",\"null\"],");
	if (rule->kind == UWI_RULE_NAMES) {
		uw_buf_text(
		    buf, "\"propertyNames\":{\"pattern\":\"^[A-Za-z0-9_-]+$\"},\"additionalProperties\":");
		value(schema, uwi_rule_below(rule, "x"));
		return;
	}
	properties(schema, rule);
	if (rule->flags & UWI_RULE_PLUGIN_KEYS)
		plugin_keys(schema, rule);
	else
		uw_buf_text(buf, ",\"additionalProperties\":false");
}

static void provider(struct schema *schema, const struct uwi_rule *rule)
{
	struct uw_buf *buf = &schema->buf;
	if (rule->flags & UWI_RULE_ONLY_MAP)
		uw_buf_text(buf, "\"type\":[\"object\",\"null\"],");
	else
		uw_buf_text(buf, "\"type\":[\"object\",\"string\",\"null\"],\"minLength\":1,");
	properties(schema, rule);
	plugin_keys(schema, rule);
}

static void texts(struct uw_buf *buf, const struct uwi_rule *rule)
{
	uw_buf_text(
	    buf,
	    "\"type\":[\"string\",\"array\",\"null\"],\"minLength\":1,\"items\":{\"type\":\"string\"");
	if (rule->choices) {
		uw_buf_byte(buf, ',');
		choices(buf, rule->choices, 0);
	} else {
		uw_buf_text(buf, ",\"minLength\":1");
	}
	uw_buf_byte(buf, '}');
}

static void roots(struct uw_buf *buf)
{
	uw_buf_text(
	    buf,
	    "\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"string\",\"object\"],\"minLength\":1,"
	    "\"properties\":{\"path\":{\"type\":\"string\",\"minLength\":1},"
	    "\"missing\":{\"enum\":[\"create\",\"skip\"]}},"
	    "\"required\":[\"path\"],\"additionalProperties\":false}");
}

static void rule_default(struct uw_buf *buf, const struct uwi_rule *rule)
{
	if (!rule->default_text)
		return;
	if (rule->kind == UWI_RULE_TEXT || rule->kind == UWI_RULE_CHOICE) {
		uw_buf_text(buf, ",\"default\":");
		text(buf, rule->default_text);
	} else if (rule->kind == UWI_RULE_INT || rule->kind == UWI_RULE_BOOL) {
		uw_buf_printf(buf, ",\"default\":%s", rule->default_text);
	}
}

static void value(struct schema *schema, const struct uwi_rule *rule)
{
	struct uw_buf *buf = &schema->buf;
	uw_buf_byte(buf, '{');
	switch (rule->kind) {
	case UWI_RULE_VERSION: uw_buf_text(buf, "\"const\":1"); break;
	case UWI_RULE_MAP:
	case UWI_RULE_NAMES: map(schema, rule); break;
	case UWI_RULE_PROVIDER: provider(schema, rule); break;
	case UWI_RULE_LIST:
		uw_buf_text(buf, "\"type\":[\"array\",\"null\"],\"minItems\":1,\"items\":");
		value(schema, uwi_rule_member(rule));
		break;
	case UWI_RULE_ROOTS: roots(buf); break;
	case UWI_RULE_BOOL: uw_buf_text(buf, "\"type\":[\"boolean\",\"null\"]"); break;
	case UWI_RULE_INT:
		uw_buf_printf(buf, "\"type\":[\"integer\",\"null\"],\"minimum\":%lld,\"maximum\":%lld",
		              (long long)rule->min, (long long)rule->max);
		break;
	case UWI_RULE_TEXT:
	case UWI_RULE_PATH: uw_buf_text(buf, "\"type\":[\"string\",\"null\"],\"minLength\":1"); break;
	case UWI_RULE_CHOICE: choices(buf, rule->choices, 1); break;
	case UWI_RULE_TEXTS: texts(buf, rule); break;
	}
	help(buf, rule->help);
	rule_default(buf, rule);
	uw_buf_byte(buf, '}');
}

int uwi_bundle_schema(const struct uw_plugin_facts *plugins, size_t plugin_count,
                      struct uw_sink sink, struct uw_error *err)
{
	struct schema schema = {UW_BUF_INIT, plugins, plugin_count};
	int status;
	uw_buf_text(&schema.buf, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
	                         "\"title\":\"Umwelt bundle\",\"type\":\"object\",");
	properties(&schema, NULL);
	uw_buf_text(&schema.buf, ",\"additionalProperties\":false,\"required\":[\"umwelt\"],"
	                         "\"if\":{\"not\":{\"required\":[\"extends\"]}},"
	                         "\"then\":{\"required\":[\"world\",\"guard\"]}}\n");
	if (schema.buf.failed)
		status = uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		                 "memory could not be had");
	else
		status = sink.write(sink.arg, schema.buf.data, schema.buf.len);
	uw_buf_finish(&schema.buf);
	return status;
}
