/*
 * The launcher's formats: what umwelt-launch reads (the job) and what it says
 * on its control socket (messages). Written by a subprocess provider and, for
 * the profile records, by a sandbox provider; read by the launcher.
 *
 * Descriptors of a launcher at start:
 *   0 1 2   the command's own
 *   3       the job: a sealed memfd, or a pipe read to its end
 *   4       control: one end of a SOCK_SEQPACKET socket pair; the other end is
 *           held by the host alone, close-on-exec. End of file there means that
 *           the host is gone, and the range ends (300 ms after TERM: KILL).
 *   5       the launcher's own executable, so that a wrapper can start it as
 *           /proc/self/fd/5 whatever its mount view is
 *   6..     descriptors that PASS, CWD and the wrapper's words name
 * All of them but those of PASS are closed before the command is executed, and
 * the launcher itself keeps none that the command got: a pipe of the command's
 * ends when the last process of the range that holds it is gone.
 * Who starts it sets TERM, INT, HUP and QUIT to be ignored (S-63, for a wrapper's
 * sake); the command gets all handlers and the mask at their defaults. It takes
 * no argument but its own name.
 *
 * The job is a sequence of records, each a struct uw_launch_record followed by
 * `length` bytes and padding with zeroes to a multiple of 8. The first record is
 * HEAD, the last END; nothing follows END. Numbers are in host byte order (both
 * sides run on one kernel). Every path and word is ended by a NUL that `length`
 * counts, and holds no other. A record type that the launcher does not know, a
 * wrong length, bits or reserved fields that it does not know, padding that is
 * not zero, a missing EXEC, ARGV, ENV or LIFE, a missing END or a duplicate of a
 * single record ends it with 125, nothing run. common/launch_job.h writes jobs.
 *
 * Exit status of the launcher itself: 0 once a command was started and its range
 * is empty (also when the host went away); 125 if nothing was run (REFUSED or
 * EXEC_FAILED was sent).
 */
#ifndef UMWELT_LAUNCH_H
#define UMWELT_LAUNCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UW_LAUNCH_VERSION 1u
#define UW_LAUNCH_MAGIC   0x4c575501u

#define UW_LAUNCH_FD_JOB     3
#define UW_LAUNCH_FD_CONTROL 4
#define UW_LAUNCH_FD_SELF    5
#define UW_LAUNCH_FD_FIRST   6 /* first number free for PASS, CWD and wrappers */

#define UW_LAUNCH_JOB_MAX (64u << 20)

struct uw_launch_record {
	uint32_t type;
	uint32_t length; /* of the payload, without padding */
};

/*
 * name, number, payload. "one" may appear once, "any" any number of times.
 * Records 32.. form the profile; a sandbox provider writes only these.
 */
enum uw_launch_type {
	UW_LAUNCH_HEAD = 1,  /* one: struct uw_launch_head */
	UW_LAUNCH_END = 2,   /* one: empty */
	UW_LAUNCH_EXEC = 3,  /* one: path of the program */
	UW_LAUNCH_ARGV = 4,  /* one: words, at least one, each ended by a NUL; a word may be empty */
	UW_LAUNCH_ENV = 5,   /* one: NAME=VALUE words, each ended by a NUL; may be empty */
	UW_LAUNCH_CWD = 6,   /* one: struct uw_launch_cwd, then the inside path (may be "") */
	UW_LAUNCH_PASS = 7,  /* any, at most UW_LAUNCH_PASS_MAX: struct uw_launch_pass */
	UW_LAUNCH_LIMIT = 8, /* any: struct uw_launch_limit */
	UW_LAUNCH_LIFE = 9,  /* one: struct uw_launch_life */

	UW_LAUNCH_CONFINE = 32,   /* one: struct uw_launch_confine */
	UW_LAUNCH_RULE = 33,      /* any: struct uw_launch_rule, then the inside path */
	UW_LAUNCH_NONCE = 34,     /* one: struct uw_launch_nonce, then the inside path of a file */
	UW_LAUNCH_FORBIDDEN = 35, /* any: inside path of a directory in which a create must fail */
	UW_LAUNCH_PLACE = 36,     /* any: struct uw_launch_place, then the inside path it must be found at */
};

struct uw_launch_head {
	uint32_t magic;
	uint32_t version;
};

/*
 * fd >= 0: the directory handle to enter (under a wrapper with a mount view of its
 * own never without a path: the handle leads out of the view); if a path follows, it is entered
 * instead and must be the same device and inode as the handle (a wrapper with a
 * mount view of its own changes devices of nothing, binds keep both). fd < 0:
 * the path alone; then it must not be empty. Without a CWD record the command
 * starts where the launcher did. Entered with the command's own rights. Failure
 * is reported as EXEC_FAILED with what = CWD (ESTALE: another directory is there).
 */
struct uw_launch_cwd {
	int32_t fd;
	uint32_t reserved;
};

/*
 * Descriptor `fd` of the launcher becomes `as` in the command. Any permutation is
 * allowed; one `as` twice is not. `as` may be 0..2: then the command's own stdio
 * comes from there. Under a wrapper that stays and keeps 0..2 (bwrap's monitor)
 * that is how a stream ends with the command: /dev/null for the wrapper, the
 * command's stdio as 6.. and PASS to 0..2.
 */
#define UW_LAUNCH_PASS_MAX    1024
#define UW_LAUNCH_PASS_AS_MAX 65535 /* the highest `as` */
struct uw_launch_pass {
	int32_t fd;
	int32_t as;
};

/* setrlimit(2) in the command: resource is RLIMIT_*, of this kernel. */
struct uw_launch_limit {
	uint32_t resource;
	uint32_t reserved;
	uint64_t soft;
	uint64_t hard;
};

enum {
	UW_LAUNCH_LIFE_PTY = 1u << 0, /* descriptor 0 becomes the controlling terminal */
};

struct uw_launch_life {
	uint32_t flags;
	uint32_t umask;         /* octal mode bits; 0xffffffff keeps the launcher's */
	uint32_t host_grace_ms; /* TERM to KILL after the host is gone; 300 */
	uint32_t reserved;
};

/* flags of CONFINE; any bit the launcher does not know refuses the job */
#define UW_LAUNCH_LANDLOCK      (1ull << 0) /* apply Landlock with the RULE records */
#define UW_LAUNCH_SCOPE         (1ull << 1) /* scope signals and abstract sockets, where the kernel can */
#define UW_LAUNCH_FILTER        (1ull << 2) /* the base filter (io_uring, TIOCSTI, prlimit of others, ...) */
#define UW_LAUNCH_NO_METADATA   (1ull << 3) /* filter: chmod, chown, utime, xattr by path and descriptor: EPERM */
#define UW_LAUNCH_NO_INET       (1ull << 4) /* filter: socket() of any family but AF_UNIX and AF_NETLINK: EPERM */
#define UW_LAUNCH_NO_UNIX       (1ull << 5) /* filter: socket(AF_UNIX): EPERM; socketpair stays, but for datagrams:
                                               sendto leads out of such a pair */
#define UW_LAUNCH_DROP_CAPS     (1ull << 6) /* drop every capability but those of `keep_caps`, bounding set too; the
                                               launcher itself keeps KILL where a wrapper left it (bwrap:
                                               --cap-add CAP_KILL), to end what changed its user */
#define UW_LAUNCH_LOOPBACK_UP   (1ull << 7) /* bring lo up in this (private) network namespace */
#define UW_LAUNCH_PID1          (1ull << 8) /* the launcher is process 1 of a PID namespace of the range */
#define UW_LAUNCH_NO_IOCTL_FS   (1ull << 9) /* filter: FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, btrfs subvolume ioctls */
#define UW_LAUNCH_NO_FAMILIES   (1ull << 10) /* filter: socket() of any family but AF_UNIX, AF_NETLINK, AF_INET, AF_INET6: EPERM */
#define UW_LAUNCH_OWN_UNIX      (1ull << 11) /* Landlock RESOLVE_UNIX: connect only to sockets below WRITE
                                                rules or made by the range; lost below ABI 9 */
#define UW_LAUNCH_CONFINE_KNOWN ((1ull << 12) - 1)

/*
 * Any CONFINE record sets no_new_privs. The filter flags (NO_*) need FILTER;
 * RULE needs LANDLOCK; NONCE and FORBIDDEN stand without CONFINE too.
 */
struct uw_launch_confine {
	uint64_t flags;
	uint64_t keep_caps; /* bit N: capability N stays, with DROP_CAPS */
	uint32_t landlock_min_abi; /* fewer than this on the running kernel refuses the job */
	uint32_t reserved;
};

/* Landlock grants by class. On a file only the rights that apply to files are asked for. */
enum uw_launch_access {
	UW_LAUNCH_READ = 1,   /* read, list, execute */
	UW_LAUNCH_WRITE = 2,  /* every right that the launcher's table knows below this path */
	UW_LAUNCH_DEVICE = 3, /* read, write and ioctl of an existing device or terminal */
};
struct uw_launch_rule {
	uint32_t access;   /* enum uw_launch_access */
	uint32_t required; /* 0: skipped where it does not exist */
};

#define UW_LAUNCH_NONCE_SIZE 16
struct uw_launch_nonce {
	uint8_t nonce[UW_LAUNCH_NONCE_SIZE]; /* what the file must hold, no more and no less */
};

/*
 * What stands at the inside path, a link not followed, must be this object, or
 * the job is refused (PLACE). So a writable root that was exchanged between the
 * check of policy and the mounts of a wrapper never becomes the command's.
 */
struct uw_launch_place {
	uint64_t dev, ino;
};

/*
 * FORBIDDEN: the create must be refused with EACCES, EPERM or EROFS. Any other
 * outcome (it is not there in this view, the disk is full) proves nothing and
 * refuses the job with what = FORBIDDEN and that errno; 0: the create succeeded.
 */

/* ---- messages from the launcher, one packet each ---- */

enum uw_launch_said_type {
	UW_SAID_REFUSED = 1,     /* the profile or a check failed; nothing was run; exits with 125 */
	UW_SAID_EXEC_FAILED = 2, /* exec, cwd, a limit or a descriptor failed (what); nothing was run */
	UW_SAID_STARTED = 3,     /* the command was executed (its exec succeeded) */
	UW_SAID_EXITED = 4,      /* the command itself ended; descendants may live */
	UW_SAID_EMPTY = 5,       /* no process of the range is left; the launcher exits */
	UW_SAID_DENIED = 6,      /* the launcher itself refused an operation of the command */
};

/* where a REFUSED or EXEC_FAILED arose */
enum uw_launch_what {
	UW_WHAT_JOB = 1,       /* the job is malformed */
	UW_WHAT_PROFILE = 2,   /* a step of confinement failed */
	UW_WHAT_NONCE = 3,     /* the nonce is not visible: another place than was meant */
	UW_WHAT_FORBIDDEN = 4, /* a forbidden create succeeded: the sandbox does not hold */
	UW_WHAT_CWD = 5,
	UW_WHAT_EXEC = 6,
	UW_WHAT_LIMIT = 7,
	UW_WHAT_SYSTEM = 8, /* fork, a descriptor, ... failed */
	UW_WHAT_PLACE = 9,  /* something else stands where a writable root was meant */
};

/* checks of STARTED */
#define UW_CHECKED_NONCE     1u
#define UW_CHECKED_FORBIDDEN 2u

/*
 * lost: file rights are bits 0..31 as in linux/landlock.h (REFER 13, TRUNCATE 14,
 * IOCTL_DEV 15, RESOLVE_UNIX 16), net rights from bit 32, scopes from bit 48.
 */
#define UW_LOST_FS(right)    ((uint64_t)1 << (right))
#define UW_LOST_NET(right)   ((uint64_t)1 << (32 + (right)))
#define UW_LOST_SCOPE(scope) ((uint64_t)1 << (48 + (scope)))
#define UW_LOST_TRUNCATE     UW_LOST_FS(14)
#define UW_LOST_IOCTL_DEV    UW_LOST_FS(15)
#define UW_LOST_RESOLVE_UNIX UW_LOST_FS(16)
#define UW_LOST_SCOPE_UNIX   UW_LOST_SCOPE(0)
#define UW_LOST_SCOPE_SIGNAL UW_LOST_SCOPE(1)

#define UW_SAID_TEXT_MAX 400

struct uw_launch_said {
	uint32_t type; /* enum uw_launch_said_type */
	uint32_t what; /* enum uw_launch_what */
	int32_t os_errno;
	int32_t pid;          /* STARTED: in the launcher's own PID namespace */
	uint32_t checks;      /* STARTED: UW_CHECKED_* */
	uint32_t landlock_abi; /* STARTED: of this kernel, 0 without */
	uint64_t lost;        /* STARTED: UW_LOST_*: asked for, but this kernel lacks it */
	int32_t status;       /* EXITED: as waitpid(2) gives it */
	uint32_t killed;      /* EMPTY: how many processes were ended by KILL */
	uint64_t user_us, system_us, wall_us, max_rss_kib; /* EXITED: of the command and what it waited for */
	char text[UW_SAID_TEXT_MAX]; /* for a person; NUL-terminated */
};

/* ---- messages to the launcher, one packet each ---- */

enum uw_launch_tell_type {
	UW_TELL_SIGNAL = 1,    /* signal `number` to the command's process group */
	UW_TELL_TERMINATE = 2, /* end the whole range: TERM, grace_ms, KILL, until it is empty */
	UW_TELL_SIGNAL_LEADER = 3, /* signal `number` to the command alone */
};

struct uw_launch_tell {
	uint32_t type;
	int32_t number;
	uint32_t grace_ms;
	uint32_t reserved;
};

#ifdef __cplusplus
}
#endif
#endif
