/*
 * plugin_check: all that is asked of a plugin's file before it is loaded into
 * this process: trust, pinned digest, what its ELF headers ask for, and a first
 * load in a child. No state; any thread.
 */
#ifndef UW_CORE_PLUGIN_CHECK_H
#define UW_CORE_PLUGIN_CHECK_H

#include "core/plugin_file.h"
#include "core/scan_answer.h"
#include "core/trust.h"

/* What is checked before any dynamic loader sees the file. PLUGIN_UNTRUSTED, PLUGIN_LOAD_FAILED. */
int uwi_plugin_check(const struct uwi_settings *settings, const struct uwi_plugin_file *file,
                     struct uwi_trusted *ret_trusted, struct uw_error *err);
/*
 * C-3: a file never seen before meets a child first; later the answer is known.
 * A refusal found there is the error it would be here. Texts live in the arena.
 */
int uwi_plugin_scan(struct uw_arena *arena, const struct uwi_settings *settings,
                    const struct uwi_plugin_file *file, const struct uwi_trusted *trusted,
                    struct uwi_scan_answer *ret_answer, struct uw_error *err);

#endif
