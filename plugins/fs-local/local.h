/*
 * fs-local, inner header: one section per file that owns it.
 *
 * A provider (struct uwi_fsl) is constant after create but for its lock table, so
 * all functions run in parallel. A target holds text, never a descriptor: what it
 * names is opened again, without links, in each call. Locks: the key lock of the
 * file that is changed is the only one ever held while files are touched; a rename
 * takes two, in byte order of their keys.
 */
#ifndef UWI_FSL_LOCAL_H
#define UWI_FSL_LOCAL_H

#include "common/blake2b.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/keylock.h"

#include <umwelt/fs.h>
#include <umwelt/plugin.h>

#include <sys/stat.h>

struct uwi_fsl {
	const struct uw_host_api *host;
	struct uw_plugin_context *context;
	struct uw_realm realm;
	uint8_t realm_id[UW_REALM_ID_SIZE];
	struct uw_keylock locks;
	int durability;         /* enum uw_durability, where a request has none */
	int protected_symlinks; /* the kernel refuses strangers' links in sticky directories; so do we */
};

/* An attempt found that the path no longer leads where it did: resolve again. Never leaves the plugin. */
#define UWI_FSL_RETRY 1
/* How often (F-32) */
#define UWI_FSL_TRIES 8

/* ---- plugin.c ---- */

/* Fills a caller's struct as far as its size goes (0: all); out and in start with their size. */
void uwi_fsl_copy_out(void *out, const void *in, size_t in_size);

/* ---- oserr.c: what the system said, as a code and a sentence ---- */

int uwi_fsl_os_code(int os_errno);
/* "cannot VERB PATH: reason". The path is shown with its odd bytes escaped. */
int uwi_fsl_os_error(struct uw_error *err, int stage, int effect, int os_errno, const char *verb,
                     struct uw_bytes path);
/* The same form with a code and a reason of ours. */
int uwi_fsl_error(struct uw_error *err, int code, int stage, const char *verb, struct uw_bytes path,
                  const char *reason);

/* ---- os_linux.c: calls that POSIX lacks ---- */

/* Opens an absolute path in which no component is a link. -1 and errno; ELOOP for a link. */
int uwi_fsl_open_strict(const char *path, int flags);
/* Opens one name of a directory, a link not followed. */
int uwi_fsl_open_name(int dir, const char *name, int flags);
/* A nameless file in the directory; -1 with EOPNOTSUPP where that cannot be had. */
int uwi_fsl_open_nameless(int dir, mode_t mode);
/* Gives a nameless file its name, never over another (EEXIST). */
int uwi_fsl_name_file(int fd, int dir, const char *name);
/* renameat2; ENOSYS or EINVAL where system or file system cannot. */
int uwi_fsl_rename_noreplace(int from_dir, const char *from, int to_dir, const char *to);
int uwi_fsl_rename_exchange(int dir, const char *a, const char *b);
/* Extended attributes and ACLs of one file put on another: 0, or UW_WROTE_* bits of what was lost. */
uint32_t uwi_fsl_copy_xattrs(int from, int to);
void uwi_fsl_random(void *data, size_t len);

/* ---- resolve.c ---- */

struct uwi_target {
	struct uw_target base;
	struct uw_bytes inside; /* canonical inside path, ends in NUL; so does base.key */
	uint32_t must_be_dir;   /* spelt with a slash at its end */
};

/* Where a path leads now. Both buffers hold text. */
struct uwi_spot {
	struct uw_buf key, inside;
	uint32_t flags; /* UW_TARGET_* */
	uint32_t must_be_dir;
};

#define UWI_SPOT_INIT                                                                            \
	{                                                                                            \
		UW_BUF_INIT, UW_BUF_INIT, 0, 0                                                           \
	}
void uwi_fsl_spot_finish(struct uwi_spot *spot);
#define UWI_AUTO_SPOT __attribute__((cleanup(uwi_fsl_spot_finish))) struct uwi_spot

/* F-1: resolves an inside path (absolute) through the call's view. The spot is overwritten. */
int uwi_fsl_walk(const struct uwi_fsl *self, const struct uw_call *call, struct uw_bytes path,
                 uint32_t flags, struct uwi_spot *spot, struct uw_error *err);
/* The spot of a target as it was resolved, and again as it leads now. */
int uwi_fsl_spot_of(const struct uw_target *target, struct uwi_spot *spot, struct uw_error *err);
int uwi_fsl_spot_again(const struct uwi_fsl *self, const struct uw_call *call,
                       const struct uw_target *target, struct uwi_spot *spot, struct uw_error *err);
int uwi_fsl_resolve(void *self, const struct uw_call *call, struct uw_bytes path, const char *cwd,
                    uint32_t flags, struct uw_target **ret_target, struct uw_error *err);

/* ---- open.c: reading ends of targets ---- */

/* An O_PATH descriptor and what it is; absent: 0 with *ret_fd -1. */
int uwi_fsl_look(const struct uwi_fsl *self, const struct uw_call *call, const struct uw_target *target,
                 int *ret_fd, struct stat *ret_st, struct uw_error *err);
/* A descriptor to read a regular file by; never blocks, never opens anything else (F-4). */
int uwi_fsl_open_file(const struct uwi_fsl *self, const struct uw_call *call,
                      const struct uw_target *target, int *ret_fd, struct stat *ret_st,
                      struct uw_error *err);
int uwi_fsl_open_directory(const struct uwi_fsl *self, const struct uw_call *call,
                           const struct uw_target *target, int *ret_fd, struct stat *ret_st,
                           struct uw_error *err);
int uwi_fsl_open(void *self, const struct uw_call *call, const struct uw_target *target, int *ret_fd,
                 struct uw_stat *ret_stat, struct uw_error *err);
int uwi_fsl_open_dir(void *self, const struct uw_call *call, const struct uw_target *target,
                     struct uw_dir **ret_dir, struct uw_error *err);

/* ---- stat.c ---- */

int32_t uwi_fsl_type(mode_t mode);
void uwi_fsl_fill_stat(const struct uwi_fsl *self, const struct stat *st, struct uw_stat *out);
/* Adds the digest of the descriptor's content if it is at most 16 MiB; 0, or -1 with errno. */
int uwi_fsl_add_digest(int fd, struct uw_version *version);
int uwi_fsl_stat_many(void *self, const struct uw_call *call, const struct uw_target *const *targets,
                      size_t count, uint32_t want_digest, struct uw_stat_sink sink,
                      struct uw_error *err);

/* ---- read.c, text.c, list.c ---- */

/* Of files whose size says 0, as in /proc, no more is read. */
#define UWI_FSL_UNSIZED_MAX UW_FS_TEXT_MAX

int uwi_fsl_read_many(void *self, const struct uw_call *call, const struct uw_read_request *requests,
                      size_t count, struct uw_read_sink sink, struct uw_error *err);
int uwi_fsl_read_text(void *self, const struct uw_call *call, const struct uw_target *target,
                      const struct uw_text_request *request, struct uw_sink sink,
                      struct uw_text_info *ret_info, struct uw_error *err);
int uwi_fsl_list(void *self, const struct uw_call *call, const struct uw_target *target,
                 const struct uw_list_request *request, struct uw_entry_sink sink,
                 uint32_t *ret_more, struct uw_error *err);

/* ---- parent.c: where a mutation lands (F-32) ---- */

/* An open directory and the last name below it. name points into spot->key. */
struct uwi_parent {
	int dir;                   /* O_PATH, found without a link below the fence's root */
	const char *name;
	const struct uwi_spot *spot;
	size_t reached;            /* how much of the key `dir` is */
	uint32_t made;             /* directories created on the way: the last ones of it */
};

void uwi_fsl_parent_finish(struct uwi_parent *parent);
/* Removes what was made, so that a failed mutation has changed nothing. */
void uwi_fsl_parent_undo(struct uwi_parent *parent);
/* Checks the fence, then opens the directory. UWI_FSL_RETRY if a link turned up. */
int uwi_fsl_parent_open(const struct uw_call *call, const struct uwi_spot *spot, int act, int make,
                        struct uwi_parent *ret_parent, struct uw_error *err);
/*
 * The frame of a mutation: takes the key's lock, opens the parent, acts; on
 * UWI_FSL_RETRY once more from F-1, at most UWI_FSL_TRIES times.
 */
struct uwi_mutation {
	int act;  /* enum uw_fence_act */
	int make; /* missing parents are created */
	int (*run)(struct uwi_mutation *mutation, const struct uwi_parent *at, struct uw_error *err);
	struct uwi_fsl *self;
	const struct uw_call *call;
	const struct uw_target *target;
};
int uwi_fsl_mutate(struct uwi_mutation *mutation, struct uw_error *err);
/* uw_call_check, with FS_ABORTED for a cancelled mutation. */
int uwi_fsl_go_on(const struct uw_call *call, int stage, struct uw_error *err);

/* ---- stage.c: a new content before it has its name ---- */

#define UWI_STAGE_PREFIX   ".uw-"
#define UWI_STAGE_NAME_MAX 48

struct uwi_stage {
	int dir; /* borrowed */
	int fd;
	char name[UWI_STAGE_NAME_MAX]; /* empty while it has none */
	uint64_t size, size_max;
	struct uw_blake2b hash;
	const struct uw_call *call;
	struct uw_bytes path; /* of the target, for messages */
};

int uwi_fsl_stage_open(struct uwi_stage *stage, const struct uw_call *call, int dir, struct uw_bytes path,
                       mode_t mode, int replaces, struct uw_error *err);
int uwi_fsl_stage_write(struct uwi_stage *stage, const char *data, size_t len, struct uw_error *err);
/* Gives it a staging name, that rename needs. */
int uwi_fsl_stage_name(struct uwi_stage *stage, struct uw_error *err);
/* Publishes it under a name where nothing is: -1 with errno, EEXIST if something is. */
int uwi_fsl_stage_link(struct uwi_stage *stage, const char *name);
/* Closes it, and removes what is left of its name. */
void uwi_fsl_stage_finish(struct uwi_stage *stage);

/* ---- publish.c ---- */

struct uwi_publish {
	int32_t intent; /* enum uw_write_intent */
	int32_t durability;
	mode_t create_mode;
	const struct uw_version *expected;
	const struct stat *verified; /* what the caller has compared with `expected` already; may be NULL */
	int (*fill)(void *arg, struct uwi_stage *stage, struct uw_error *err);
	void *arg;
	int fill_once;      /* fill cannot be repeated */
	int refuse_writers; /* the caller guards by a version: others must not hold the file open to write */
};

int uwi_fsl_publish(struct uwi_fsl *self, const struct uw_call *call, const struct uwi_parent *at,
                    const struct uwi_publish *what, struct uw_write_result *result,
                    struct uw_error *err);
/* FS_STALE_VERSION with expected and found; found NULL: absent. */
int uwi_fsl_stale(struct uw_error *err, int stage, struct uw_bytes path, const struct uw_version *expected,
                  const struct uw_version *found);
/* 0, FS_STALE_VERSION or WORLD_MISMATCH: the open file against the version. */
int uwi_fsl_verify(const struct uwi_fsl *self, int fd, const struct stat *st, int stage,
                   struct uw_bytes path, const struct uw_version *expected, struct uw_error *err);
/* The file at a parent's name, to read: fd -1 if absent; RETRY if a link; error if not regular. */
int uwi_fsl_open_existing(const struct uwi_parent *at, int *ret_fd, struct stat *ret_st,
                          struct uw_error *err);

/* ---- exchange.c (F-7) ---- */

/* The file system cannot exchange. Never leaves the plugin. */
#define UWI_FSL_NO_EXCHANGE 2

struct uwi_guard {
	const struct uw_version *expected;
	int settled; /* times of the file seen are old enough to tell of any change */
	int refuse_writers;
};

/*
 * Puts the named stage in the place of the file seen there, and makes sure that
 * this was the one: 0; FS_STALE_VERSION if it was not (all as before, or effect
 * unknown with what was kept aside in detail); UWI_FSL_NO_EXCHANGE.
 */
int uwi_fsl_exchange(const struct uwi_fsl *self, const struct uwi_parent *at, struct uwi_stage *stage, int old,
                     const struct stat *seen, const struct uwi_guard *guard, struct uw_error *err);
/* Its way back; err holds the conflict already. */
int uwi_fsl_exchange_back(const struct uwi_parent *at, struct uwi_stage *stage, int64_t exposed_ns,
                          struct uw_error *err);

/* ---- write.c, edit.c, tree.c, names.c ---- */

int uwi_fsl_write(void *self, const struct uw_call *call, const struct uw_target *target,
                  const struct uw_write_request *request, struct uw_write_result *ret_result,
                  struct uw_error *err);
int uwi_fsl_edit(void *self, const struct uw_call *call, const struct uw_target *target,
                 const struct uw_edit_request *request, struct uw_write_result *ret_result,
                 struct uw_error *err);
int uwi_fsl_mkdir(void *self, const struct uw_call *call, const struct uw_target *target,
                  uint32_t flags, struct uw_error *err);
int uwi_fsl_remove(void *self, const struct uw_call *call, const struct uw_target *target,
                   uint32_t flags, struct uw_error *err);
int uwi_fsl_rename(void *self, const struct uw_call *call, const struct uw_target *from,
                   const struct uw_target *to, uint32_t flags, struct uw_error *err);
/* Removes all below an open directory; counts what went. -1 and errno. */
int uwi_fsl_empty_tree(const struct uw_call *call, int dir, uint64_t *removed);
int uwi_fsl_contains(void *self, const struct uw_call *call, const struct uw_target *parent,
                     const struct uw_target *child, uint32_t *ret_contains, struct uw_error *err);
int uwi_fsl_process_path(void *self, const struct uw_call *call, const struct uw_target *target,
                         struct uw_sink sink, struct uw_error *err);
int uwi_fsl_file_url(void *self, const struct uw_call *call, const struct uw_target *target,
                     struct uw_sink sink, struct uw_error *err);
int uwi_fsl_path_of_local(void *self, const struct uw_call *call, const char *local_path,
                          struct uw_sink sink, struct uw_error *err);

#endif
