/*
 * Discovery (C-7): what plugins there are, told by umwelt-scan and its cache.
 * Nothing is loaded into this process, and no lock is held.
 */
#include "core/loader.h"
#include "core/plugin_check.h"
#include "core/plugin_object.h"

#include <errno.h>
#include <string.h>

struct discovery {
	const struct uwi_settings *settings;
	struct uw_arena arena;
	const struct uwi_plugin_file *files;
	size_t count;
};

/* Why the loader would not take the file under its name though it is in order; NULL: it would. */
static const char *shadowed_by(struct discovery *discovery, size_t index)
{
	const struct uwi_plugin_file *file = &discovery->files[index];
	for (size_t i = 0; i < discovery->count; i++) {
		const struct uwi_plugin_file *other = &discovery->files[i];
		if (i == index || strcmp(other->name, file->name) != 0)
			continue;
		if (other->dir == file->dir && i < index)
			return uw_arena_printf(&discovery->arena, "an older version: %s is used", other->path);
		if (other->dir < file->dir &&
		    discovery->settings->plugin_dirs[file->dir] == discovery->settings->fallback_plugin_dir)
			return uw_arena_printf(&discovery->arena, "%s is used instead", other->path);
		if (other->dir != file->dir &&
		    discovery->settings->plugin_dirs[other->dir] != discovery->settings->fallback_plugin_dir)
			return uw_arena_printf(&discovery->arena, "PLUGIN_DUPLICATE: %s carries the same name", other->path);
	}
	return NULL;
}

/* Facts of one file; a refusal of any kind becomes the reason why it is skipped. */
static void examine(struct discovery *discovery, size_t index, struct uw_plugin_facts *ret)
{
	const struct uwi_plugin_file *file = &discovery->files[index];
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	struct uw_error err = UW_ERROR_INIT;
	struct uwi_scan_answer answer = {0};
	const char *reason;
	int result = uwi_plugin_check(discovery->settings, file, &trusted, &err);
	*ret = (struct uw_plugin_facts){0};
	if (result == 0)
		result = uwi_plugin_scan(&discovery->arena, discovery->settings, file, &trusted, &answer, &err);
	reason = result == 0 ? shadowed_by(discovery, index) : NULL;
	if (result == 0 && !reason)
		*ret = answer.facts;
	else if (result < 0)
		reason = uw_arena_printf(&discovery->arena, "%s: %s", uw_code_name(err.code), err.message);
	ret->size = sizeof *ret;
	ret->path = file->path;
	ret->skipped = reason;
}

static int discover(struct discovery *discovery, int (*sink)(void *arg, const struct uw_plugin_facts *facts),
                    void *arg, struct uw_error *err)
{
	struct uwi_plugin_file *files;
	int result = uwi_plugin_files_list(&discovery->arena, discovery->settings, &files, &discovery->count, err);
	if (result < 0)
		return result;
	discovery->files = files;
	for (size_t i = 0; i < discovery->count; i++) {
		struct uw_plugin_facts facts;
		examine(discovery, i, &facts);
		if (discovery->arena.failed)
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
		result = sink(arg, &facts);
		if (result < 0)
			return uw_fail(err, result, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "the receiver of the list gave up");
	}
	return 0;
}

int uwi_loader_discover(struct uwi_loader *loader,
                        int (*sink)(void *arg, const struct uw_plugin_facts *facts), void *arg,
                        struct uw_error *err)
{
	struct discovery discovery = {loader->settings, UW_ARENA_INIT, NULL, 0};
	int result = discover(&discovery, sink, arg, err);
	uw_arena_finish(&discovery.arena);
	return result;
}
