/*
 * Small types that several services share. Plain data, no functions with state.
 *
 * Paths and names are bytes (POSIX): never assumed to be UTF-8, never NUL inside.
 */
#ifndef UMWELT_TYPES_H
#define UMWELT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <umwelt/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UW_ABI_MAJOR 1u

/* Borrowed bytes. data may be NULL only when len is 0. */
struct uw_bytes {
	const char *data;
	size_t len;
};

/*
 * A sink takes bytes in order. It returns 0 to go on, or a UW_E_ code, which the
 * callee passes on as its own result after cleaning up. Called on the caller's
 * thread, never after the call has returned. data is borrowed for the call.
 */
struct uw_sink {
	int (*write)(void *arg, const char *data, size_t len);
	void *arg;
};

/*
 * The identity of the place a provider acts on, by its own evidence (C-30).
 * An absent field has its bit in `absent` set and is zero. Two providers can
 * share a world only when all fields, and `absent`, are equal.
 */
#define UW_REALM_FIELDS(X)                                                                       \
	X(boot_id)                                                                                   \
	X(machine_id)                                                                                \
	X(root_dev)                                                                                  \
	X(root_ino)                                                                                  \
	X(mount_ns)                                                                                  \
	X(user_ns)                                                                                   \
	X(uid)

enum uw_realm_field {
#define UW_REALM_ENUM(name) UW_REALM_##name,
	UW_REALM_FIELDS(UW_REALM_ENUM)
#undef UW_REALM_ENUM
	    UW_REALM_COUNT
};

struct uw_realm {
	size_t size;
	uint32_t absent; /* bit 1 << enum uw_realm_field */
	char boot_id[64];
	char machine_id[64];
	uint64_t root_dev, root_ino;
	uint64_t mount_ns, user_ns;
	uint64_t uid;
	char label[64]; /* for people; takes no part in equality */
};

/*
 * What identifies a content (F-5). With a digest, equality is over size and
 * digest; without, over dev, ino, size, mtime and ctime. Opaque to consumers:
 * they print and parse it with uw_version_format/parse of <umwelt/host.h>.
 */
#define UW_DIGEST_SIZE       24
#define UW_REALM_ID_SIZE     8
#define UW_VERSION_TEXT_SIZE 81 /* "v1:" + base64url, and the NUL */

struct uw_version {
	uint32_t has_digest; /* 0 or 1 */
	uint32_t reserved;
	uint8_t digest[UW_DIGEST_SIZE]; /* BLAKE2b-192 of the content */
	uint8_t meta[16];               /* BLAKE2b-128 of dev, ino, size, mtime_ns, ctime_ns */
	uint8_t realm[UW_REALM_ID_SIZE]; /* short hash of the realm it was seen in */
	uint64_t dev, ino, file_size;   /* for conflict reports; not part of the text form */
	int64_t mtime_ns, ctime_ns;
};

/* A path with the object that it must be: evidence against replacement. */
struct uw_place {
	const char *path; /* canonical, absolute, in the realm, as seen from outside a sandbox */
	uint64_t dev, ino;
};

enum uw_mode {
	UW_MODE_UNSET = 0,
	UW_MODE_READ_ONLY = 1,
	UW_MODE_WORKSPACE_WRITE = 2,
	UW_MODE_DANGER_FULL_ACCESS = 3,
};

/* "read-only", "workspace-write", "danger-full-access", else NULL. Static memory. Any thread. */
static inline const char *uw_mode_name(int mode)
{
	switch (mode) {
	case UW_MODE_READ_ONLY: return "read-only";
	case UW_MODE_WORKSPACE_WRITE: return "workspace-write";
	case UW_MODE_DANGER_FULL_ACCESS: return "danger-full-access";
	default: return NULL;
	}
}

/*
 * A handle of a directory in a realm (open_dir): a descriptor where the realm is
 * local, an id on a far side. Released by the function that came with it; NULL
 * release: nothing to do. The provider that made it is the one that can use it.
 */
struct uw_dir {
	size_t size;
	int fd;          /* -1 where the realm is not local */
	uint64_t id;     /* of the far side; 0 locally */
	uint64_t dev, ino;
	const char *path; /* canonical, outside; lives as long as the handle */
	void (*release)(struct uw_dir *dir);
};

#ifdef __cplusplus
}
#endif
#endif
