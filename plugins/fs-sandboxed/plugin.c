/*
 * fs-sandboxed: the policy's fence around another fs provider of the realm
 * (F-30..F-34). A mutation is checked against the call's policy here, by its
 * canonical path, and goes on with the same policy as a fence that the provider
 * honours where it opens; reads pass, through the policy's view. Targets are the
 * inner provider's own. Constant after create; any thread.
 */
#include "common/fence.h"
#include "common/path.h"

#include <umwelt/fs.h>
#include <umwelt/plugin.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sandboxed {
	const struct uw_fs *inner;
};

/* The call as it goes on: with view and fence of the policy. */
struct passing {
	struct uw_call call;
	struct uw_fence fence;
	struct uw_place *roots; /* NULL: none */
};

static void passing_finish(struct passing *passing)
{
	int saved = errno;
	free(passing->roots);
	passing->roots = NULL;
	errno = saved;
}
#define AUTO_PASSING __attribute__((cleanup(passing_finish))) struct passing

/* For reads: the policy's view, where the caller did not give one. */
static void pass(struct passing *passing, const struct uw_call *call)
{
	static const struct uw_call none = UW_CALL_INIT;
	memset(passing, 0, sizeof *passing);
	passing->call = call ? *call : none;
	if (!passing->call.view && passing->call.policy && passing->call.policy->view.count)
		passing->call.view = &passing->call.policy->view;
}

/* The roots of a mode (F-30). Without a policy: read-only with no temp. */
static int build_fence(struct passing *passing, const struct uw_policy *policy, struct uw_error *err)
{
	struct uw_fence *fence = &passing->fence;
	size_t most = policy ? policy->root_count + 2 : 0, count = 0;
	fence->size = sizeof *fence;
	fence->mode = policy && policy->mode == UW_MODE_WORKSPACE_WRITE ? UW_MODE_WORKSPACE_WRITE : UW_MODE_READ_ONLY;
	if (!policy)
		return 0;
	passing->roots = calloc(most, sizeof *passing->roots);
	if (!passing->roots)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_FENCE, UW_EFFECT_NONE, ENOMEM, "no memory for the fence");
	if (policy->temp.path)
		passing->roots[count++] = policy->temp;
	if (fence->mode == UW_MODE_WORKSPACE_WRITE && policy->workspace.path)
		passing->roots[count++] = policy->workspace;
	for (size_t i = 0; fence->mode == UW_MODE_WORKSPACE_WRITE && i < policy->root_count; i++)
		passing->roots[count++] = policy->roots[i];
	fence->roots = passing->roots;
	fence->root_count = count;
	fence->protected_paths = policy->protected_paths;
	fence->protected_count = policy->protected_count;
	return 0;
}

/* For mutations. act 0: the inner provider alone checks. */
static int pass_fenced(struct passing *passing, const struct uw_call *call, const struct uw_target *target,
                       int act, struct uw_error *err)
{
	const struct uw_policy *policy = call ? call->policy : NULL;
	int code;
	pass(passing, call);
	if (policy && policy->mode == UW_MODE_DANGER_FULL_ACCESS)
		return 0;
	code = build_fence(passing, policy, err);
	if (code < 0)
		return code;
	passing->call.fence = &passing->fence;
	if (!uw_fence_root(&passing->fence, target->key, act, &code, err))
		return code;
	return 0;
}

static const struct uw_fs *inner_of(void *self)
{
	return ((struct sandboxed *)self)->inner;
}

static int fs_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	return fs->v->realm(fs->self, ret_realm, err);
}

static int fs_resolve(void *self, const struct uw_call *call, struct uw_bytes path, const char *cwd,
                      uint32_t flags, struct uw_target **ret_target, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->resolve(fs->self, &passing.call, path, cwd, flags, ret_target, err);
}

static int fs_stat_many(void *self, const struct uw_call *call, const struct uw_target *const *targets,
                        size_t count, uint32_t want_digest, struct uw_stat_sink sink, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->stat_many(fs->self, &passing.call, targets, count, want_digest, sink, err);
}

static int fs_read_many(void *self, const struct uw_call *call, const struct uw_read_request *requests,
                        size_t count, struct uw_read_sink sink, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->read_many(fs->self, &passing.call, requests, count, sink, err);
}

static int fs_read_text(void *self, const struct uw_call *call, const struct uw_target *target,
                        const struct uw_text_request *request, struct uw_sink sink,
                        struct uw_text_info *ret_info, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->read_text(fs->self, &passing.call, target, request, sink, ret_info, err);
}

static int fs_open(void *self, const struct uw_call *call, const struct uw_target *target, int *ret_fd,
                   struct uw_stat *ret_stat, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->open(fs->self, &passing.call, target, ret_fd, ret_stat, err);
}

static int fs_open_dir(void *self, const struct uw_call *call, const struct uw_target *target,
                       struct uw_dir **ret_dir, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->open_dir(fs->self, &passing.call, target, ret_dir, err);
}

static int fs_list(void *self, const struct uw_call *call, const struct uw_target *target,
                   const struct uw_list_request *request, struct uw_entry_sink sink, uint32_t *ret_more,
                   struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->list(fs->self, &passing.call, target, request, sink, ret_more, err);
}

static int fs_write(void *self, const struct uw_call *call, const struct uw_target *target,
                    const struct uw_write_request *request, struct uw_write_result *ret_result,
                    struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	int code = pass_fenced(&passing, call, target, UW_FENCE_CONTENT, err);
	return code < 0 ? code : fs->v->write(fs->self, &passing.call, target, request, ret_result, err);
}

static int fs_edit(void *self, const struct uw_call *call, const struct uw_target *target,
                   const struct uw_edit_request *request, struct uw_write_result *ret_result,
                   struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	int code = pass_fenced(&passing, call, target, UW_FENCE_CONTENT, err);
	return code < 0 ? code : fs->v->edit(fs->self, &passing.call, target, request, ret_result, err);
}

static int fs_mkdir(void *self, const struct uw_call *call, const struct uw_target *target, uint32_t flags,
                    struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	int code = pass_fenced(&passing, call, target, UW_FENCE_CONTENT, err);
	return code < 0 ? code : fs->v->mkdir(fs->self, &passing.call, target, flags, err);
}

static int fs_remove(void *self, const struct uw_call *call, const struct uw_target *target, uint32_t flags,
                     struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	int code = pass_fenced(&passing, call, target, UW_FENCE_MOVE, err);
	return code < 0 ? code : fs->v->remove(fs->self, &passing.call, target, flags, err);
}

/* F-33: both ends. */
static int fs_rename(void *self, const struct uw_call *call, const struct uw_target *from,
                     const struct uw_target *to, uint32_t flags, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	int code = pass_fenced(&passing, call, from, UW_FENCE_MOVE, err);
	if (code == 0 && passing.call.fence)
		(void)uw_fence_root(&passing.fence, to->key, UW_FENCE_MOVE, &code, err);
	return code < 0 ? code : fs->v->rename(fs->self, &passing.call, from, to, flags, err);
}

static int fs_contains(void *self, const struct uw_call *call, const struct uw_target *parent,
                       const struct uw_target *child, uint32_t *ret_contains, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	return fs->v->contains(fs->self, call, parent, child, ret_contains, err);
}

static int fs_process_path(void *self, const struct uw_call *call, const struct uw_target *target,
                           struct uw_sink sink, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->process_path(fs->self, &passing.call, target, sink, err);
}

static int fs_file_url(void *self, const struct uw_call *call, const struct uw_target *target,
                       struct uw_sink sink, struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->file_url(fs->self, &passing.call, target, sink, err);
}

static int fs_path_of_local(void *self, const struct uw_call *call, const char *local_path, struct uw_sink sink,
                            struct uw_error *err)
{
	const struct uw_fs *fs = inner_of(self);
	AUTO_PASSING passing;
	pass(&passing, call);
	return fs->v->path_of_local(fs->self, &passing.call, local_path, sink, err);
}

static const struct uw_fs_v1 table = {
    .size = sizeof(struct uw_fs_v1),
    .realm = fs_realm,
    .resolve = fs_resolve,
    .stat_many = fs_stat_many,
    .read_many = fs_read_many,
    .read_text = fs_read_text,
    .open = fs_open,
    .open_dir = fs_open_dir,
    .list = fs_list,
    .write = fs_write,
    .edit = fs_edit,
    .mkdir = fs_mkdir,
    .remove = fs_remove,
    .rename = fs_rename,
    .contains = fs_contains,
    .process_path = fs_process_path,
    .file_url = fs_file_url,
    .path_of_local = fs_path_of_local,
};

static int create(const struct uw_host_api *host, struct uw_plugin_context *context,
                  const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	const struct uw_fs *inner = host->service(context, UW_FS_SERVICE);
	struct sandboxed *self;
	(void)config;
	if (!inner)
		return uw_fail(err, UW_E_SERVICE_MISSING, UW_STAGE_PREPARE, UW_EFFECT_NONE, 0,
		               "fs-sandboxed wraps another fs provider, and there is none: name one that comes before it");
	self = calloc(1, sizeof *self);
	if (!self)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, ENOMEM, "no memory for fs-sandboxed");
	self->inner = inner;
	*ret_self = self;
	return 0;
}

static int destroy(void *self, struct uw_error *err)
{
	(void)err;
	free(self);
	return 0;
}

static const char *const requires_services[] = {UW_FS_SERVICE, NULL};
static const struct uw_provides provides[] = {{UW_FS_SERVICE, UW_THREADS_PARALLEL, 0, &table}};

static const struct uw_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = UW_ABI_MAJOR,
    .name = "fs-sandboxed",
    .version = UW_VERSION,
    .summary = "the policy's fence around the files of another provider",
    .provides = provides,
    .provides_count = sizeof provides / sizeof provides[0],
    .requires_services = requires_services,
    .create = create,
    .destroy = destroy,
};

UW_EXPORT const struct uw_plugin *uw_plugin_entry(void)
{
	return &plugin;
}
