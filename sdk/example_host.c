/*
 * The smallest host: opens the preset sdk-minimal, writes a file, runs a command
 * on it, and prints what became of both. No thread, no loop.
 *   cc example_host.c $(pkg-config --cflags --libs umwelt) && ./a.out DIRECTORY
 */
#include <stdio.h>
#include <string.h>
#include <umwelt/umwelt.h>

static struct uw_error err = UW_ERROR_INIT;

static int failed(const char *what)
{
	fprintf(stderr, "%s: %s (%s, effect %s)\n", what, err.message, uw_code_name(err.code), uw_effect_name(err.effect));
	return 1;
}

static int print(void *arg, const char *data, size_t len)
{
	return fwrite(data, 1, len, arg) == len ? 0 : UW_E_IO_ERROR;
}

static int write_file(struct uw_world *world, const struct uw_call *call, const char *name, const char *text)
{
	const struct uw_fs *fs = uw_world_fs(world);
	const struct uw_write_request request = {.size = sizeof request, .intent = UW_WRITE_UNCONDITIONAL,
	                                         .content = {text, strlen(text)}, .from_fd = -1};
	struct uw_write_result result = {.size = sizeof result};
	struct uw_target *target;
	int code = fs->v->resolve(fs->self, call, (struct uw_bytes){name, strlen(name)}, NULL, 0, &target, &err);
	if (code < 0)
		return code;
	code = fs->v->write(fs->self, call, target, &request, &result, &err);
	target->release(target);
	return code;
}

static int run_command(struct uw_world *world, const struct uw_call *call, const char *const *argv)
{
	const struct uw_subprocess *sub = uw_world_subprocess(world);
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .umask = 0xffffffffu};
	struct uw_exit exit = {.size = sizeof exit};
	struct uw_process *process;
	int code;
	for (int i = 1; i <= 2; i++)
		spawn.stdio[i] = (struct uw_stdio){.kind = UW_STDIO_COLLECT, .collect = {.tail = 65536, .copy_fd = -1}};
	code = sub->v->spawn(sub->self, call, &spawn, &process, &err);
	if (code < 0)
		return code;
	code = sub->v->wait(sub->self, call, process, UW_WAIT_OUTPUT, &exit, &err);
	for (int i = 1; i <= 2 && code == 0; i++)
		code = sub->v->output(sub->self, call, process, i, 0, 65536, (struct uw_sink){print, i == 1 ? stdout : stderr},
		                      NULL, NULL, &err);
	if (code == 0)
		printf("exit %d, sandbox %s, rule %s\n", exit.exit_code, exit.backend, exit.rule);
	(void)sub->v->dispose(sub->self, process, NULL);
	return code;
}

static int work(struct uw_host *host, const char *workspace)
{
	const char *const command[] = {"cat", "greeting", "missing", NULL};
	struct uw_world_options options = {.size = sizeof options, .bundle = "sdk-minimal", .workspace = workspace};
	struct uw_world *world;
	struct uw_session *session;
	struct uw_call call;
	if (uw_world_open(host, &options, &world, &err) < 0 || uw_session_open(world, NULL, &session, &err) < 0)
		return failed("open");
	uw_call_init(&call, session);
	return write_file(world, &call, "greeting", "hello\n") || run_command(world, &call, command) ? failed("work") : 0;
}

int main(int argc, char **argv)
{
	struct uw_host *host = NULL;
	int status = uw_host_open(NULL, &host, &err) < 0 ? failed("open") : work(host, argc > 1 ? argv[1] : ".");
	uw_host_close(host); /* closes session and world first */
	return status;
}
