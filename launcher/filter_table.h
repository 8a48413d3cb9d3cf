/*
 * Call numbers by architecture. Every call that the filter looks at is here, for
 * the native architecture and for its 32-bit sibling: a call that is left out of
 * the sibling's table is a hole. Numbers stand as numbers, since no header knows
 * those of a foreign architecture.
 */
#ifndef UL_FILTER_TABLE_H
#define UL_FILTER_TABLE_H

#include <linux/audit.h>
#include <stdint.h>

/* What becomes of a call; each has its rule in filter.c. */
enum ul_call_rule {
	UL_DENY,       /* always EPERM */
	UL_ABSENT,     /* ENOSYS */
	UL_METADATA,   /* EPERM with NO_METADATA */
	UL_IOCTL,      /* by the command number */
	UL_PRLIMIT,    /* a new limit for another process: EPERM */
	UL_OTHER_PID,  /* argument 0 is a process: only 0, the caller itself */
	UL_PRIORITY,   /* setpriority: who 0, and not a whole user */
	UL_IOPRIO,     /* ioprio_set: likewise */
	UL_SOCKET,     /* by the family */
	UL_SOCKETPAIR, /* by the family and, with NO_UNIX, the type */
};

struct ul_call {
	uint16_t number;
	uint8_t rule; /* enum ul_call_rule */
};

struct ul_arch {
	uint32_t audit;
	uint32_t first_foreign; /* numbers from here on are another ABI's (x32): ENOSYS; 0: none */
	const struct ul_call *calls;
	uint16_t count;
};

/* Numbers that all architectures share. */
#define UL_UNIFIED_CALLS                                                                         \
	{425, UL_ABSENT},       /* io_uring_setup */                                                 \
	    {452, UL_METADATA}, /* fchmodat2 */                                                      \
	    {463, UL_METADATA}, /* setxattrat */                                                     \
	    {466, UL_METADATA}, /* removexattrat */                                                  \
	    {469, UL_METADATA}  /* file_setattr */

#if defined(__x86_64__)
static const struct ul_call ul_calls_x86_64[] = {
    UL_UNIFIED_CALLS,
    {16, UL_IOCTL},
    {302, UL_PRLIMIT},
    {142, UL_OTHER_PID}, /* sched_setparam */
    {144, UL_OTHER_PID}, /* sched_setscheduler */
    {203, UL_OTHER_PID}, /* sched_setaffinity */
    {314, UL_OTHER_PID}, /* sched_setattr */
    {141, UL_PRIORITY},
    {251, UL_IOPRIO},
    {248, UL_ABSENT}, /* add_key: keyrings of the user are the host's too */
    {249, UL_ABSENT}, /* request_key */
    {250, UL_ABSENT}, /* keyctl */
    {41, UL_SOCKET},
    {53, UL_SOCKETPAIR},
    {90, UL_METADATA},  /* chmod */
    {91, UL_METADATA},  /* fchmod */
    {268, UL_METADATA}, /* fchmodat */
    {92, UL_METADATA},  /* chown */
    {93, UL_METADATA},  /* fchown */
    {94, UL_METADATA},  /* lchown */
    {260, UL_METADATA}, /* fchownat */
    {132, UL_METADATA}, /* utime */
    {235, UL_METADATA}, /* utimes */
    {261, UL_METADATA}, /* futimesat */
    {280, UL_METADATA}, /* utimensat */
    {188, UL_METADATA}, /* setxattr */
    {189, UL_METADATA}, /* lsetxattr */
    {190, UL_METADATA}, /* fsetxattr */
    {197, UL_METADATA}, /* removexattr */
    {198, UL_METADATA}, /* lremovexattr */
    {199, UL_METADATA}, /* fremovexattr */
};

static const struct ul_call ul_calls_i386[] = {
    UL_UNIFIED_CALLS,
    {102, UL_DENY}, /* socketcall: its arguments are in memory */
    {117, UL_DENY}, /* ipc: likewise */
    {54, UL_IOCTL},
    {340, UL_PRLIMIT},
    {154, UL_OTHER_PID}, /* sched_setparam */
    {156, UL_OTHER_PID}, /* sched_setscheduler */
    {241, UL_OTHER_PID}, /* sched_setaffinity */
    {351, UL_OTHER_PID}, /* sched_setattr */
    {97, UL_PRIORITY},
    {289, UL_IOPRIO},
    {286, UL_ABSENT}, /* add_key */
    {287, UL_ABSENT}, /* request_key */
    {288, UL_ABSENT}, /* keyctl */
    {359, UL_SOCKET},
    {360, UL_SOCKETPAIR},
    {15, UL_METADATA},  /* chmod */
    {94, UL_METADATA},  /* fchmod */
    {306, UL_METADATA}, /* fchmodat */
    {182, UL_METADATA}, /* chown, 16 bit */
    {95, UL_METADATA},  /* fchown, 16 bit */
    {16, UL_METADATA},  /* lchown, 16 bit */
    {212, UL_METADATA}, /* chown32 */
    {207, UL_METADATA}, /* fchown32 */
    {198, UL_METADATA}, /* lchown32 */
    {298, UL_METADATA}, /* fchownat */
    {30, UL_METADATA},  /* utime */
    {271, UL_METADATA}, /* utimes */
    {299, UL_METADATA}, /* futimesat */
    {320, UL_METADATA}, /* utimensat */
    {412, UL_METADATA}, /* utimensat_time64 */
    {226, UL_METADATA}, /* setxattr */
    {227, UL_METADATA}, /* lsetxattr */
    {228, UL_METADATA}, /* fsetxattr */
    {235, UL_METADATA}, /* removexattr */
    {236, UL_METADATA}, /* lremovexattr */
    {237, UL_METADATA}, /* fremovexattr */
};

#define UL_ARCHES                                                                                \
	{AUDIT_ARCH_X86_64, 0x40000000u, ul_calls_x86_64,                                            \
	 sizeof ul_calls_x86_64 / sizeof ul_calls_x86_64[0]},                                        \
	{                                                                                            \
		AUDIT_ARCH_I386, 0, ul_calls_i386, sizeof ul_calls_i386 / sizeof ul_calls_i386[0]        \
	}

#elif defined(__aarch64__)
static const struct ul_call ul_calls_aarch64[] = {
    UL_UNIFIED_CALLS,
    {29, UL_IOCTL},
    {261, UL_PRLIMIT},
    {118, UL_OTHER_PID}, /* sched_setparam */
    {119, UL_OTHER_PID}, /* sched_setscheduler */
    {122, UL_OTHER_PID}, /* sched_setaffinity */
    {274, UL_OTHER_PID}, /* sched_setattr */
    {140, UL_PRIORITY},
    {30, UL_IOPRIO},
    {217, UL_ABSENT}, /* add_key: keyrings of the user are the host's too */
    {218, UL_ABSENT}, /* request_key */
    {219, UL_ABSENT}, /* keyctl */
    {198, UL_SOCKET},
    {199, UL_SOCKETPAIR},
    {52, UL_METADATA}, /* fchmod */
    {53, UL_METADATA}, /* fchmodat */
    {54, UL_METADATA}, /* fchownat */
    {55, UL_METADATA}, /* fchown */
    {88, UL_METADATA}, /* utimensat */
    {5, UL_METADATA},  /* setxattr */
    {6, UL_METADATA},  /* lsetxattr */
    {7, UL_METADATA},  /* fsetxattr */
    {14, UL_METADATA}, /* removexattr */
    {15, UL_METADATA}, /* lremovexattr */
    {16, UL_METADATA}, /* fremovexattr */
};

static const struct ul_call ul_calls_arm[] = {
    UL_UNIFIED_CALLS,
    {102, UL_DENY}, /* socketcall of the old ABI */
    {117, UL_DENY}, /* ipc of the old ABI */
    {54, UL_IOCTL},
    {369, UL_PRLIMIT},
    {154, UL_OTHER_PID}, /* sched_setparam */
    {156, UL_OTHER_PID}, /* sched_setscheduler */
    {241, UL_OTHER_PID}, /* sched_setaffinity */
    {380, UL_OTHER_PID}, /* sched_setattr */
    {97, UL_PRIORITY},
    {314, UL_IOPRIO},
    {309, UL_ABSENT}, /* add_key */
    {310, UL_ABSENT}, /* request_key */
    {311, UL_ABSENT}, /* keyctl */
    {281, UL_SOCKET},
    {288, UL_SOCKETPAIR},
    {15, UL_METADATA},  /* chmod */
    {94, UL_METADATA},  /* fchmod */
    {333, UL_METADATA}, /* fchmodat */
    {182, UL_METADATA}, /* chown, 16 bit */
    {95, UL_METADATA},  /* fchown, 16 bit */
    {16, UL_METADATA},  /* lchown, 16 bit */
    {212, UL_METADATA}, /* chown32 */
    {207, UL_METADATA}, /* fchown32 */
    {198, UL_METADATA}, /* lchown32 */
    {325, UL_METADATA}, /* fchownat */
    {30, UL_METADATA},  /* utime of the old ABI */
    {269, UL_METADATA}, /* utimes */
    {326, UL_METADATA}, /* futimesat */
    {348, UL_METADATA}, /* utimensat */
    {412, UL_METADATA}, /* utimensat_time64 */
    {226, UL_METADATA}, /* setxattr */
    {227, UL_METADATA}, /* lsetxattr */
    {228, UL_METADATA}, /* fsetxattr */
    {235, UL_METADATA}, /* removexattr */
    {236, UL_METADATA}, /* lremovexattr */
    {237, UL_METADATA}, /* fremovexattr */
};

#define UL_ARCHES                                                                                \
	{AUDIT_ARCH_AARCH64, 0, ul_calls_aarch64,                                                    \
	 sizeof ul_calls_aarch64 / sizeof ul_calls_aarch64[0]},                                      \
	{                                                                                            \
		AUDIT_ARCH_ARM, 0, ul_calls_arm, sizeof ul_calls_arm / sizeof ul_calls_arm[0]            \
	}

#else
#error "the filter has no table for this architecture: add one to launcher/filter_table.h"
#endif

static const struct ul_arch ul_arches[] = {UL_ARCHES};

/* Always refused: input put into a terminal that others read. */
static const uint32_t ul_terminal_ioctls[] = {
    0x5412, /* TIOCSTI */
    0x541c, /* TIOCLINUX */
};

/*
 * Refused with NO_IOCTL_FS: they change a file or a directory by a descriptor
 * that need not be writable, past Landlock. Both widths, as 32-bit programs pass
 * other numbers.
 */
static const uint32_t ul_file_ioctls[] = {
    0x40086602, 0x40046602, /* FS_IOC_SETFLAGS */
    0x40087602, 0x40047602, /* FS_IOC_SETVERSION */
    0x40086604, 0x40046604, /* EXT4_IOC_SETVERSION, its older number */
    0x401c5820,             /* FS_IOC_FSSETXATTR */
    0x40806685,             /* FS_IOC_ENABLE_VERITY: read-only for good */
    0x400c6613, 0x800c6613, /* FS_IOC_SET_ENCRYPTION_POLICY */
    0xc0406618, 0xc0406619, /* FS_IOC_REMOVE_ENCRYPTION_KEY, of all users */
    0x50009401,             /* BTRFS_IOC_SNAP_CREATE */
    0x5000940e,             /* BTRFS_IOC_SUBVOL_CREATE */
    0x5000940f,             /* BTRFS_IOC_SNAP_DESTROY */
    0x50009417,             /* BTRFS_IOC_SNAP_CREATE_V2 */
    0x50009418,             /* BTRFS_IOC_SUBVOL_CREATE_V2 */
    0x4008941a,             /* BTRFS_IOC_SUBVOL_SETFLAGS */
    0xc0c89425, 0xc0c09425, /* BTRFS_IOC_SET_RECEIVED_SUBVOL */
    0x5000943f,             /* BTRFS_IOC_SNAP_DESTROY_V2 */
};

#endif
