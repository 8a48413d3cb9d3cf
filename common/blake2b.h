/*
 * BLAKE2b (RFC 7693), unkeyed, of 1 to 64 bytes. Ours, because the helper and the
 * launcher link no library. Plain state in the caller's memory; no allocation, no
 * failure. Not thread-safe on one state.
 */
#ifndef UW_COMMON_BLAKE2B_H
#define UW_COMMON_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>

#define UW_BLAKE2B_BLOCK 128
#define UW_BLAKE2B_MAX   64

struct uw_blake2b {
	uint64_t h[8];
	uint64_t count[2]; /* bytes taken so far, 128 bits */
	uint8_t block[UW_BLAKE2B_BLOCK];
	size_t used;       /* bytes waiting in block */
	size_t digest_len;
};

/* digest_len: 1..UW_BLAKE2B_MAX; it is part of the hash, not a truncation. */
void uw_blake2b_init(struct uw_blake2b *hash, size_t digest_len);
void uw_blake2b_update(struct uw_blake2b *hash, const void *data, size_t len);
/* Writes digest_len bytes; the state is spent. */
void uw_blake2b_finish(struct uw_blake2b *hash, uint8_t *digest);
/* All in one. */
void uw_blake2b(const void *data, size_t len, uint8_t *digest, size_t digest_len);

#endif
