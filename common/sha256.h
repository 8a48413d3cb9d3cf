/*
 * SHA-256 (FIPS 180-4), incremental. For pinned digests of files, where the
 * owner writes what sha256sum prints. No allocation, no failure.
 */
#ifndef UW_COMMON_SHA256_H
#define UW_COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define UW_SHA256_SIZE 32
#define UW_SHA256_HEX  65 /* with the NUL */

struct uw_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void uw_sha256_start(struct uw_sha256 *hash);
void uw_sha256_add(struct uw_sha256 *hash, const void *data, size_t len);
void uw_sha256_end(struct uw_sha256 *hash, uint8_t digest[UW_SHA256_SIZE]);
/* Lower case hex with a NUL. */
void uw_sha256_hex(const uint8_t digest[UW_SHA256_SIZE], char text[UW_SHA256_HEX]);

#endif
