/*
 * scan_cache: answers of umwelt-scan, kept in STATE/plugins, a file per plugin
 * file. An entry is good for exactly one state of the file (path, device, inode,
 * size, ctime) and one version of Umwelt. A lost, foreign or damaged cache only
 * costs the time of another scan.
 */
#ifndef UW_CORE_SCAN_CACHE_H
#define UW_CORE_SCAN_CACHE_H

#include "core/scan_answer.h"
#include "core/settings.h"
#include "core/trust.h"

/*
 * What is known of a checked file: from the cache, or by a scan. Texts live in
 * the arena. A refusal of the descriptor is a success with ret->refused set; a
 * crash is the error PLUGIN_CRASHED and is not kept.
 */
int uwi_scan_file(struct uw_arena *arena, const struct uwi_settings *settings, const char *name,
                  const struct uwi_trusted *file, struct uwi_scan_answer *ret, struct uw_error *err);

#endif
