/*
 * proof_cache: verdicts on sandboxes in the state directory, one small file each,
 * named by a hash of all that a verdict depends on (C-39): boot, realm, kernel, its
 * switches, the files of runner, launcher and plugins, uid, configuration. Without
 * a state directory nothing is kept and nothing found.
 */
#ifndef UW_CORE_PROOF_CACHE_H
#define UW_CORE_PROOF_CACHE_H

#include "core/generation.h"

#define UWI_PROOF_KEY_SIZE 33

/* Two strings that are equal only where a verdict may be carried over. */
int uwi_proof_key(const struct uwi_generation *generation, const struct uwi_provider_spec *spec,
                  char key[UWI_PROOF_KEY_SIZE], struct uw_error *err);
/*
 * 1: it passed within a day, text is the backend's name; 0: nothing is known; -1: it
 * failed within 30 seconds, text says why.
 */
int uwi_proof_recall(const struct uwi_generation *generation, const char *key, char *text,
                     size_t size);
/* A failure to keep it is nobody's harm: it is proven again. */
void uwi_proof_keep(const struct uwi_generation *generation, const char *key, int passed,
                    const char *text);

#endif
