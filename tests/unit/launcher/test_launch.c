/* umwelt-launch: the life of a command and of its range (S-41, S-50, S-55, S-63, P-5, P-10..P-12, P-16). */
#include "tests/unit/launcher/driver.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include "tests/unit.h"

UW_NEEDS_THE_MACHINE;

/* ---- deeds ---- */

static int deed_status(char **words)
{
	return atoi(words[0]);
}

static int deed_die(char **words)
{
	raise(atoi(words[0]));
	return 1;
}

/* Prints count and sum of lengths of its words. */
static int deed_words(char **words)
{
	size_t count = 0, sum = 0;
	for (; words[count]; count++)
		sum += strlen(words[count]);
	printf("%zu %zu\n", count, sum);
	fflush(stdout);
	return 0;
}

/* Open descriptors, in order. */
static int deed_descriptors(char **words)
{
	(void)words;
	for (int fd = 0; fd < 3000; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	fflush(stdout);
	return 0;
}

/* Reads one byte of each descriptor named. */
static int deed_bytes(char **words)
{
	char byte;
	for (; *words; words++) {
		if (read(atoi(*words), &byte, 1) != 1)
			return 1;
		putchar(byte);
	}
	fflush(stdout);
	return 0;
}

static int status_field(const char *name)
{
	char line[256];
	FILE *file = fopen("/proc/self/status", "re");
	while (file && fgets(line, sizeof line, file)) {
		if (strncmp(line, name, strlen(name)) == 0) {
			fclose(file);
			return strtoull(line + strlen(name) + 1, NULL, 16) != 0;
		}
	}
	return -1;
}

/* 0: no signal is blocked or ignored. */
static int deed_signals(char **words)
{
	(void)words;
	return status_field("SigBlk") + 2 * status_field("SigIgn");
}

static int deed_session(char **words)
{
	(void)words;
	return getsid(0) == getpid() && getpgrp() == getpid() ? 0 : 1;
}

static void print_pid(void)
{
	char text[16];
	int len = snprintf(text, sizeof text, "%d\n", (int)getpid());
	(void)!write(1, text, (size_t)len);
}

/* A process that only a signal ends; says its pid. stubborn: not by TERM. */
static _Noreturn void linger(int stubborn)
{
	sigset_t none;
	sigemptyset(&none);
	if (stubborn)
		signal(SIGTERM, SIG_IGN);
	print_pid();
	for (;;)
		sigsuspend(&none);
}

/* Descendants of each kind that others lose: in sessions of their own, orphaned twice, ignoring TERM. */
static int deed_tree(char **words)
{
	int stubborn = atoi(words[0]);
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			setsid();
			if (fork() == 0) {
				setsid();
				if (fork() == 0)
					linger(stubborn);
				linger(stubborn);
			}
			if (i == 2)
				linger(0);
			_exit(0); /* the child below is orphaned */
		}
	}
	linger(0);
}

/* Leaves one behind that holds no stream, and exits. */
static int deed_leave(char **words)
{
	if (fork() == 0) {
		sigset_t none;
		sigemptyset(&none);
		if (words[0] && strcmp(words[0], "streams") != 0) {
			close(0);
			close(1);
			close(2);
		}
		for (;;)
			sigsuspend(&none);
	}
	return 7;
}

static int deed_stop(char **words)
{
	(void)words;
	print_pid();
	raise(SIGSTOP);
	linger(0);
}

/* Forks without end, but never more than a shared count allows. */
static int deed_bomb(char **words)
{
	long most = atol(words[0]);
	long *count =
		mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (count == MAP_FAILED)
		return 1;
	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	(void)!write(1, "x", 1);
	for (;;) {
		pid_t pid;
		if (__atomic_add_fetch(count, 1, __ATOMIC_RELAXED) > most) {
			__atomic_sub_fetch(count, 1, __ATOMIC_RELAXED);
			usleep(1000);
			continue;
		}
		pid = fork();
		if (pid == 0)
			setsid();
		else if (pid > 0 && (pid & 3) == 0)
			_exit(0); /* some leave their children behind; the count then only grows slower */
	}
}

static int deed_place(char **words)
{
	char here[256];
	return getcwd(here, sizeof here) && strcmp(here, words[0]) == 0 ? 0 : 1;
}

static int deed_limits(char **words)
{
	struct rlimit files;
	mode_t mask = umask(0);
	(void)words;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return 1;
	return files.rlim_cur == 77 && files.rlim_max == 78 && mask == 027 ? 0 : 1;
}

static int deed_touch(char **words)
{
	int fd = open(words[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return fd < 0 ? errno : 0;
}

static int deed_terminal(char **words)
{
	(void)words;
	return open("/dev/tty", O_RDWR | O_CLOEXEC) >= 0 && tcgetpgrp(0) == getpid() ? 0 : 1;
}

const struct deed deeds[] = {
	{"status", deed_status},     {"die", deed_die},
	{"words", deed_words},       {"descriptors", deed_descriptors},
	{"bytes", deed_bytes},       {"signals", deed_signals},
	{"session", deed_session},   {"tree", deed_tree},
	{"leave", deed_leave},       {"stop", deed_stop},
	{"bomb", deed_bomb},         {"place", deed_place},
	{"limits", deed_limits},     {"touch", deed_touch},
	{"terminal", deed_terminal},
};
const size_t deed_count = UW_COUNT(deeds);

/* Both users a launcher serves; a test that is not root only knows its own. */
static const uid_t users[] = {0, ORDINARY_UID};
#define EACH_USER(user) (size_t user##_i = 0; user##_i < (getuid() ? 1u : 2u); user##_i++)

/* ---- tests ---- */

START_TEST(exit_137_and_death_by_signal_9_are_told_apart)
{
	struct run run;
	make_place();
	for EACH_USER (u) {
		job_deed(&run, "status", "137", NULL, NULL);
		run.uid = users[u_i];
		int status = run_to_end(&run);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 137);
		job_deed(&run, "die", "9", NULL, NULL);
		run.uid = users[u_i];
		status = run_to_end(&run);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == 9);
	}
	drop_place();
}
END_TEST

START_TEST(usage_is_the_commands_own)
{
	struct run run;
	struct uw_launch_said said;
	job_shell(&run, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
	launch(&run);
	ck_assert_int_gt(hear_type(&run, UW_SAID_STARTED).pid, 0);
	said = hear_type(&run, UW_SAID_EXITED);
	ck_assert_uint_gt(said.user_us, 0);
	ck_assert_uint_gt(said.max_rss_kib, 0);
	ck_assert_uint_gt(said.wall_us, 0);
	hear_type(&run, UW_SAID_EMPTY);
	ck_assert_int_eq(finish(&run), 0);
}
END_TEST

START_TEST(a_program_that_is_not_there_comes_back_as_its_errno)
{
	struct run run;
	const char *const argv[] = {"x", NULL};
	job_begin(&run, "/nonexistent/program", argv);
	ck_assert_int_eq(run_to_refusal(&run, UW_SAID_EXEC_FAILED, UW_WHAT_EXEC).os_errno, ENOENT);
	job_begin(&run, "/etc/passwd", argv);
	ck_assert_int_eq(run_to_refusal(&run, UW_SAID_EXEC_FAILED, UW_WHAT_EXEC).os_errno, EACCES);
}
END_TEST

START_TEST(the_working_directory_is_entered_or_nothing_runs)
{
	struct run run;
	const char *dir, *other;
	make_place();
	dir = make_dir("dir", 0);
	other = make_dir("other", 0);
	job_deed(&run, "place", dir, NULL, NULL);
	run.fds[run.fd_count++] = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	uw_job_cwd(&run.job, 6, NULL);
	ck_assert_int_eq(run_to_end(&run), 0);
	job_deed(&run, "place", dir, NULL, NULL);
	run.fds[run.fd_count++] = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	uw_job_cwd(&run.job, 6, dir);
	ck_assert_int_eq(run_to_end(&run), 0);
	/* another directory came to stand there */
	job_deed(&run, "place", dir, NULL, NULL);
	run.fds[run.fd_count++] = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	uw_job_cwd(&run.job, 6, other);
	ck_assert_int_eq(run_to_refusal(&run, UW_SAID_EXEC_FAILED, UW_WHAT_CWD).os_errno, ESTALE);
	job_deed(&run, "place", dir, NULL, NULL);
	uw_job_cwd(&run.job, -1, "/nonexistent");
	ck_assert_int_eq(run_to_refusal(&run, UW_SAID_EXEC_FAILED, UW_WHAT_CWD).os_errno, ENOENT);
	drop_place();
}
END_TEST

/* S-50: bwrap's bound of 9000 arguments does not hold for the command. */
START_TEST(twenty_thousand_words_and_an_empty_one_arrive)
{
	static char word[100001], out[64];
	static const char *argv[20010];
	struct run run;
	make_place();
	memset(word, 'w', sizeof word - 1);
	argv[0] = program;
	argv[1] = "deed";
	argv[2] = "words";
	argv[3] = "";
	argv[4] = word;
	argv[5] = word;
	for (size_t i = 6; i < 20006; i++)
		argv[i] = "ab";
	argv[20006] = "";
	job_begin(&run, program, argv);
	launch_with(&run, NULL, 1);
	read_out(&run, out, sizeof out);
	ck_assert_str_eq(out, "20004 240000\n");
	ck_assert_int_eq(finish(&run), 0);
	drop_place();
}
END_TEST

START_TEST(a_job_may_come_by_a_pipe)
{
	struct run run;
	job_shell(&run, "exit 5");
	run.job_as_pipe = 1;
	ck_assert_int_eq(run_to_end(&run), 5 << 8);
}
END_TEST

static int pipe_holding(char byte)
{
	int ends[2];
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq((int)write(ends[1], &byte, 1), 1);
	close(ends[1]);
	return ends[0];
}

START_TEST(descriptors_are_passed_whatever_overlaps)
{
	struct run run;
	char out[64];
	make_place();
	/* a ring of three, one to standard input, one that stays */
	job_deed(&run, "bytes", "6", "7", "8");
	for (int i = 0; i < 5; i++)
		run.fds[run.fd_count++] = pipe_holding((char)('a' + i));
	uw_job_pass(&run.job, 6, 7);
	uw_job_pass(&run.job, 7, 8);
	uw_job_pass(&run.job, 8, 6);
	uw_job_pass(&run.job, 9, 0);
	uw_job_pass(&run.job, 10, 10);
	launch_with(&run, NULL, 1);
	read_out(&run, out, sizeof out);
	ck_assert_str_eq(out, "cab");
	ck_assert_int_eq(finish(&run), 0);
	drop_place();
}
END_TEST

START_TEST(no_other_descriptor_reaches_the_command)
{
	struct run run;
	char out[256];
	make_place();
	job_deed(&run, "descriptors", NULL, NULL, NULL);
	for (int i = 0; i < 4; i++)
		run.fds[run.fd_count++] = pipe_holding('x');
	uw_job_pass(&run.job, 7, 20);
	uw_job_pass(&run.job, 8, 4); /* where the launcher's own control socket is */
	launch_with(&run, NULL, 1);
	read_out(&run, out, sizeof out);
	ck_assert_str_eq(out, "0 1 2 4 20 ");
	ck_assert_int_eq(finish(&run), 0);
	drop_place();
}
END_TEST

START_TEST(a_thousand_descriptors_can_be_passed)
{
	struct run run;
	static char out[8192];
	make_place();
	job_deed(&run, "descriptors", NULL, NULL, NULL);
	run.fds[run.fd_count++] = pipe_holding('x');
	for (int i = 0; i < UW_LAUNCH_PASS_MAX; i++)
		uw_job_pass(&run.job, 6, 3 + i);
	uw_job_limit(&run.job, RLIMIT_NOFILE, 5000, 5000);
	launch_with(&run, NULL, 1);
	read_out(&run, out, sizeof out);
	ck_assert_int_eq(finish(&run), 0);
	ck_assert_ptr_nonnull(strstr(out, " 3 4 5 "));
	ck_assert_ptr_nonnull(strstr(out, " 1025 1026 "));
	drop_place();
}
END_TEST

START_TEST(a_descriptor_that_is_not_open_runs_nothing)
{
	struct run run;
	job_shell(&run, "exit 0");
	uw_job_pass(&run.job, 150, 3);
	ck_assert_int_eq(run_to_refusal(&run, UW_SAID_EXEC_FAILED, UW_WHAT_SYSTEM).os_errno, EBADF);
}
END_TEST

/* S-63: ignored by who starts the launcher, back at their defaults in the command. */
START_TEST(signals_session_limits_and_umask_are_the_commands)
{
	struct run run;
	const struct uw_launch_life life = {0, 027, 300, 0};
	make_place();
	job_deed(&run, "signals", NULL, NULL, NULL);
	ck_assert_int_eq(run_to_end(&run), 0);
	job_deed(&run, "session", NULL, NULL, NULL);
	ck_assert_int_eq(run_to_end(&run), 0);
	job_deed(&run, "limits", NULL, NULL, NULL);
	uw_job_limit(&run.job, RLIMIT_NOFILE, 77, 78);
	launch_with(&run, &life, 0);
	hear_type(&run, UW_SAID_STARTED);
	ck_assert_int_eq(hear_type(&run, UW_SAID_EXITED).status, 0);
	ck_assert_int_eq(finish(&run), 0);
	job_shell(&run, "exit 0");
	uw_job_limit(&run.job, 999, 1, 1);
	run_to_refusal(&run, UW_SAID_EXEC_FAILED, UW_WHAT_LIMIT);
	drop_place();
}
END_TEST

START_TEST(a_terminal_becomes_the_controlling_one)
{
	struct run run;
	const struct uw_launch_life life = {UW_LAUNCH_LIFE_PTY, 022, 300, 0};
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	make_place();
	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
	job_deed(&run, "terminal", NULL, NULL, NULL);
	run.fds[run.fd_count++] = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	uw_job_pass(&run.job, 6, 0);
	launch_with(&run, &life, 0);
	hear_type(&run, UW_SAID_STARTED);
	ck_assert_int_eq(hear_type(&run, UW_SAID_EXITED).status, 0);
	ck_assert_int_eq(finish(&run), 0);
	drop_place();
}
END_TEST

/* Reads `count` pids, one a line. */
static void read_pids(int fd, pid_t *pids, size_t count)
{
	char text[16];
	for (size_t i = 0; i < count; i++) {
		size_t len = 0;
		while (len + 1 < sizeof text && read(fd, text + len, 1) == 1 && text[len] != '\n')
			len++;
		text[len] = '\0';
		pids[i] = (pid_t)atoi(text);
		ck_assert_int_gt(pids[i], 1);
	}
}

#define TREE 8 /* 3 x 2 lingering, one parent that stays, the leader */

static void run_tree(const char *stubborn, uid_t uid, void (*end)(struct run *),
                     uint32_t killed_at_least)
{
	struct run run;
	pid_t pids[TREE];
	struct uw_launch_said said;
	job_deed(&run, "tree", stubborn, NULL, NULL);
	run.uid = uid;
	launch_with(&run, NULL, 1);
	hear_type(&run, UW_SAID_STARTED);
	read_pids(run.out, pids, TREE);
	end(&run);
	if (run.control >= 0) {
		hear_type(&run, UW_SAID_EXITED);
		said = hear_type(&run, UW_SAID_EMPTY);
		ck_assert_uint_ge(said.killed, killed_at_least);
	}
	ck_assert_int_eq(finish(&run), 0);
	for (size_t i = 0; i < TREE; i++)
		ck_assert_msg(is_gone(pids[i]), "process %zu of the tree survived", i);
}

static void terminate_range(struct run *run)
{
	tell(run, UW_TELL_TERMINATE, 0, 100);
}

static void terminate_at_once(struct run *run)
{
	tell(run, UW_TELL_TERMINATE, 0, 0);
}

static void leave_range(struct run *run)
{
	close(run->control);
	run->control = -1;
}

/* P-10 */
START_TEST(ending_a_range_reaches_sessions_orphans_and_those_that_ignore_term)
{
	make_place();
	for EACH_USER (u) {
		run_tree("0", users[u_i], terminate_range, 0);
		run_tree("1", users[u_i], terminate_range, 6);
		run_tree("1", users[u_i], terminate_at_once, 8);
	}
	drop_place();
}
END_TEST

/* P-12: the end of the control socket is the host's death, also by kill -9. */
START_TEST(the_range_ends_when_the_host_is_gone)
{
	make_place();
	for EACH_USER (u) {
		run_tree("0", users[u_i], leave_range, 0);
		run_tree("1", users[u_i], leave_range, 0);
	}
	drop_place();
}
END_TEST

START_TEST(a_stopped_process_gets_its_term)
{
	struct run run;
	pid_t pid;
	int state = 0;
	make_place();
	job_deed(&run, "stop", NULL, NULL, NULL);
	launch_with(&run, NULL, 1);
	hear_type(&run, UW_SAID_STARTED);
	read_pids(run.out, &pid, 1);
	while (state != 'T') { /* until the kernel says that it is stopped */
		char path[64], text[256], *after;
		int fd;
		ssize_t n;
		snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = read(fd, text, sizeof text - 1);
		close(fd);
		ck_assert_int_gt((int)n, 0);
		text[n] = '\0';
		after = strrchr(text, ')');
		state = after[2];
	}
	tell(&run, UW_TELL_TERMINATE, 0, PATIENCE_MS);
	ck_assert_int_eq(WTERMSIG(hear_type(&run, UW_SAID_EXITED).status), SIGTERM);
	ck_assert_uint_eq(hear_type(&run, UW_SAID_EMPTY).killed, 0);
	ck_assert_int_eq(finish(&run), 0);
	drop_place();
}
END_TEST

START_TEST(a_fork_bomb_ends)
{
	struct run run;
	char byte;
	make_place();
	for EACH_USER (u) {
		job_deed(&run, "bomb", "400", NULL, NULL);
		run.uid = users[u_i];
		launch_with(&run, NULL, 1);
		hear_type(&run, UW_SAID_STARTED);
		ck_assert_int_eq((int)read(run.out, &byte, 1), 1);
		tell(&run, UW_TELL_TERMINATE, 0, 30);
		while (hear(&run).type != UW_SAID_EMPTY)
			;
		/* the pipe ends: nobody holds it any more */
		ck_assert_int_eq((int)read(run.out, &byte, 1), 0);
		ck_assert_int_eq(finish(&run), 0);
	}
	drop_place();
}
END_TEST

/* P-10, S-63: direct exit and range empty are two events; jobs outlive the leader. */
START_TEST(what_the_leader_leaves_behind_lives_until_it_is_ended)
{
	struct run run;
	char out[16];
	struct pollfd ready;
	make_place();
	job_deed(&run, "leave", "closed", NULL, NULL);
	launch_with(&run, NULL, 1);
	hear_type(&run, UW_SAID_STARTED);
	ck_assert_int_eq(hear_type(&run, UW_SAID_EXITED).status, 7 << 8);
	/* the launcher holds no stream of the command: it ended with the command */
	ck_assert_uint_eq(read_out(&run, out, sizeof out), 0);
	ready = (struct pollfd){run.control, POLLIN, 0};
	ck_assert_int_eq(poll(&ready, 1, 100), 0);
	tell(&run, UW_TELL_SIGNAL, SIGTERM, 0); /* the group outlived its leader */
	hear_type(&run, UW_SAID_EMPTY);
	ck_assert_int_eq(finish(&run), 0);
	drop_place();
}
END_TEST

START_TEST(a_signal_goes_to_the_group_or_to_the_leader_alone)
{
	struct run run;
	char out[64];
	job_shell(&run,
	          "trap 'exit 9' USR1; (trap 'exit 0' USR1; echo in; while :; do sleep 0.05; done) & "
	          "echo out; while :; do sleep 0.05; done");
	launch_with(&run, NULL, 1);
	hear_type(&run, UW_SAID_STARTED);
	for (size_t len = 0; len < 7;) { /* both traps are set */
		ssize_t n = read(run.out, out, sizeof out);
		ck_assert_int_gt((int)n, 0);
		len += (size_t)n;
	}
	tell(&run, UW_TELL_SIGNAL_LEADER, SIGUSR1, 0);
	ck_assert_int_eq(hear_type(&run, UW_SAID_EXITED).status, 9 << 8);
	tell(&run, UW_TELL_SIGNAL, SIGUSR1, 0);
	hear_type(&run, UW_SAID_EMPTY);
	ck_assert_int_eq(finish(&run), 0);
}
END_TEST

static long switches(pid_t pid)
{
	char path[64], line[128];
	long sum = 0;
	FILE *file;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof line, file)) {
		char *at = strstr(line, "ctxt_switches:");
		if (at)
			sum += atol(at + sizeof "ctxt_switches:" - 1);
	}
	fclose(file);
	return sum;
}

/* P-16 */
START_TEST(waiting_wakes_nobody)
{
	struct run run;
	struct pollfd never;
	long before;
	job_shell(&run, "exec sleep 600");
	launch(&run);
	hear_type(&run, UW_SAID_STARTED);
	never = (struct pollfd){run.control, POLLIN, 0};
	ck_assert_int_eq(poll(&never, 1, 50), 0);
	before = switches(run.launcher);
	ck_assert_int_eq(poll(&never, 1, 500), 0);
	ck_assert_int_le(switches(run.launcher) - before, 1);
	tell(&run, UW_TELL_TERMINATE, 0, 1000);
	hear_type(&run, UW_SAID_EXITED);
	hear_type(&run, UW_SAID_EMPTY);
	ck_assert_int_eq(finish(&run), 0);
}
END_TEST

/* Nothing but KILL ends the launcher. */
START_TEST(signals_do_not_end_the_launcher)
{
	struct run run;
	job_shell(&run, "exec sleep 600");
	launch(&run);
	hear_type(&run, UW_SAID_STARTED);
	for (int number = 1; number <= 64; number++)
		if (number != SIGKILL && number != SIGSTOP)
			(void)kill(run.launcher, number);
	tell(&run, UW_TELL_TERMINATE, 0, 1000);
	hear_type(&run, UW_SAID_EXITED);
	hear_type(&run, UW_SAID_EMPTY);
	ck_assert_int_eq(finish(&run), 0);
}
END_TEST

/* One bad byte anywhere: nothing runs, the host is told. */
START_TEST(a_malformed_job_runs_nothing)
{
	struct run run;
	char marker[128];
	size_t step;
	make_place();
	snprintf(marker, sizeof marker, "%s/ran", place);
	job_deed(&run, "touch", marker, NULL, NULL);
	uw_job_life(&run.job, &(struct uw_launch_life){0, 022, 300, 0});
	uw_job_life(&run.job, &(struct uw_launch_life){0, 022, 300, 0}); /* twice */
	run.job_as_pipe = 1;
	run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_JOB);
	for (step = 0; step < 6; step++) {
		job_deed(&run, "touch", marker, NULL, NULL);
		run.job.len -= 3 + step * 11; /* cut off, then END and LIFE follow at a wrong place */
		run.job_as_pipe = 1;
		run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_JOB);
	}
	job_begin(&run, "/bin/true", (const char *const[]){"true", NULL});
	run.job.len = 0; /* nothing but LIFE and END */
	run.job_as_pipe = 1;
	run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_JOB);
	ck_assert_int_ne(access(marker, F_OK), 0);
	drop_place();
}
END_TEST

/* A wrapper that should have made it process 1 did not: kill(-1) would end all of the user's processes. */
START_TEST(being_process_1_is_not_believed)
{
	struct run run;
	const struct uw_launch_confine confine = {UW_LAUNCH_PID1, 0, 0, 0};
	job_shell(&run, "exit 0");
	uw_job_confine(&run.job, &confine);
	run_to_refusal(&run, UW_SAID_REFUSED, UW_WHAT_PROFILE);
}
END_TEST

/* S-60: process 1 of a PID namespace made by the wrapper. */
static const char *const bwrap[] = {
	"bwrap",         "--ro-bind",     "/",          "/",  "--dev", "/dev", "--proc", "/proc",
	"--unshare-pid", "--unshare-net", "--as-pid-1", "--", NULL};
static const struct uw_launch_confine as_pid1 = {UW_LAUNCH_PID1 | UW_LAUNCH_LOOPBACK_UP |
                                                     UW_LAUNCH_LANDLOCK | UW_LAUNCH_SCOPE |
                                                     UW_LAUNCH_FILTER | UW_LAUNCH_DROP_CAPS,
                                                 1 << 7 /* SETUID */, 0, 0};

static void job_as_pid1(struct run *run, uid_t uid)
{
	run->uid = uid;
	run->wrapper = bwrap;
	uw_job_confine(&run->job, &as_pid1);
	uw_job_rule(&run->job, UW_LAUNCH_READ, 1, "/");
	uw_job_rule(&run->job, UW_LAUNCH_DEVICE, 1, "/dev/null");
}

START_TEST(under_a_wrapper_it_is_process_1_and_ends_the_namespace)
{
	struct run run;
	char out[TREE * 16];
	make_place();
	for EACH_USER (u) {
		job_deed(&run, "status", "137", NULL, NULL);
		job_as_pid1(&run, users[u_i]);
		ck_assert_int_eq(run_to_end(&run), 137 << 8);
		/* the tree, ended; then by the host's death: the pipe's end shows that all are gone */
		for (size_t way = 0; way < 2; way++) {
			pid_t pids[TREE];
			job_deed(&run, "tree", "1", NULL, NULL);
			job_as_pid1(&run, users[u_i]);
			launch_with(&run, NULL, 1);
			hear_type(&run, UW_SAID_STARTED);
			read_pids(run.out, pids, TREE);
			if (way == 0)
				tell(&run, UW_TELL_TERMINATE, 0, 50);
			else
				leave_range(&run);
			ck_assert_uint_eq(read_out(&run, out, sizeof out), 0);
			(void)finish(&run); /* the wrapper's status: it passes on the launcher's */
		}
	}
	drop_place();
}
END_TEST

/* As root without KILL, against a process that became another user. */
START_TEST(what_process_1_cannot_signal_ends_with_the_namespace)
{
	static const char *const no_kill[] = {"bwrap",
	                                      "--ro-bind",
	                                      "/",
	                                      "/",
	                                      "--dev",
	                                      "/dev",
	                                      "--proc",
	                                      "/proc",
	                                      "--unshare-pid",
	                                      "--unshare-net",
	                                      "--as-pid-1",
	                                      "--cap-drop",
	                                      "ALL",
	                                      "--cap-add",
	                                      "CAP_SETUID",
	                                      "--",
	                                      NULL};
	struct run run;
	char byte;
	if (getuid() != 0)
		return;
	job_shell(&run, "exec setpriv --reuid 54321 sh -c 'echo; exec sleep 600'");
	job_as_pid1(&run, 0);
	run.wrapper = no_kill;
	launch_with(&run, NULL, 1);
	hear_type(&run, UW_SAID_STARTED);
	ck_assert_int_eq((int)read(run.out, &byte, 1), 1);
	tell(&run, UW_TELL_TERMINATE, 0, 0);
	hear_type(&run, UW_SAID_EMPTY);
	ck_assert_int_eq((int)read(run.out, &byte, 1), 0);
	(void)finish(&run);
}
END_TEST

UW_TESTS("launcher", exit_137_and_death_by_signal_9_are_told_apart, usage_is_the_commands_own,
         a_program_that_is_not_there_comes_back_as_its_errno,
         the_working_directory_is_entered_or_nothing_runs,
         twenty_thousand_words_and_an_empty_one_arrive, a_job_may_come_by_a_pipe,
         descriptors_are_passed_whatever_overlaps, no_other_descriptor_reaches_the_command,
         a_thousand_descriptors_can_be_passed, a_descriptor_that_is_not_open_runs_nothing,
         signals_session_limits_and_umask_are_the_commands, a_terminal_becomes_the_controlling_one,
         ending_a_range_reaches_sessions_orphans_and_those_that_ignore_term,
         the_range_ends_when_the_host_is_gone, a_stopped_process_gets_its_term, a_fork_bomb_ends,
         what_the_leader_leaves_behind_lives_until_it_is_ended,
         a_signal_goes_to_the_group_or_to_the_leader_alone, waiting_wakes_nobody,
         signals_do_not_end_the_launcher, a_malformed_job_runs_nothing,
         being_process_1_is_not_believed, under_a_wrapper_it_is_process_1_and_ends_the_namespace,
         what_process_1_cannot_signal_ends_with_the_namespace)
