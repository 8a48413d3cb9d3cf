/*
 * subprocess/1: processes of one realm, each with all its descendants (its
 * range), started through the launcher of <umwelt/launch.h>.
 *
 * The handle that plugins and hosts get runs core's pipeline: policy, guard,
 * approval and sandbox are applied to spawn, and wait tells the verdict. A
 * provider sees `confined` filled in and starts exactly that.
 */
#ifndef UMWELT_SUBPROCESS_H
#define UMWELT_SUBPROCESS_H

#include <umwelt/call.h>
#include <umwelt/sandbox.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UW_SUBPROCESS_SERVICE "subprocess/1"

enum uw_stdio_kind {
	UW_STDIO_NULL = 0,
	UW_STDIO_INHERIT = 1, /* the host's descriptor of the same number */
	UW_STDIO_FD = 2,      /* `fd`, borrowed for the call of spawn */
	UW_STDIO_PIPE = 3,    /* the caller reads or writes the host's end (process_fd) */
	UW_STDIO_COLLECT = 4, /* not for stdin: kept by the provider, see uw_collect */
	UW_STDIO_DATA = 5,    /* stdin only: `data`, then end of file; copied by spawn */
};

/*
 * COLLECT keeps the first `head` and the last `tail` bytes (P-4); the whole goes
 * to a file of the session's temp when it outgrows them and spill_max > 0; over
 * spill_max the file keeps its first and last half (in order once the stream has
 * ended). copy_fd > 0: every byte is also written there, as `run` does with its
 * own stderr; the provider duplicates it, leaves its O_NONBLOCK alone, and a
 * target that blocks holds up this stream only. OUTPUT then waits for it too. A
 * pipe or socket there that lost its reader ends the stream for the command too.
 */
struct uw_collect {
	uint64_t head, tail;
	uint64_t spill_max;
	int copy_fd;
	int reserved;
};

struct uw_stdio {
	int32_t kind; /* enum uw_stdio_kind */
	int fd;
	struct uw_bytes data;
	struct uw_collect collect;
};

enum uw_limit {
	UW_LIMIT_NONE = 0,
	UW_LIMIT_WALL = 1,
	UW_LIMIT_CPU = 2,
	UW_LIMIT_MEMORY = 3, /* address space */
	UW_LIMIT_FILES = 4,
	UW_LIMIT_FILE_SIZE = 5,
	UW_LIMIT_OUTPUT = 6,
	UW_LIMIT_CORE = 7,
};

/* 0: not limited by this spec, but core (0 bytes unless core_set). */
struct uw_limits {
	uint64_t wall_ms, cpu_s, address_space, open_files, file_size, output_bytes, core_bytes;
	uint32_t core_set;
	uint32_t reserved;
};

struct uw_pty {
	uint16_t rows, cols;
};

enum uw_env_base {
	UW_ENV_CONFIGURED = 0, /* the provider's env_pass, scrubbed */
	UW_ENV_MINIMAL = 1,
	UW_ENV_EMPTY = 2,
};

/* What becomes of descendants when the command itself has ended (P-13). */
enum uw_tail { UW_TAIL_END = 0, UW_TAIL_KEEP = 1 };

struct uw_spawn {
	size_t size;
	const char *const *argv; /* argv[0] non-empty; NULL-terminated */
	const char *program;     /* absolute path; NULL: resolve(argv[0]) */
	const struct uw_dir *cwd; /* NULL: the policy's workspace */
	const char *const *env_set;   /* NAME=VALUE, NULL-terminated; may be NULL; wins over scrubbing */
	const char *const *env_unset; /* NAME, NULL-terminated; may be NULL */
	int32_t env_base;
	int32_t tail; /* enum uw_tail */
	struct uw_stdio stdio[3];
	const struct uw_pty *pty; /* not NULL: stdio is the PTY's; stdio[] is ignored but COLLECT of [1] */
	uint32_t control;         /* 1: a socketpair, named in UMWELT_CONTROL_FD (P-7) */
	uint32_t umask;           /* 0xffffffff: the host's */
	const struct uw_fd_pass *passes; /* further descriptors for the command; `as` >= 3 */
	size_t pass_count;
	struct uw_limits limits;
	uint32_t grace_ms; /* TERM to KILL; 0: 2000 */
	uint32_t tail_ms;  /* P-13; 0: 250 */
	/* For the pipeline, not for a provider: */
	struct uw_bytes shell_text; /* the text when argv is a shell's; else empty */
	const char *dialect;        /* "bash", "sh", "pwsh"; NULL: argv is the command itself */
	/* For the provider, filled by the pipeline: */
	const struct uw_confined *confined;
};

/* A process handle: opaque, of the provider (or of core's gate) that made it. */
struct uw_process;

enum uw_phase {
	UW_PHASE_NOT_STARTED = 0, /* nothing was run */
	UW_PHASE_RUNNING = 1,
	UW_PHASE_EXITED = 2,      /* the command ended, descendants live */
	UW_PHASE_EMPTY = 3,       /* no process of the range is left */
	UW_PHASE_LOST = 4,        /* the launcher vanished without its report */
};

/* What holds the range (P-11) */
#define UW_RANGE_SUBREAPER 1u
#define UW_RANGE_PID_NS    2u
#define UW_RANGE_CGROUP    4u

/* Facts of one collected stream. Offsets count the whole stream. */
struct uw_stream_facts {
	uint64_t total;       /* bytes produced */
	uint64_t head_len;    /* kept from 0 */
	uint64_t tail_offset; /* first byte of the kept tail */
	uint32_t lossy;       /* bytes between head and tail are not in memory */
	uint32_t spill_lossy; /* the spill file has a gap too */
	const char *spill;    /* inside path, or NULL; lives with the handle */
};

enum uw_verdict { UW_DENIED_NO = 0, UW_DENIED_YES = 1, UW_DENIED_UNKNOWN = 2 };
enum uw_evidence { UW_EVIDENCE_NONE = 0, UW_EVIDENCE_KERNEL = 1, UW_EVIDENCE_INFERRED = 2 };

/* What became of it. status is valid from EXITED on. Texts live as long as the process handle. */
struct uw_exit {
	size_t size;
	int32_t phase;
	int32_t exit_code; /* -1 if it did not exit */
	int32_t signal;    /* 0 if it was not killed by one */
	int32_t status;    /* raw, waitpid(2) */
	int32_t limit;     /* enum uw_limit that ended it: WALL of its limits; of memory, files and
	                      core the status cannot tell */
	int32_t cancelled; /* 1: the caller's cancel or terminate ended it; 2: the deadline of the
	                      call of spawn. The first cause of limit and cancelled wins. */
	uint32_t checks;   /* UW_CHECKED_* of launch.h */
	uint32_t landlock_abi;
	uint32_t range;    /* UW_RANGE_* in force */
	uint32_t descendants; /* 1: some were alive tail_ms after the command ended, or needed KILL */
	uint32_t killed;      /* how many needed KILL */
	uint32_t reserved;
	uint64_t user_us, system_us, wall_us, max_rss_kib;
	int64_t started_ns, exited_ns, empty_ns; /* monotonic */
	struct uw_stream_facts out, err;
	/* filled by the pipeline (S-40..S-43); its texts, also those of rows, live until dispose: */
	const char *backend;
	int32_t mode;
	int32_t enforcement;
	int32_t denied;   /* enum uw_verdict */
	int32_t evidence; /* enum uw_evidence */
	char denied_path[1024];
	char denied_rule[128];
	struct uw_enforcement_row rows[UW_OP_COUNT];
	const char *rule; /* by which it was allowed: "no-guard", ... */
};

enum uw_process_fd {
	UW_PROCESS_STDIN = 0,
	UW_PROCESS_STDOUT = 1,
	UW_PROCESS_STDERR = 2,
	UW_PROCESS_CONTROL = 3,
	UW_PROCESS_PTY = 4,
	UW_PROCESS_EXIT = 5,  /* polls readable once the command itself ended, and ever after */
	UW_PROCESS_EMPTY = 6, /* polls readable once the range is empty, and ever after */
};

enum uw_wait_for { UW_WAIT_EXIT = 1, UW_WAIT_EMPTY = 2, UW_WAIT_OUTPUT = 3 };

/* foreground facts of a PTY (T-6) */
struct uw_foreground {
	size_t size;
	int32_t pgid;         /* 0 unknown */
	int32_t shell_pgid;
	int32_t waits_input;  /* 1 proven, 0 not, -1 cannot be known */
	int32_t canonical;    /* the terminal's line mode */
	int32_t echo;
	char program[64];
};

struct uw_subprocess_v1 {
	size_t size;
	int (*realm)(void *self, struct uw_realm *ret_realm, struct uw_error *err);
	/*
	 * P-2: absolute, or a bare name looked up in PATH of the environment that
	 * env_base and env_set give. EXEC_NOT_FOUND, EXEC_NOT_EXECUTABLE (also a
	 * directory), INVALID_ARGS (relative with a slash).
	 */
	int (*resolve)(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
	               const char *name, struct uw_sink sink, struct uw_error *err);
	/*
	 * Returns when the launcher has reported: STARTED is success. Errors:
	 * INVALID_ARGS, EXEC_NOT_FOUND, EXEC_NOT_EXECUTABLE, CWD_INVALID (names the
	 * directory), SANDBOX_UNAVAILABLE (the launcher refused, or the wrapper broke
	 * off before it), SPAWN_FAILED, LAUNCHER_FAILED; effect none for all.
	 * The deadline and cancel_fd of call bind the process too, not only the call.
	 */
	int (*spawn)(void *self, const struct uw_call *call, const struct uw_spawn *spawn,
	             struct uw_process **ret_process, struct uw_error *err);
	/*
	 * A descriptor of the handle, which keeps it until close_fd or dispose; -1
	 * where there is none. The caller may dup it.
	 */
	int (*process_fd)(void *self, struct uw_process *process, int which);
	/* The pid of the command as the host sees it; 0 where it cannot be known. */
	int64_t (*pid)(void *self, struct uw_process *process);
	/*
	 * Blocks until what is waited for, the deadline or the cancel of call; the
	 * process goes on when the call ends by these (TIMED_OUT, CANCELLED).
	 * OUTPUT: exited, and collected output is complete (P-13): at once where the
	 * range is empty; else tail_ms after the exit, when descendants are kept, or
	 * told to end and given tail_ms once more (TAIL_END, also where nothing is
	 * collected). A launcher that vanished is no error: phase LOST.
	 * ret_exit may be NULL; its size: 0, or what the caller has room for.
	 */
	int (*wait)(void *self, const struct uw_call *call, struct uw_process *process, int what,
	            struct uw_exit *ret_exit, struct uw_error *err);
	/*
	 * Collected output of stream 1 or 2 (a PTY's is 1) from `offset` on, at most
	 * max bytes, cut at UTF-8 boundaries; ret_offset: where what was delivered
	 * starts (later than asked for: lossy), ret_next: the offset to ask for next.
	 * Past the end: nothing. Does not consume.
	 */
	int (*output)(void *self, const struct uw_call *call, struct uw_process *process, int stream,
	              uint64_t offset, uint64_t max, struct uw_sink sink, uint64_t *ret_offset,
	              uint64_t *ret_next, struct uw_error *err);
	/* To the command's process group. PROCESS_NOT_FOUND once the range is empty. */
	int (*signal)(void *self, struct uw_process *process, int number, struct uw_error *err);
	/*
	 * Ends the range: TERM, grace, KILL. Returns at once; wait for EMPTY tells.
	 * A second one has no effect. grace_ms 0: that of spawn.
	 */
	int (*terminate)(void *self, struct uw_process *process, uint32_t grace_ms,
	                 struct uw_error *err);
	int (*pty_resize)(void *self, struct uw_process *process, struct uw_pty size,
	                  struct uw_error *err);
	int (*pty_foreground)(void *self, struct uw_process *process, struct uw_foreground *ret,
	                      struct uw_error *err);
	/* number to the foreground group of the PTY; KILL at the shell itself is refused (T-9). */
	int (*pty_signal)(void *self, struct uw_process *process, int number, struct uw_error *err);
	/*
	 * Ends the range if it is not empty (P-14), waits for it, closes everything,
	 * removes nothing of the spill files (the session does). NULL: nothing.
	 */
	int (*dispose)(void *self, struct uw_process *process, struct uw_error *err);
	/* Prints the environment deny lists (doctor --env), a line each. */
	int (*env_rules)(void *self, struct uw_sink sink, struct uw_error *err);
	/*
	 * Closes the handle's own descriptor of `which` (STDIN, STDOUT, STDERR,
	 * CONTROL): end of file for the command, if the caller holds no duplicate.
	 * Once closed, process_fd says -1. INVALID_ARGS for any other.
	 */
	int (*close_fd)(void *self, struct uw_process *process, int which, struct uw_error *err);
};

struct uw_subprocess {
	const struct uw_subprocess_v1 *v;
	void *self;
};

#ifdef __cplusplus
}
#endif
#endif
