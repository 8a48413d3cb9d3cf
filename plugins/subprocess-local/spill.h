/*
 * The whole of one output stream in a file of the session's temp (P-4). The file
 * has a name of its own, is made 0600, and is never reused; the session removes
 * it. Up to `max` bytes stand in order; beyond, the file's second half is a ring
 * until spill_end turns it, so that it holds the first and the last half in order.
 *
 * The directory belongs to the agent as much as to us: it is entered by path and
 * compared with the device and inode of the policy, and the file is made with
 * O_EXCL. A failure ends spilling and is a fact of the stream, never an error.
 *
 * Not thread-safe: the process's lock guards it.
 */
#ifndef UW_SUBPROCESS_SPILL_H
#define UW_SUBPROCESS_SPILL_H

#include <umwelt/policy.h>

#include <stddef.h>
#include <stdint.h>

struct spill {
	uint64_t max;     /* 0: nothing is spilled */
	uint64_t dev, ino; /* of the directory; 0 0: not known */
	uint64_t total;   /* bytes offered */
	char *dir;        /* outside path */
	char *inside;     /* inside path of the file, once it is open */
	char *inside_dir;
	char name[48];
	int fd;
	int failed;
	int lossy;
};

void spill_init(struct spill *spill);
/* temp->path is copied. inside_dir: how a process sees it. 0 or -1 (memory). */
int spill_setup(struct spill *spill, uint64_t max, const struct uw_place *temp,
                const char *inside_dir, const char *suffix);
/* Opens the file; 0, or -1 with failed set. */
int spill_open(struct spill *spill);
void spill_add(struct spill *spill, const char *data, size_t len);
/* Puts the ring in order. */
void spill_end(struct spill *spill);
void spill_finish(struct spill *spill);

#endif
