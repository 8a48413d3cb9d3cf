/*
 * Opening what a command needs, and closing it in reverse. The invocation owns
 * all of it. Uses the embedding API as any host would.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/path.h"

static void log_line(void *arg, int level, const char *message)
{
	(void)arg;
	if (level <= UW_LOG_WARNING)
		cmd_note(level == UW_LOG_ERROR ? "error" : "warning", "%s", message);
}

int cmd_open_host(struct invocation *in, struct uw_error *err)
{
	struct uw_host_options options = {.size = sizeof options, .log = log_line};
	if (in->host)
		return 0;
	options.config_path = in->arguments.value[CMD_CONFIG];
	return uw_host_open(&options, &in->host, err);
}

static int parse_mode(const char *text, int32_t *ret_mode, struct uw_error *err)
{
	for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_DANGER_FULL_ACCESS; mode++)
		if (!strcmp(text, uw_mode_name(mode))) {
			*ret_mode = mode;
			return 0;
		}
	return cmd_misuse(err, "--mode wants read-only, workspace-write or danger-full-access, not \"%s\"", text);
}

int cmd_world_options(struct invocation *in, const char *bundle, struct uw_world_options *ret,
                      struct uw_error *err)
{
	const struct cmd_arguments *given = &in->arguments;
	int32_t mode = UW_MODE_UNSET;
	if (given->value[CMD_MODE]) {
		int r = parse_mode(given->value[CMD_MODE], &mode, err);
		if (r < 0)
			return r;
	}
	if (!bundle)
		bundle = given->value[CMD_BUNDLE] ? given->value[CMD_BUNDLE] : "read-only";
	*ret = (struct uw_world_options){.size = sizeof *ret,
	                                 .bundle = bundle,
	                                 .workspace = given->value[CMD_WORKSPACE],
	                                 .mode = mode,
	                                 .sets = (const char *const *)given->many[CMD_SET]};
	return 0;
}

/* A current directory that is gone or cannot be named is as one outside the workspace. */
static void find_cwd(struct invocation *in)
{
	const struct uw_session_facts *facts = uw_session_facts(in->session);
	UW_AUTO_FREE char *cwd = getcwd(NULL, 0);
	const char *root = facts->workspace.path;
	if (cwd && root && uw_path_contains(root, strlen(root), cwd, strlen(cwd)))
		in->cwd = UW_STEAL(cwd);
}

int cmd_open(struct invocation *in, struct uw_error *err)
{
	struct uw_world_options options;
	struct uw_session_options session = {.size = sizeof session, .actor = UW_ACTOR_PERSON};
	int r;
	if (in->arguments.value[CMD_SESSION])
		return uw_fail(err, UW_E_NOT_BUILT, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "sessions are not kept between commands yet; leave --session out and the "
		               "command has one of its own");
	r = cmd_world_options(in, NULL, &options, err);
	if (r == 0)
		r = cmd_open_host(in, err);
	if (r == 0)
		r = uw_world_open(in->host, &options, &in->world, err);
	if (r < 0)
		return r;
	in->facts.size = sizeof in->facts;
	uw_world_facts(in->world, &in->facts);
	r = uw_session_open(in->world, &session, &in->session, err);
	if (r < 0)
		return r;
	uw_call_init(&in->call, in->session);
	find_cwd(in);
	return 0;
}

void cmd_close(struct invocation *in)
{
	struct uw_error err = UW_ERROR_INIT;
	free(in->cwd);
	in->cwd = NULL;
	if (in->session && uw_session_close(in->session, &err) < 0)
		cmd_note("warning", "closing the session: %s: %s", uw_code_name(err.code), err.message);
	in->session = NULL;
	if (in->world && uw_world_close(in->world, &err) < 0)
		cmd_note("warning", "closing the world: %s: %s", uw_code_name(err.code), err.message);
	in->world = NULL;
	uw_host_close(in->host);
	in->host = NULL;
}

static int missing(const char *service, struct uw_error *err)
{
	return uw_fail(err, UW_E_SERVICE_MISSING, UW_STAGE_SNAPSHOT, UW_EFFECT_NONE, 0,
	               "this world has no %s service", service);
}

int cmd_fs(struct invocation *in, const struct uw_fs **ret_fs, struct uw_error *err)
{
	const struct uw_fs *fs = uw_world_fs(in->world);
	if (!fs)
		return missing("fs", err);
	*ret_fs = fs;
	return 0;
}

int cmd_subprocess(struct invocation *in, const struct uw_subprocess **ret, struct uw_error *err)
{
	const struct uw_subprocess *subprocess = uw_world_subprocess(in->world);
	if (!subprocess)
		return missing("subprocess", err);
	*ret = subprocess;
	return 0;
}

int cmd_resolve(struct invocation *in, const char *path, uint32_t flags, struct uw_target **ret_target,
                struct uw_error *err)
{
	const struct uw_fs *fs = NULL;
	int r = cmd_fs(in, &fs, err);
	if (r < 0)
		return r;
	return fs->v->resolve(fs->self, &in->call, (struct uw_bytes){path, strlen(path)}, in->cwd, flags,
	                      ret_target, err);
}

void cmd_target_release(struct uw_target **target)
{
	if (*target && (*target)->release)
		(*target)->release(*target);
	*target = NULL;
}

struct one_stat {
	struct uw_stat stat;
	struct uw_error err;
};

static int take_stat(void *arg, size_t index, const struct uw_stat *stat, const struct uw_error *err)
{
	struct one_stat *one = arg;
	(void)index;
	if (err && err->code)
		one->err = *err;
	else if (stat)
		one->stat = *stat;
	return 0;
}

int cmd_stat(struct invocation *in, const struct uw_target *target, int want_digest,
             struct uw_stat *ret_stat, struct uw_error *err)
{
	struct one_stat one = {.err = UW_ERROR_INIT};
	const struct uw_fs *fs = NULL;
	int r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = fs->v->stat_many(fs->self, &in->call, &target, 1, want_digest != 0,
		                     (struct uw_stat_sink){take_stat, &one}, err);
	if (r < 0)
		return r;
	if (one.err.code) {
		if (err)
			*err = one.err;
		return one.err.code;
	}
	if (one.stat.type == UW_FS_ABSENT)
		return uw_fail(err, UW_E_FS_NOT_FOUND, UW_STAGE_READ, UW_EFFECT_NONE, 0, "nothing is at %.*s",
		               (int)(target->display.len > 1024 ? 1024 : target->display.len),
		               target->display.data);
	*ret_stat = one.stat;
	return 0;
}
