/*
 * scan_child: starts umwelt-scan, the only thing that core starts. In this file
 * alone of core are processes made.
 */
#ifndef UW_CORE_SCAN_CHILD_H
#define UW_CORE_SCAN_CHILD_H

#include "common/buf.h"

#include <umwelt/error.h>

#define UWI_SCAN_TIMEOUT_MS 10000

/*
 * Runs the program `scan` (checked as C-2 says, opened once, executed by that
 * descriptor) on a plugin's file and appends its answer to `answer`. It gets an
 * environment of nothing, default signals and no descriptor of the host.
 * PLUGIN_CRASHED if no whole answer came: the plugin crashed, ended the program
 * or took longer than timeout_ms. LAUNCHER_FAILED if the program cannot be used.
 */
int uwi_scan_child(const char *scan, const char *name, const char *path, int timeout_ms,
                   struct uw_buf *answer, struct uw_error *err);

#endif
