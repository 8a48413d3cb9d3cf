#include "core/world.h"

#include "core/gate.h"
#include "core/host_internal.h"
#include "core/private_dir.h"
#include "core/process.h"
#include "core/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- leases ---- */

int uwi_lease_take(struct uw_world *world, int stage, struct uwi_generation **ret_generation,
                   struct uw_error *err)
{
	struct uwi_generation *generation;
	(void)pthread_mutex_lock(&world->lock);
	generation = world->closing ? NULL : world->current;
	if (generation)
		generation->leases++;
	(void)pthread_mutex_unlock(&world->lock);
	if (!generation)
		return uw_fail(err, UW_E_WORLD_CLOSED, stage, UW_EFFECT_NONE, 0, "the world is closed");
	*ret_generation = generation;
	return 0;
}

void uwi_lease_again(struct uwi_generation *generation)
{
	(void)pthread_mutex_lock(&generation->world->lock);
	generation->leases++;
	(void)pthread_mutex_unlock(&generation->world->lock);
}

void uwi_lease_drop(struct uwi_generation *generation)
{
	struct uw_world *world;
	if (!generation)
		return;
	world = generation->world;
	(void)pthread_mutex_lock(&world->lock);
	if (--generation->leases == 0)
		(void)pthread_cond_broadcast(&world->changed);
	(void)pthread_mutex_unlock(&world->lock);
}

int uwi_world_another(const struct uw_world *world,
                      int (*owns)(struct uw_world *world, const void *object), const void *object)
{
	struct uw_host *host = world->host;
	int found = 0;
	(void)pthread_mutex_lock(&host->lock);
	for (struct uwi_host_link *link = host->links; link && !found; link = link->next)
		found = link->world != world && owns(link->world, object);
	(void)pthread_mutex_unlock(&host->lock);
	return found;
}

/* ---- opening ---- */

static struct uw_world *alloc_world(struct uw_host *host)
{
	struct uw_world *world = calloc(1, sizeof *world);
	pthread_condattr_t monotonic;
	if (!world)
		return NULL;
	world->host = host;
	world->link.world = world;
	world->link.close = uw_world_close;
	(void)pthread_mutex_init(&world->lock, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&world->changed, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	for (int i = 0; i < UWI_SERVICE_COUNT; i++)
		uwi_gate_init(&world->gates[i], world, (enum uwi_service)i, NULL);
	return world;
}

static void free_world(struct uw_world *world)
{
	(void)pthread_cond_destroy(&world->changed);
	(void)pthread_mutex_destroy(&world->lock);
	free(world);
}

/* The bundle's workspace as fs sees it; a missing one is left to the session that wants it. */
static int canonical_workspace(struct uwi_generation *generation, struct uw_error *err)
{
	struct uw_place place = {NULL, 0, 0};
	char *path = NULL;
	int code;
	if (!generation->bundle->workspace)
		return 0;
	code = uwi_place_find(generation, NULL, generation->bundle->workspace, &path, &place, err);
	if (code == 0)
		generation->workspace = path;
	return code == UW_E_WORKSPACE_INVALID ? 0 : code;
}

/* Publishes: no plugin call, no allocation and no I/O in it (C-34). */
static void commit(struct uw_world *world, struct uwi_generation *generation)
{
	generation->number = uwi_host_generation(world->host);
	(void)pthread_mutex_lock(&world->lock);
	world->current = generation;
	(void)pthread_mutex_unlock(&world->lock);
}

int uw_world_open(struct uw_host *host, const struct uw_world_options *options,
                  struct uw_world **ret_world, struct uw_error *err)
{
	struct uwi_bundle *bundle;
	struct uwi_generation *generation = NULL;
	struct uw_world_options mine;
	struct uw_world *world;
	int code;
	if (!host || !options || options->size < sizeof options->size || !ret_world)
		return uwi_gate_bad_args(UW_STAGE_CONFIG, err, "uw_world_open needs a host, options and a place for the world");
	memset(&mine, 0, sizeof mine);
	UWI_COPY_IN(mine, options);
	world = alloc_world(host);
	if (!world)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, errno,
		               "no memory or no descriptor for a world");
	code = uwi_bundle_load(world->host->settings, &mine, NULL, &bundle, err);
	if (code == 0)
		code = uwi_generation_prepare(world, bundle, &generation, err);
	if (code == 0)
		code = canonical_workspace(generation, err);
	if (code < 0) {
		(void)uwi_generation_destroy(generation, NULL);
		free_world(world);
		return code;
	}
	uwi_private_dir_clean(host->settings->temp_dir, UWI_TEMP_PREFIX);
	commit(world, generation);
	uwi_host_add(host, &world->link);
	*ret_world = world;
	return 0;
}

/* ---- closing ---- */

int uw_world_close(struct uw_world *world, struct uw_error *err)
{
	struct uwi_generation *generation;
	struct uw_error one = UW_ERROR_INIT;
	int code = 0, failed;
	if (!world)
		return 0;
	uwi_host_remove(world->host, &world->link);
	(void)pthread_mutex_lock(&world->lock);
	world->closing = 1; /* no new lease from here on */
	(void)pthread_mutex_unlock(&world->lock);
	uwi_queue_wake(world);
	uwi_process_end_all(world, NULL, err, &code);
	while (world->sessions) {
		failed = uw_session_close(world->sessions, &one);
		uwi_collect(err, &code, failed, &one);
	}
	uwi_process_free_all(world);
	(void)pthread_mutex_lock(&world->lock);
	generation = world->current;
	while (generation && generation->leases > 0)
		(void)pthread_cond_wait(&world->changed, &world->lock);
	world->current = NULL;
	(void)pthread_mutex_unlock(&world->lock);
	failed = uwi_generation_destroy(generation, &one);
	uwi_collect(err, &code, failed, &one);
	free_world(world);
	return code;
}

/* ---- facts and handles ---- */

void uw_world_facts(struct uw_world *world, struct uw_world_facts *ret_facts)
{
	const struct uwi_generation *generation;
	struct uw_world_facts facts;
	if (!world || !ret_facts)
		return;
	generation = world->current;
	memset(&facts, 0, sizeof facts);
	facts.size = sizeof facts;
	facts.generation = generation->number;
	facts.bundle = generation->bundle->name;
	facts.sandbox = generation->backend;
	facts.proof = generation->proof;
	facts.realm_label = generation->realm.label;
	(void)snprintf(facts.realm_id, sizeof facts.realm_id, "%s", generation->realm_id);
	facts.mode = generation->bundle->mode;
	facts.workspace = generation->workspace ? generation->workspace : generation->bundle->workspace;
	UWI_COPY_OUT(ret_facts, facts);
}

const struct uw_fs *uw_world_fs(struct uw_world *world)
{
	return world ? &world->gates[UWI_FS].handle.fs : NULL;
}

const struct uw_subprocess *uw_world_subprocess(struct uw_world *world)
{
	return world ? &world->gates[UWI_SUBPROCESS].handle.subprocess : NULL;
}

const struct uw_sandbox *uw_world_sandbox(struct uw_world *world)
{
	return world ? &world->gates[UWI_SANDBOX].handle.sandbox : NULL;
}

const struct uw_policy_service *uw_world_policy(struct uw_world *world)
{
	return world ? &world->gates[UWI_POLICY].handle.policy : NULL;
}

const struct uw_shell *uw_world_shell(struct uw_world *world, struct uw_error *err)
{
	struct uwi_generation *generation;
	int code;
	if (!world) {
		(void)uwi_gate_bad_args(UW_STAGE_PREPARE, err, "uw_world_shell needs a world");
		return NULL;
	}
	if (uwi_lease_take(world, UW_STAGE_PREPARE, &generation, err) < 0)
		return NULL;
	code = uwi_generation_service(generation, UWI_SHELL, err);
	uwi_lease_drop(generation);
	return code == 0 ? &world->gates[UWI_SHELL].handle.shell : NULL;
}
