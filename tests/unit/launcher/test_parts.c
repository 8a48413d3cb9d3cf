/* launcher: tables and walks that need no started launcher (S-51, S-54, P-11). */
#include "tests/unit.h"

#include "common/cleanup.h"
#include "common/launch_job.h"
#include "launcher/filter.h"
#include "launcher/filter_table.h"
#include "launcher/job.h"
#include "launcher/landlock.h"
#include "launcher/passing.h"
#include "launcher/range.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_SCOPES (UW_LOST_SCOPE_UNIX | UW_LOST_SCOPE_SIGNAL)
#define ALL_FLAGS (UW_LAUNCH_SCOPE | UW_LAUNCH_NO_INET | UW_LAUNCH_OWN_UNIX)

START_TEST(rights_are_scaled_down_to_the_kernel_and_the_lost_ones_are_named)
{
	static const struct {
		uint32_t abi;
		uint64_t fs, net, scoped, lost;
	} wanted[] = {
	    {1, 0x1fff, 0, 0,
	     UW_LOST_FS(13) | UW_LOST_TRUNCATE | UW_LOST_IOCTL_DEV | UW_LOST_RESOLVE_UNIX | NO_SCOPES},
	    {2, 0x3fff, 0, 0, UW_LOST_TRUNCATE | UW_LOST_IOCTL_DEV | UW_LOST_RESOLVE_UNIX | NO_SCOPES},
	    {3, 0x7fff, 0, 0, UW_LOST_IOCTL_DEV | UW_LOST_RESOLVE_UNIX | NO_SCOPES},
	    {4, 0x7fff, 3, 0, UW_LOST_IOCTL_DEV | UW_LOST_RESOLVE_UNIX | NO_SCOPES},
	    {5, 0xffff, 3, 0, UW_LOST_RESOLVE_UNIX | NO_SCOPES},
	    {6, 0xffff, 3, 3, UW_LOST_RESOLVE_UNIX},
	    {8, 0xffff, 3, 3, UW_LOST_RESOLVE_UNIX},
	    {9, 0x1ffff, 3, 3, 0},
	    {10, 0x1ffff, 15, 3, 0},
	    {11, 0x1ffff, 15, 3, 0},
	    {99, 0x1ffff, 15, 3, 0},
	};
	for (size_t i = 0; i < UW_COUNT(wanted); i++) {
		struct ul_landlock_rights got = ul_landlock_handled(wanted[i].abi, ALL_FLAGS);
		ck_assert_uint_eq(got.fs, wanted[i].fs);
		ck_assert_uint_eq(got.net, wanted[i].net);
		ck_assert_uint_eq(got.scoped, wanted[i].scoped);
		ck_assert_uint_eq(got.lost, wanted[i].lost);
	}
	ck_assert_uint_eq(ul_landlock_handled(11, 0).net, 0);
	ck_assert_uint_eq(ul_landlock_handled(11, 0).scoped, 0);
	ck_assert_uint_eq(ul_landlock_handled(11, 0).fs, 0xffff);
}
END_TEST

START_TEST(a_file_is_granted_only_rights_of_files)
{
	const uint64_t of_files = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15 | 1 << 16;
	for (uint32_t access = UW_LAUNCH_READ; access <= UW_LAUNCH_DEVICE; access++)
		ck_assert_uint_eq(ul_landlock_granted(access, 0, 0x1ffff) & ~of_files, 0);
	ck_assert_uint_eq(ul_landlock_granted(UW_LAUNCH_WRITE, 1, 0x1ffff), 0x1ffff);
	ck_assert_uint_eq(ul_landlock_granted(UW_LAUNCH_READ, 1, 0x1ffff), 1 << 0 | 1 << 2 | 1 << 3);
	/* never a right that is not handled: the kernel would refuse the rule */
	ck_assert_uint_eq(ul_landlock_granted(UW_LAUNCH_DEVICE, 0, 0x1fff) & ~(uint64_t)0x1fff, 0);
}
END_TEST

/* Runs a program as the kernel would, for what it uses. */
static uint32_t simulate(const struct ul_filter *filter, const struct seccomp_data *data)
{
	uint32_t word = 0;
	for (unsigned at = 0; at < filter->len; at++) {
		const struct sock_filter *op = &filter->code[at];
		switch (op->code) {
		case BPF_LD | BPF_W | BPF_ABS: memcpy(&word, (const char *)data + op->k, 4); break;
		case BPF_JMP | BPF_JEQ | BPF_K: at += word == op->k ? op->jt : op->jf; break;
		case BPF_JMP | BPF_JGE | BPF_K: at += word >= op->k ? op->jt : op->jf; break;
		case BPF_JMP | BPF_JA: at += op->k; break;
		case BPF_ALU | BPF_AND | BPF_K: word &= op->k; break;
		case BPF_RET | BPF_K: return op->k;
		default: ck_abort_msg("an instruction %x that is not known", op->code);
		}
	}
	ck_abort_msg("the program runs past its end");
	return 0;
}

static const uint64_t filter_flags[] = {UW_LAUNCH_NO_METADATA, UW_LAUNCH_NO_INET, UW_LAUNCH_NO_UNIX,
                                        UW_LAUNCH_NO_IOCTL_FS, UW_LAUNCH_NO_FAMILIES};

START_TEST(every_combination_of_flags_has_a_filter_that_ends)
{
	struct ul_filter filter;
	for (unsigned set = 0; set < 1u << UW_COUNT(filter_flags); set++) {
		uint64_t flags = UW_LAUNCH_FILTER;
		for (size_t i = 0; i < UW_COUNT(filter_flags); i++)
			flags |= set >> i & 1 ? filter_flags[i] : 0;
		ck_assert_int_eq(ul_filter_build(&filter, flags), 0);
		for (size_t a = 0; a < UW_COUNT(ul_arches); a++) {
			for (int number = 0; number < 600; number++) {
				struct seccomp_data data = {number, ul_arches[a].audit, 0, {0, 0, 0, 0, 0, 0}};
				uint32_t action = simulate(&filter, &data);
				ck_assert(action == SECCOMP_RET_ALLOW || action == (SECCOMP_RET_ERRNO | EPERM) ||
				          action == (SECCOMP_RET_ERRNO | ENOSYS));
			}
		}
	}
}
END_TEST

START_TEST(each_call_of_each_table_meets_its_rule)
{
	struct ul_filter all, base;
	ck_assert_int_eq(ul_filter_build(&all, UW_LAUNCH_CONFINE_KNOWN), 0);
	ck_assert_int_eq(ul_filter_build(&base, UW_LAUNCH_FILTER), 0);
	for (size_t a = 0; a < UW_COUNT(ul_arches); a++) {
		for (size_t i = 0; i < ul_arches[a].count; i++) {
			const struct ul_call *call = &ul_arches[a].calls[i];
			/* arguments that every rule refuses: a foreign pid, a new limit, TIOCSTI, AF_PACKET */
			struct seccomp_data data = {
				call->number, ul_arches[a].audit, 0, {17, 0x5412, 1ull << 32, 0, 0, 0}};
			uint32_t wanted = SECCOMP_RET_ERRNO | (call->rule == UL_ABSENT ? ENOSYS : EPERM);
			ck_assert_uint_eq(simulate(&all, &data), wanted);
			/* and those that each allows */
			data.args[0] = call->rule == UL_SOCKET       ? AF_NETLINK
			               : call->rule == UL_SOCKETPAIR ? AF_UNIX
			                                             : 0;
			data.args[1] = call->rule == UL_SOCKETPAIR ? SOCK_STREAM | SOCK_CLOEXEC : 0;
			if (call->rule >= UL_IOCTL)
				ck_assert_uint_eq(simulate(&all, &data), SECCOMP_RET_ALLOW);
			if (call->rule == UL_METADATA)
				ck_assert_uint_eq(simulate(&base, &data), SECCOMP_RET_ALLOW);
		}
	}
}
END_TEST

START_TEST(foreign_architectures_and_x32_are_refused)
{
	struct ul_filter filter;
	struct seccomp_data data = {39, 0xdeadbeef, 0, {0, 0, 0, 0, 0, 0}};
	ck_assert_int_eq(ul_filter_build(&filter, UW_LAUNCH_FILTER), 0);
	ck_assert_uint_eq(simulate(&filter, &data), SECCOMP_RET_ERRNO | EPERM);
	for (size_t a = 0; a < UW_COUNT(ul_arches); a++) {
		if (!ul_arches[a].first_foreign)
			continue;
		data.arch = ul_arches[a].audit;
		data.nr = 39 | 0x40000000;
		ck_assert_uint_eq(simulate(&filter, &data), SECCOMP_RET_ERRNO | ENOSYS);
		data.nr = -1;
		ck_assert_uint_eq(simulate(&filter, &data), SECCOMP_RET_ERRNO | ENOSYS);
		data.nr = 39;
		ck_assert_uint_eq(simulate(&filter, &data), SECCOMP_RET_ALLOW);
	}
}
END_TEST

/* fork, or the test ends: its -1 must never be the target of a kill. */
static pid_t fork_checked(void)
{
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	return pid;
}

/* A chain of `depth` processes below this one; the pid of the last. They die with the pipe `hold`. */
static pid_t start_chain(int depth, int hold)
{
	int ends[2];
	pid_t last = 0;
	ck_assert_int_eq(pipe(ends), 0);
	if (fork_checked() == 0) {
		char byte;
		for (int i = 1; i < depth; i++)
			if (fork() != 0)
				goto wait;
		last = getpid();
		(void)!write(ends[1], &last, sizeof last);
	wait:
		(void)!read(hold, &byte, 1);
		_exit(0);
	}
	ck_assert_int_eq((int)read(ends[0], &last, sizeof last), (int)sizeof last);
	close(ends[0]);
	close(ends[1]);
	return last;
}

START_TEST(both_walks_see_the_same_descendants)
{
	struct ul_range range;
	pid_t pids[16], last;
	int hold[2];
	ck_assert_int_eq(pipe(hold), 0);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	last = start_chain(5, hold[0]);
	for (int source = UL_RANGE_CHILDREN; source <= UL_RANGE_STAT; source++) {
		size_t count, found = 0;
		ul_range_init(&range, 0);
		range.source = (enum ul_range_source)source;
		count = ul_range_list(&range, pids, 16);
		ck_assert_uint_eq(count, 5);
		for (size_t i = 0; i < count; i++)
			found += pids[i] == last;
		ck_assert_uint_eq(found, 1);
	}
	/* ended from the list of all processes, as on a kernel without children files */
	for (int left = 5; left > 0;) {
		ck_assert_int_eq(ul_range_signal(&range, SIGKILL, 0), 0);
		while (left > 0 && waitpid(-1, NULL, left == 5 ? 0 : WNOHANG) > 0)
			left--;
	}
	close(hold[0]);
	close(hold[1]);
}
END_TEST

START_TEST(a_group_can_be_signalled_alone)
{
	struct ul_range range;
	int status, hold[2];
	pid_t in, out;
	char byte;
	ck_assert_int_eq(pipe(hold), 0);
	in = fork_checked();
	if (in == 0) {
		setpgid(0, 0);
		(void)!write(hold[1], "x", 1);
		pause();
		_exit(0);
	}
	ck_assert_int_eq((int)read(hold[0], &byte, 1), 1);
	out = fork_checked();
	if (out == 0) {
		pause();
		_exit(0);
	}
	ul_range_init(&range, 0);
	ck_assert_int_eq(ul_range_signal(&range, SIGKILL, in), 0);
	ck_assert_int_eq(waitpid(-1, &status, 0), in);
	ck_assert_int_eq(waitpid(out, &status, WNOHANG), 0);
	(void)kill(out, SIGKILL);
	ck_assert_int_eq(waitpid(out, &status, 0), out);
	close(hold[0]);
	close(hold[1]);
}
END_TEST

/* The claim of process 1 alone must never become a kill(-1). */
START_TEST(a_range_that_only_claims_to_be_process_1_signals_its_children)
{
	struct ul_range range;
	int status;
	pid_t stranger = fork_checked(), child;
	if (stranger == 0) {
		pause();
		_exit(0);
	}
	child = fork_checked();
	if (child == 0) { /* has no children: its range is empty */
		ul_range_init(&range, 1);
		_exit(ul_range_signal(&range, SIGKILL, 0) == 0 ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(waitpid(stranger, &status, WNOHANG), 0);
	(void)kill(stranger, SIGKILL);
	ck_assert_int_eq(waitpid(stranger, &status, 0), stranger);
}
END_TEST

UW_TESTS("launcher/parts", rights_are_scaled_down_to_the_kernel_and_the_lost_ones_are_named,
         a_file_is_granted_only_rights_of_files, every_combination_of_flags_has_a_filter_that_ends,
         each_call_of_each_table_meets_its_rule, foreign_architectures_and_x32_are_refused,
         both_walks_see_the_same_descendants, a_group_can_be_signalled_alone,
         a_range_that_only_claims_to_be_process_1_signals_its_children)
