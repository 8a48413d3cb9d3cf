/*
 * Versions of content (F-5): made from what was read and what stat said, compared,
 * written as text. Text is "v1:" and base64url of digest, metadata digest and
 * realm; a digest of all zeros stands for none.
 */
#ifndef UW_COMMON_VERSION_H
#define UW_COMMON_VERSION_H

#include <umwelt/types.h>

struct stat;

/* Contents up to this size get a digest. */
#define UW_VERSION_DIGEST_MAX (16ull << 20)

/* text has UW_VERSION_TEXT_SIZE bytes. */
void uw_version_text_format(const struct uw_version *version, char *text);
/* INVALID_ARGS if text is no version; what the text does not hold is zero. */
int uw_version_text_parse(const char *text, struct uw_version *ret_version, struct uw_error *err);

/* A version without digest. */
void uw_version_of_stat(const struct stat *st, const uint8_t realm[UW_REALM_ID_SIZE],
                        struct uw_version *ret_version);
/*
 * 1 if they stand for the same content: by digest where both have one, else by
 * metadata. The realm is compared by the caller, since a foreign one is another
 * error than a changed file.
 */
int uw_version_same(const struct uw_version *a, const struct uw_version *b);
int uw_version_same_realm(const struct uw_version *a, const struct uw_version *b);

#endif
