#include "spec.h"

#include <umwelt/launch.h>

#include <fcntl.h>
#include <string.h>

#define PASSES_MAX (UW_LAUNCH_PASS_MAX - 16)

static int invalid(struct uw_error *err, const char *what)
{
	return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_SPAWN, UW_EFFECT_NONE, 0, "spawn: %s", what);
}

int spec_copy(const struct uw_spawn *given, struct uw_spawn *ret_spec, struct uw_error *err)
{
	if (!given || !UW_HAS(struct uw_spawn, given->size, argv))
		return invalid(err, "the struct has no size");
	memset(ret_spec, 0, sizeof *ret_spec);
	ret_spec->umask = 0xffffffff;
	memcpy(ret_spec, given, given->size < sizeof *ret_spec ? given->size : sizeof *ret_spec);
	ret_spec->size = sizeof *ret_spec;
	return 0;
}

static int check_stdio(const struct uw_stdio *stdio, int which, struct uw_error *err)
{
	if (stdio->kind < UW_STDIO_NULL || stdio->kind > UW_STDIO_DATA)
		return invalid(err, "a kind of stdio that is not known");
	if (stdio->kind == UW_STDIO_COLLECT && which == 0)
		return invalid(err, "stdin cannot be collected");
	if (stdio->kind == UW_STDIO_DATA && which != 0)
		return invalid(err, "only stdin takes data");
	if (stdio->kind == UW_STDIO_DATA && stdio->data.len && !stdio->data.data)
		return invalid(err, "data of a length, but no bytes");
	if (stdio->kind == UW_STDIO_FD && fcntl(stdio->fd, F_GETFD) < 0)
		return invalid(err, "a descriptor of stdio is not open");
	if (stdio->kind == UW_STDIO_COLLECT && stdio->collect.copy_fd > 0 &&
	    fcntl(stdio->collect.copy_fd, F_GETFD) < 0)
		return invalid(err, "a descriptor to copy output to is not open");
	return 0;
}

static int check_passes(const struct uw_spawn *spec, struct uw_error *err)
{
	if (spec->pass_count > PASSES_MAX || (spec->pass_count && !spec->passes))
		return invalid(err, "too many descriptors to pass");
	for (size_t i = 0; i < spec->pass_count; i++) {
		if (spec->passes[i].as < 3 || spec->passes[i].as > UW_LAUNCH_PASS_AS_MAX)
			return invalid(err, "a descriptor is passed as a number below 3 or too high");
		if (fcntl(spec->passes[i].fd, F_GETFD) < 0)
			return invalid(err, "a descriptor to pass is not open");
		for (size_t k = 0; k < i; k++)
			if (spec->passes[k].as == spec->passes[i].as)
				return invalid(err, "two descriptors are passed as one number");
	}
	return 0;
}

int spec_check(const struct uw_spawn *spec, struct uw_error *err)
{
	if (!spec->argv || !spec->argv[0] || !spec->argv[0][0])
		return invalid(err, "argv is empty");
	if (spec->program && spec->program[0] != '/')
		return invalid(err, "the program is not an absolute path");
	if (spec->grace_ms > INT32_MAX || spec->tail_ms > INT32_MAX)
		return invalid(err, "grace or tail is longer than 2147483647 ms");
	if (spec->env_base < UW_ENV_CONFIGURED || spec->env_base > UW_ENV_EMPTY)
		return invalid(err, "a base of the environment that is not known");
	if (spec->tail != UW_TAIL_END && spec->tail != UW_TAIL_KEEP)
		return invalid(err, "a tail that is not known");
	if (spec->umask > 0777 && spec->umask != 0xffffffff)
		return invalid(err, "the umask is more than 0777");
	for (int i = 0; i < 3; i++) {
		int r = spec->pty && !(i == 1 && spec->stdio[i].kind == UW_STDIO_COLLECT)
		            ? 0
		            : check_stdio(&spec->stdio[i], i, err);
		if (r < 0)
			return r;
	}
	return check_passes(spec, err);
}
