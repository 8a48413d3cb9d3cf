#include "common/blake2b.h"

#include <string.h>

static const uint64_t iv[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

/* The message schedule; rounds 10 and 11 repeat 0 and 1. */
static const uint8_t sigma[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

static inline uint64_t rotate(uint64_t value, unsigned bits)
{
	return (value >> bits) | (value << (64 - bits));
}

static inline uint64_t load64(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

#define MIX(a, b, c, d, x, y)                                                                    \
	do {                                                                                         \
		v[a] = v[a] + v[b] + (x);                                                                \
		v[d] = rotate(v[d] ^ v[a], 32);                                                          \
		v[c] = v[c] + v[d];                                                                      \
		v[b] = rotate(v[b] ^ v[c], 24);                                                          \
		v[a] = v[a] + v[b] + (y);                                                                \
		v[d] = rotate(v[d] ^ v[a], 16);                                                          \
		v[c] = v[c] + v[d];                                                                      \
		v[b] = rotate(v[b] ^ v[c], 63);                                                          \
	} while (0)

#define ROUND(r)                                                                                 \
	do {                                                                                         \
		MIX(0, 4, 8, 12, m[sigma[r][0]], m[sigma[r][1]]);                                        \
		MIX(1, 5, 9, 13, m[sigma[r][2]], m[sigma[r][3]]);                                        \
		MIX(2, 6, 10, 14, m[sigma[r][4]], m[sigma[r][5]]);                                       \
		MIX(3, 7, 11, 15, m[sigma[r][6]], m[sigma[r][7]]);                                       \
		MIX(0, 5, 10, 15, m[sigma[r][8]], m[sigma[r][9]]);                                       \
		MIX(1, 6, 11, 12, m[sigma[r][10]], m[sigma[r][11]]);                                     \
		MIX(2, 7, 8, 13, m[sigma[r][12]], m[sigma[r][13]]);                                      \
		MIX(3, 4, 9, 14, m[sigma[r][14]], m[sigma[r][15]]);                                      \
	} while (0)

static void compress(struct uw_blake2b *hash, const uint8_t *block, int last)
{
	uint64_t v[16], m[16];
	for (unsigned i = 0; i < 8; i++) {
		v[i] = hash->h[i];
		v[i + 8] = iv[i];
	}
	v[12] ^= hash->count[0];
	v[13] ^= hash->count[1];
	if (last)
		v[14] = ~v[14];
	for (unsigned i = 0; i < 16; i++)
		m[i] = load64(block + 8 * i);
	/* unrolled, so that the schedule is known when this is compiled: about twice as fast */
	ROUND(0);
	ROUND(1);
	ROUND(2);
	ROUND(3);
	ROUND(4);
	ROUND(5);
	ROUND(6);
	ROUND(7);
	ROUND(8);
	ROUND(9);
	ROUND(10);
	ROUND(11);
	for (unsigned i = 0; i < 8; i++)
		hash->h[i] ^= v[i] ^ v[i + 8];
}

static void count(struct uw_blake2b *hash, size_t bytes)
{
	hash->count[0] += bytes;
	if (hash->count[0] < bytes)
		hash->count[1]++;
}

void uw_blake2b_init(struct uw_blake2b *hash, size_t digest_len)
{
	memset(hash, 0, sizeof *hash);
	memcpy(hash->h, iv, sizeof iv);
	/* parameter block: digest length, no key, fanout 1, depth 1 */
	hash->h[0] ^= 0x01010000u ^ (uint64_t)digest_len;
	hash->digest_len = digest_len;
}

void uw_blake2b_update(struct uw_blake2b *hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	while (len > 0) {
		size_t room = UW_BLAKE2B_BLOCK - hash->used;
		size_t take = len < room ? len : room;
		/* the last block is compressed by finish alone, so a full block waits for more */
		if (room == 0) {
			count(hash, UW_BLAKE2B_BLOCK);
			compress(hash, hash->block, 0);
			hash->used = 0;
			continue;
		}
		if (hash->used == 0 && len > UW_BLAKE2B_BLOCK) {
			count(hash, UW_BLAKE2B_BLOCK);
			compress(hash, bytes, 0);
			bytes += UW_BLAKE2B_BLOCK;
			len -= UW_BLAKE2B_BLOCK;
			continue;
		}
		memcpy(hash->block + hash->used, bytes, take);
		hash->used += take;
		bytes += take;
		len -= take;
	}
}

void uw_blake2b_finish(struct uw_blake2b *hash, uint8_t *digest)
{
	count(hash, hash->used);
	memset(hash->block + hash->used, 0, UW_BLAKE2B_BLOCK - hash->used);
	compress(hash, hash->block, 1);
	for (size_t i = 0; i < hash->digest_len; i++)
		digest[i] = (uint8_t)(hash->h[i / 8] >> (8 * (i % 8)));
}

void uw_blake2b(const void *data, size_t len, uint8_t *digest, size_t digest_len)
{
	struct uw_blake2b hash;
	uw_blake2b_init(&hash, digest_len);
	uw_blake2b_update(&hash, data, len);
	uw_blake2b_finish(&hash, digest);
}
