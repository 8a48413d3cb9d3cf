/*
 * fs/1: files of one realm.
 *
 * A path is resolved once to a target; all else takes targets. Mutations honour
 * call->fence (F-32), resolution honours call->view (S-15). All functions may be
 * called from any thread (the descriptor of a provider may say serial; then core
 * serialises). Every function may fail with CANCELLED, TIMED_OUT, NO_MEMORY,
 * FS_PERMISSION_DENIED, FS_IO_ERROR, CONNECTION_LOST besides what it names; a
 * mutation cancelled before anything was changed says FS_ABORTED (CANCELLED where
 * the gate itself found it so). A reader never blocks on a FIFO, a socket or a
 * device (F-4).
 *
 * Results: the caller sets `size` of the struct it passes (0: that of this header);
 * a provider writes no further.
 */
#ifndef UMWELT_FS_H
#define UMWELT_FS_H

#include <umwelt/call.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UW_FS_SERVICE "fs/1"

/* The two marker lines of a refused result (F-34); %s is the mode. */
#define UW_DENIED_MARKER "[sandbox: file access denied under %s mode]"
#define UW_DENIED_HINT   "[hint: ask for a wider mode with sandbox_permissions and a justification, if the task needs it]"

/* Limits of the service (F-3). */
#define UW_FS_TEXT_MAX  (64ull << 20)
#define UW_FS_EDIT_MAX  (512ull << 20)
#define UW_FS_LIST_PAGE 1000u

enum uw_fs_type {
	UW_FS_ABSENT = 0,
	UW_FS_FILE = 1,
	UW_FS_DIRECTORY = 2,
	UW_FS_SYMLINK = 3, /* only where links are not followed */
	UW_FS_FIFO = 4,
	UW_FS_SOCKET = 5,
	UW_FS_CHAR_DEVICE = 6,
	UW_FS_BLOCK_DEVICE = 7,
};

/* flags of resolve */
#define UW_RESOLVE_NOFOLLOW 1u /* the last name is not followed if it is a link (lstat, remove, rename) */

/* flags of a target */
#define UW_TARGET_EXISTS    1u /* it stood when it was resolved */
#define UW_TARGET_DANGLING  2u /* the last name is a link whose target is absent; key names that target */
#define UW_TARGET_VIA_LINK  4u /* a link was followed at the last name */
#define UW_TARGET_NOFOLLOW  8u

/*
 * What the caller said and what it means. key: the canonical outside path (the
 * identity: aliases meet in one key). display: absolute, as the caller spelt it,
 * with inside paths. impl belongs to the provider. Bound to the host instance
 * and generation of the call that made it (C-36); core fills these.
 */
struct uw_target {
	size_t size;
	uint64_t host, generation;
	struct uw_bytes key;
	struct uw_bytes display;
	uint32_t flags;
	uint32_t reserved;
	void *impl;
	void (*release)(struct uw_target *target);
};

struct uw_stat {
	size_t size;
	int32_t type; /* enum uw_fs_type; UW_FS_ABSENT: nothing is there, no error */
	uint32_t mode; /* permission bits, 07777 */
	uint64_t file_size;
	uint64_t dev, ino, links;
	uint32_t uid, gid;
	int64_t mtime_ns, ctime_ns;
	struct uw_version version; /* metadata only, unless a digest was asked for */
};

/* Results of stat_many, in the order of the targets; err is set (code != 0) where one failed. */
struct uw_stat_sink {
	int (*stat)(void *arg, size_t index, const struct uw_stat *stat, const struct uw_error *err);
	void *arg;
};

struct uw_read_request {
	const struct uw_target *target;
	uint64_t offset;
	uint64_t length; /* UINT64_MAX: to the end */
};

/* What a read saw. total: size of the file when the read ended. */
struct uw_read_info {
	size_t size;
	uint64_t offset, length; /* what was delivered */
	uint64_t total;
	uint32_t at_end;
	uint32_t has_version;
	struct uw_version version; /* digest when the whole file was read and is at most 16 MiB */
};

/* Results of read_many, in order: any number of data calls, then one done (err as in stat). */
struct uw_read_sink {
	int (*data)(void *arg, size_t index, const char *data, size_t len);
	int (*done)(void *arg, size_t index, const struct uw_read_info *info, const struct uw_error *err);
	void *arg;
};

enum uw_text_class {
	UW_TEXT_UTF8 = 1,
	UW_TEXT_BYTES = 2,  /* no NUL in the first 8 KiB; undecodable bytes exist */
	UW_TEXT_BINARY = 3, /* content is not delivered */
};

enum uw_text_eol { UW_EOL_NONE = 0, UW_EOL_LF = 1, UW_EOL_CRLF = 2, UW_EOL_MIXED = 3 };

/*
 * read_text delivers lines first_line..last_line (1-based, both included; 0: from
 * the start, to the end) as the bytes stand, a BOM left out, undecodable bytes as
 * they are (the consumer shows them as \xHH). Larger than UW_FS_TEXT_MAX:
 * FS_TOO_LARGE, and the message says how to page with read. A first line past the
 * end delivers nothing. Binary content: success, class BINARY, nothing delivered.
 */
struct uw_text_request {
	size_t size;
	uint64_t first_line, last_line;
};

struct uw_text_info {
	size_t size;
	int32_t text_class; /* enum uw_text_class */
	int32_t eol;        /* enum uw_text_eol */
	uint32_t has_bom;
	uint32_t last_line_ends; /* the file ends with a line ending, or is empty */
	uint64_t total_lines, total_bytes;
	uint64_t first_line, last_line; /* delivered; 0 0: none */
	struct uw_version version;
};

struct uw_entry {
	size_t size;
	struct uw_bytes name;
	struct uw_stat stat;       /* of the entry itself, a link not followed */
	int32_t target_type;       /* of what a link leads to; UW_FS_ABSENT if dangling; else type */
	int32_t reserved;
};

struct uw_entry_sink {
	int (*entry)(void *arg, const struct uw_entry *entry);
	void *arg;
};

/*
 * A page of a listing: entries in byte order of their names, those after `after`
 * (empty: from the start), at most limit (0: UW_FS_LIST_PAGE). `.` and `..` are
 * not entries. An entry that vanishes meanwhile is left out.
 */
struct uw_list_request {
	size_t size;
	struct uw_bytes after;
	uint64_t limit;
};

enum uw_write_intent {
	UW_WRITE_UNCONDITIONAL = 1,
	UW_WRITE_CREATE = 2,  /* FS_EXISTS on anything existing, also a dangling link */
	UW_WRITE_REPLACE = 3, /* only if the version matches; FS_STALE_VERSION, also where absent */
};

enum uw_durability { UW_DURABILITY_FULL = 1, UW_DURABILITY_NONE = 2 };

#define UW_WRITE_PARENTS 1u /* missing parents are created, one by one, inside the fence */

/* content comes from memory, or (from_fd >= 0) is read from a descriptor to its end. */
struct uw_write_request {
	size_t size;
	int32_t intent;     /* enum uw_write_intent */
	int32_t durability; /* enum uw_durability; 0: as the provider is configured (full) */
	uint32_t flags;
	int32_t create_mode; /* permission bits of a new file before the umask; 0: 0666 */
	const struct uw_version *expected; /* of REPLACE */
	struct uw_bytes content;
	int from_fd; /* -1: content */
};

#define UW_WROTE_CREATED       1u  /* it was not there before */
#define UW_WROTE_SPLIT_LINKS   2u  /* other hard links keep the old content */
#define UW_WROTE_DROPPED_SUID  4u  /* the setuid bit or file capabilities of the old file */
#define UW_WROTE_LOST_OWNER    8u  /* owner or group could not be kept */
#define UW_WROTE_LOST_XATTR    16u /* some extended attribute or ACL could not be kept */
#define UW_WROTE_VIA_LINK      32u /* a symbolic link stayed, its target was changed */
#define UW_WROTE_IN_PROCESS    64u /* the version was held against this process only (F-7) */
#define UW_WROTE_NOT_DURABLE   128u /* the directory could not be synced; error beside it (F-13) */

/* conflict: a later failure after the commit is in `after` (code != 0), effect done. */
struct uw_write_result {
	size_t size;
	uint32_t flags;
	uint32_t replacements; /* of edit */
	uint64_t bytes;        /* size of the published file */
	uint64_t exposed_us;   /* F-7 */
	struct uw_version version; /* of the very file published */
	struct uw_error after;
};

/* One literal replacement. all: every occurrence (non-overlapping, left to right). */
struct uw_edit {
	struct uw_bytes old_text;
	struct uw_bytes new_text;
	uint32_t all;
	uint32_t reserved;
};

/*
 * edits apply in order, each to the outcome of those before, all or none (F-11).
 * An old text without CR matches LF and CRLF alike, and bare LFs of the new text
 * take the ending of the lines they replace, else of their neighbours; an old text
 * with a CR in it means exactly its bytes. In a bytes-text, \x80..\xff in old and
 * new stand for these bytes where the old text does not occur as it is spelt.
 * Errors: INVALID_ARGS (empty old text, old equal to new), FS_EDIT_NOT_FOUND (the
 * nearest text with its line in detail `nearest`), FS_AMBIGUOUS_EDIT (detail
 * `count`, `lines`), FS_NOT_TEXT, FS_TOO_LARGE, FS_STALE_VERSION.
 */
struct uw_edit_request {
	size_t size;
	const struct uw_edit *edits;
	size_t edit_count;
	const struct uw_version *expected; /* NULL: any */
	int32_t durability;
	uint32_t flags;
};

#define UW_MKDIR_PARENTS   1u
#define UW_REMOVE_RECURSIVE 1u
#define UW_RENAME_NOREPLACE 1u

struct uw_fs_v1 {
	size_t size;
	/* Evidence of the place (C-30). */
	int (*realm)(void *self, struct uw_realm *ret_realm, struct uw_error *err);
	/*
	 * path: bytes; relative ones start at cwd (canonical outside path, NULL: the
	 * policy's workspace). F-1. Errors: FS_BAD_PATH, FS_LOOP, FS_NAME_TOO_LONG,
	 * FS_NOT_DIRECTORY (a file used as a parent), FS_NOT_FOUND (`..` of a directory
	 * that does not exist), CWD_INVALID (cwd is hidden by the view), INVALID_ARGS
	 * (relative, and no cwd). An absent file is a success; blanks are a name like
	 * any other. A slash at the end demands a directory.
	 */
	int (*resolve)(void *self, const struct uw_call *call, struct uw_bytes path, const char *cwd,
	               uint32_t flags, struct uw_target **ret_target, struct uw_error *err);
	int (*stat_many)(void *self, const struct uw_call *call, const struct uw_target *const *targets,
	                 size_t count, uint32_t want_digest, struct uw_stat_sink sink, struct uw_error *err);
	int (*read_many)(void *self, const struct uw_call *call, const struct uw_read_request *requests,
	                 size_t count, struct uw_read_sink sink, struct uw_error *err);
	int (*read_text)(void *self, const struct uw_call *call, const struct uw_target *target,
	                 const struct uw_text_request *request, struct uw_sink sink,
	                 struct uw_text_info *ret_info, struct uw_error *err);
	/* A read-only, close-on-exec descriptor of a regular file; the caller closes it. */
	int (*open)(void *self, const struct uw_call *call, const struct uw_target *target, int *ret_fd,
	            struct uw_stat *ret_stat, struct uw_error *err);
	/* Errors: FS_NOT_FOUND, FS_NOT_DIRECTORY. The caller releases it. */
	int (*open_dir)(void *self, const struct uw_call *call, const struct uw_target *target,
	                struct uw_dir **ret_dir, struct uw_error *err);
	/* ret_more: 1 if entries follow. Errors: FS_NOT_FOUND, FS_NOT_DIRECTORY. */
	int (*list)(void *self, const struct uw_call *call, const struct uw_target *target,
	            const struct uw_list_request *request, struct uw_entry_sink sink, uint32_t *ret_more,
	            struct uw_error *err);
	/*
	 * Order (F-6): fence, type, intent, staging, intent again at publish. Errors:
	 * FS_SANDBOX_DENIED, FS_NOT_REGULAR_FILE, FS_EXISTS, FS_STALE_VERSION,
	 * WORLD_MISMATCH (a version of another realm), FS_NOT_FOUND (a parent, without
	 * PARENTS), FS_NO_SPACE, FS_READ_ONLY, FS_TOO_LARGE. Effect none for all, but
	 * unknown where the rename itself broke off with an I/O error.
	 */
	int (*write)(void *self, const struct uw_call *call, const struct uw_target *target,
	             const struct uw_write_request *request, struct uw_write_result *ret_result,
	             struct uw_error *err);
	int (*edit)(void *self, const struct uw_call *call, const struct uw_target *target,
	            const struct uw_edit_request *request, struct uw_write_result *ret_result,
	            struct uw_error *err);
	/* Errors: FS_EXISTS (not with PARENTS on a directory), FS_NOT_FOUND (a parent). */
	int (*mkdir)(void *self, const struct uw_call *call, const struct uw_target *target,
	             uint32_t flags, struct uw_error *err);
	/* Resolve with NOFOLLOW. Errors: FS_NOT_FOUND, FS_NOT_EMPTY. Links are removed, not followed. */
	int (*remove)(void *self, const struct uw_call *call, const struct uw_target *target,
	              uint32_t flags, struct uw_error *err);
	/* Both resolved with NOFOLLOW. Errors: FS_NOT_FOUND, FS_EXISTS, FS_NOT_EMPTY, FS_CROSS_DEVICE. */
	int (*rename)(void *self, const struct uw_call *call, const struct uw_target *from,
	              const struct uw_target *to, uint32_t flags, struct uw_error *err);
	/* 1 in ret_contains if child's key is parent's or below it, by component (F-31). */
	int (*contains)(void *self, const struct uw_call *call, const struct uw_target *parent,
	                const struct uw_target *child, uint32_t *ret_contains, struct uw_error *err);
	/* The path a process of this world uses for the target (inside path of the view). */
	int (*process_path)(void *self, const struct uw_call *call, const struct uw_target *target,
	                    struct uw_sink sink, struct uw_error *err);
	/* file:// URL of the process path (RFC 8089, RFC 3986 escapes). */
	int (*file_url)(void *self, const struct uw_call *call, const struct uw_target *target,
	                struct uw_sink sink, struct uw_error *err);
	/* The realm's path of a file of the host; NOT_DEPLOYED where it does not exist there. */
	int (*path_of_local)(void *self, const struct uw_call *call, const char *local_path,
	                     struct uw_sink sink, struct uw_error *err);
};

/* A handle: a provider as core hands it out. Borrowed; lives as long as its world. */
struct uw_fs {
	const struct uw_fs_v1 *v;
	void *self;
};

#ifdef __cplusplus
}
#endif
#endif
