#include "core/plugin_file.h"

#include "common/buf.h"
#include "common/cleanup.h"
#include "core/descriptor.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
}

/* Where "-VERSION" begins, or the text's end. */
static size_t version_at(const char *stem)
{
	const char *dash = strrchr(stem, '-');
	if (!dash || dash == stem || !isdigit((unsigned char)dash[1]))
		return strlen(stem);
	for (const char *at = dash + 1; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr(".+~_", *at))
			return strlen(stem);
	return (size_t)(dash - stem);
}

int uwi_plugin_file_parse(struct uw_arena *arena, const char *file, const char **ret_name,
                          const char **ret_version)
{
	size_t len = strlen(file), cut;
	const char *name, *version;
	char *stem;
	if (len < 4 || strcmp(file + len - 3, ".so") != 0)
		return -1;
	stem = uw_arena_copy(arena, file, len - 3);
	if (!stem)
		return -1;
	cut = version_at(stem);
	name = uw_arena_copy(arena, stem, cut);
	version = stem[cut] ? stem + cut + 1 : stem + cut;
	if (!name || !uwi_plugin_name_valid(name))
		return -1;
	*ret_name = name;
	*ret_version = version;
	return 0;
}

int uwi_plugin_version_compare(const char *a, const char *b)
{
	while (*a || *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t la, lb;
			int order;
			a += strspn(a, "0");
			b += strspn(b, "0");
			la = strspn(a, "0123456789");
			lb = strspn(b, "0123456789");
			order = la != lb ? (la < lb ? -1 : 1) : strncmp(a, b, la);
			if (order)
				return order;
			a += la;
			b += lb;
			continue;
		}
		/* a tilde sorts before all, so that 1.0~rc1 is older than 1.0 */
		if (*a != *b) {
			if (*a == '~' || *b == '~')
				return *a == '~' ? -1 : 1;
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		}
		a++;
		b++;
	}
	return 0;
}

static int by_name_then_newest(const void *left, const void *right)
{
	const struct uwi_plugin_file *a = left, *b = right;
	int order = a->dir != b->dir ? (a->dir < b->dir ? -1 : 1) : strcmp(a->name, b->name);
	return order ? order : uwi_plugin_version_compare(b->version, a->version);
}

static int list_dir(struct uw_arena *arena, const struct uwi_settings *settings, size_t index,
                    struct uw_buf *files)
{
	DIR *dir = opendir(settings->plugin_dirs[index]);
	const struct dirent *entry;
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		struct uwi_plugin_file file = {0};
		if (uwi_plugin_file_parse(arena, entry->d_name, &file.name, &file.version) < 0)
			continue;
		file.path = uw_arena_printf(arena, "%s/%s", settings->plugin_dirs[index], entry->d_name);
		file.dir = index;
		uw_buf_add(files, &file, sizeof file);
	}
	(void)closedir(dir);
	return 0;
}

int uwi_plugin_files_list(struct uw_arena *arena, const struct uwi_settings *settings,
                          struct uwi_plugin_file **ret_files, size_t *ret_count, struct uw_error *err)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	struct uwi_plugin_file *files;
	size_t count;
	for (size_t i = 0; settings->plugin_dirs && settings->plugin_dirs[i]; i++)
		(void)list_dir(arena, settings, i, &buf);
	count = buf.len / sizeof *files;
	files = uw_arena_alloc(arena, count + 1, sizeof *files);
	if (!files || buf.failed || arena->failed)
		return no_memory(err);
	if (count) {
		memcpy(files, buf.data, buf.len);
		qsort(files, count, sizeof *files, by_name_then_newest);
	}
	*ret_files = files;
	*ret_count = count;
	return 0;
}

static int not_found(const struct uwi_settings *settings, const char *name, struct uw_error *err)
{
	UW_AUTO_BUF dirs = UW_BUF_INIT;
	for (size_t i = 0; settings->plugin_dirs && settings->plugin_dirs[i]; i++)
		uw_buf_printf(&dirs, "%s%s", i ? ", " : "", settings->plugin_dirs[i]);
	uw_fail(err, UW_E_PLUGIN_NOT_FOUND, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
	        "there is no plugin %s; looked for %s.so and %s-VERSION.so in %s", name, name, name,
	        dirs.data ? dirs.data : "no directory (none is trusted)");
	uw_error_detail(err, "plugin", name, strlen(name));
	return UW_E_PLUGIN_NOT_FOUND;
}

static int same_file(const char *a, const char *b)
{
	struct stat one, other;
	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

static int duplicate(const char *name, const char *one, const char *other, struct uw_error *err)
{
	uw_fail(err, UW_E_PLUGIN_DUPLICATE, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
	        "two plugins are called %s: %s and %s; remove one", name, one, other);
	uw_error_detail(err, "path", one, strlen(one));
	uw_error_detail(err, "path", other, strlen(other));
	return UW_E_PLUGIN_DUPLICATE;
}

int uwi_plugin_file_find(struct uw_arena *arena, const struct uwi_settings *settings, const char *name,
                         struct uwi_plugin_file *ret_file, struct uw_error *err)
{
	struct uwi_plugin_file *files, *found = NULL;
	size_t count;
	int result;
	if (!uwi_plugin_name_valid(name))
		return uw_fail(err, UW_E_PLUGIN_NOT_FOUND, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "\"%s\" is no name of a plugin: lower case letters, digits and dashes", name);
	result = uwi_plugin_files_list(arena, settings, &files, &count, err);
	if (result < 0)
		return result;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(files[i].name, name) != 0)
			continue;
		if (!found)
			found = &files[i];
		else if (files[i].dir != found->dir &&
		         settings->plugin_dirs[files[i].dir] != settings->fallback_plugin_dir &&
		         !same_file(files[i].path, found->path))
			return duplicate(name, found->path, files[i].path, err);
	}
	if (!found)
		return not_found(settings, name, err);
	*ret_file = *found;
	return 0;
}
