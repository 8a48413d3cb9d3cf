/*
 * A uw_confined while it grows: wrapper words, the profile (records are added to it
 * with common/launch_job.h and common/profile.h), view entries and
 * the texts that they point to, all owned by one object. Additions never fail one
 * by one: `failed` is remembered and uw_confined_finish tells. Not thread-safe;
 * once finished it is constant. uw_confined_free takes NULL.
 */
#ifndef UW_COMMON_CONFINED_H
#define UW_COMMON_CONFINED_H

#include <umwelt/sandbox.h>

#include "common/buf.h"

struct uw_confining {
	struct uw_confined result; /* first: what the consumer holds is a pointer to it */
	char **words;
	size_t word_count, word_room;
	char **texts;
	size_t text_count, text_room;
	struct uw_view_entry *views;
	size_t view_count, view_room;
	struct uw_buf profile;
	int failed;
};

/* Every row none and not promised, no wrapper, no profile. NULL without memory. */
struct uw_confining *uw_confined_start(const char *backend);
/* Words of the wrapper, up to a NULL. Copied. */
void uw_confined_words(struct uw_confining *confining, ...) __attribute__((sentinel));
/* A text that lives as long as the confined; "" if memory is out. */
const char *uw_confined_text(struct uw_confining *confining, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void uw_confined_view(struct uw_confining *confining, const char *inside, const char *outside,
                      int writable);
/* Seals it: fills the pointers of result. NO_MEMORY if an addition failed. */
int uw_confined_finish(struct uw_confining *confining, struct uw_error *err);
void uw_confined_free(struct uw_confining *confining);

#endif
