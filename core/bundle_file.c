/*
 * bundle_file: from a name to the bytes of a document, and whether its place is
 * trusted (C-15): owned by root or this user, not writable by others, so also
 * each directory above it (or sticky), and not inside the workspace. All is
 * asked of the descriptor that is read.
 */
#include "core/bundle_internal.h"

#include "common/cleanup.h"
#include "common/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int uwi_path_is_inside(const char *path, const char *dir)
{
	size_t len = strlen(dir);
	if (!strcmp(dir, "/"))
		return 1;
	return !strncmp(path, dir, len) && (path[len] == '/' || !path[len]);
}

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
	uwi_problem(loading->problems, UW_E_BUNDLE_NOT_FOUND, at, at ? "extends" : "",
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
                      const char *dir, const char **ret_path)
{
	int status;
	*ret_path = NULL;
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

/* ---- trust ---- */

static int is_safe(const struct stat *facts, int sticky_will_do)
{
	if (facts->st_uid != 0 && facts->st_uid != geteuid())
		return 0;
	return !(facts->st_mode & (S_IWGRP | S_IWOTH)) || (sticky_will_do && (facts->st_mode & S_ISVTX));
}

static int is_trusted(const struct uwi_loading *loading, const struct stat *facts, const char *path)
{
	char above[PATH_MAX];
	if (!is_safe(facts, 0))
		return 0;
	for (size_t i = 0; i < UW_COUNT(loading->inside); i++)
		if (loading->inside[i] && uwi_path_is_inside(path, loading->inside[i]))
			return 0;
	(void)snprintf(above, sizeof above, "%s", path);
	for (char *slash = strrchr(above, '/'); slash; slash = strrchr(above, '/')) {
		struct stat dir;
		slash[slash == above] = '\0';
		if (stat(above, &dir) < 0 || !is_safe(&dir, 1))
			return 0;
		if (slash == above)
			break;
	}
	return 1;
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

static int fill_source(struct uwi_loading *loading, const char *path, const char *canonical,
                       const struct stat *facts, struct uwi_document *document)
{
	const char *slash = strrchr(canonical, '/');
	document->path = uw_arena_text(loading->arena, canonical);
	document->source.file = path;
	document->source.dir = uw_arena_copy(loading->arena, canonical,
	                                     slash == canonical ? 1 : (size_t)(slash - canonical));
	if (!document->path || !document->source.dir)
		return UW_E_NO_MEMORY;
	document->source.trusted = is_trusted(loading, facts, canonical);
	document->dev = facts->st_dev;
	document->ino = facts->st_ino;
	return 0;
}

int uwi_document_read(struct uwi_loading *loading, const char *path, const struct uwi_node *at,
                      struct uwi_document *document)
{
	UW_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char link[64], canonical[PATH_MAX];
	struct stat facts;
	ssize_t len;
	int status;
	if (fd < 0 || fstat(fd, &facts) < 0)
		return cannot(loading, at, path, strerror(errno));
	if (!S_ISREG(facts.st_mode))
		return cannot(loading, at, path, "it is not a regular file");
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, canonical, sizeof canonical - 1);
	if (len <= 0 || canonical[0] != '/') {
		if (!realpath(path, canonical))
			return cannot(loading, at, path, strerror(errno));
	} else {
		canonical[len] = '\0';
	}
	status = fill_source(loading, path, canonical, &facts, document);
	return status ? status : read_bytes(loading, fd, at, document);
}
