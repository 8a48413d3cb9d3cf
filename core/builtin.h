/*
 * builtin: the table of plugins that a static build carries (C-8). The build
 * generates its definition; each plugin is one relocatable object whose only
 * global is its entry, renamed to uw_entry_NAME.
 */
#ifndef UW_CORE_BUILTIN_H
#define UW_CORE_BUILTIN_H

#include <umwelt/plugin.h>

struct uwi_builtin {
	const char *name;
	uw_plugin_entry_fn *entry;
};

/* Ended by a NULL name. */
extern const struct uwi_builtin uwi_builtins[];

#endif
