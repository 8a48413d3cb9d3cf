/*
 * The program's shape:
 *   load arch
 *   for each architecture: if it is not this one, jump over its part
 *     load the call number; halve the table until few calls are left; for these:
 *       with a body: if it is not this one, skip the body; body (which returns)
 *       always refused: if it is this one, jump to EPERM
 *       allow; EPERM
 *   any other architecture: EPERM
 * Bodies are short, so that the 8-bit jumps reach; a part is jumped over by a
 * 32-bit one. When a filter is set the kernel runs it for every call number, to
 * find those that are always allowed and need it no more: a linear search there
 * would cost each start of a command 0.1 ms.
 */
#include "launcher/filter.h"

#include "launcher/filter_table.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RET_ALLOW SECCOMP_RET_ALLOW
#define RET_EPERM (SECCOMP_RET_ERRNO | EPERM)
#define RET_ENOSYS (SECCOMP_RET_ERRNO | ENOSYS)

#define FEW        5
#define ANY_OF_MAX 128 /* what 8-bit jumps reach, with room */

#define WHICH_USER   2 /* PRIO_USER */
#define IOWHICH_USER 3 /* IOPRIO_WHO_USER */

#define NUMBER_AT offsetof(struct seccomp_data, nr)
#define ARCH_AT   offsetof(struct seccomp_data, arch)
/* All the architectures of the table are little-endian. */
#define LOW(n)  (offsetof(struct seccomp_data, args) + 8 * (n))
#define HIGH(n) (LOW(n) + 4)

/* One too many is noticed at the end: len stays at the maximum. */
static void emit(struct ul_filter *filter, uint16_t code, uint32_t k, uint8_t if_true,
                 uint8_t if_false)
{
	if (filter->len < UL_FILTER_MAX)
		filter->code[filter->len++] = (struct sock_filter){code, if_true, if_false, k};
}

static void load(struct ul_filter *filter, size_t at)
{
	emit(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

static void ret(struct ul_filter *filter, uint32_t action)
{
	emit(filter, BPF_RET | BPF_K, action, 0, 0);
}

/* The loaded word equals k: return that action; else go on. */
static void if_equal_ret(struct ul_filter *filter, uint32_t k, uint32_t action)
{
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1);
	ret(filter, action);
}

static void if_not_equal_ret(struct ul_filter *filter, uint32_t k, uint32_t action)
{
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, k, 1, 0);
	ret(filter, action);
}

/* Values that are refused: one test for each, and one return for all. */
struct refused {
	uint32_t values[ANY_OF_MAX];
	size_t count;
};

static void refuse(struct refused *refused, uint32_t value)
{
	if (refused->count < ANY_OF_MAX)
		refused->values[refused->count++] = value;
}

/* The loaded word is one of them: EPERM; else allow. -1: the jumps do not reach. */
static int refuse_any_of(struct ul_filter *filter, const struct refused *refused)
{
	size_t i;
	for (i = 0; i < refused->count; i++)
		emit(filter, BPF_JMP | BPF_JEQ | BPF_K, refused->values[i], (uint8_t)(refused->count - i),
		     0);
	ret(filter, RET_ALLOW);
	ret(filter, RET_EPERM);
	return refused->count < ANY_OF_MAX ? 0 : -1;
}

static int body_ioctl(struct ul_filter *filter, uint64_t flags)
{
	struct refused refused = {{0}, 0};
	size_t i;
	for (i = 0; i < sizeof ul_terminal_ioctls / sizeof ul_terminal_ioctls[0]; i++)
		refuse(&refused, ul_terminal_ioctls[i]);
	for (i = 0;
	     (flags & UW_LAUNCH_NO_IOCTL_FS) && i < sizeof ul_file_ioctls / sizeof ul_file_ioctls[0];
	     i++)
		refuse(&refused, ul_file_ioctls[i]);
	load(filter, LOW(1)); /* the kernel takes 32 bits of it: the upper word means nothing */
	return refuse_any_of(filter, &refused);
}

static void body_prlimit(struct ul_filter *filter)
{
	load(filter, LOW(0));
	if_equal_ret(filter, 0, RET_ALLOW);
	load(filter, LOW(2));
	if_not_equal_ret(filter, 0, RET_EPERM);
	load(filter, HIGH(2));
	if_not_equal_ret(filter, 0, RET_EPERM);
	ret(filter, RET_ALLOW); /* it only reads */
}

/* which in argument 0, who in argument 1; a whole user has members outside the range. */
static void body_priority(struct ul_filter *filter, uint32_t which_user)
{
	load(filter, LOW(0));
	if_equal_ret(filter, which_user, RET_EPERM);
	load(filter, LOW(1));
	if_not_equal_ret(filter, 0, RET_EPERM);
	ret(filter, RET_ALLOW);
}

static void body_socket(struct ul_filter *filter, uint64_t flags)
{
	load(filter, LOW(0));
	if_equal_ret(filter, AF_UNIX, (flags & UW_LAUNCH_NO_UNIX) ? RET_EPERM : RET_ALLOW);
	if_equal_ret(filter, AF_NETLINK, RET_ALLOW);
	if (flags & UW_LAUNCH_NO_INET) {
		ret(filter, RET_EPERM);
	} else if (flags & UW_LAUNCH_NO_FAMILIES) {
		if_equal_ret(filter, AF_INET, RET_ALLOW);
		if_equal_ret(filter, AF_INET6, RET_ALLOW);
		ret(filter, RET_EPERM);
	} else {
		ret(filter, RET_ALLOW);
	}
}

/*
 * A pair of datagram sockets is not closed in itself: sendto and connect take
 * either end to any named socket. With NO_UNIX only streams and sequenced
 * packets remain, which cannot be connected again.
 */
static void body_socketpair(struct ul_filter *filter, uint64_t flags)
{
	load(filter, LOW(0));
	if (flags & (UW_LAUNCH_NO_INET | UW_LAUNCH_NO_FAMILIES))
		if_not_equal_ret(filter, AF_UNIX, RET_EPERM);
	if (flags & UW_LAUNCH_NO_UNIX) {
		emit(filter, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
		ret(filter, RET_ALLOW);
		load(filter, LOW(1));
		emit(filter, BPF_ALU | BPF_AND | BPF_K, 0xf, 0,
		     0); /* without SOCK_CLOEXEC, SOCK_NONBLOCK */
		if_equal_ret(filter, SOCK_STREAM, RET_ALLOW);
		if_equal_ret(filter, SOCK_SEQPACKET, RET_ALLOW);
		ret(filter, RET_EPERM);
	}
	ret(filter, RET_ALLOW);
}

static int body(struct ul_filter *filter, enum ul_call_rule rule, uint64_t flags)
{
	switch (rule) {
	case UL_DENY:
	case UL_METADATA: ret(filter, RET_EPERM); break; /* not reached: they have no body */
	case UL_ABSENT: ret(filter, RET_ENOSYS); break;
	case UL_IOCTL: return body_ioctl(filter, flags);
	case UL_PRLIMIT: body_prlimit(filter); break;
	case UL_OTHER_PID:
		load(filter, LOW(0));
		if_not_equal_ret(filter, 0, RET_EPERM);
		ret(filter, RET_ALLOW);
		break;
	case UL_PRIORITY: body_priority(filter, WHICH_USER); break;
	case UL_IOPRIO: body_priority(filter, IOWHICH_USER); break;
	case UL_SOCKET: body_socket(filter, flags); break;
	case UL_SOCKETPAIR: body_socketpair(filter, flags); break;
	}
	return 0;
}

static int has_body(const struct ul_call *call)
{
	return call->rule != UL_DENY && call->rule != UL_METADATA;
}

static int is_wanted(const struct ul_call *call, uint64_t flags)
{
	const uint64_t families = UW_LAUNCH_NO_INET | UW_LAUNCH_NO_FAMILIES | UW_LAUNCH_NO_UNIX;
	if (call->rule == UL_METADATA)
		return (flags & UW_LAUNCH_NO_METADATA) != 0;
	if (call->rule == UL_SOCKET || call->rule == UL_SOCKETPAIR)
		return (flags & families) != 0;
	return 1;
}

static int emit_call(struct ul_filter *filter, const struct ul_call *call, uint64_t flags)
{
	unsigned short test = filter->len;
	unsigned skipped;
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 0);
	if (body(filter, (enum ul_call_rule)call->rule, flags) < 0)
		return -1;
	skipped = filter->len - test - 1u;
	if (filter->len >= UL_FILTER_MAX || skipped > 255)
		return -1;
	filter->code[test].jf = (uint8_t)skipped;
	return 0;
}

/* A handful of calls: bodies, then the refused ones. Always returns. */
static int emit_few(struct ul_filter *filter, const struct ul_call *calls, size_t count,
                    uint64_t flags)
{
	struct refused refused = {{0}, 0};
	size_t i;
	for (i = 0; i < count; i++) {
		if (!has_body(&calls[i]))
			refuse(&refused, calls[i].number);
		else if (emit_call(filter, &calls[i], flags) < 0)
			return -1;
	}
	return refuse_any_of(filter, &refused);
}

/* Halves the sorted calls until few are left. As deep as the logarithm of their number. */
static int emit_tree(struct ul_filter *filter, const struct ul_call *calls, size_t count,
                     uint64_t flags)
{
	const size_t half = count / 2;
	unsigned short test = filter->len;
	unsigned left;
	if (count <= FEW)
		return emit_few(filter, calls, count, flags);
	emit(filter, BPF_JMP | BPF_JGE | BPF_K, calls[half].number, 0, 0);
	if (emit_tree(filter, calls, half, flags) < 0)
		return -1;
	left = filter->len - test - 1u;
	if (filter->len >= UL_FILTER_MAX || left > 255)
		return -1;
	filter->code[test].jt = (uint8_t)left;
	return emit_tree(filter, calls + half, count - half, flags);
}

/* The calls of a table that these flags look at, by number. */
static size_t wanted_calls(const struct ul_arch *arch, uint64_t flags,
                           struct ul_call ret_calls[ANY_OF_MAX])
{
	size_t count = 0, i, at;
	for (i = 0; i < arch->count && count < ANY_OF_MAX; i++) {
		if (!is_wanted(&arch->calls[i], flags))
			continue;
		for (at = count++; at > 0 && ret_calls[at - 1].number > arch->calls[i].number; at--)
			ret_calls[at] = ret_calls[at - 1];
		ret_calls[at] = arch->calls[i];
	}
	return count;
}

static int emit_arch(struct ul_filter *filter, const struct ul_arch *arch, uint64_t flags)
{
	struct ul_call calls[ANY_OF_MAX];
	size_t count = wanted_calls(arch, flags, calls);
	unsigned short over;
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, arch->audit, 1, 0);
	over = filter->len;
	emit(filter, BPF_JMP | BPF_JA, 0, 0, 0);
	load(filter, NUMBER_AT);
	if (arch->first_foreign) {
		emit(filter, BPF_JMP | BPF_JGE | BPF_K, arch->first_foreign, 0, 1);
		ret(filter, RET_ENOSYS);
	}
	if (count == ANY_OF_MAX || emit_tree(filter, calls, count, flags) < 0)
		return -1;
	filter->code[over].k = filter->len - over - 1u;
	return 0;
}

int ul_filter_build(struct ul_filter *filter, uint64_t confine_flags)
{
	size_t i;
	filter->len = 0;
	load(filter, ARCH_AT);
	for (i = 0; i < sizeof ul_arches / sizeof ul_arches[0]; i++)
		if (emit_arch(filter, &ul_arches[i], confine_flags) < 0)
			return -1;
	ret(filter, RET_EPERM);
	return filter->len < UL_FILTER_MAX ? 0 : -1;
}

int ul_filter_apply(const struct ul_job *job, struct ul_failure *failure)
{
	struct ul_filter filter;
	struct sock_fprog program;
	if (!ul_job_has(job, UW_LAUNCH_FILTER))
		return 0;
	if (ul_filter_build(&filter, job->confine.flags) < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, E2BIG,
		               "the filter is longer than the kernel takes");
	program.len = filter.len;
	program.filter = filter.code;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, errno,
		               "the filter of system calls cannot be applied");
	return 0;
}
