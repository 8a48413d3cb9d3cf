/*
 * The probe (S-30): `umwelt-launch --prove`, confined and started by the
 * candidate's own providers under the bundle's own policy, tries what must work
 * and what must fail, and the host looks at what is left. Effects, not versions: a
 * sandbox that merely executes its words creates in `forbidden` and fails here.
 *
 * The workspace of the probe is a private directory of this machine, made and
 * looked at directly: worlds elsewhere will have theirs made through their fs.
 */
#include "core/proof.h"

#include "common/buf.h"
#include "common/cleanup.h"
#include "common/io.h"
#include "common/path.h"
#include "common/remove_tree.h"
#include "core/gate.h"
#include "core/host_internal.h"
#include "core/pipeline.h"
#include "core/private_dir.h"
#include "core/proof_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROOF_PREFIX "umwelt-proof"
#define BOUND_NS     (2ll * 1000000000) /* of one shape */
#define FOREIGN_CODE 125

/* The stage on which a candidate is tried. */
struct probe {
	struct uwi_generation *generation;
	char *top;
	int lock;
	char workspace[512], temp[512], forbidden[512], seen[1024];
	struct uw_session_facts facts;
	char nonce[2 * UW_LAUNCH_NONCE_SIZE + 1];
	char said[2048]; /* what --prove printed, on one line */
	size_t said_len;
};

static int io_failed(const struct probe *probe, struct uw_error *err)
{
	return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, errno,
	               "the probe's directory %s cannot be filled: %s", probe->top, strerror(errno));
}

/* A directory below the top, and its identity. */
static int make_place(const struct probe *probe, const char *name, char *path, size_t size,
                      struct uw_place *ret_place)
{
	struct stat st;
	int len = snprintf(path, size, "%s/%s", probe->top, name);
	if (len < 0 || (size_t)len >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (mkdir(path, 0700) < 0 || lstat(path, &st) < 0)
		return -1;
	*ret_place = (struct uw_place){path, st.st_dev, st.st_ino};
	return 0;
}

static int set_stage(struct probe *probe, struct uw_error *err)
{
	const struct uw_host *host = probe->generation->host;
	struct uw_place outside;
	UW_AUTO_FD file = -1;
	int code;
	code = uwi_private_dir_make_unmasked(host->settings->temp_dir, PROOF_PREFIX, &probe->top, &probe->lock, err);
	if (code < 0)
		return code;
	for (size_t i = 0; i < sizeof host->nonce; i++)
		(void)snprintf(probe->nonce + 2 * i, 3, "%02x", host->nonce[i]);
	probe->facts.size = sizeof probe->facts;
	probe->facts.id = "proof";
	probe->facts.actor = UW_ACTOR_PERSON;
	probe->facts.user = "proof";
	if (make_place(probe, "ws", probe->workspace, sizeof probe->workspace, &probe->facts.workspace) < 0 ||
	    make_place(probe, "temp", probe->temp, sizeof probe->temp, &probe->facts.temp) < 0 ||
	    make_place(probe, "forbidden", probe->forbidden, sizeof probe->forbidden, &outside) < 0)
		return io_failed(probe, err);
	/* a workspace that is another one inside does not hold this */
	(void)snprintf(probe->seen, sizeof probe->seen, "%s/nonce", probe->workspace);
	file = open(probe->seen, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0 || uw_write_full(file, host->nonce, sizeof host->nonce) < 0)
		return io_failed(probe, err);
	return 0;
}

static void clear_stage(struct probe *probe)
{
	if (probe->top)
		(void)uw_remove_tree(AT_FDCWD, probe->top);
	uw_fd_close(&probe->lock);
	free(probe->top);
}

/* What stands outside at `path` is found there by a confined process. */
static void inside_path(const struct uw_policy *policy, const char *path, char *ret, size_t size)
{
	const struct uw_view_entry *best = NULL;
	size_t len = strlen(path), rest;
	for (size_t i = 0; i < policy->view.count; i++) {
		const struct uw_view_entry *entry = &policy->view.entries[i];
		if (uw_path_contains(entry->outside, strlen(entry->outside), path, len) &&
		    (!best || strlen(entry->outside) > strlen(best->outside)))
			best = entry;
	}
	rest = best ? uw_path_trim(best->outside, strlen(best->outside)) : 0;
	(void)snprintf(ret, size, "%s%s", best ? best->inside : "", path + rest);
}

/* ---- one shape ---- */

static int take(void *arg, const char *data, size_t len)
{
	struct probe *probe = arg;
	for (size_t i = 0; i < len && probe->said_len + 1 < sizeof probe->said; i++)
		probe->said[probe->said_len++] = data[i] == '\n' ? ',' : data[i];
	probe->said[probe->said_len] = '\0';
	return 0;
}

static int refused(const char *mode, struct uw_error *err, const char *why, const char *more)
{
	return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
	               "the probe of mode %s failed: %s%s%s", mode, why, more && *more ? ": " : "", more ? more : "");
}

/* Waits for the probe's command, ends it, and gives everything back. */
static int finish(struct probe *probe, const struct uw_call *call, struct uw_confined *confined,
                  struct uw_process *inner, struct uw_exit *ret_exit, struct uw_error *err)
{
	const struct uwi_slot *sub = &probe->generation->slots[UWI_SUBPROCESS];
	const struct uwi_slot *box = &probe->generation->slots[UWI_SANDBOX];
	const struct uw_subprocess_v1 *v = sub->v;
	struct uw_outcome outcome = {.size = sizeof outcome, .started = 1};
	uint64_t start, next;
	int code = uwi_gate_judge(sub, UW_STAGE_PREPARE, UW_EFFECT_UNKNOWN,
	                          v->wait(sub->self, call, inner, UW_WAIT_OUTPUT, ret_exit, err), err);
	if (code == 0) {
		outcome.status = ret_exit->status;
		(void)v->output(sub->self, call, inner, 1, 0, sizeof probe->said, (struct uw_sink){take, probe}, &start,
		                &next, NULL);
		(void)v->output(sub->self, call, inner, 2, 0, sizeof probe->said, (struct uw_sink){take, probe}, &start,
		                &next, NULL);
	}
	(void)v->dispose(sub->self, inner, NULL);
	(void)((const struct uw_sandbox_v1 *)box->v)->release(box->self, confined, &outcome, NULL);
	return code;
}

static int judge(const struct probe *probe, const char *mode, const struct uw_exit *exit,
                 uint32_t in_run_check, struct uw_error *err)
{
	if (exit->exit_code != 0)
		return refused(mode, err, exit->exit_code == FOREIGN_CODE ? "umwelt-launch --prove refused its words"
		                                                        : "a check did not come out as it must",
		               probe->said);
	if (in_run_check && (exit->checks & (UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN)) !=
	                        (UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN))
		return refused(mode, err, "the launcher did not report the check of its own run", NULL);
	if (rmdir(probe->forbidden) < 0 || mkdir(probe->forbidden, 0700) < 0) /* empty: nothing landed there */
		return refused(mode, err, "something was left in", probe->forbidden);
	return 0;
}

static int run_shape(struct probe *probe, const struct uw_policy *policy, struct uw_error *err)
{
	const struct uw_host *host = probe->generation->host;
	const char *mode = uw_mode_name(policy->mode);
	char temp[1024], workspace[1024], seen[1024];
	int writes = policy->mode == UW_MODE_WORKSPACE_WRITE;
	const char *const argv[] = {host->settings->launcher, "--prove", "--allow", temp, writes ? workspace : "--deny",
	                            writes ? "--deny" : workspace, probe->forbidden, "--nonce", host->check.nonce,
	                            probe->nonce, "--nonce", seen, probe->nonce, NULL};
	struct uw_spawn spawn = {.size = sizeof spawn, .argv = argv, .program = host->settings->launcher,
	                         .cwd = policy->workspace_dir, .env_base = UW_ENV_EMPTY, .umask = 0xffffffffu};
	struct uw_call call = UW_CALL_INIT;
	struct uw_confined *confined;
	struct uw_process *inner;
	struct uw_exit exit = {.size = sizeof exit};
	uint32_t in_run_check;
	int code;
	inside_path(policy, probe->temp, temp, sizeof temp);
	inside_path(policy, probe->workspace, workspace, sizeof workspace);
	inside_path(policy, probe->seen, seen, sizeof seen);
	spawn.stdio[1].kind = spawn.stdio[2].kind = UW_STDIO_COLLECT;
	spawn.stdio[1].collect = spawn.stdio[2].collect = (struct uw_collect){.tail = sizeof probe->said, .copy_fd = -1};
	call.session = &probe->facts;
	call.policy = policy;
	call.view = &policy->view;
	call.deadline_ns = uw_now_ns() + BOUND_NS;
	probe->said_len = 0;
	probe->said[0] = '\0';
	code = uwi_pipeline_probe(probe->generation, &call, policy, &spawn, &confined, &inner, err);
	if (code < 0)
		return code;
	in_run_check = confined->in_run_check;
	(void)snprintf(probe->generation->backend, sizeof probe->generation->backend, "%s", confined->backend);
	code = finish(probe, &call, confined, inner, &exit, err);
	return code < 0 ? code : judge(probe, mode, &exit, in_run_check, err);
}

static int prove_mode(struct probe *probe, int32_t mode, struct uw_error *err)
{
	const struct uw_policy_wish wish = {sizeof wish, mode, 0};
	struct uw_call call = UW_CALL_INIT;
	struct uw_policy *policy;
	int code;
	if (mode > probe->generation->max_mode)
		return 0; /* no command will ever have it */
	probe->facts.mode = mode;
	call.session = &probe->facts;
	call.deadline_ns = uw_now_ns() + BOUND_NS;
	code = uwi_policy_resolve(probe->generation, &call, &wish, &policy, err);
	if (code < 0)
		return code;
	code = run_shape(probe, policy, err);
	if (policy->release)
		policy->release(policy);
	return code;
}

static int prove(struct uwi_generation *generation, struct uw_error *err)
{
	struct probe probe;
	int code;
	memset(&probe, 0, sizeof probe);
	probe.generation = generation;
	probe.lock = -1;
	code = set_stage(&probe, err);
	if (code == 0)
		code = prove_mode(&probe, UW_MODE_READ_ONLY, err);
	if (code == 0)
		code = prove_mode(&probe, UW_MODE_WORKSPACE_WRITE, err);
	clear_stage(&probe);
	return code;
}

/* Beside what the proof saw: what the sandbox itself can say of this machine, for doctor (C-73). */
static void add_status(const struct uwi_generation *generation, struct uw_error *err)
{
	const struct uwi_slot *slot = &generation->slots[UWI_SANDBOX];
	const struct uw_sandbox_v1 *v = slot->v;
	struct uw_sandbox_status status = {sizeof status, 1, "", ""};
	if (!v || v->status(slot->self, &status, NULL) < 0)
		return;
	if (status.reason[0])
		uw_error_detail(err, "status", status.reason, strlen(status.reason));
	if (status.advice[0])
		uw_error_detail(err, "advice", status.advice, strlen(status.advice));
}

int uwi_proof_sandbox(struct uwi_generation *generation, const struct uwi_provider_spec *spec,
                      int last_choice, const char **ret_proof, struct uw_error *err)
{
	char key[UWI_PROOF_KEY_SIZE], text[900] = "";
	struct uw_error why = UW_ERROR_INIT;
	int code = uwi_proof_key(generation, spec, key, err), known;
	if (code < 0)
		return code;
	known = uwi_proof_recall(generation, key, text, sizeof text);
	if (known == 1) {
		(void)snprintf(generation->backend, sizeof generation->backend, "%.*s",
		               (int)sizeof generation->backend - 1, text);
		*ret_proof = "cached";
		return 0;
	}
	if (known == -1 && !last_choice) /* the next one is taken meanwhile; alone it is tried again */
		return uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "%s cannot be used here: %s", spec->plugin, text);
	code = prove(generation, &why);
	if (code == 0) {
		uwi_proof_keep(generation, key, 1, generation->backend);
		*ret_proof = "fresh";
		return 0;
	}
	uwi_proof_keep(generation, key, 0, why.message);
	/* whatever failed, for the world it is one thing: this sandbox cannot be had */
	code = uw_fail(err, UW_E_SANDBOX_UNAVAILABLE, UW_STAGE_PREPARE, UW_EFFECT_NONE, why.os_errno,
	               "%s cannot be used here: %s", spec->plugin, why.message);
	add_status(generation, err);
	return code;
}
