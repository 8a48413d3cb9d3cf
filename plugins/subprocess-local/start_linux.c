/*
 * clone(CLONE_VM | CLONE_VFORK) on a stack of its own: the child borrows the
 * host's memory until exec, so the cost does not grow with it, and the errno of
 * exec comes back through that memory. Between clone and exec the child
 *   - makes only system calls, by number: wrappers of libc, and what sanitizers
 *     put around them, would change state that it shares with the host;
 *   - writes only to its own stack, to struct child, and to the errno of the
 *     calling thread, which is suspended and restores it;
 *   - has all signals blocked until no handler of the host can run in it.
 */
#include "start.h"

#include "common/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define STACK_SIZE (64u << 10)
#define SIGNALS    64 /* of the kernel's numbering, on all architectures we build for */
#define MASK_BYTES (SIGNALS / 8)

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CHILD_SIDE __attribute__((no_sanitize("address", "thread", "undefined"), noinline))
#endif
#endif
#ifndef CHILD_SIDE
#define CHILD_SIDE                                                                               \
	__attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined, noinline,       \
	               optimize("no-stack-protector")))
#endif

#ifdef __SANITIZE_THREAD__
/* TSan takes clone for fork and would change the state of the thread that is suspended here. */
extern int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);
#define clone __clone
#endif

struct child {
	const struct start *start;
	int *moved; /* where each source stands once it is out of the way */
	int top;    /* the highest `as` */
	int error;
	int exec_failed;
	unsigned max_fd;
};

/* The kernel's struct sigaction begins with the handler everywhere; the rest is zero. */
struct kernel_action {
	uintptr_t handler;
	unsigned long rest[7];
};

CHILD_SIDE static void reset_signals(void)
{
	static const unsigned char none[MASK_BYTES];
	for (int number = 1; number <= SIGNALS; number++) {
		int ignored = number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
		struct kernel_action action;
		action.handler = (uintptr_t)(ignored ? SIG_IGN : SIG_DFL);
		for (size_t i = 0; i < UW_COUNT(action.rest); i++)
			action.rest[i] = 0;
		(void)syscall(SYS_rt_sigaction, number, &action, NULL, (size_t)MASK_BYTES);
	}
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, (size_t)MASK_BYTES);
}

CHILD_SIDE static int is_target(const struct start *start, int fd)
{
	for (size_t i = 0; i < start->map_count; i++)
		if (start->map[i].as == fd)
			return 1;
	return 0;
}

CHILD_SIDE static void close_from_to(unsigned first, unsigned last, unsigned max_fd)
{
	if (syscall(SYS_close_range, first, last, 0u) == 0)
		return;
	/* before Linux 5.9 */
	for (unsigned fd = first; fd <= last && fd < max_fd; fd++)
		(void)syscall(SYS_close, fd);
}

CHILD_SIDE static int arrange(struct child *child)
{
	const struct start *start = child->start;
	for (size_t i = 0; i < start->map_count; i++) {
		child->moved[i] = start->map[i].fd;
		if (start->map[i].fd <= child->top)
			child->moved[i] =
			    (int)syscall(SYS_fcntl, start->map[i].fd, F_DUPFD_CLOEXEC, (long)child->top + 1);
		if (child->moved[i] < 0)
			return -1;
	}
	for (size_t i = 0; i < start->map_count; i++)
		if (syscall(SYS_dup3, child->moved[i], start->map[i].as, 0) < 0)
			return -1;
	for (int fd = 0; fd <= child->top; fd++)
		if (!is_target(start, fd))
			(void)syscall(SYS_close, fd);
	close_from_to((unsigned)child->top + 1, UINT_MAX, child->max_fd);
	return 0;
}

CHILD_SIDE static int child_main(void *argument)
{
	struct child *child = argument;
	const struct start *start = child->start;
	reset_signals();
	if (syscall(SYS_setsid) < 0 || syscall(SYS_chdir, "/") < 0 || arrange(child) < 0) {
		child->error = errno;
		syscall(SYS_exit_group, 127);
	}
	if (start->path)
		(void)syscall(SYS_execve, start->path, start->argv, start->env);
	else
		(void)syscall(SYS_execveat, start->exec_fd, "", start->argv, start->env, AT_EMPTY_PATH);
	child->error = errno;
	child->exec_failed = 1;
	syscall(SYS_exit_group, 127);
	return 127;
}

/* The kernel's struct clone_args and one of its flags: its header and libc's <sched.h> differ by system. */
struct born_in {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	uint64_t set_tid, set_tid_size, cgroup;
};
#define BORN_IN_CGROUP 0x200000000ull

#if defined(__x86_64__)
#define CALL_CLONE3                                                                              \
	"syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\txor %%ebp, %%ebp\n\tmov %[argument], %%rdi\n\t"      \
	"call *%[run]\n\tud2\n1:"
#elif defined(__aarch64__)
#define CALL_CLONE3                                                                              \
	"svc #0\n\tcbnz x0, 1f\n\tmov x29, #0\n\tmov x0, %[argument]\n\tblr %[run]\n\tbrk #1\n1:"
#endif

/*
 * A child that is born in a group needs clone3, which libc does not wrap: a moved
 * one would make the kernel wait for all others. The child begins on its own
 * stack and never returns here. -1 with errno, also where it cannot be had.
 */
static pid_t clone_into(int cgroup_fd, void *stack, size_t size, struct child *child, int *ret_pidfd)
{
#ifdef CALL_CLONE3
	struct born_in args = {
	    .flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | BORN_IN_CGROUP,
	    .pidfd = (uintptr_t)ret_pidfd,
	    .exit_signal = SIGCHLD,
	    .stack = (uintptr_t)stack,
	    .stack_size = size,
	    .cgroup = (uint64_t)cgroup_fd,
	};
	int (*run)(void *) = child_main;
#if defined(__x86_64__)
	register long result __asm__("rax") = SYS_clone3;
	__asm__ volatile(CALL_CLONE3
	                 : "+a"(result)
	                 : "D"(&args), "S"(sizeof args), [run] "r"(run), [argument] "r"(child)
	                 : "rcx", "r11", "cc", "memory");
#else
	register long number __asm__("x8") = SYS_clone3;
	register long result __asm__("x0") = (long)&args;
	register long length __asm__("x1") = sizeof args;
	__asm__ volatile(CALL_CLONE3
	                 : "+r"(result)
	                 : "r"(number), "r"(length), [run] "r"(run), [argument] "r"(child)
	                 : "cc", "memory");
#endif
	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	return (pid_t)result;
#else
	(void)cgroup_fd, (void)stack, (void)size, (void)child, (void)ret_pidfd;
	errno = ENOSYS;
	return -1;
#endif
}

/* A failed child leaves nothing: neither a zombie nor a pidfd. */
static void reap(pid_t pid)
{
	siginfo_t info;
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) < 0 && errno == EINTR)
		;
}

int start_process(const struct start *start, pid_t *ret_pid, int *ret_pidfd, int *ret_exec,
                  int *ret_cgroup)
{
	struct child child = {.start = start};
	UW_AUTO_FREE char *stack = malloc(STACK_SIZE);
	UW_AUTO_FREE int *moved = calloc(start->map_count + 1, sizeof *moved);
	UW_AUTO_FD pidfd = -1;
	struct rlimit files = {1024, 1024};
	sigset_t all, before;
	pid_t pid = -1;
	int saved;
	*ret_exec = *ret_cgroup = 0;
	if (!stack || !moved)
		return ENOMEM;
	child.moved = moved;
	for (size_t i = 0; i < start->map_count; i++)
		child.top = start->map[i].as > child.top ? start->map[i].as : child.top;
	(void)getrlimit(RLIMIT_NOFILE, &files);
	child.max_fd = files.rlim_cur < 65536 ? (unsigned)files.rlim_cur : 65536u;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	if (start->cgroup_fd >= 0)
		pid = clone_into(start->cgroup_fd, stack, STACK_SIZE, &child, &pidfd);
	*ret_cgroup = pid > 0;
	if (pid < 0)
		pid = clone(child_main, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &child,
		            &pidfd);
	saved = pid < 0 ? errno : child.error;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return saved;
	if (saved) {
		reap(pid);
		*ret_exec = child.exec_failed;
		return saved;
	}
	*ret_pid = pid;
	*ret_pidfd = uw_fd_steal(&pidfd);
	return 0;
}
