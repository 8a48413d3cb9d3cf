/* Examining one backend, through the embedding API alone. */
#include "cmd/doctor.h"

#include <stdio.h>
#include <string.h>

/* Reasons live as long as the confined; they are copied. */
static void copy_rows(struct doctor_mode *mode, const struct uw_confined *confined)
{
	mode->enforcement = confined->enforcement;
	for (size_t i = 0; i < UW_OP_COUNT; i++) {
		mode->rows[i] = confined->rows[i];
		mode->rows[i].reason = NULL;
		if (confined->rows[i].reason) {
			(void)snprintf(mode->reasons[i], sizeof mode->reasons[i], "%s", confined->rows[i].reason);
			mode->rows[i].reason = mode->reasons[i];
		}
	}
}

/* The table of one mode: the policy is resolved and a command confined, but none is run. */
static void examine_mode(struct uw_world *world, struct uw_session *session, struct doctor_mode *mode)
{
	const struct uw_policy_service *policies = uw_world_policy(world);
	const struct uw_sandbox *sandbox = uw_world_sandbox(world);
	struct uw_policy_wish wish = {.size = sizeof wish, .mode = mode->mode};
	struct uw_policy *policy = NULL;
	struct uw_confined *confined = NULL;
	struct uw_call call;
	if (!policies || !sandbox) {
		(void)uw_fail(&mode->error, UW_E_SERVICE_MISSING, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		              "the world has no policy or no sandbox");
		return;
	}
	uw_call_init(&call, session);
	if (policies->v->resolve(policies->self, &call, &wish, &policy, &mode->error) < 0)
		return;
	call.policy = policy;
	if (sandbox->v->confine(sandbox->self, &call, policy, policy->workspace.path, &confined,
	                        &mode->error) == 0) {
		copy_rows(mode, confined);
		(void)sandbox->v->release(sandbox->self, confined, NULL, NULL);
	}
	if (policy->release)
		policy->release(policy);
}

static void ask_status(struct uw_world *world, struct doctor_backend *ret)
{
	const struct uw_sandbox *sandbox = uw_world_sandbox(world);
	struct uw_sandbox_status status = {.size = sizeof status};
	if (!sandbox || sandbox->v->status(sandbox->self, &status, NULL) < 0)
		return;
	(void)snprintf(ret->reason, sizeof ret->reason, "%s", status.reason);
	(void)snprintf(ret->advice, sizeof ret->advice, "%s", status.advice);
}

/* A detail that the failed proof brought along, if it did. */
static void copy_detail(const struct uw_error *error, const char *name, char *text, size_t size)
{
	const char *line = error->detail;
	while (line && strncmp(line, name, strlen(name)) != 0) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (line)
		(void)snprintf(text, size, "%.*s", (int)strcspn(line + strlen(name), "\n"), line + strlen(name));
}

/* Usable if a command could be confined: a bundle in its own mode, a backend in any. */
static void judge(struct doctor_backend *ret, const struct doctor_mode *mode)
{
	ret->usable = mode->enforcement != 0;
	ret->error = mode->error;
	if (ret->usable)
		return;
	(void)snprintf(ret->reason, sizeof ret->reason, "%s: %.*s", uw_code_name(mode->error.code),
	               UW_ERROR_MESSAGE_MAX - 64, mode->error.message);
	copy_detail(&mode->error, "advice=", ret->advice, sizeof ret->advice);
}

static int examine_world(struct uw_world *world, const char *plugin, struct doctor_backend *ret,
                         struct uw_error *err)
{
	struct uw_session_options options = {.size = sizeof options, .actor = UW_ACTOR_PERSON};
	struct uw_session *session = NULL;
	int r = uw_session_open(world, &options, &session, err);
	if (r < 0)
		return r;
	ask_status(world, ret);
	if (!plugin) {
		struct doctor_mode own = {.mode = UW_MODE_UNSET, .error = UW_ERROR_INIT};
		examine_mode(world, session, &own);
		judge(ret, &own);
	}
	for (size_t i = 0; i < UW_COUNT(ret->modes); i++) {
		examine_mode(world, session, &ret->modes[i]);
		if (plugin && !ret->usable)
			judge(ret, &ret->modes[i]);
	}
	return uw_session_close(session, err);
}

int doctor_examine(struct invocation *in, const char *bundle, const char *plugin, const char *workspace,
                   struct doctor_backend *ret, struct uw_error *err)
{
	char set[192];
	const char *sets[] = {set, NULL};
	struct uw_world_options options = {.size = sizeof options, .bundle = bundle, .workspace = workspace};
	struct doctor_mode failed = {.error = UW_ERROR_INIT};
	struct uw_world *world = NULL;
	int r;
	memset(ret, 0, sizeof *ret);
	ret->error.size = sizeof ret->error;
	ret->modes[0] = (struct doctor_mode){.mode = UW_MODE_READ_ONLY, .error = UW_ERROR_INIT};
	ret->modes[1] = (struct doctor_mode){.mode = UW_MODE_WORKSPACE_WRITE, .error = UW_ERROR_INIT};
	(void)snprintf(ret->plugin, sizeof ret->plugin, "%s", plugin ? plugin : "");
	if (plugin) {
		(void)snprintf(set, sizeof set, "world.sandbox={plugin: %s}", plugin);
		options.sets = sets;
	}
	if (uw_world_open(in->host, &options, &world, &failed.error) < 0) {
		judge(ret, &failed);
		return 0;
	}
	r = examine_world(world, plugin, ret, err);
	if (uw_world_close(world, r == 0 ? err : NULL) < 0 && r == 0)
		r = err->code;
	return r;
}
