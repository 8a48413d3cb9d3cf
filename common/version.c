#include "common/version.h"

#include "common/base64url.h"
#include "common/blake2b.h"

#include <string.h>
#include <sys/stat.h>

#define PREFIX     "v1:"
#define PREFIX_LEN (sizeof PREFIX - 1)
#define META_SIZE  sizeof(((struct uw_version *)0)->meta)
#define BODY_SIZE  (UW_DIGEST_SIZE + META_SIZE + UW_REALM_ID_SIZE)
#define TEXT_LEN   (PREFIX_LEN + UW_BASE64URL_LEN(BODY_SIZE))

_Static_assert(TEXT_LEN < UW_VERSION_TEXT_SIZE, "a version's text fits its public size");

void uw_version_text_format(const struct uw_version *version, char *text)
{
	uint8_t body[BODY_SIZE] = {0};
	if (version->has_digest)
		memcpy(body, version->digest, UW_DIGEST_SIZE);
	memcpy(body + UW_DIGEST_SIZE, version->meta, META_SIZE);
	memcpy(body + UW_DIGEST_SIZE + META_SIZE, version->realm, UW_REALM_ID_SIZE);
	memcpy(text, PREFIX, PREFIX_LEN);
	uw_base64url_encode(body, sizeof body, text + PREFIX_LEN);
}

int uw_version_text_parse(const char *text, struct uw_version *ret_version, struct uw_error *err)
{
	static const uint8_t none[UW_DIGEST_SIZE];
	uint8_t body[BODY_SIZE];
	struct uw_version version;
	if (!text || strncmp(text, PREFIX, PREFIX_LEN) != 0 ||
	    uw_base64url_decode(text + PREFIX_LEN, strlen(text + PREFIX_LEN), body, sizeof body) < 0)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_NONE, UW_EFFECT_NONE, 0,
		               "this is not a version: a version is \"%s\" and %zu characters, as a read gave it",
		               PREFIX, TEXT_LEN - PREFIX_LEN);
	memset(&version, 0, sizeof version);
	memcpy(version.digest, body, UW_DIGEST_SIZE);
	memcpy(version.meta, body + UW_DIGEST_SIZE, META_SIZE);
	memcpy(version.realm, body + UW_DIGEST_SIZE + META_SIZE, UW_REALM_ID_SIZE);
	version.has_digest = memcmp(version.digest, none, sizeof none) != 0;
	*ret_version = version;
	return 0;
}

static void put64(uint8_t *bytes, uint64_t number)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
}

void uw_version_of_stat(const struct stat *st, const uint8_t realm[UW_REALM_ID_SIZE],
                        struct uw_version *ret_version)
{
	struct uw_version version;
	uint8_t meta[40];
	memset(&version, 0, sizeof version);
	version.dev = st->st_dev;
	version.ino = st->st_ino;
	version.file_size = (uint64_t)st->st_size;
	version.mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	version.ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
	put64(meta, version.dev);
	put64(meta + 8, version.ino);
	put64(meta + 16, version.file_size);
	put64(meta + 24, (uint64_t)version.mtime_ns);
	put64(meta + 32, (uint64_t)version.ctime_ns);
	uw_blake2b(meta, sizeof meta, version.meta, META_SIZE);
	memcpy(version.realm, realm, UW_REALM_ID_SIZE);
	*ret_version = version;
}

int uw_version_same(const struct uw_version *a, const struct uw_version *b)
{
	if (a->has_digest && b->has_digest)
		return memcmp(a->digest, b->digest, UW_DIGEST_SIZE) == 0;
	return memcmp(a->meta, b->meta, META_SIZE) == 0;
}

int uw_version_same_realm(const struct uw_version *a, const struct uw_version *b)
{
	return memcmp(a->realm, b->realm, UW_REALM_ID_SIZE) == 0;
}
