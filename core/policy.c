/*
 * The policy of a session's calls: asked of the provider once per session and
 * mode, kept until the mode changes, shared by the calls that run under it.
 */
#include "core/gate.h"
#include "core/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int check(const struct uwi_generation *generation, const struct uw_policy *policy,
                 struct uw_error *err)
{
	const struct uwi_slot *slot = &generation->slots[UWI_POLICY];
	const char *wrong = NULL;
	if (!policy)
		wrong = "resolve said success and gave no policy";
	else if (!uw_mode_name(policy->mode))
		wrong = "the policy has no known mode";
	else if (!policy->workspace.path || policy->workspace.path[0] != '/')
		wrong = "the policy has no absolute workspace";
	else if (!memchr(policy->revision, '\0', sizeof policy->revision))
		wrong = "the policy's revision is not ended";
	if (wrong) {
		uwi_provider_misbehaved(slot->provider, "%s", wrong);
		return uw_fail(err, UW_E_PLUGIN_MISBEHAVED, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "plugin %s broke its contract: %s", uwi_provider_name(slot->provider), wrong);
	}
	if (policy->mode > generation->max_mode)
		return uw_fail(err, UW_E_MODE_REFUSED, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "mode %s is wider than max_mode %s, which the bundle and the host's configuration allow",
		               uw_mode_name(policy->mode), uw_mode_name(generation->max_mode));
	return 0;
}

int uwi_policy_resolve(struct uwi_generation *generation, const struct uw_call *call,
                       const struct uw_policy_wish *wish, struct uw_policy **ret_policy,
                       struct uw_error *err)
{
	const struct uwi_slot *slot = &generation->slots[UWI_POLICY];
	const struct uw_policy_v1 *v = slot->v;
	struct uw_policy *policy = NULL;
	struct uw_call plain = *call;
	int code = uwi_turn_enter(slot, call, UW_STAGE_POLICY, err);
	if (code < 0)
		return code;
	plain.policy = NULL;
	plain.view = NULL;
	if (err)
		err->code = 0;
	code = v->resolve(slot->self, &plain, wish, &policy, err);
	uwi_turn_leave(slot);
	code = uwi_gate_judge(slot, UW_STAGE_POLICY, UW_EFFECT_NONE, code, err);
	if (code == 0)
		code = check(generation, policy, err);
	if (code < 0) {
		if (policy && policy->release)
			policy->release(policy);
		return code;
	}
	*ret_policy = policy;
	return 0;
}

static struct uwi_policy *from_cache(struct uw_session *session)
{
	struct uwi_policy *policy = NULL;
	(void)pthread_mutex_lock(&session->world->lock);
	if (session->cached && session->cached_mode == session->facts.mode) {
		policy = session->cached;
		policy->refs++;
	}
	(void)pthread_mutex_unlock(&session->world->lock);
	return policy;
}

/* The cache holds one reference, the caller another; what was cached before is dropped. */
static void into_cache(struct uw_session *session, int32_t mode, struct uwi_policy *policy)
{
	struct uwi_policy *old;
	(void)pthread_mutex_lock(&session->world->lock);
	old = session->cached;
	session->cached = policy;
	session->cached_mode = mode;
	(void)pthread_mutex_unlock(&session->world->lock);
	uwi_policy_drop(session->world, old);
}

int uwi_policy_get(struct uwi_generation *generation, struct uw_session *session,
                   const struct uw_call *call, struct uwi_policy **ret_policy, struct uw_error *err)
{
	const struct uw_policy_wish wish = {sizeof wish, UW_MODE_UNSET, 0};
	struct uwi_policy *policy = from_cache(session);
	int32_t mode = session->facts.mode;
	int code;
	if (policy) {
		*ret_policy = policy;
		return 0;
	}
	policy = calloc(1, sizeof *policy);
	if (!policy)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, ENOMEM, "no memory for a policy");
	code = uwi_policy_resolve(generation, call, &wish, &policy->value, err);
	if (code < 0) {
		free(policy);
		return code;
	}
	policy->refs = 2;
	into_cache(session, mode, policy);
	*ret_policy = policy;
	return 0;
}

void uwi_policy_ref(struct uw_world *world, struct uwi_policy *policy)
{
	(void)pthread_mutex_lock(&world->lock);
	policy->refs++;
	(void)pthread_mutex_unlock(&world->lock);
}

void uwi_policy_drop(struct uw_world *world, struct uwi_policy *policy)
{
	size_t left;
	if (!policy)
		return;
	(void)pthread_mutex_lock(&world->lock);
	left = --policy->refs;
	(void)pthread_mutex_unlock(&world->lock);
	if (left > 0)
		return;
	if (policy->value->release)
		policy->value->release(policy->value);
	free(policy);
}

/* ---- the identity of the workspace (C-40) ---- */

static int replaced(const char *path, int stage, int os_errno, struct uw_error *err)
{
	(void)uw_fail(err, UW_E_WORKSPACE_INVALID, stage, UW_EFFECT_NONE, os_errno,
	              "%s is not the directory any more that was the session's workspace when it opened%s%s; "
	              "nothing was done. Put it back or open a new session",
	              path, os_errno ? ": " : "", os_errno ? strerror(os_errno) : "");
	uw_error_detail(err, "path", path, strlen(path));
	return UW_E_WORKSPACE_INVALID;
}

int uwi_workspace_verify(struct uwi_generation *generation, const struct uw_call *call,
                         const struct uw_policy *policy, int stage, struct uw_error *err)
{
	const struct uw_place *place = &policy->workspace;
	struct uw_place now = {NULL, 0, 0};
	struct stat st;
	char *path = NULL;
	int code;
	if (policy->workspace_dir && policy->workspace_dir->fd >= 0) { /* the realm is local: no detour by fs */
		if (lstat(place->path, &st) < 0)
			return replaced(place->path, stage, errno, err);
		return st.st_dev == place->dev && st.st_ino == place->ino ? 0 : replaced(place->path, stage, 0, err);
	}
	code = uwi_place_find(generation, call, place->path, &path, &now, err);
	free(path);
	if (code == 0 && (now.dev != place->dev || now.ino != place->ino))
		code = replaced(place->path, stage, 0, err);
	return code;
}
