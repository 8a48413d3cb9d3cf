/*
 * The call context: who calls, until when, under which policy, in which world.
 * Every service function takes one. It is the caller's and borrowed for the call.
 *
 * Through core's gate a caller fills session, deadline and cancel_fd; the gate
 * checks them, takes the lease and fills policy and generation. A provider may
 * rely on policy being there.
 */
#ifndef UMWELT_CALL_H
#define UMWELT_CALL_H

#include <poll.h>
#include <time.h>

#include <umwelt/policy.h>
#include <umwelt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum uw_actor { UW_ACTOR_AGENT = 1, UW_ACTOR_PERSON = 2 };

/* Facts of a session (C-40). Plain data; constant while a call runs. */
struct uw_session_facts {
	size_t size;
	const char *id;
	int32_t actor; /* enum uw_actor */
	int32_t mode;  /* standing mode; UW_MODE_UNSET: the bundle's */
	const char *user;
	struct uw_place workspace; /* path NULL: the bundle's */
	struct uw_place temp;      /* path NULL: none */
};

/*
 * The fence of a mutation (F-32). Set by a wrapper such as fs-sandboxed; every
 * fs/1 provider must honour it where it opens: a mutation lands below one of the
 * roots (which must still be that device and inode) and neither at nor below a
 * protected path, or it is refused with FS_SANDBOX_DENIED, effect none.
 * No roots: every mutation is refused.
 */
struct uw_fence {
	size_t size;
	int32_t mode; /* for the refusal's text */
	const struct uw_place *roots;
	size_t root_count;
	const struct uw_protected *protected_paths;
	size_t protected_count;
};

struct uw_call {
	size_t size;
	int64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none */
	int cancel_fd;       /* polls readable once the caller cancels; -1: never */
	const struct uw_session_facts *session; /* NULL: no session */
	const struct uw_policy *policy;         /* NULL means read-only with no temp */
	const struct uw_fence *fence;           /* NULL: no fence */
	const struct uw_view *view;             /* how paths are resolved; NULL: as the host sees them */
	uint64_t host;                          /* which host instance; 0 outside the gate */
	uint64_t generation;
	const char *trace_id; /* may be NULL */
};

#define UW_CALL_INIT                                                                             \
	{                                                                                            \
		sizeof(struct uw_call), 0, -1, NULL, NULL, NULL, NULL, 0, 0, NULL                        \
	}

/*
 * The helpers below need POSIX.1-2008 to be asked for (_POSIX_C_SOURCE, or the
 * compiler's GNU mode); the interfaces above do not.
 */
#ifdef CLOCK_MONOTONIC

/* CLOCK_MONOTONIC in nanoseconds. Any thread. */
static inline int64_t uw_now_ns(void)
{
	struct timespec now = {0, 0};
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/*
 * 0, or CANCELLED or TIMED_OUT with effect none: to be asked before each step
 * that cannot be undone, never after it. Any thread.
 */
static inline int uw_call_check(const struct uw_call *call, int stage, struct uw_error *err)
{
	if (!call)
		return 0;
	if (call->cancel_fd >= 0) {
		struct pollfd cancel = {call->cancel_fd, POLLIN, 0};
		if (poll(&cancel, 1, 0) > 0 && cancel.revents)
			return uw_fail(err, UW_E_CANCELLED, stage, UW_EFFECT_NONE, 0, "the call was cancelled");
	}
	if (call->deadline_ns && uw_now_ns() >= call->deadline_ns)
		return uw_fail(err, UW_E_TIMED_OUT, stage, UW_EFFECT_NONE, 0, "the deadline of the call passed");
	return 0;
}

/* Milliseconds left for poll(2): -1 without a deadline, 0 when it passed. Any thread. */
static inline int uw_call_poll_ms(const struct uw_call *call)
{
	int64_t left;
	if (!call || !call->deadline_ns)
		return -1;
	left = call->deadline_ns - uw_now_ns();
	if (left <= 0)
		return 0;
	left = (left + 999999) / 1000000;
	return left > 0x7fffffff ? 0x7fffffff : (int)left;
}

#endif

/* True if a caller's struct of `given` bytes holds `member` of `type` (C-4). */
#define UW_HAS(type, given, member) ((given) >= offsetof(type, member) + sizeof(((type *)0)->member))

#ifdef __cplusplus
}
#endif
#endif
