/*
 * session: facts, a private temp, and the policy that follows from them.
 *
 * The facts struct is the session's face: a call names its session by its address,
 * and only addresses of live sessions are looked into. A session in use (a call in
 * flight, a running command) is closed only after these have ended.
 */
#include "common/cleanup.h"
#include "common/remove_tree.h"
#include "core/gate.h"
#include "core/host_internal.h"
#include "core/process.h"
#include "core/private_dir.h"
#include "core/queue.h"
#include "core/world.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, ENOMEM, "no memory for a session");
}

static struct uw_session *find(struct uw_world *world, const void *facts)
{
	struct uw_session *session = world->sessions;
	while (session && (const void *)&session->facts != facts)
		session = session->next;
	return session;
}

static int owns(struct uw_world *world, const void *facts)
{
	int found;
	(void)pthread_mutex_lock(&world->lock);
	found = find(world, facts) != NULL;
	(void)pthread_mutex_unlock(&world->lock);
	return found;
}

int uwi_session_enter(struct uw_world *world, const struct uw_session_facts *facts, int stage,
                      struct uw_session **ret_session, struct uw_error *err)
{
	struct uw_session *session;
	(void)pthread_mutex_lock(&world->lock);
	session = find(world, facts);
	if (session && session->closing)
		session = NULL;
	if (session)
		session->calls++;
	(void)pthread_mutex_unlock(&world->lock);
	if (session) {
		*ret_session = session;
		return 0;
	}
	if (uwi_world_another(world, owns, facts))
		return uw_fail(err, UW_E_WORLD_MISMATCH, stage, UW_EFFECT_NONE, 0,
		               "the session of the call belongs to another world; nothing was done");
	return uw_fail(err, UW_E_SESSION_NOT_FOUND, stage, UW_EFFECT_NONE, 0,
	               "the session of the call is not open in this world; nothing was done");
}

void uwi_session_leave(struct uw_session *session)
{
	if (!session)
		return;
	(void)pthread_mutex_lock(&session->world->lock);
	if (--session->calls == 0)
		(void)pthread_cond_broadcast(&session->world->changed);
	(void)pthread_mutex_unlock(&session->world->lock);
}

/* ---- opening ---- */

static int name_it(struct uw_session *session, const char *user, struct uw_error *err)
{
	uint8_t random[10];
	char buffer[4096], number[24];
	struct passwd entry, *found = NULL;
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_POLICY, UW_EFFECT_NONE, errno,
		               "the kernel gives no random bytes: %s", strerror(errno));
	for (size_t i = 0; i < sizeof random; i++)
		(void)snprintf(session->id + 2 * i, 3, "%02x", random[i]);
	if (!user) {
		(void)snprintf(number, sizeof number, "%lu", (unsigned long)getuid());
		user = getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found ? found->pw_name
		                                                                                  : number;
	}
	session->user = strdup(user);
	return session->user ? 0 : no_memory(err);
}

static int make_temp(struct uw_session *session, struct uw_error *err)
{
	struct stat st;
	int code = uwi_private_dir_make(session->world->host->settings->temp_dir, UWI_TEMP_PREFIX, &session->temp,
	                           &session->temp_lock, err);
	if (code < 0)
		return code;
	if (fstat(session->temp_lock, &st) < 0)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_POLICY, UW_EFFECT_NONE, errno,
		               "the temp %s cannot be looked at: %s", session->temp, strerror(errno));
	session->facts.temp = (struct uw_place){session->temp, st.st_dev, st.st_ino};
	return 0;
}

static int find_workspace(struct uwi_generation *generation, struct uw_session *session,
                          const char *wanted, struct uw_error *err)
{
	if (!wanted)
		wanted = generation->workspace ? generation->workspace : generation->bundle->workspace;
	if (!wanted)
		return uw_fail(err, UW_E_WORKSPACE_INVALID, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "neither the bundle nor the session names a workspace");
	return uwi_place_find(generation, NULL, wanted, &session->workspace, &session->facts.workspace, err);
}

static int fill(struct uwi_generation *generation, struct uw_session *session,
                const struct uw_session_options *options, struct uw_error *err)
{
	int code;
	if (options->mode != UW_MODE_UNSET && !uw_mode_name(options->mode))
		return uwi_gate_bad_args(UW_STAGE_POLICY, err, "the session's mode is not one of enum uw_mode");
	if (options->mode > generation->max_mode)
		return uw_fail(err, UW_E_MODE_REFUSED, UW_STAGE_POLICY, UW_EFFECT_NONE, 0,
		               "a session may not have mode %s: max_mode is %s", uw_mode_name(options->mode),
		               uw_mode_name(generation->max_mode));
	if (options->actor != 0 && options->actor != UW_ACTOR_AGENT && options->actor != UW_ACTOR_PERSON)
		return uwi_gate_bad_args(UW_STAGE_POLICY, err, "the session's actor is not one of enum uw_actor");
	session->facts.size = sizeof session->facts;
	session->facts.actor = options->actor ? options->actor : UW_ACTOR_PERSON;
	session->facts.mode = options->mode;
	code = name_it(session, options->user, err);
	session->facts.id = session->id;
	session->facts.user = session->user;
	if (code == 0)
		code = find_workspace(generation, session, options->workspace, err);
	return code < 0 ? code : make_temp(session, err);
}

/* Removes the temp and frees; the session is in no list any more. */
static int dispose(struct uw_session *session, struct uw_error *err)
{
	int code = 0;
	uwi_policy_drop(session->world, session->cached);
	if (session->temp && uw_remove_tree(AT_FDCWD, session->temp) < 0) {
		code = uw_fail(err, UW_E_IO_ERROR, UW_STAGE_RETIRE, UW_EFFECT_DONE, errno,
		               "the session's temp %s could not be removed: %s", session->temp, strerror(errno));
		uw_error_detail(err, "path", session->temp, strlen(session->temp));
	}
	uw_fd_close(&session->temp_lock);
	free(session->temp);
	free(session->workspace);
	free(session->user);
	free(session);
	return code;
}

/* What policy refuses is told now, not by the first command. */
static int first_policy(struct uwi_generation *generation, struct uw_session *session,
                        struct uw_error *err)
{
	struct uw_call call = UW_CALL_INIT;
	struct uwi_policy *policy;
	int code;
	uw_call_init(&call, session);
	call.generation = generation->number;
	code = uwi_policy_get(generation, session, &call, &policy, err);
	if (code == 0)
		uwi_policy_drop(session->world, policy);
	return code;
}

static int enlist(struct uw_world *world, struct uw_session *session, struct uw_error *err)
{
	int closing;
	(void)pthread_mutex_lock(&world->lock);
	closing = world->closing;
	if (!closing) {
		session->next = world->sessions;
		world->sessions = session;
	}
	(void)pthread_mutex_unlock(&world->lock);
	return closing ? uw_fail(err, UW_E_WORLD_CLOSED, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "the world is closed")
	               : 0;
}

int uw_session_open(struct uw_world *world, const struct uw_session_options *options,
                    struct uw_session **ret_session, struct uw_error *err)
{
	struct uw_session_options mine;
	struct uwi_generation *generation;
	struct uw_session *session;
	int code;
	if (!world || !ret_session || (options && options->size < sizeof options->size))
		return uwi_gate_bad_args(UW_STAGE_POLICY, err, "uw_session_open needs a world and a place for the session");
	memset(&mine, 0, sizeof mine);
	if (options)
		UWI_COPY_IN(mine, options);
	code = uwi_lease_take(world, UW_STAGE_POLICY, &generation, err);
	if (code < 0)
		return code;
	session = calloc(1, sizeof *session);
	if (!session) {
		uwi_lease_drop(generation);
		return no_memory(err);
	}
	session->world = world;
	session->temp_lock = -1;
	code = fill(generation, session, &mine, err);
	if (code == 0)
		code = first_policy(generation, session, err);
	if (code == 0)
		code = enlist(world, session, err);
	if (code < 0)
		(void)dispose(session, NULL);
	else
		*ret_session = session;
	uwi_lease_drop(generation);
	return code;
}

/* ---- closing ---- */

/* Ends its commands, waits for its calls, takes it off the list. */
int uw_session_close(struct uw_session *session, struct uw_error *err)
{
	struct uw_world *world;
	struct uw_error one = UW_ERROR_INIT;
	int code = 0, failed;
	if (!session)
		return 0;
	world = session->world;
	(void)pthread_mutex_lock(&world->lock);
	session->closing = 1; /* no new call */
	(void)pthread_mutex_unlock(&world->lock);
	uwi_queue_wake(world);
	uwi_process_end_all(world, session, err, &code);
	(void)pthread_mutex_lock(&world->lock);
	while (session->calls > 0)
		(void)pthread_cond_wait(&world->changed, &world->lock);
	for (struct uw_session **at = &world->sessions; *at; at = &(*at)->next)
		if (*at == session) {
			*at = session->next;
			break;
		}
	(void)pthread_mutex_unlock(&world->lock);
	uwi_queue_wake(world);
	uwi_process_end_all(world, session, err, &code); /* what a call in flight had started meanwhile */
	failed = dispose(session, &one);
	uwi_collect(err, &code, failed, &one);
	return code;
}

const struct uw_session_facts *uw_session_facts(struct uw_session *session)
{
	return session ? &session->facts : NULL;
}

void uw_call_init(struct uw_call *call, struct uw_session *session)
{
	if (!call)
		return;
	*call = (struct uw_call)UW_CALL_INIT;
	if (!session)
		return;
	call->session = &session->facts;
	call->host = session->world->host->id;
	(void)pthread_mutex_lock(&session->world->lock);
	call->generation = session->world->current ? session->world->current->number : 0;
	(void)pthread_mutex_unlock(&session->world->lock);
}
