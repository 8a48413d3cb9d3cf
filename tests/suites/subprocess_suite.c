#include "tests/suites/subprocess_suite.h"

#include "common/cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

/* The tests speak of it throughout. */
#define suite subprocess_suite_now
struct subprocess_suite subprocess_suite_now;
static void (*suite_open)(struct subprocess_suite *);
static void (*suite_close)(struct subprocess_suite *);

/* No test waits longer than this for what must come; none passes because of it. */
#define PATIENCE_MS 20000

static int64_t now_ms(void)
{
	return uw_now_ns() / 1000000;
}

static struct uw_call patient(void)
{
	struct uw_call call = suite.call;
	call.deadline_ns = uw_now_ns() + (int64_t)PATIENCE_MS * 1000000;
	return call;
}

static void setup(void)
{
	static const char *const host_env[][2] = {
	    {"MY_API_KEY", "k"}, {"MONKEY", "m"}, {"A_TOKEN_B", "t"}, {"password_x", "p"},
	    {"SSH_AUTH_SOCK", "s"}, {"AWS_CREDENTIALS", "a"}, {"PASSWD", "w"}, {"DSH_FOO", "f"},
	    {"dsh_low", "l"}, {"KEEPME", "y"}, {"BASH_ENV", "/nonexistent"}};
	for (size_t i = 0; i < UW_COUNT(host_env); i++)
		ck_assert_int_eq(setenv(host_env[i][0], host_env[i][1], 1), 0);
	(void)signal(SIGPIPE, SIG_IGN);
	suite_open(&suite);
}

static void teardown(void)
{
	suite_close(&suite);
}

struct uw_spawn suite_spawn(const char *const *argv)
{
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffff};
	for (int i = 1; i < 3; i++) {
		spawn.stdio[i].kind = UW_STDIO_COLLECT;
		spawn.stdio[i].collect.tail = 60000;
		spawn.stdio[i].collect.copy_fd = -1;
	}
	return spawn;
}

struct uw_process *suite_start(const struct uw_spawn *spawn)
{
	struct uw_error err = UW_ERROR_INIT;
	struct uw_process *process = NULL;
	int r = suite.service->v->spawn(suite.service->self, &suite.call, spawn, &process, &err);
	ck_assert_msg(r == 0, "spawn: %s: %s", uw_code_name(r), err.message);
	ck_assert_ptr_nonnull(process);
	return process;
}

int suite_refused(const struct uw_spawn *spawn, struct uw_error *err)
{
	struct uw_process *process = NULL;
	int r;
	*err = (struct uw_error)UW_ERROR_INIT;
	r = suite.service->v->spawn(suite.service->self, &suite.call, spawn, &process, err);
	ck_assert_int_lt(r, 0);
	ck_assert_ptr_null(process);
	ck_assert_int_eq(err->code, r);
	ck_assert_int_eq(err->effect, UW_EFFECT_NONE);
	return r;
}

struct uw_exit suite_wait(struct uw_process *process, int what)
{
	struct uw_error err = UW_ERROR_INIT;
	struct uw_exit facts = {.size = sizeof facts};
	struct uw_call call = patient();
	int r = suite.service->v->wait(suite.service->self, &call, process, what, &facts, &err);
	ck_assert_msg(r == 0, "wait: %s: %s", uw_code_name(r), err.message);
	return facts;
}

void suite_dispose(struct uw_process *process)
{
	struct uw_error err = UW_ERROR_INIT;
	int r = suite.service->v->dispose(suite.service->self, process, &err);
	ck_assert_msg(r == 0, "dispose: %s: %s", uw_code_name(r), err.message);
}

struct text {
	char *data;
	size_t len, size;
};

static int add_text(void *arg, const char *data, size_t len)
{
	struct text *text = arg;
	if (len > text->size - 1 - text->len)
		len = text->size - 1 - text->len;
	memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
	return 0;
}

static size_t read_output(struct uw_process *process, int stream, uint64_t offset, uint64_t max,
                          char *data, size_t size, uint64_t *ret_offset, uint64_t *ret_next)
{
	struct text text = {data, 0, size};
	struct uw_error err = UW_ERROR_INIT;
	int r;
	data[0] = '\0';
	r = suite.service->v->output(suite.service->self, &suite.call, process, stream, offset, max,
	                             (struct uw_sink){add_text, &text}, ret_offset, ret_next, &err);
	ck_assert_msg(r == 0, "output: %s", err.message);
	return text.len;
}

void suite_finish(struct uw_process *process, struct ran *ret)
{
	uint64_t offset, next;
	ret->exit = suite_wait(process, UW_WAIT_OUTPUT);
	ret->out_len =
	    read_output(process, 1, ret->exit.out.tail_offset, UINT64_MAX, ret->out, sizeof ret->out, &offset, &next);
	ret->err_len =
	    read_output(process, 2, ret->exit.err.tail_offset, UINT64_MAX, ret->err, sizeof ret->err, &offset, &next);
	suite_dispose(process);
}

void suite_run(const struct uw_spawn *spawn, struct ran *ret)
{
	suite_finish(suite_start(spawn), ret);
}

void suite_sh(const char *text, struct ran *ret)
{
	const char *argv[] = {"sh", "-c", text, NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	suite_run(&spawn, ret);
}

const char *suite_marker(void)
{
	static char marker[48];
	if (!marker[0])
		(void)snprintf(marker, sizeof marker, "umwelt-marker-%d-%lld", (int)getpid(),
		               (long long)(uw_now_ns() % 1000000007));
	return marker;
}

static int has_marker(const char *pid, const char *marker)
{
	char path[40], line[4096];
	ssize_t len;
	UW_AUTO_FD fd = -1;
	(void)snprintf(path, sizeof path, "/proc/%.20s/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, line, sizeof line);
	return len > 0 && memmem(line, (size_t)len, marker, strlen(marker)) != NULL;
}

int suite_alive(const char *marker)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int count = 0;
	ck_assert_ptr_nonnull(proc);
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) != (int)getpid())
			count += has_marker(entry->d_name, marker);
	(void)closedir(proc);
	return count;
}

int suite_await_alive(const char *marker, int count)
{
	int64_t until = now_ms() + PATIENCE_MS;
	int alive;
	/* other processes' ends send us no event: look, and look again after a while */
	while ((alive = suite_alive(marker)) != count && now_ms() < until)
		(void)poll(NULL, 0, 10);
	return alive;
}

/* ---- results ---- */

/* peer/F1, S-41 */
START_TEST(exit_codes_and_signals_are_told_apart)
{
	struct ran ran;
	suite_sh("exit 7", &ran);
	ck_assert_int_eq(ran.exit.exit_code, 7);
	ck_assert_int_eq(ran.exit.signal, 0);
	ck_assert_int_eq(ran.exit.phase, UW_PHASE_EMPTY);
	suite_sh("kill -TERM $$", &ran);
	ck_assert_int_eq(ran.exit.exit_code, -1);
	ck_assert_int_eq(ran.exit.signal, SIGTERM);
	ck_assert(WIFSIGNALED(ran.exit.status));
	suite_sh("exit 137", &ran);
	ck_assert_int_eq(ran.exit.exit_code, 137);
	ck_assert_int_eq(ran.exit.signal, 0);
}
END_TEST

/* peer/E19 */
START_TEST(a_command_that_kills_itself_died_by_a_signal)
{
	struct ran ran;
	suite_sh("kill -9 $$", &ran);
	ck_assert_int_eq(ran.exit.signal, SIGKILL);
	ck_assert_int_eq(ran.exit.exit_code, -1);
	ck_assert_int_eq(ran.exit.limit, UW_LIMIT_NONE);
	ck_assert_int_eq(ran.exit.cancelled, 0);
}
END_TEST

/* P-22 */
START_TEST(times_and_memory_are_told)
{
	struct ran ran;
	suite_sh("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", &ran);
	ck_assert_uint_gt(ran.exit.user_us + ran.exit.system_us, 0);
	ck_assert_uint_gt(ran.exit.wall_us, 0);
	ck_assert_uint_gt(ran.exit.max_rss_kib, 0);
	ck_assert_int_gt(ran.exit.started_ns, 0);
	ck_assert_int_ge(ran.exit.exited_ns, ran.exit.started_ns);
	ck_assert_int_ge(ran.exit.empty_ns, ran.exit.exited_ns);
}
END_TEST

/* ---- refusals ---- */

/* peer/F2 */
START_TEST(a_missing_program_is_not_found)
{
	const char *bare[] = {"no-such-program-anywhere", NULL};
	const char *absolute[] = {"/no/such/program", NULL};
	struct uw_spawn spawn = suite_spawn(bare);
	struct uw_error err;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_EXEC_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(err.message, "no-such-program-anywhere"));
	spawn.argv = absolute;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_EXEC_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(err.message, "/no/such/program"));
	ck_assert_int_eq(err.os_errno, ENOENT);
}
END_TEST

/* P-2, P-5 */
START_TEST(what_cannot_be_executed_says_so)
{
	const char *directory[] = {"/etc", NULL}, *file[] = {"/etc/passwd", NULL};
	struct uw_spawn spawn = suite_spawn(directory);
	struct uw_error err;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_EXEC_NOT_EXECUTABLE);
	spawn.argv = file;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_EXEC_NOT_EXECUTABLE);
	ck_assert_int_eq(err.os_errno, EACCES);
}
END_TEST

/* peer/F3, peer/E18, W23, S-61 */
START_TEST(a_working_directory_that_is_gone_is_named)
{
	const char *argv[] = {"true", NULL};
	char path[512];
	struct uw_dir dir;
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_error err;
	(void)snprintf(path, sizeof path, "%s/gone", suite.workspace);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert_int_eq(suite.make_dir(&suite, path, &dir), 0);
	ck_assert_int_eq(rmdir(path), 0);
	spawn.cwd = &dir;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_CWD_INVALID);
	ck_assert_ptr_nonnull(strstr(err.message, path));
	if (dir.release)
		dir.release(&dir);
}
END_TEST

/* peer/F4 */
START_TEST(senseless_requests_are_refused_before_anything_starts)
{
	const char *none[] = {NULL}, *empty[] = {"", NULL}, *argv[] = {"true", NULL};
	const char *slash[] = {"./true", NULL};
	struct uw_fd_pass twice[] = {{0, 5}, {0, 5}}, low[] = {{0, 2}};
	struct uw_spawn spawn = suite_spawn(none);
	struct uw_error err;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_INVALID_ARGS);
	spawn.argv = empty;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_INVALID_ARGS);
	spawn.argv = slash;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_INVALID_ARGS);
	spawn.argv = argv;
	spawn.grace_ms = 0x80000000u;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_INVALID_ARGS);
	spawn.grace_ms = 0;
	spawn.passes = twice;
	spawn.pass_count = 2;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_INVALID_ARGS);
	spawn.passes = low;
	spawn.pass_count = 1;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_INVALID_ARGS);
	spawn.pass_count = 0;
	spawn.stdio[0].kind = UW_STDIO_COLLECT;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_INVALID_ARGS);
}
END_TEST

/* peer/F4: an aborted signal */
START_TEST(a_cancelled_call_starts_nothing)
{
	const char *argv[] = {"true", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_error err;
	struct uw_call before = suite.call;
	suite.call.cancel_fd = eventfd(1, EFD_CLOEXEC);
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_CANCELLED);
	(void)close(suite.call.cancel_fd);
	suite.call = before;
	suite.call.deadline_ns = 1;
	ck_assert_int_eq(suite_refused(&spawn, &err), UW_E_TIMED_OUT);
	suite.call = before;
}
END_TEST

static int resolves(const char *name, char *path, size_t size)
{
	struct text text = {path, 0, size};
	path[0] = '\0';
	return suite.service->v->resolve(suite.service->self, &suite.call, NULL, name,
	                                 (struct uw_sink){add_text, &text}, NULL);
}

/* peer/F17 */
START_TEST(resolve_tells_missing_from_not_executable)
{
	char path[512];
	ck_assert_int_eq(resolves("sh", path, sizeof path), 0);
	ck_assert_int_eq(path[0], '/');
	ck_assert_int_eq(resolves(path, path, sizeof path), UW_E_INVALID_ARGS); /* emptied before: no name */
	ck_assert_int_eq(resolves("./x", path, sizeof path), UW_E_INVALID_ARGS);
	ck_assert_int_eq(resolves("no-such-program-anywhere", path, sizeof path), UW_E_EXEC_NOT_FOUND);
	ck_assert_int_eq(resolves("/etc", path, sizeof path), UW_E_EXEC_NOT_EXECUTABLE);
	ck_assert_int_eq(resolves("/etc/passwd", path, sizeof path), UW_E_EXEC_NOT_EXECUTABLE);
	ck_assert_int_eq(resolves("/bin/sh", path, sizeof path), 0);
	ck_assert_str_eq(path, "/bin/sh");
}
END_TEST

/* ---- output ---- */

/* peer/F6 */
START_TEST(the_tail_has_offsets_of_the_whole_stream)
{
	const char *argv[] = {"seq", "1", "1000", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_exit facts;
	char text[256];
	uint64_t offset, next;
	spawn.stdio[1].collect.tail = 20;
	process = suite_start(&spawn);
	facts = suite_wait(process, UW_WAIT_OUTPUT);
	ck_assert_uint_eq(facts.out.total, 3893);
	ck_assert_uint_eq(facts.out.lossy, 1);
	ck_assert_uint_eq(facts.out.tail_offset, 3873);
	ck_assert_ptr_null(facts.out.spill);
	read_output(process, 1, 0, UINT64_MAX, text, sizeof text, &offset, &next);
	ck_assert_str_eq(text, "96\n997\n998\n999\n1000\n");
	ck_assert_uint_eq(offset, 3873);
	ck_assert_uint_eq(next, 3893);
	suite_dispose(process);
}
END_TEST

/* Reads a file of the session's temp by its inside path, as a command sees it. */
static void read_spill(const char *path, struct ran *ret)
{
	const char *argv[] = {"sh", "-c", "wc -c <\"$0\"; stat -c %a \"$0\"; head -n 3 \"$0\"; tail -n 1 \"$0\"",
	                      path, NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	suite_run(&spawn, ret);
}

static void collect_seq(uint64_t spill_max, struct ran *ret, char *path, size_t size)
{
	const char *argv[] = {"seq", "1", "1000", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	spawn.stdio[1].collect.tail = 20;
	spawn.stdio[1].collect.spill_max = spill_max;
	process = suite_start(&spawn);
	ret->exit = suite_wait(process, UW_WAIT_OUTPUT);
	ck_assert_ptr_nonnull(ret->exit.out.spill);
	(void)snprintf(path, size, "%s", ret->exit.out.spill);
	suite_dispose(process);
}

/* peer/F7, shell/S10, P-4 */
START_TEST(the_whole_goes_to_a_file_of_its_own)
{
	struct ran ran;
	char first[512], second[512];
	collect_seq(1000000, &ran, first, sizeof first);
	ck_assert_uint_eq(ran.exit.out.spill_lossy, 0);
	collect_seq(1000000, &ran, second, sizeof second);
	ck_assert_str_ne(first, second);
	read_spill(first, &ran);
	ck_assert_str_eq(ran.out, "3893\n600\n1\n2\n3\n1000\n");
}
END_TEST

/* peer/F8, W27 */
START_TEST(over_its_size_the_file_keeps_the_first_and_the_last_half)
{
	struct ran ran;
	char path[512];
	collect_seq(100, &ran, path, sizeof path);
	ck_assert_uint_eq(ran.exit.out.spill_lossy, 1);
	read_spill(path, &ran);
	ck_assert_str_eq(ran.out, "100\n600\n1\n2\n3\n1000\n");
}
END_TEST

/* peer/F9 */
START_TEST(output_is_read_by_offset_without_consuming)
{
	const char *argv[] = {"printf", "abcdef", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process = suite_start(&spawn);
	static const struct {
		uint64_t from;
		const char *text;
	} reads[] = {{2, "cdef"}, {6, ""}, {99, ""}, {2, "cdef"}};
	(void)suite_wait(process, UW_WAIT_OUTPUT);
	for (size_t i = 0; i < UW_COUNT(reads); i++) {
		char text[64];
		uint64_t offset, next;
		read_output(process, 1, reads[i].from, UINT64_MAX, text, sizeof text, &offset, &next);
		ck_assert_str_eq(text, reads[i].text);
		ck_assert_uint_eq(next, 6);
	}
	suite_dispose(process);
}
END_TEST

/* shell/S04, shell/S05: bytes arrive as they are; showing them is the consumer's */
START_TEST(every_byte_arrives_as_it_was_written)
{
	struct ran ran;
	suite_sh("printf 'a\\000b\\342\\200\\250\\377'", &ran);
	ck_assert_uint_eq(ran.exit.out.total, 7);
	ck_assert_uint_eq(ran.out_len, 7);
	ck_assert_int_eq(memcmp(ran.out, "a\0b\xe2\x80\xa8\xff", 7), 0);
	suite_sh("head -c 200 /dev/urandom", &ran);
	ck_assert_uint_eq(ran.out_len, 200);
}
END_TEST

/* shell/S11, peer/E8: text decides nothing */
START_TEST(no_text_of_a_command_is_taken_for_a_report)
{
	struct ran ran;
	suite_sh("echo SHELLPS1PREFIX; echo UNIQUESTRING29234; echo 'bwrap: boom' >&2; "
	         "echo 'umwelt-launch: refused' >&2; exit 125", &ran);
	ck_assert_int_eq(ran.exit.exit_code, 125);
	ck_assert_str_eq(ran.out, "SHELLPS1PREFIX\nUNIQUESTRING29234\n");
	ck_assert_str_eq(ran.err, "bwrap: boom\numwelt-launch: refused\n");
}
END_TEST

START_TEST(a_copied_stream_is_written_and_kept)
{
	const char *argv[] = {"sh", "-c", "seq 1 20000; seq 1 5 >&2", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	char path[512], line[16];
	FILE *copy;
	long count = 0;
	(void)snprintf(path, sizeof path, "%s/copy", suite.workspace);
	spawn.stdio[1].collect.copy_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(spawn.stdio[1].collect.copy_fd, 0);
	suite_run(&spawn, &ran);
	(void)close(spawn.stdio[1].collect.copy_fd);
	ck_assert_str_eq(ran.err, "1\n2\n3\n4\n5\n");
	copy = fopen(path, "re");
	while (fgets(line, sizeof line, copy))
		count++;
	(void)fclose(copy);
	ck_assert_int_eq(count, 20000);
	ck_assert_uint_eq(ran.exit.out.total, 108894);
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* A copy that nobody reads holds up its own command and nothing else. */
START_TEST(a_blocked_copy_stalls_no_other_process)
{
	const char *argv[] = {"seq", "1", "200000", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *stuck;
	struct ran ran;
	int ends[2], flags;
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	flags = fcntl(ends[1], F_GETFL);
	spawn.stdio[1].collect.copy_fd = ends[1];
	stuck = suite_start(&spawn);
	suite_sh("echo hi", &ran);
	ck_assert_str_eq(ran.out, "hi\n");
	ck_assert_int_eq(fcntl(ends[1], F_GETFL), flags);
	/* ending it does not wait for the reader */
	suite_dispose(stuck);
	(void)close(ends[0]);
	(void)close(ends[1]);
}
END_TEST

START_TEST(output_over_its_limit_ends_the_range)
{
	const char *argv[] = {"yes", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	spawn.limits.output_bytes = 100000;
	suite_run(&spawn, &ran);
	ck_assert_int_eq(ran.exit.limit, UW_LIMIT_OUTPUT);
	ck_assert_int_eq(ran.exit.signal, SIGTERM);
}
END_TEST

/* ---- stdin ---- */

/* shell/S09 */
START_TEST(stdin_is_empty_unless_given)
{
	struct ran ran;
	const char *argv[] = {"cat", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	suite_run(&spawn, &ran);
	ck_assert_int_eq(ran.exit.exit_code, 0);
	ck_assert_uint_eq(ran.out_len, 0);
}
END_TEST

START_TEST(stdin_takes_data_of_any_length)
{
	static char data[300000];
	const char *argv[] = {"sh", "-c", "wc -c", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	memset(data, 'x', sizeof data);
	spawn.stdio[0].kind = UW_STDIO_DATA;
	for (size_t len = 0; len <= sizeof data; len = len ? len * 60 : 83) {
		char want[32];
		spawn.stdio[0].data = (struct uw_bytes){data, len};
		suite_run(&spawn, &ran);
		(void)snprintf(want, sizeof want, "%zu\n", len);
		ck_assert_str_eq(ran.out, want);
	}
}
END_TEST

START_TEST(a_piped_stdin_ends_when_it_is_closed)
{
	const char *argv[] = {"cat", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct ran ran;
	int fd;
	spawn.stdio[0].kind = UW_STDIO_PIPE;
	process = suite_start(&spawn);
	fd = suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_STDIN);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "through\n", 8), 8);
	ck_assert_int_eq(suite.service->v->close_fd(suite.service->self, process, UW_PROCESS_STDIN, NULL), 0);
	ck_assert_int_eq(suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_STDIN), -1);
	suite_finish(process, &ran);
	ck_assert_str_eq(ran.out, "through\n");
}
END_TEST

START_TEST(a_piped_stdout_is_the_callers_to_read_and_ends)
{
	const char *argv[] = {"echo", "hi", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	char text[16];
	int fd;
	spawn.stdio[1].kind = UW_STDIO_PIPE;
	process = suite_start(&spawn);
	fd = suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_STDOUT);
	ck_assert_int_eq(read(fd, text, sizeof text), 3);
	ck_assert_int_eq(read(fd, text, sizeof text), 0);
	(void)suite_wait(process, UW_WAIT_EMPTY);
	suite_dispose(process);
}
END_TEST

/* ---- what the command gets ---- */

static int has_line(const char *text, const char *line)
{
	size_t len = strlen(line);
	for (const char *at = text; (at = strstr(at, line)); at += len)
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return 1;
	return 0;
}

/* peer/F15, shell/S17 */
START_TEST(credentials_of_the_host_do_not_reach_the_command)
{
	const char *argv[] = {"env", NULL};
	const char *set[] = {"DSH_NEW=n", "MY_API_KEY=explicit", NULL}, *unset[] = {"KEEPME", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	spawn.env_set = set;
	spawn.env_unset = unset;
	suite_run(&spawn, &ran);
	ck_assert(has_line(ran.out, "DSH_NEW=n"));
	ck_assert(has_line(ran.out, "MY_API_KEY=explicit"));
	ck_assert(has_line(ran.out, "MONKEY=m"));
	ck_assert(has_line(ran.out, "DSH_FOO=f"));
	ck_assert(has_line(ran.out, "dsh_low=l"));
	ck_assert_ptr_null(strstr(ran.out, "KEEPME"));
	ck_assert_ptr_null(strstr(ran.out, "A_TOKEN_B"));
	ck_assert_ptr_null(strstr(ran.out, "password_x"));
	ck_assert_ptr_null(strstr(ran.out, "SSH_AUTH_SOCK"));
	ck_assert_ptr_null(strstr(ran.out, "AWS_CREDENTIALS"));
	ck_assert_ptr_null(strstr(ran.out, "PASSWD"));
	ck_assert_ptr_null(strstr(ran.out, "BASH_ENV"));
	spawn.env_base = UW_ENV_EMPTY;
	spawn.env_set = NULL;
	suite_run(&spawn, &ran);
	ck_assert_str_eq(ran.out, "");
}
END_TEST

START_TEST(tmpdir_is_the_sessions_temp_and_writable)
{
	struct ran ran;
	suite_sh("echo kept >\"$TMPDIR/file\" && cat \"$TMPDIR/file\"", &ran);
	ck_assert_str_eq(ran.out, "kept\n");
	suite_sh("cat \"$TMPDIR/file\"; rm \"$TMPDIR/file\"", &ran);
	ck_assert_str_eq(ran.out, "kept\n");
}
END_TEST

/* shell/S07, peer/E18: the directory is an argument, and it is entered, not its path */
START_TEST(the_working_directory_is_an_argument)
{
	const char *argv[] = {"pwd", "-P", NULL};
	char path[512], want[600];
	struct uw_dir dir;
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	(void)snprintf(path, sizeof path, "%s/sub dir", suite.workspace);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	ck_assert_int_eq(suite.make_dir(&suite, path, &dir), 0);
	spawn.cwd = &dir;
	suite_run(&spawn, &ran);
	(void)snprintf(want, sizeof want, "%s\n", path);
	ck_assert_str_eq(ran.out, want);
	if (dir.release)
		dir.release(&dir);
	spawn.cwd = NULL;
	suite_sh("cd 'sub dir'; pwd -P", &ran);
	ck_assert_str_eq(ran.out, want);
	suite_run(&spawn, &ran);
	(void)snprintf(want, sizeof want, "%s\n", suite.workspace);
	ck_assert_str_eq(ran.out, want);
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

/* peer/F16, P-5 */
START_TEST(the_command_leads_a_session_of_its_own)
{
	struct ran ran;
	int pid, group, session;
	suite_sh("set -- $(cat /proc/self/stat); cut -d' ' -f1,5,6 /proc/$$/stat", &ran);
	ck_assert_int_eq(sscanf(ran.out, "%d %d %d", &pid, &group, &session), 3);
	ck_assert_int_eq(pid, group);
	ck_assert_int_eq(pid, session);
}
END_TEST

/* P-5, S-55, S-63: also where the host ignores and blocks signals */
START_TEST(signals_are_at_their_defaults_in_the_command)
{
	struct ran ran;
	sigset_t blocked;
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGUSR1);
	(void)sigaddset(&blocked, SIGTERM);
	(void)pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	(void)signal(SIGUSR2, SIG_IGN);
	suite_sh("grep -E '^Sig(Blk|Ign)' /proc/self/status", &ran);
	ck_assert_str_eq(ran.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}
END_TEST

/* S-55, peer/E16, W18 */
START_TEST(no_descriptor_reaches_the_command_that_was_not_passed)
{
	struct ran ran;
	int fd = open("/dev/null", O_WRONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(dup2(fd, 200), 200);
	suite_sh("ls /proc/self/fd | tr '\\n' ' '; (echo x >&200) 2>/dev/null && echo open || echo closed", &ran);
	/* 3 is ls's own */
	ck_assert_str_eq(ran.out, "0 1 2 3 closed\n");
	(void)close(200);
	(void)close(fd);
}
END_TEST

START_TEST(passed_descriptors_have_the_numbers_asked_for)
{
	const char *argv[] = {"sh", "-c", "cat <&3; cat <&7; ls /proc/self/fd | wc -l", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_fd_pass passes[2];
	struct ran ran;
	int a[2], b[2];
	ck_assert_int_eq(pipe2(a, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(b, O_CLOEXEC), 0);
	ck_assert_int_eq(write(a[1], "a", 1), 1);
	ck_assert_int_eq(write(b[1], "b\n", 2), 2);
	(void)close(a[1]);
	(void)close(b[1]);
	passes[0] = (struct uw_fd_pass){a[0], 7};
	passes[1] = (struct uw_fd_pass){b[0], 3};
	spawn.passes = passes;
	spawn.pass_count = 2;
	suite_run(&spawn, &ran);
	ck_assert_str_eq(ran.out, "b\na6\n");
	(void)close(a[0]);
	(void)close(b[0]);
}
END_TEST

START_TEST(the_umask_is_as_given)
{
	const char *argv[] = {"sh", "-c", "umask", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	spawn.umask = 027;
	suite_run(&spawn, &ran);
	ck_assert_str_eq(ran.out, "0027\n");
}
END_TEST

/* P-7 */
struct pump_end {
	int fd;
	size_t sent, received;
};

static void *send_million(void *arg)
{
	struct pump_end *end = arg;
	char block[4096];
	memset(block, 'u', sizeof block);
	while (end->sent < 1u << 20) {
		ssize_t done = send(end->fd, block, sizeof block, MSG_NOSIGNAL);
		if (done <= 0)
			return NULL;
		end->sent += (size_t)done;
	}
	(void)shutdown(end->fd, SHUT_WR);
	return NULL;
}

START_TEST(the_control_channel_carries_a_mebibyte_each_way_while_stdout_is_blocked)
{
	/* the background writer fills stdout, which nobody reads yet */
	const char *argv[] = {"bash", "-c",
	                      "yes | head -c 1000000 & "
	                      "[ -n \"$UMWELT_CONTROL_FD\" ] || exit 9; "
	                      "cat <&$UMWELT_CONTROL_FD >&$UMWELT_CONTROL_FD; wait",
	                      NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct pump_end end = {-1, 0, 0};
	struct uw_exit facts;
	pthread_t sender;
	char block[4096];
	ssize_t got;
	int out;
	spawn.control = 1;
	spawn.stdio[1].kind = UW_STDIO_PIPE;
	process = suite_start(&spawn);
	end.fd = suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_CONTROL);
	out = suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_STDOUT);
	ck_assert_int_ge(end.fd, 0);
	ck_assert_int_eq(pthread_create(&sender, NULL, send_million, &end), 0);
	while (end.received < 1u << 20 && (got = recv(end.fd, block, sizeof block, 0)) > 0)
		end.received += (size_t)got;
	ck_assert_int_eq(pthread_join(sender, NULL), 0);
	ck_assert_uint_eq(end.sent, 1u << 20);
	ck_assert_uint_eq(end.received, 1u << 20);
	for (size_t total = 0; total < 1000000; total += (size_t)got) {
		got = read(out, block, sizeof block);
		ck_assert_int_gt(got, 0);
	}
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.exit_code, 0);
	/* it stays the caller's to read from until dispose */
	ck_assert_int_eq(suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_CONTROL), end.fd);
	ck_assert_int_eq(recv(end.fd, block, sizeof block, MSG_DONTWAIT), 0);
	suite_dispose(process);
}
END_TEST

/* ---- limits ---- */

/* shell/S16, P-1 */
START_TEST(the_result_names_the_limit_that_fired)
{
	const char *sleeps[] = {"sleep", "100", NULL}, *spins[] = {"sh", "-c", "while :; do :; done", NULL};
	const char *writes[] = {"sh", "-c", "exec dd if=/dev/zero of=big bs=4096 count=100", NULL};
	struct uw_spawn spawn = suite_spawn(sleeps);
	struct ran ran;
	spawn.limits.wall_ms = 50;
	suite_run(&spawn, &ran);
	ck_assert_int_eq(ran.exit.limit, UW_LIMIT_WALL);
	ck_assert_int_eq(ran.exit.cancelled, 0);
	ck_assert_int_eq(ran.exit.signal, SIGTERM);
	spawn = suite_spawn(spins);
	spawn.limits.cpu_s = 1;
	suite_run(&spawn, &ran);
	ck_assert_int_eq(ran.exit.limit, UW_LIMIT_CPU);
	spawn = suite_spawn(writes);
	spawn.limits.file_size = 8192;
	suite_run(&spawn, &ran);
	ck_assert_int_eq(ran.exit.limit, UW_LIMIT_FILE_SIZE);
	suite_sh("rm -f big", &ran);
}
END_TEST

START_TEST(limits_reach_the_command)
{
	const char *argv[] = {"bash", "-c", "ulimit -n; ulimit -c; ulimit -v", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	spawn.limits.open_files = 50;
	spawn.limits.address_space = 1ull << 30;
	suite_run(&spawn, &ran);
	ck_assert_str_eq(ran.out, "50\n0\n1048576\n");
}
END_TEST

/* ---- ends ---- */

START_TEST(the_deadline_of_the_call_binds_the_process)
{
	const char *argv[] = {"sleep", "100", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_exit facts;
	suite.call.deadline_ns = uw_now_ns() + 300000000;
	process = suite_start(&spawn);
	suite.call.deadline_ns = 0;
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.cancelled, 2);
	ck_assert_int_eq(facts.signal, SIGTERM);
	suite_dispose(process);
}
END_TEST

START_TEST(cancelling_the_call_ends_the_process)
{
	const char *argv[] = {"sleep", "100", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_exit facts;
	uint64_t one = 1;
	int cancel = eventfd(0, EFD_CLOEXEC);
	suite.call.cancel_fd = cancel;
	process = suite_start(&spawn);
	suite.call.cancel_fd = -1;
	ck_assert_int_eq(write(cancel, &one, sizeof one), sizeof one);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.cancelled, 1);
	(void)close(cancel);
	suite_dispose(process);
}
END_TEST

/* peer/F12 */
START_TEST(what_ignores_term_is_killed_after_the_grace_and_a_second_terminate_has_no_effect)
{
	const char *argv[] = {"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_exit facts;
	char text[16];
	int out;
	spawn.stdio[1].kind = UW_STDIO_PIPE;
	process = suite_start(&spawn);
	out = suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_STDOUT);
	ck_assert_int_eq(read(out, text, sizeof text), 6);
	ck_assert_int_eq(suite.service->v->terminate(suite.service->self, process, 300, NULL), 0);
	ck_assert_int_eq(suite.service->v->terminate(suite.service->self, process, 60000, NULL), 0);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.signal, SIGKILL);
	ck_assert_int_eq(facts.cancelled, 1);
	ck_assert_int_ge(facts.empty_ns - facts.started_ns, 300000000);
	suite_dispose(process);
}
END_TEST

/* peer/F13 */
START_TEST(a_wait_may_end_before_the_process_does)
{
	const char *argv[] = {"sh", "-c", "sleep 1 &", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_call call = suite.call;
	struct uw_exit facts;
	spawn.tail = UW_TAIL_KEEP;
	process = suite_start(&spawn);
	facts = suite_wait(process, UW_WAIT_EXIT);
	ck_assert_int_eq(facts.exit_code, 0);
	call.deadline_ns = uw_now_ns() + 50000000;
	ck_assert_int_eq(suite.service->v->wait(suite.service->self, &call, process, UW_WAIT_EMPTY, NULL, NULL),
	                 UW_E_TIMED_OUT);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_uint_eq(facts.killed, 0);
	suite_dispose(process);
}
END_TEST

/* peer/F14, shell/S02, W25, P-10 */
START_TEST(terminate_reaches_what_left_its_session)
{
	char text[1024];
	const char *argv[] = {"bash", "-c", text, NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	const char *marker = suite_marker();
	/* a session of its own; a double fork; one that ignores TERM; the shell itself */
	(void)snprintf(text, sizeof text,
	               "setsid bash -c 'exec -a %s sleep 300' & (setsid bash -c 'exec -a %s sleep 300' & ) ; "
	               "setsid bash -c 'trap \"\" TERM HUP INT; : %s; while :; do sleep 300; done' & "
	               "trap '' TERM; while :; do wait; done",
	               marker, marker, marker);
	process = suite_start(&spawn);
	ck_assert_int_eq(suite_await_alive(marker, 4), 4);
	ck_assert_int_eq(suite.service->v->terminate(suite.service->self, process, 200, NULL), 0);
	(void)suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(suite_alive(marker), 0);
	suite_dispose(process);
}
END_TEST

/* peer/F18 */
START_TEST(dispose_ends_and_waits)
{
	char text[256];
	const char *argv[] = {"bash", "-c", text, NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	const char *marker = suite_marker();
	(void)snprintf(text, sizeof text, "trap '' TERM; : %s; while :; do sleep 0.1; done", marker);
	spawn.grace_ms = 200;
	process = suite_start(&spawn);
	ck_assert_int_eq(suite_await_alive(marker, 1), 1);
	suite_dispose(process);
	ck_assert_int_eq(suite_alive(marker), 0);
}
END_TEST

/* shell/S01, peer/E20, P-13 */
START_TEST(a_child_that_holds_the_pipe_does_not_hold_the_call)
{
	for (int i = 0; i < 2; i++) {
		char text[256];
		const char *argv[] = {"bash", "-c", text, NULL};
		struct uw_spawn spawn = suite_spawn(argv);
		struct ran ran;
		(void)snprintf(text, sizeof text, i ? "setsid bash -c 'exec -a %s sleep 300' & echo hi"
		                                     : "(exec -a %s sleep 300) & echo hi", suite_marker());
		suite_run(&spawn, &ran);
		ck_assert_str_eq(ran.out, "hi\n");
		ck_assert_int_eq(ran.exit.exit_code, 0);
		ck_assert_uint_eq(ran.exit.descendants, 1);
		ck_assert_int_eq(ran.exit.cancelled, 0);
		ck_assert_int_eq(suite_alive(suite_marker()), 0);
	}
}
END_TEST

/* P-13: kept as a background job, whose output goes on */
START_TEST(a_kept_descendant_goes_on_and_is_heard)
{
	const char *argv[] = {"sh", "-c", "(sleep 1; echo later) & echo now", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_exit facts;
	char text[64];
	uint64_t offset, next;
	spawn.tail = UW_TAIL_KEEP;
	spawn.tail_ms = 20;
	process = suite_start(&spawn);
	facts = suite_wait(process, UW_WAIT_OUTPUT);
	ck_assert_int_eq(facts.phase, UW_PHASE_EXITED);
	ck_assert_uint_eq(facts.descendants, 1);
	read_output(process, 1, 0, UINT64_MAX, text, sizeof text, &offset, &next);
	ck_assert_str_eq(text, "now\n");
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_uint_eq(facts.killed, 0);
	read_output(process, 1, next, UINT64_MAX, text, sizeof text, &offset, &next);
	ck_assert_str_eq(text, "later\n");
	suite_dispose(process);
}
END_TEST

/* P-13: also where nothing is collected */
START_TEST(descendants_end_after_the_tail_when_nothing_is_collected)
{
	char text[256];
	const char *argv[] = {"bash", "-c", text, NULL};
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffff};
	struct uw_process *process;
	(void)snprintf(text, sizeof text, "(exec -a %s sleep 300) &", suite_marker());
	process = suite_start(&spawn);
	(void)suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(suite_alive(suite_marker()), 0);
	suite_dispose(process);
}
END_TEST

START_TEST(exit_and_empty_are_descriptors_that_stay_readable)
{
	const char *argv[] = {"sh", "-c", "sleep 0.3 & exit 3", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct pollfd fds[2];
	spawn.tail = UW_TAIL_KEEP;
	process = suite_start(&spawn);
	fds[0] = (struct pollfd){suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_EXIT), POLLIN, 0};
	fds[1] = (struct pollfd){suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_EMPTY), POLLIN, 0};
	ck_assert_int_eq(poll(fds, 1, PATIENCE_MS), 1);
	ck_assert_int_eq(poll(fds + 1, 1, PATIENCE_MS), 1);
	ck_assert_int_eq(poll(fds, 2, 0), 2);
	suite_dispose(process);
}
END_TEST

START_TEST(a_signal_goes_to_the_commands_group)
{
	const char *argv[] = {"sh", "-c", "trap 'echo got; exit 4' USR1; echo ready; while :; do sleep 0.05; done", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process;
	struct uw_exit facts;
	char text[16];
	int out;
	spawn.stdio[1].kind = UW_STDIO_PIPE;
	process = suite_start(&spawn);
	out = suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_STDOUT);
	ck_assert_int_eq(read(out, text, sizeof text), 6);
	ck_assert_int_eq(suite.service->v->signal(suite.service->self, process, SIGUSR1, NULL), 0);
	facts = suite_wait(process, UW_WAIT_EMPTY);
	ck_assert_int_eq(facts.exit_code, 4);
	ck_assert_int_eq(suite.service->v->signal(suite.service->self, process, SIGUSR1, NULL), UW_E_PROCESS_NOT_FOUND);
	suite_dispose(process);
}
END_TEST

/* ---- terminals ---- */

static struct uw_process *start_pty(const char *const *argv, int *ret_fd)
{
	static const struct uw_pty size = {33, 99};
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffff, .pty = &size};
	struct uw_process *process = suite_start(&spawn);
	*ret_fd = suite.service->v->process_fd(suite.service->self, process, UW_PROCESS_PTY);
	ck_assert_int_ge(*ret_fd, 0);
	return process;
}

/* Reads until text comes along. */
static void expect(int fd, const char *text)
{
	static char seen[65536];
	size_t len = 0;
	int64_t until = now_ms() + PATIENCE_MS;
	seen[0] = '\0';
	while (!strstr(seen, text)) {
		struct pollfd ready = {fd, POLLIN, 0};
		ssize_t got = -1;
		if (poll(&ready, 1, (int)(until - now_ms())) > 0)
			got = read(fd, seen + len, sizeof seen - 1 - len);
		ck_assert_msg(got > 0, "no \"%s\" in \"%s\"", text, seen);
		len += (size_t)got;
		seen[len] = '\0';
	}
}

START_TEST(a_terminal_has_a_size_and_job_control)
{
	const char *argv[] = {"bash", "--noprofile", "--norc", "-c",
	                      "trap 'stty size' WINCH; stty size; tty >/dev/null && echo is-a-tty; set -m; "
	                      "echo resize-now; while read -r x; do echo got:$x; done; echo end", NULL};
	struct uw_process *process;
	int fd;
	process = start_pty(argv, &fd);
	expect(fd, "resize-now");
	ck_assert_int_eq(suite.service->v->pty_resize(suite.service->self, process, (struct uw_pty){50, 120}, NULL), 0);
	ck_assert_int_eq(write(fd, "line\n", 5), 5);
	expect(fd, "got:line");
	ck_assert_int_eq(write(fd, "\x04", 1), 1);
	expect(fd, "end");
	(void)suite_wait(process, UW_WAIT_EMPTY);
	suite_dispose(process);
}
END_TEST

/* T-6, T-9 */
START_TEST(the_foreground_of_a_terminal_is_asked_and_signalled)
{
	const char *argv[] = {"bash", "--noprofile", "--norc", "-i", NULL};
	struct uw_foreground facts = {.size = sizeof facts};
	struct uw_process *process;
	int fd;
	int64_t until = now_ms() + PATIENCE_MS;
	process = start_pty(argv, &fd);
	/* cut in two, so that the echo of our typing is not taken for the prompt */
	ck_assert_int_eq(write(fd, "PS1=rea''dy-\n", 13), 13);
	expect(fd, "ready-");
	do
		ck_assert_int_eq(suite.service->v->pty_foreground(suite.service->self, process, &facts, NULL), 0);
	while ((facts.waits_input == 0 || facts.canonical) && now_ms() < until);
	ck_assert_int_ne(facts.waits_input, 0);
	ck_assert_int_eq(facts.pgid, facts.shell_pgid);
	ck_assert_str_eq(facts.program, "bash");
	ck_assert_int_eq(facts.canonical, 0);
	ck_assert_int_eq(suite.service->v->pty_signal(suite.service->self, process, SIGKILL, NULL), UW_E_INVALID_ARGS);
	ck_assert_int_eq(write(fd, "sleep 300\n", 10), 10);
	do
		ck_assert_int_eq(suite.service->v->pty_foreground(suite.service->self, process, &facts, NULL), 0);
	while (strcmp(facts.program, "sleep") != 0 && now_ms() < until);
	ck_assert_int_ne(facts.pgid, facts.shell_pgid);
	ck_assert_int_ne(facts.waits_input, 1);
	ck_assert_int_eq(suite.service->v->pty_signal(suite.service->self, process, SIGINT, NULL), 0);
	expect(fd, "ready-");
	/* an idle interactive shell ignores TERM: closing hangs up */
	suite_dispose(process);
}
END_TEST

START_TEST(a_terminals_output_can_be_collected)
{
	static const struct uw_pty size = {0, 0};
	const char *argv[] = {"sh", "-c", "stty size; echo done", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct ran ran;
	spawn.pty = &size;
	suite_run(&spawn, &ran);
	ck_assert_str_eq(ran.out, "40 160\r\ndone\r\n");
}
END_TEST

/* ---- many at once ---- */

#define MANY 64

static void *one_of_many(void *arg)
{
	const char *argv[] = {"ls", "/proc/self/fd", NULL};
	struct uw_spawn spawn = suite_spawn(argv);
	struct uw_process *process = NULL;
	struct uw_exit facts = {.size = sizeof facts};
	struct uw_call call = patient();
	char *text = arg;
	struct text sink = {text, 0, 64};
	if (suite.service->v->spawn(suite.service->self, &call, &spawn, &process, NULL) < 0)
		return (void *)"spawn";
	if (suite.service->v->wait(suite.service->self, &call, process, UW_WAIT_OUTPUT, &facts, NULL) < 0 ||
	    suite.service->v->output(suite.service->self, &call, process, 1, 0, UINT64_MAX,
	                             (struct uw_sink){add_text, &sink}, NULL, NULL, NULL) < 0)
		return (void *)"output";
	return suite.service->v->dispose(suite.service->self, process, NULL) < 0 ? (void *)"dispose" : NULL;
}

/* P-6 */
START_TEST(sixty_four_spawns_at_once_leak_no_descriptor_to_each_other)
{
	static char texts[MANY][64];
	pthread_t threads[MANY];
	for (size_t i = 0; i < MANY; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, one_of_many, texts[i]), 0);
	for (size_t i = 0; i < MANY; i++) {
		void *failed;
		ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
		ck_assert_msg(!failed, "%s failed", (const char *)failed);
		ck_assert_str_eq(texts[i], "0\n1\n2\n3\n");
	}
}
END_TEST


void subprocess_suite_fixture(TCase *tcase, void (*open)(struct subprocess_suite *suite),
                              void (*close)(struct subprocess_suite *suite))
{
	suite_open = open;
	suite_close = close;
	tcase_add_checked_fixture(tcase, setup, teardown);
}

void subprocess_suite_add(TCase *tcase, void (*open)(struct subprocess_suite *suite),
                          void (*close)(struct subprocess_suite *suite))
{
	const TTest *const suite_tests[] = {
	    exit_codes_and_signals_are_told_apart,
	    a_command_that_kills_itself_died_by_a_signal,
	    times_and_memory_are_told,
	    a_missing_program_is_not_found,
	    what_cannot_be_executed_says_so,
	    a_working_directory_that_is_gone_is_named,
	    senseless_requests_are_refused_before_anything_starts,
	    a_cancelled_call_starts_nothing,
	    resolve_tells_missing_from_not_executable,
	    the_tail_has_offsets_of_the_whole_stream,
	    the_whole_goes_to_a_file_of_its_own,
	    over_its_size_the_file_keeps_the_first_and_the_last_half,
	    output_is_read_by_offset_without_consuming,
	    every_byte_arrives_as_it_was_written,
	    no_text_of_a_command_is_taken_for_a_report,
	    a_copied_stream_is_written_and_kept,
	    a_blocked_copy_stalls_no_other_process,
	    output_over_its_limit_ends_the_range,
	    stdin_is_empty_unless_given,
	    stdin_takes_data_of_any_length,
	    a_piped_stdin_ends_when_it_is_closed,
	    a_piped_stdout_is_the_callers_to_read_and_ends,
	    credentials_of_the_host_do_not_reach_the_command,
	    tmpdir_is_the_sessions_temp_and_writable,
	    the_working_directory_is_an_argument,
	    the_command_leads_a_session_of_its_own,
	    signals_are_at_their_defaults_in_the_command,
	    no_descriptor_reaches_the_command_that_was_not_passed,
	    passed_descriptors_have_the_numbers_asked_for,
	    the_umask_is_as_given,
	    the_control_channel_carries_a_mebibyte_each_way_while_stdout_is_blocked,
	    the_result_names_the_limit_that_fired,
	    limits_reach_the_command,
	    the_deadline_of_the_call_binds_the_process,
	    cancelling_the_call_ends_the_process,
	    what_ignores_term_is_killed_after_the_grace_and_a_second_terminate_has_no_effect,
	    a_wait_may_end_before_the_process_does,
	    terminate_reaches_what_left_its_session,
	    dispose_ends_and_waits,
	    a_child_that_holds_the_pipe_does_not_hold_the_call,
	    a_kept_descendant_goes_on_and_is_heard,
	    descendants_end_after_the_tail_when_nothing_is_collected,
	    exit_and_empty_are_descriptors_that_stay_readable,
	    a_signal_goes_to_the_commands_group,
	    a_terminal_has_a_size_and_job_control,
	    the_foreground_of_a_terminal_is_asked_and_signalled,
	    a_terminals_output_can_be_collected,
	    sixty_four_spawns_at_once_leak_no_descriptor_to_each_other,
	};
	subprocess_suite_fixture(tcase, open, close);
	for (size_t i = 0; i < UW_COUNT(suite_tests); i++)
		tcase_add_test(tcase, suite_tests[i]);
}
