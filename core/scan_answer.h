/*
 * scan_answer: what umwelt-scan says about one plugin, as text. A line is a word,
 * a space and a value, whose control bytes and backslashes are written \xHH. The
 * first line is "umwelt-scan 1", the last "end"; without it the answer is cut off.
 *
 *   name, version, summary        once each
 *   provides, requires, optional  a service, any number
 *   key NAME                      then of this key: type, required, narrowing,
 *                                 min, max, help; default and choice if it has them
 *   refused NUMBER                a UW_E_ code; then message and detail, nothing else
 */
#ifndef UW_CORE_SCAN_ANSWER_H
#define UW_CORE_SCAN_ANSWER_H

#include "common/arena.h"
#include "common/buf.h"

#include <umwelt/host.h>

struct uwi_scan_answer {
	struct uw_plugin_facts facts; /* without path and skipped */
	int refused;                  /* 0, or the code */
	const char *message, *detail;
};

void uwi_scan_write(struct uw_buf *out, const struct uw_plugin *plugin);
void uwi_scan_write_refusal(struct uw_buf *out, const struct uw_error *error);
/* 1 if the text ends as an answer does. */
int uwi_scan_complete(const char *text, size_t len);
/* 0, or -1 if the text is not a whole answer. Everything is copied into the arena. */
int uwi_scan_read(struct uw_arena *arena, const char *text, size_t len, struct uwi_scan_answer *ret);

#endif
