/*
 * fs/1 through the gate. Targets carry the host instance and generation that made
 * them and are refused elsewhere (C-36); requests are copied, so that what was
 * checked is what the provider sees.
 */
#include "core/gate.h"

#include "core/host_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FS(entry) ((const struct uw_fs_v1 *)(entry).slot->v)
#define MANY_MAX  (1u << 20) /* targets of one call */

static int check_target(const struct uwi_entry *entry, const struct uw_target *target,
                        struct uw_error *err)
{
	if (!target)
		return uwi_gate_bad_args(entry->stage, err, "no target was given");
	if (!entry->generation)
		return 0;
	if (target->host == entry->call.host && target->generation == entry->call.generation)
		return 0;
	(void)uw_fail(err, UW_E_WORLD_MISMATCH, entry->stage, UW_EFFECT_NONE, 0,
	              "the target belongs to another world or generation; resolve the path again here");
	if (target->host == entry->call.host && target->display.data)
		uw_error_detail(err, "path", target->display.data, target->display.len);
	return UW_E_WORLD_MISMATCH;
}

static int gate_realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!ret_realm)
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "no place for the realm was given");
	code = uwi_gate_enter(self, NULL, 0, UW_STAGE_RESOLVE, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(&entry, FS(entry)->realm(entry.slot->self, ret_realm, err), err);
}

static int stamp(const struct uwi_entry *entry, struct uw_target *target, struct uw_error *err)
{
	if (!target || !target->key.data || target->key.len == 0 || !target->release)
		return uwi_gate_misbehaved(entry, err, "resolve gave no target with a key and a release");
	if (entry->generation) {
		target->host = entry->call.host;
		target->generation = entry->call.generation;
	}
	return 0;
}

static int gate_resolve(void *self, const struct uw_call *call, struct uw_bytes path, const char *cwd,
                        uint32_t flags, struct uw_target **ret_target, struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_target *target = NULL;
	int code;
	if (!ret_target || (!path.data && path.len))
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "resolve needs a path and a place for the target");
	if (flags & ~UW_RESOLVE_NOFOLLOW)
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "resolve has a flag that this version does not know");
	if (path.len == 0 || memchr(path.data, '\0', path.len))
		return uw_fail(err, UW_E_FS_BAD_PATH, UW_STAGE_RESOLVE, UW_EFFECT_NONE, 0,
		               path.len ? "the path holds a NUL byte" : "the path is empty");
	if (cwd && cwd[0] != '/')
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "the base of a relative path must be absolute");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_RESOLVE, &entry, err);
	if (code < 0)
		return code;
	code = FS(entry)->resolve(entry.slot->self, &entry.call, path, cwd, flags, &target, err);
	if (code == 0)
		code = stamp(&entry, target, err);
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0)
		*ret_target = target;
	return code;
}

static int check_targets(const struct uwi_entry *entry, const struct uw_target *const *targets,
                         size_t count, struct uw_error *err)
{
	int code = 0;
	for (size_t i = 0; i < count && code == 0; i++)
		code = check_target(entry, targets[i], err);
	return code;
}

static int gate_stat_many(void *self, const struct uw_call *call,
                          const struct uw_target *const *targets, size_t count, uint32_t want_digest,
                          struct uw_stat_sink sink, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!sink.stat || (!targets && count) || count > MANY_MAX)
		return uwi_gate_bad_args(UW_STAGE_READ, err, "stat_many needs targets (2^20 at most) and a sink");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_READ, &entry, err);
	if (code < 0)
		return code;
	code = check_targets(&entry, targets, count, err);
	if (code == 0)
		code = FS(entry)->stat_many(entry.slot->self, &entry.call, targets, count, want_digest != 0, sink, err);
	return uwi_gate_leave(&entry, code, err);
}

static int gate_read_many(void *self, const struct uw_call *call,
                          const struct uw_read_request *requests, size_t count,
                          struct uw_read_sink sink, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!sink.data || !sink.done || (!requests && count) || count > MANY_MAX)
		return uwi_gate_bad_args(UW_STAGE_READ, err, "read_many needs requests (2^20 at most) and a sink");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_READ, &entry, err);
	if (code < 0)
		return code;
	for (size_t i = 0; i < count && code == 0; i++)
		code = check_target(&entry, requests[i].target, err);
	if (code == 0)
		code = FS(entry)->read_many(entry.slot->self, &entry.call, requests, count, sink, err);
	return uwi_gate_leave(&entry, code, err);
}

static int gate_read_text(void *self, const struct uw_call *call, const struct uw_target *target,
                          const struct uw_text_request *request, struct uw_sink sink,
                          struct uw_text_info *ret_info, struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_text_request mine = {sizeof mine, 0, 0};
	struct uw_text_info info;
	int code;
	if (!sink.write || (ret_info && ret_info->size < sizeof info) || (request && !request->size))
		return uwi_gate_bad_args(UW_STAGE_READ, err, "read_text needs a sink, and the sizes of its structs set");
	if (request)
		UWI_COPY_IN(mine, request);
	memset(&info, 0, sizeof info);
	info.size = sizeof info;
	code = uwi_gate_enter(self, call, 0, UW_STAGE_READ, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->read_text(entry.slot->self, &entry.call, target, &mine, sink, &info, err);
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0 && ret_info)
		UWI_COPY_OUT(ret_info, info);
	return code;
}

static int gate_open(void *self, const struct uw_call *call, const struct uw_target *target,
                     int *ret_fd, struct uw_stat *ret_stat, struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_stat stat;
	int fd = -1, code;
	if (!ret_fd || (ret_stat && ret_stat->size < sizeof stat))
		return uwi_gate_bad_args(UW_STAGE_READ, err,
		                         "open needs a place for the descriptor, and the size of its stat set");
	memset(&stat, 0, sizeof stat);
	stat.size = sizeof stat;
	code = uwi_gate_enter(self, call, 0, UW_STAGE_READ, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->open(entry.slot->self, &entry.call, target, &fd, &stat, err);
	if (code == 0 && fd < 0)
		code = uwi_gate_misbehaved(&entry, err, "open gave no descriptor");
	code = uwi_gate_leave(&entry, code, err);
	if (code < 0)
		return code;
	*ret_fd = fd;
	if (ret_stat)
		UWI_COPY_OUT(ret_stat, stat);
	return 0;
}

static int gate_open_dir(void *self, const struct uw_call *call, const struct uw_target *target,
                         struct uw_dir **ret_dir, struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_dir *dir = NULL;
	int code;
	if (!ret_dir)
		return uwi_gate_bad_args(UW_STAGE_READ, err, "open_dir needs a place for the handle");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_READ, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->open_dir(entry.slot->self, &entry.call, target, &dir, err);
	if (code == 0 && (!dir || !dir->path))
		code = uwi_gate_misbehaved(&entry, err, "open_dir gave no handle with a path");
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0)
		*ret_dir = dir;
	return code;
}

static int gate_list(void *self, const struct uw_call *call, const struct uw_target *target,
                     const struct uw_list_request *request, struct uw_entry_sink sink,
                     uint32_t *ret_more, struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_list_request mine = {sizeof mine, {NULL, 0}, 0};
	uint32_t more = 0;
	int code;
	if (!sink.entry || (request && !request->size))
		return uwi_gate_bad_args(UW_STAGE_READ, err, "list needs a sink, and the size of its request set");
	if (request)
		UWI_COPY_IN(mine, request);
	if (mine.limit == 0 || mine.limit > UW_FS_LIST_PAGE)
		mine.limit = UW_FS_LIST_PAGE;
	code = uwi_gate_enter(self, call, 0, UW_STAGE_READ, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->list(entry.slot->self, &entry.call, target, &mine, sink, &more, err);
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0 && ret_more)
		*ret_more = more;
	return code;
}

/* ---- mutations ---- */

static int check_write(struct uw_write_request *request, struct uw_error *err)
{
	if (request->intent < UW_WRITE_UNCONDITIONAL || request->intent > UW_WRITE_REPLACE)
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "the intent of the write is not one of enum uw_write_intent");
	if (request->intent == UW_WRITE_REPLACE && !request->expected)
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "a write that replaces needs the version it expects");
	if (request->durability == 0)
		request->durability = UW_DURABILITY_FULL;
	if (request->durability < UW_DURABILITY_FULL || request->durability > UW_DURABILITY_NONE ||
	    (request->flags & ~UW_WRITE_PARENTS) || (request->create_mode & ~07777))
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "the write has a durability, flag or mode that is not known");
	if (request->from_fd < 0 && !request->content.data && request->content.len)
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "the write has a length and no content");
	return 0;
}

/* A result for the provider to fill, emptied without touching its large texts. */
static struct uw_write_result *fresh(struct uw_write_result *result)
{
	memset(result, 0, offsetof(struct uw_write_result, after));
	result->size = sizeof *result;
	result->after.size = sizeof result->after;
	result->after.code = result->after.stage = result->after.effect = result->after.os_errno = 0;
	result->after.message[0] = result->after.detail[0] = '\0';
	return result;
}

static int gate_write(void *self, const struct uw_call *call, const struct uw_target *target,
                      const struct uw_write_request *request, struct uw_write_result *ret_result,
                      struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_write_request mine;
	struct uw_write_result result;
	struct uw_version expected;
	int code;
	if (!request || request->size < sizeof mine || (ret_result && ret_result->size < sizeof result))
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "write needs a request, and the sizes of its structs set");
	UWI_COPY_IN(mine, request);
	if (mine.expected) {
		expected = *mine.expected;
		mine.expected = &expected;
	}
	code = check_write(&mine, err);
	if (code < 0)
		return code;
	code = uwi_gate_enter(self, call, UWI_CALL_MUTATES, UW_STAGE_PUBLISH, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->write(entry.slot->self, &entry.call, target, &mine, fresh(&result), err);
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0 && ret_result)
		UWI_COPY_OUT(ret_result, result);
	return code;
}

static int check_edit(const struct uw_edit_request *request, struct uw_error *err)
{
	if (!request->edits || request->edit_count == 0 || request->edit_count > MANY_MAX)
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "an edit needs at least one replacement");
	for (size_t i = 0; i < request->edit_count; i++) {
		const struct uw_edit *edit = &request->edits[i];
		if (!edit->old_text.data || edit->old_text.len == 0 || (!edit->new_text.data && edit->new_text.len))
			return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "the old text of an edit is empty");
	}
	return 0;
}

static int gate_edit(void *self, const struct uw_call *call, const struct uw_target *target,
                     const struct uw_edit_request *request, struct uw_write_result *ret_result,
                     struct uw_error *err)
{
	struct uwi_entry entry;
	struct uw_edit_request mine;
	struct uw_write_result result;
	struct uw_version expected;
	int code;
	if (!request || request->size < sizeof mine || (ret_result && ret_result->size < sizeof result))
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "edit needs a request, and the sizes of its structs set");
	UWI_COPY_IN(mine, request);
	if (mine.expected) {
		expected = *mine.expected;
		mine.expected = &expected;
	}
	code = check_edit(&mine, err);
	if (code < 0)
		return code;
	code = uwi_gate_enter(self, call, UWI_CALL_MUTATES, UW_STAGE_PUBLISH, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->edit(entry.slot->self, &entry.call, target, &mine, fresh(&result), err);
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0 && ret_result)
		UWI_COPY_OUT(ret_result, result);
	return code;
}

static int gate_mkdir(void *self, const struct uw_call *call, const struct uw_target *target,
                      uint32_t flags, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (flags & ~UW_MKDIR_PARENTS)
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "mkdir has a flag that this version does not know");
	code = uwi_gate_enter(self, call, UWI_CALL_MUTATES, UW_STAGE_PUBLISH, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->mkdir(entry.slot->self, &entry.call, target, flags, err);
	return uwi_gate_leave(&entry, code, err);
}

static int gate_remove(void *self, const struct uw_call *call, const struct uw_target *target,
                       uint32_t flags, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (flags & ~UW_REMOVE_RECURSIVE)
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "remove has a flag that this version does not know");
	code = uwi_gate_enter(self, call, UWI_CALL_MUTATES, UW_STAGE_PUBLISH, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->remove(entry.slot->self, &entry.call, target, flags, err);
	return uwi_gate_leave(&entry, code, err);
}

static int gate_rename(void *self, const struct uw_call *call, const struct uw_target *from,
                       const struct uw_target *to, uint32_t flags, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (flags & ~UW_RENAME_NOREPLACE)
		return uwi_gate_bad_args(UW_STAGE_PUBLISH, err, "rename has a flag that this version does not know");
	code = uwi_gate_enter(self, call, UWI_CALL_MUTATES, UW_STAGE_PUBLISH, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, from, err);
	if (code == 0)
		code = check_target(&entry, to, err);
	if (code == 0)
		code = FS(entry)->rename(entry.slot->self, &entry.call, from, to, flags, err);
	return uwi_gate_leave(&entry, code, err);
}

/* ---- questions about paths ---- */

static int gate_contains(void *self, const struct uw_call *call, const struct uw_target *parent,
                         const struct uw_target *child, uint32_t *ret_contains, struct uw_error *err)
{
	struct uwi_entry entry;
	uint32_t contains = 0;
	int code;
	if (!ret_contains)
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "contains needs a place for the answer");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_RESOLVE, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, parent, err);
	if (code == 0)
		code = check_target(&entry, child, err);
	if (code == 0)
		code = FS(entry)->contains(entry.slot->self, &entry.call, parent, child, &contains, err);
	code = uwi_gate_leave(&entry, code, err);
	if (code == 0)
		*ret_contains = contains != 0;
	return code;
}

static int gate_process_path(void *self, const struct uw_call *call, const struct uw_target *target,
                             struct uw_sink sink, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!sink.write)
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "process_path needs a sink");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_RESOLVE, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->process_path(entry.slot->self, &entry.call, target, sink, err);
	return uwi_gate_leave(&entry, code, err);
}

static int gate_file_url(void *self, const struct uw_call *call, const struct uw_target *target,
                         struct uw_sink sink, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!sink.write)
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "file_url needs a sink");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_RESOLVE, &entry, err);
	if (code < 0)
		return code;
	code = check_target(&entry, target, err);
	if (code == 0)
		code = FS(entry)->file_url(entry.slot->self, &entry.call, target, sink, err);
	return uwi_gate_leave(&entry, code, err);
}

static int gate_path_of_local(void *self, const struct uw_call *call, const char *local_path,
                              struct uw_sink sink, struct uw_error *err)
{
	struct uwi_entry entry;
	int code;
	if (!sink.write || !local_path || local_path[0] != '/')
		return uwi_gate_bad_args(UW_STAGE_RESOLVE, err, "path_of_local needs an absolute path and a sink");
	code = uwi_gate_enter(self, call, 0, UW_STAGE_RESOLVE, &entry, err);
	if (code < 0)
		return code;
	return uwi_gate_leave(
	    &entry, FS(entry)->path_of_local(entry.slot->self, &entry.call, local_path, sink, err), err);
}

UWI_GATE_COVERS(struct uw_fs_v1, path_of_local);
const struct uw_fs_v1 uwi_gate_fs = {
    .size = sizeof(struct uw_fs_v1),
    .realm = gate_realm,
    .resolve = gate_resolve,
    .stat_many = gate_stat_many,
    .read_many = gate_read_many,
    .read_text = gate_read_text,
    .open = gate_open,
    .open_dir = gate_open_dir,
    .list = gate_list,
    .write = gate_write,
    .edit = gate_edit,
    .mkdir = gate_mkdir,
    .remove = gate_remove,
    .rename = gate_rename,
    .contains = gate_contains,
    .process_path = gate_process_path,
    .file_url = gate_file_url,
    .path_of_local = gate_path_of_local,
};
