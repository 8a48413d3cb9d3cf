/*
 * bundle_file: from a name to the bytes of a document, and whether its place is
 * trusted (C-15): what core/trust.h asks of a file, and not inside the workspace.
 * The descriptor that was checked is the one that is read.
 */
#include "core/bundle_internal.h"

#include "common/cleanup.h"
#include "common/io.h"
#include "common/path.h"
#include "common/path_order.h"
#include "core/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);
	return len > end_len && !strcmp(text + len - end_len, end);
}

static int is_path(const char *name)
{
	return strchr(name, '/') || ends_with(name, ".yaml") || ends_with(name, ".yml");
}

/* ---- presets by name ---- */

struct preset_names {
	const char *names[64];
	size_t count;
};

static const char *preset_name(const void *arg, size_t index)
{
	const struct preset_names *presets = arg;
	return index < presets->count ? presets->names[index] : NULL;
}

static int list_dir(struct uwi_loading *loading, const char *dir, struct preset_names *presets)
{
	DIR *stream = opendir(dir);
	const struct dirent *entry;
	int status = 0;
	while (stream && !status && presets->count < UW_COUNT(presets->names) &&
	       (entry = readdir(stream)) != NULL) {
		char *name;
		if (!ends_with(entry->d_name, ".yaml"))
			continue;
		name = uw_arena_copy(loading->arena, entry->d_name, strlen(entry->d_name) - 5);
		if (!name)
			status = UW_E_NO_MEMORY;
		else
			presets->names[presets->count++] = name;
	}
	if (stream)
		(void)closedir(stream);
	return status;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int not_found(struct uwi_loading *loading, const char *name, const struct uwi_node *at)
{
	struct preset_names presets = {.count = 0};
	char list[512] = "";
	const char *nearest;
	int status = 0;
	for (char **dir = loading->settings->bundle_dirs; dir && *dir && !status; dir++)
		status = list_dir(loading, *dir, &presets);
	if (status)
		return status;
	qsort(presets.names, presets.count, sizeof *presets.names, by_name);
	for (size_t i = 0; i < presets.count; i++) {
		size_t used = strlen(list);
		(void)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", presets.names[i]);
	}
	nearest = uwi_nearest(name, preset_name, &presets);
	uwi_problem(
	    loading->problems, UW_E_BUNDLE_NOT_FOUND, at, at ? "extends" : "",
	    "there is no preset `%.100s`%s%s%s; presets: %s; a file is named with a slash or .yaml",
	    name, nearest ? "; did you mean `" : "", nearest ? nearest : "", nearest ? "`?" : "",
	    *list ? list : "none were found");
	return 0;
}

/* The path of the first NAME.yaml of the search path; *ret_path NULL: none. */
static int find_preset(struct uwi_loading *loading, const char *name, const char **ret_path)
{
	*ret_path = NULL;
	for (char **dir = loading->settings->bundle_dirs; dir && *dir; dir++) {
		struct stat facts;
		char *path = uw_arena_printf(loading->arena, "%s/%s.yaml", *dir, name);
		if (!path)
			return UW_E_NO_MEMORY;
		if (stat(path, &facts) == 0) {
			*ret_path = path;
			return 0;
		}
	}
	return 0;
}

int uwi_document_find(struct uwi_loading *loading, const char *name, const struct uwi_node *at,
                      const char *dir, const char **ret_path, int *ret_is_preset)
{
	int status;
	*ret_path = NULL;
	*ret_is_preset = !is_path(name);
	if (is_path(name)) {
		/* as it was said where that is enough, so that messages use the caller's words */
		*ret_path = *name == '/' || !at ? uw_arena_text(loading->arena, name)
		                                : uwi_path_absolute(loading->arena, dir, name);
		return *ret_path ? 0 : UW_E_NO_MEMORY;
	}
	if (*name == '.' || !*name)
		return not_found(loading, name, at);
	status = find_preset(loading, name, ret_path);
	if (!status && !*ret_path)
		status = not_found(loading, name, at);
	return status;
}

/* ---- reading ---- */

static int cannot(struct uwi_loading *loading, const struct uwi_node *at, const char *path,
                  const char *why)
{
	uwi_problem(loading->problems, UW_E_BUNDLE_NOT_FOUND, at, at ? "extends" : "",
	            "%s cannot be read: %s", path, why);
	return 0;
}

static int read_bytes(struct uwi_loading *loading, int fd, const struct uwi_node *at,
                      struct uwi_document *document)
{
	UW_AUTO_FREE char *data = malloc(UWI_YAML_BYTES + 1);
	ssize_t len;
	if (!data)
		return UW_E_NO_MEMORY;
	len = uw_read_full(fd, data, UWI_YAML_BYTES + 1);
	if (len < 0)
		return cannot(loading, at, document->source.file, strerror(errno));
	return uwi_yaml_parse(loading->arena, &document->source, data, (size_t)len, loading->problems,
	                      &document->root);
}

/* Opens what is not trusted, to be read all the same. *ret_fd -1: reported. */
static int open_untrusted(struct uwi_loading *loading, const char *path, const struct uwi_node *at,
                          struct uwi_trusted *file)
{
	char canonical[PATH_MAX];
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0 || fstat(file->fd, &file->stat) < 0 || !realpath(path, canonical)) {
		int saved = errno;
		uw_fd_close(&file->fd);
		return cannot(loading, at, path, strerror(saved));
	}
	if (!S_ISREG(file->stat.st_mode)) {
		uw_fd_close(&file->fd);
		return cannot(loading, at, path, "it is not a regular file");
	}
	file->path = strdup(canonical);
	return file->path ? 0 : UW_E_NO_MEMORY;
}

static int is_inside(const struct uwi_loading *loading, const char *path)
{
	for (size_t i = 0; i < UW_COUNT(loading->inside); i++)
		if (loading->inside[i] && uw_path_within(path, loading->inside[i]))
			return 1;
	return 0;
}

static int fill_document(struct uwi_loading *loading, const char *path,
                         const struct uwi_trusted *file, struct uwi_document *document)
{
	document->path = uw_arena_text(loading->arena, file->path);
	document->source.file = path;
	document->source.dir =
	    uw_arena_copy(loading->arena, file->path, uw_path_parent(file->path, strlen(file->path)));
	document->dev = file->stat.st_dev;
	document->ino = file->stat.st_ino;
	return document->path && document->source.dir ? 0 : UW_E_NO_MEMORY;
}

int uwi_document_read(struct uwi_loading *loading, const char *path, int is_preset,
                      const struct uwi_node *at, struct uwi_document *document)
{
	const struct uwi_trust_ask ask = {"bundle", UW_E_BUNDLE_UNTRUSTED, UW_STAGE_CONFIG, 0, NULL};
	const char *absolute = uwi_path_absolute(loading->arena, loading->cwd, path);
	UWI_AUTO_TRUSTED file = UWI_TRUSTED_INIT;
	int status;
	if (!absolute)
		return UW_E_NO_MEMORY;
	status = uwi_trust_open(absolute, &ask, &file, NULL);
	if (status == UW_E_NO_MEMORY)
		return status;
	document->is_preset = is_preset;
	document->source.trusted = !status && (is_preset || !is_inside(loading, file.path));
	if (status)
		status = open_untrusted(loading, path, at, &file);
	if (!status && file.fd >= 0)
		status = fill_document(loading, path, &file, document);
	if (status || file.fd < 0)
		return status;
	return read_bytes(loading, file.fd, at, document);
}
