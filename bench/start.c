/*
 * start: what it costs to start `true`, in one run and beside the peers:
 * a bare spawn, bwrap alone with the very words that our backend gives it, the
 * program `umwelt run` under each backend, and a confined spawn through the C
 * API. Medians over interleaved rounds, so that a change of the machine's load
 * hits all alike; ratios to bwrap alone.
 *
 *   start [--rounds N] [--json]
 */
#include <umwelt/umwelt.h>

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define ROUNDS_MAX 2000
#define CASES_MAX  16

struct bench_case {
	const char *name;
	int (*run)(struct bench_case *self);
	const char *const *argv;       /* of a case that spawns */
	const struct uw_fd_pass *passes; /* descriptors that its words name */
	size_t pass_count;
	struct uw_world *world;        /* of a case of the C API */
	struct uw_session *session;
	double us[ROUNDS_MAX];
	double median;
};

static void die(const char *what, const struct uw_error *err)
{
	fprintf(stderr, "start: %s: %s: %s\n", what, err ? uw_code_name(err->code) : "",
	        err ? err->message : strerror(errno));
	exit(1);
}

static int run_argv(struct bench_case *self)
{
	posix_spawn_file_actions_t actions;
	int status = 0, failed;
	pid_t pid;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return -1;
	for (size_t i = 0; i < self->pass_count; i++)
		(void)posix_spawn_file_actions_adddup2(&actions, self->passes[i].fd, self->passes[i].as);
	failed = posix_spawn(&pid, self->argv[0], &actions, NULL, (char *const *)self->argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (failed)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int run_api(struct bench_case *self)
{
	static const char *const argv[] = {"/bin/true", NULL};
	const struct uw_subprocess *processes = uw_world_subprocess(self->world);
	struct uw_error err = UW_ERROR_INIT;
	struct uw_call call = UW_CALL_INIT;
	struct uw_exit result;
	struct uw_process *process = NULL;
	struct uw_spawn spawn;
	memset(&spawn, 0, sizeof spawn);
	spawn.size = sizeof spawn;
	spawn.argv = argv;
	spawn.umask = 0xffffffff;
	memset(&result, 0, sizeof result);
	result.size = sizeof result;
	uw_call_init(&call, self->session);
	if (processes->v->spawn(processes->self, &call, &spawn, &process, &err) < 0)
		die(self->name, &err);
	if (processes->v->wait(processes->self, &call, process, UW_WAIT_EMPTY, &result, &err) < 0)
		die(self->name, &err);
	if (processes->v->dispose(processes->self, process, &err) < 0)
		die(self->name, &err);
	return result.status;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void open_world(struct uw_host *host, struct bench_case *item, const char *set,
                       const char *workspace)
{
	const char *const sets[] = {set, NULL};
	struct uw_error err = UW_ERROR_INIT;
	struct uw_world_options options;
	struct uw_session_options session;
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.bundle = "read-only";
	options.mode = UW_MODE_WORKSPACE_WRITE;
	options.workspace = workspace;
	options.sets = sets;
	memset(&session, 0, sizeof session);
	session.size = sizeof session;
	if (uw_world_open(host, &options, &item->world, &err) < 0)
		die(item->name, &err);
	if (uw_session_open(item->world, &session, &item->session, &err) < 0)
		die(item->name, &err);
}

/* The words that our backend puts before the launcher, with `true` in the launcher's place. */
static void bwrap_alone(struct bench_case *alone, struct bench_case *api, const char *workspace)
{
	const struct uw_sandbox *sandbox = uw_world_sandbox(api->world);
	const struct uw_policy_service *policies = uw_world_policy(api->world);
	struct uw_error err = UW_ERROR_INIT;
	struct uw_call call = UW_CALL_INIT;
	struct uw_policy *policy = NULL;
	struct uw_confined *confined = NULL;
	struct uw_policy_wish wish = {sizeof wish, UW_MODE_UNSET, 0};
	const char **argv;
	uw_call_init(&call, api->session);
	if (policies->v->resolve(policies->self, &call, &wish, &policy, &err) < 0)
		die("policy", &err);
	if (sandbox->v->confine(sandbox->self, &call, policy, workspace, &confined, &err) < 0)
		die("confine", &err);
	argv = calloc(confined->wrapper_count + 2, sizeof *argv);
	if (!argv)
		die("memory", NULL);
	for (size_t i = 0; i < confined->wrapper_count; i++)
		argv[i] = strdup(confined->wrapper[i]);
	argv[confined->wrapper_count] = "/bin/true";
	alone->argv = argv;
	alone->passes = confined->passes;
	alone->pass_count = confined->pass_count;
}

static void measure(struct bench_case *cases, size_t count, int rounds)
{
	for (int round = -5; round < rounds; round++)
		for (size_t i = 0; i < count; i++) {
			int64_t start = uw_now_ns();
			if (cases[i].run(&cases[i]) != 0) {
				fprintf(stderr, "start: %s did not succeed\n", cases[i].name);
				exit(1);
			}
			if (round >= 0)
				cases[i].us[round] = (double)(uw_now_ns() - start) / 1000;
		}
	for (size_t i = 0; i < count; i++) {
		qsort(cases[i].us, (size_t)rounds, sizeof cases[i].us[0], compare);
		cases[i].median = cases[i].us[rounds / 2];
	}
}

static void print(const struct bench_case *cases, size_t count, const struct bench_case *base, int json)
{
	if (json)
		printf("{\"base\": \"%s\", \"median_us\": {", base->name);
	else
		printf("%-44s %10s %8s\n", "start of /bin/true, median", "us", "ratio");
	for (size_t i = 0; i < count; i++)
		if (json)
			printf("%s\"%s\": %.1f", i ? ", " : "", cases[i].name, cases[i].median);
		else
			printf("%-44s %10.0f %8.2f\n", cases[i].name, cases[i].median,
			       cases[i].median / base->median);
	if (json)
		printf("}}\n");
	else
		printf("ratio: to %s\n", base->name);
}

#define UMWELT_RUN(set)                                                                          \
	{                                                                                            \
		program, "run", "--bundle", "read-only", "--mode", "workspace-write", "--workspace",      \
		    workspace, "--set", set, "--", "/bin/true", NULL                                      \
	}

int main(int argc, char **argv)
{
	static struct bench_case cases[CASES_MAX];
	const char *program = getenv("UMWELT_PROGRAM"), *workspace = getenv("UMWELT_WORKSPACE");
	const char *const bare[] = {"/bin/true", NULL};
	const char *const bwrap = "world.sandbox={plugin: sandbox-bwrap}";
	const char *const landlock = "world.sandbox={plugin: sandbox-landlock}";
	const char *const by_bwrap[] = UMWELT_RUN(bwrap), *const by_landlock[] = UMWELT_RUN(landlock);
	const char *const by_none[] = {program, "run", "--bundle", "sdk-minimal", "--workspace",
	                               workspace, "--", "/bin/true", NULL};
	struct uw_host_options options = {sizeof options, NULL, NULL, NULL, NULL};
	struct uw_error err = UW_ERROR_INIT;
	struct uw_host *host = NULL;
	size_t count = 0;
	int rounds = 100, json = 0;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--json"))
			json = 1;
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
			rounds = atoi(argv[++i]);
	if (!program || !workspace || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "start: run it by `make bench`\n");
		return 2;
	}
	if (uw_host_open(&options, &host, &err) < 0)
		die("host", &err);
	cases[count++] = (struct bench_case){.name = "bare spawn", .run = run_argv, .argv = bare};
	cases[count++] = (struct bench_case){.name = "bwrap alone, the same words", .run = run_argv};
	cases[count++] = (struct bench_case){.name = "C API, sandbox-bwrap", .run = run_api};
	cases[count++] = (struct bench_case){.name = "C API, sandbox-landlock", .run = run_api};
	cases[count++] = (struct bench_case){.name = "umwelt run, no sandbox", .run = run_argv, .argv = by_none};
	cases[count++] = (struct bench_case){.name = "umwelt run, sandbox-bwrap", .run = run_argv, .argv = by_bwrap};
	cases[count++] = (struct bench_case){.name = "umwelt run, sandbox-landlock", .run = run_argv, .argv = by_landlock};
	open_world(host, &cases[2], bwrap, workspace);
	open_world(host, &cases[3], landlock, workspace);
	bwrap_alone(&cases[1], &cases[2], workspace);
	measure(cases, count, rounds);
	print(cases, count, &cases[1], json);
	for (size_t i = 2; i < 4; i++) {
		(void)uw_session_close(cases[i].session, NULL);
		(void)uw_world_close(cases[i].world, NULL);
	}
	uw_host_close(host);
	return 0;
}
