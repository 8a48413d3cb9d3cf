/*
 * The one reader of libconfig. Two files at most, in this order: the system's,
 * which sets the ceiling, and one that may only narrow it. What the first one
 * sets of paths is final; limits, mode and floors can only be tightened.
 */
#include "core/settings_read.h"

#include "common/buf.h"
#include "common/cleanup.h"
#include "common/io.h"
#include "core/places.h"
#include "core/trust.h"

#include <ctype.h>
#include <libconfig.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX_SIZE ((size_t)1 << 20)

/* One file being applied. */
struct reading {
	struct uwi_settings *settings;
	const char *file;
	const char *system;  /* the file that sets the ceiling, for messages */
	int narrowing;       /* it may only narrow */
	unsigned *final;     /* bits of keys (index in the table) that the system's file set */
	int *user_plugins;   /* may a narrowing file add plugin directories? */
	struct uw_error *err;
};

struct key {
	const char *name;
	int (*apply)(struct reading *, const struct key *, config_setting_t *);
	size_t offset; /* in struct uwi_settings */
};

static int fail_at(struct reading *reading, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail_at(struct reading *reading, int line, const char *format, ...)
{
	char text[1024], number[16];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	uw_fail(reading->err, UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "%s:%d: %s",
	        reading->file, line, text);
	(void)snprintf(number, sizeof number, "%d", line);
	uw_error_detail(reading->err, "file", reading->file, strlen(reading->file));
	uw_error_detail(reading->err, "line", number, strlen(number));
	return UW_E_CONFIG_INVALID;
}

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM, "out of memory");
}

static int line_of(const config_setting_t *setting)
{
	return (int)config_setting_source_line(setting);
}

static int get_text(struct reading *reading, config_setting_t *setting, const char **ret)
{
	if (config_setting_type(setting) != CONFIG_TYPE_STRING)
		return fail_at(reading, line_of(setting), "%s must be a text in double quotes",
		               setting->name ? setting->name : "the entry");
	*ret = config_setting_get_string(setting);
	return 0;
}

/* true and false, or the words yes and no in quotes. */
static int get_bool(struct reading *reading, config_setting_t *setting, int *ret)
{
	const char *text = NULL;
	if (config_setting_type(setting) == CONFIG_TYPE_BOOL) {
		*ret = config_setting_get_bool(setting);
		return 0;
	}
	if (config_setting_type(setting) == CONFIG_TYPE_STRING) {
		text = config_setting_get_string(setting);
		if (!strcmp(text, "yes") || !strcmp(text, "no")) {
			*ret = !strcmp(text, "yes");
			return 0;
		}
	}
	return fail_at(reading, line_of(setting), "%s must be true or false", setting->name);
}

static int get_absolute(struct reading *reading, config_setting_t *setting, const char **ret)
{
	int result = get_text(reading, setting, ret);
	if (result < 0)
		return result;
	if ((*ret)[0] == '~')
		return fail_at(reading, line_of(setting), "\"%s\": a ~ is not expanded; write the path in full", *ret);
	if ((*ret)[0] != '/')
		return fail_at(reading, line_of(setting), "\"%s\" must be an absolute path", *ret);
	return 0;
}

/* ---- the keys ---- */

static int apply_path(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	char **slot = (char **)(void *)((char *)reading->settings + key->offset);
	unsigned bit = 1u << (key->offset / sizeof(char *));
	const char *text = NULL;
	int result = get_absolute(reading, setting, &text);
	if (result < 0)
		return result;
	if (reading->narrowing && (*reading->final & bit) && strcmp(*slot, text) != 0)
		return fail_at(reading, line_of(setting), "%s is fixed to %s by %s", key->name, *slot,
		               reading->system);
	if (!reading->narrowing)
		*reading->final |= bit;
	*slot = uw_arena_text(&reading->settings->arena, text);
	return *slot ? 0 : no_memory(reading->err);
}

static int apply_mode(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	const char *text = NULL;
	int result = get_text(reading, setting, &text);
	(void)key;
	if (result < 0)
		return result;
	for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_DANGER_FULL_ACCESS; mode++) {
		if (strcmp(text, uw_mode_name(mode)) != 0)
			continue;
		if (reading->narrowing && mode > reading->settings->max_mode)
			return fail_at(reading, line_of(setting), "max_mode %s is wider than the ceiling %s", text,
			               uw_mode_name(reading->settings->max_mode));
		reading->settings->max_mode = mode;
		return 0;
	}
	return fail_at(reading, line_of(setting),
	               "max_mode \"%s\" must be read-only, workspace-write or danger-full-access", text);
}

/* A floor: a narrowing file can raise it only. */
static int apply_trace(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	int value = 0, result = get_bool(reading, setting, &value);
	(void)key;
	if (result < 0)
		return result;
	if (reading->narrowing && reading->settings->trace_required && !value)
		return fail_at(reading, line_of(setting), "trace_required cannot be taken back here");
	reading->settings->trace_required = value;
	return 0;
}

static int apply_level(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};
	const char *text = NULL;
	int result = get_text(reading, setting, &text);
	(void)key;
	if (result < 0)
		return result;
	for (size_t i = 0; i < UW_COUNT(names); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		reading->settings->log_level = UW_LOG_ERROR + (int)i;
		return 0;
	}
	return fail_at(reading, line_of(setting), "log_level \"%s\" must be error, warning, info or debug", text);
}

static int apply_limit(struct reading *reading, config_setting_t *setting, const char *name, int *slot)
{
	int value;
	if (config_setting_type(setting) != CONFIG_TYPE_INT)
		return fail_at(reading, line_of(setting), "limits.%s must be a number", name);
	value = config_setting_get_int(setting);
	if (value < 1 || value > UWI_LIMIT_MAX)
		return fail_at(reading, line_of(setting), "limits.%s is %d, wanted 1 to %d", name, value, UWI_LIMIT_MAX);
	if (reading->narrowing && value > *slot)
		return fail_at(reading, line_of(setting), "limits.%s %d is above the ceiling %d", name, value, *slot);
	*slot = value;
	return 0;
}

static int apply_limits(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	struct uwi_settings *settings = reading->settings;
	(void)key;
	if (config_setting_type(setting) != CONFIG_TYPE_GROUP)
		return fail_at(reading, line_of(setting), "limits must be a group in braces");
	for (int i = 0; i < config_setting_length(setting); i++) {
		config_setting_t *entry = config_setting_get_elem(setting, (unsigned)i);
		int result;
		if (!strcmp(entry->name, "max_running"))
			result = apply_limit(reading, entry, entry->name, &settings->max_running);
		else if (!strcmp(entry->name, "max_per_session"))
			result = apply_limit(reading, entry, entry->name, &settings->max_per_session);
		else if (!strcmp(entry->name, "max_queued"))
			result = apply_limit(reading, entry, entry->name, &settings->max_queued);
		else
			result = fail_at(reading, line_of(entry), "there is no key limits.%s", entry->name);
		if (result < 0)
			return result;
	}
	return 0;
}

static int check_list(struct reading *reading, config_setting_t *setting)
{
	int type = config_setting_type(setting);
	if (type == CONFIG_TYPE_LIST || type == CONFIG_TYPE_ARRAY)
		return 0;
	return fail_at(reading, line_of(setting), "%s must be a list: ( \"/a\", \"/b\" )", setting->name);
}

/* A directory that a narrowing file adds must be the user's own. */
static int add_plugin_dir(struct reading *reading, config_setting_t *entry)
{
	UW_AUTO_FREE char *real = NULL;
	struct stat dir;
	const char *text = NULL;
	int result = get_absolute(reading, entry, &text);
	if (result < 0)
		return result;
	real = realpath(text, NULL);
	if (!real || stat(real, &dir) < 0)
		return fail_at(reading, line_of(entry), "plugin directory %s: %s", text, strerror(errno));
	if (!S_ISDIR(dir.st_mode))
		return fail_at(reading, line_of(entry), "plugin directory %s is not a directory", text);
	if (reading->narrowing && dir.st_uid != geteuid())
		return fail_at(reading, line_of(entry), "plugin directory %s belongs to uid %lu, wanted %lu: only "
		               "directories of your own may be added", text, (unsigned long)dir.st_uid,
		               (unsigned long)geteuid());
	if (uwi_places_append(&reading->settings->arena, &reading->settings->plugin_dirs,
	                      uw_arena_text(&reading->settings->arena, real)) < 0)
		return no_memory(reading->err);
	return 0;
}

static int apply_plugin_dirs(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	int result = check_list(reading, setting);
	(void)key;
	if (result < 0)
		return result;
	if (reading->narrowing && !*reading->user_plugins)
		return fail_at(reading, line_of(setting), "%s forbids plugin directories of users (user_plugins)",
		               reading->system);
	if (!reading->narrowing) {
		/* the system's list replaces the built-in one */
		reading->settings->plugin_dirs = NULL;
		reading->settings->fallback_plugin_dir = NULL;
	}
	for (int i = 0; i < config_setting_length(setting); i++) {
		result = add_plugin_dir(reading, config_setting_get_elem(setting, (unsigned)i));
		if (result < 0)
			return result;
	}
	return 0;
}

static int apply_user_plugins(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	int value = 0, result = get_bool(reading, setting, &value);
	(void)key;
	if (result < 0)
		return result;
	if (reading->narrowing && value && !*reading->user_plugins)
		return fail_at(reading, line_of(setting), "user_plugins is set to false by %s", reading->system);
	*reading->user_plugins = value;
	return 0;
}

static int apply_bundle_dirs(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	struct uw_arena *arena = &reading->settings->arena;
	int result = check_list(reading, setting);
	(void)key;
	if (!reading->narrowing && result == 0)
		reading->settings->bundle_dirs = NULL;
	for (int i = 0; result == 0 && i < config_setting_length(setting); i++) {
		const char *text = NULL;
		result = get_absolute(reading, config_setting_get_elem(setting, (unsigned)i), &text);
		if (result == 0 && uwi_places_append(arena, &reading->settings->bundle_dirs,
		                                     uwi_places_canonical(arena, text)) < 0)
			result = no_memory(reading->err);
	}
	return result;
}

static int is_digest(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdefABCDEF") == 64;
}

/* A pin can be added, never changed. */
static int add_pin(struct reading *reading, config_setting_t *entry)
{
	struct uwi_settings *settings = reading->settings;
	struct uwi_digest_pin *pins;
	const char *text = NULL;
	char *copy;
	int result = get_text(reading, entry, &text);
	if (result < 0)
		return result;
	if (!is_digest(text))
		return fail_at(reading, line_of(entry), "digests.%s must be the 64 hex digits of a SHA-256", entry->name);
	for (size_t i = 0; i < settings->pin_count; i++)
		if (!strcmp(settings->pins[i].plugin, entry->name)) {
			if (!strcasecmp(settings->pins[i].sha256, text))
				return 0;
			return fail_at(reading, line_of(entry), "digests.%s is fixed to %s by %s", entry->name,
			               settings->pins[i].sha256, reading->system);
		}
	pins = uw_arena_alloc(&settings->arena, settings->pin_count + 1, sizeof *pins);
	copy = uw_arena_text(&settings->arena, text);
	if (!pins || !copy)
		return no_memory(reading->err);
	for (char *at = copy; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	if (settings->pin_count)
		memcpy(pins, settings->pins, settings->pin_count * sizeof *pins);
	pins[settings->pin_count].plugin = uw_arena_text(&settings->arena, entry->name);
	pins[settings->pin_count].sha256 = copy;
	settings->pins = pins;
	settings->pin_count++;
	return settings->arena.failed ? no_memory(reading->err) : 0;
}

static int apply_digests(struct reading *reading, const struct key *key, config_setting_t *setting)
{
	(void)key;
	if (config_setting_type(setting) != CONFIG_TYPE_GROUP)
		return fail_at(reading, line_of(setting), "digests must be a group in braces");
	for (int i = 0; i < config_setting_length(setting); i++) {
		int result = add_pin(reading, config_setting_get_elem(setting, (unsigned)i));
		if (result < 0)
			return result;
	}
	return 0;
}

#define AT(member) offsetof(struct uwi_settings, member)

/* user_plugins stands first: it decides about plugin_dirs of the same file too. */
static const struct key keys[] = {
    {"user_plugins", apply_user_plugins, 0},
    {"plugin_dirs", apply_plugin_dirs, 0},
    {"bundle_dirs", apply_bundle_dirs, 0},
    {"digests", apply_digests, 0},
    {"launcher", apply_path, AT(launcher)},
    {"scan", apply_path, AT(scan)},
    {"bwrap", apply_path, AT(bwrap)},
    {"helper", apply_path, AT(helper)},
    {"state_dir", apply_path, AT(state_dir)},
    {"temp_dir", apply_path, AT(temp_dir)},
    {"max_mode", apply_mode, 0},
    {"trace_required", apply_trace, 0},
    {"log_level", apply_level, 0},
    {"limits", apply_limits, 0},
};

/* ---- files ---- */

static int check_names(struct reading *reading, const config_setting_t *root)
{
	for (int i = 0; i < config_setting_length(root); i++) {
		const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
		int known = 0;
		for (size_t k = 0; k < UW_COUNT(keys); k++)
			known = known || !strcmp(setting->name, keys[k].name);
		if (!known)
			return fail_at(reading, line_of(setting), "there is no key %s", setting->name);
	}
	return 0;
}

static int apply_all(struct reading *reading, config_t *config)
{
	config_setting_t *root = config_root_setting(config);
	int result = check_names(reading, root);
	for (size_t i = 0; result == 0 && i < UW_COUNT(keys); i++) {
		config_setting_t *setting = config_setting_get_member(root, keys[i].name);
		if (setting)
			result = keys[i].apply(reading, &keys[i], setting);
	}
	return result;
}

/* libconfig would open included files unchecked. */
static int refuse_includes(struct reading *reading, const char *text)
{
	int line = 1;
	for (const char *at = text; *at; line++) {
		const char *word = at + strspn(at, " \t");
		if (!strncmp(word, "@include", 8))
			return fail_at(reading, line, "@include is not allowed here");
		at += strcspn(at, "\n");
		if (*at)
			at++;
	}
	return 0;
}

static int parse(struct reading *reading, const char *text)
{
	config_t config;
	int result = refuse_includes(reading, text);
	if (result < 0)
		return result;
	config_init(&config);
	if (config_read_string(&config, text) == CONFIG_TRUE)
		result = apply_all(reading, &config);
	else
		result = fail_at(reading, config_error_line(&config), "%s", config_error_text(&config));
	config_destroy(&config);
	return result;
}

static int slurp(struct reading *reading, int fd, struct uw_buf *buf)
{
	ssize_t got;
	if (uw_buf_reserve(buf, FILE_MAX_SIZE + 1) < 0)
		return no_memory(reading->err);
	got = uw_read_full(fd, buf->data, FILE_MAX_SIZE + 1);
	if (got < 0)
		return fail_at(reading, 0, "cannot be read: %s", strerror(errno));
	if ((size_t)got > FILE_MAX_SIZE)
		return fail_at(reading, 0, "larger than 1 MiB");
	buf->len = (size_t)got;
	buf->data[buf->len] = '\0';
	if (memchr(buf->data, '\0', buf->len))
		return fail_at(reading, 0, "holds a NUL byte");
	return 0;
}

/* A missing file is no error unless it was asked for by name. */
static int read_file(struct reading *reading, int must_exist)
{
	const struct uwi_trust_ask ask = {"configuration file", UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, 0, NULL};
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	UW_AUTO_BUF buf = UW_BUF_INIT;
	char *copy;
	int result;
	if (!must_exist && access(reading->file, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	result = uwi_trust_open(reading->file, &ask, &trusted, reading->err);
	if (result == 0)
		result = slurp(reading, trusted.fd, &buf);
	if (result < 0)
		return result;
	copy = uw_arena_text(&reading->settings->arena, trusted.path);
	if (uwi_places_append(&reading->settings->arena, &reading->settings->files, copy) < 0)
		return no_memory(reading->err);
	return parse(reading, buf.data);
}

int uwi_settings_read(struct uwi_settings *settings, const char *system, const char *narrower,
                      int must_exist, struct uw_error *err)
{
	unsigned final = 0;
	int user_plugins = 1, result;
	struct reading reading = {settings, system, system, 0, &final, &user_plugins, err};
	result = read_file(&reading, 0);
	if (result < 0 || !narrower)
		return result;
	reading.narrowing = 1;
	reading.file = narrower;
	return read_file(&reading, must_exist);
}
