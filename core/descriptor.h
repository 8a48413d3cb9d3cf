/*
 * descriptor: validates what a plugin's entry function returned and copies it
 * with everything it points to (C-1, C-3, C-4), so that later writes by the
 * plugin change nothing. Also used by umwelt-scan. No state; any thread.
 */
#ifndef UW_CORE_DESCRIPTOR_H
#define UW_CORE_DESCRIPTOR_H

#include "common/arena.h"

#include <umwelt/plugin.h>

/*
 * How large an interface table of a service is. Every table is its size followed
 * by functions only. Those of the first release are mandatory; later ones are
 * appended and read as NULL where the plugin is older.
 */
struct uwi_shape {
	const char *service;
	size_t known;     /* bytes in this version */
	size_t mandatory; /* bytes in the first release */
};

/* The services of this version; NULL service ends the list. */
extern const struct uwi_shape uwi_shapes[];

/*
 * name: what the file's name promises, NULL: anything. path: for messages.
 * Everything of *ret lives in the arena. A table of a service that has no shape
 * is copied as large as it says. PLUGIN_INVALID, PLUGIN_ABI_MISMATCH, NO_MEMORY.
 */
int uwi_descriptor_copy(struct uw_arena *arena, const struct uw_plugin *given, const char *name,
                        const char *path, const struct uwi_shape *shapes, struct uw_plugin *ret,
                        struct uw_error *err);

/* 1 if text is lower case letters, digits and dashes, begins with a letter, at most 64 bytes. */
int uwi_plugin_name_valid(const char *text);

#endif
