/*
 * proof: evidence that a sandbox holds: the place of the in-run check (C-39), the
 * probe of a candidate (S-30) and the cache of its verdict.
 */
#ifndef UW_CORE_PROOF_H
#define UW_CORE_PROOF_H

#include <stddef.h>
#include <stdint.h>
#include <umwelt/types.h>

struct uwi_generation;
struct uwi_provider_spec;

/*
 * The check directory of a host instance: a private directory that no backend masks, with
 * `nonce` (a file that holds the nonce) and `forbidden` (a directory that this
 * user can write and no confined command may).
 */
struct uwi_check {
	char *path, *nonce, *forbidden;
	int lock;
};

int uwi_check_make(struct uwi_check *check, const char *temp_dir, const uint8_t *nonce, size_t nonce_len,
                   struct uw_error *err);
void uwi_check_remove(struct uwi_check *check);

/*
 * Proves the sandbox of a prepared generation for the modes a command can have in
 * it, or finds the cached verdict. *ret_proof: "fresh" or "cached". last_choice 0:
 * another candidate follows, so a cached refusal that is young stands.
 * SANDBOX_UNAVAILABLE with the reason.
 */
int uwi_proof_sandbox(struct uwi_generation *generation, const struct uwi_provider_spec *spec,
                      int last_choice, const char **ret_proof, struct uw_error *err);

#endif
