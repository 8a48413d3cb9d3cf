/*
 * edit (F-11, F-12): literal replacements, all or none, as splices of bytes in one
 * read. The version is compared before anything is searched. What was read is the
 * version that the publish expects, so that a change by others in between is an
 * error and never lost.
 */
#include "local.h"

#include "content.h"

#include "common/fence.h"
#include "common/io.h"
#include "common/text.h"
#include "common/version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct editing {
	struct uwi_mutation frame; /* first */
	const struct uw_edit_request *request;
	struct uw_write_result *result;
	struct uwi_content content;
	int bytes_text; /* -1: not asked yet */
	uint32_t replacements;
};

static int no_memory(const struct editing *editing, struct uw_error *err)
{
	return uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_STAGE, "edit", editing->frame.target->display, "no memory");
}

static int check_arguments(const struct uw_edit_request *request, const struct uw_target *target,
                           struct uw_error *err)
{
	const char *why = NULL;
	if (request->edit_count == 0 || !request->edits)
		why = "no replacement is given";
	for (size_t i = 0; i < request->edit_count && !why; i++) {
		const struct uw_edit *edit = &request->edits[i];
		if (edit->old_text.len == 0)
			why = "the old text is empty";
		else if (edit->old_text.len == edit->new_text.len &&
		         memcmp(edit->old_text.data, edit->new_text.data, edit->old_text.len) == 0)
			why = "the old text equals the new";
	}
	return why ? uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_NONE, "edit", target->display, why) : 0;
}

/* The whole file into the content's buffer, bounded by the size it had. */
static int read_all(struct editing *editing, int fd, const struct stat *st, struct uw_error *err)
{
	struct uwi_content *content = &editing->content;
	size_t size = (size_t)st->st_size;
	if ((uint64_t)st->st_size > UW_FS_EDIT_MAX)
		return uwi_fsl_error(err, UW_E_FS_TOO_LARGE, UW_STAGE_READ, "edit", editing->frame.target->display,
		                     "it is larger than 512 MiB; change it with a command instead");
	if (uwi_content_reserve(content, size + 1) < 0)
		return no_memory(editing, err);
	while (content->len < size) {
		size_t step = size - content->len < (8u << 20) ? size - content->len : 8u << 20;
		ssize_t got;
		int code = uwi_fsl_go_on(editing->frame.call, UW_STAGE_READ, err);
		if (code < 0)
			return code;
		got = uw_pread_full(fd, content->data + content->len, step, (off_t)content->len);
		if (got < 0)
			return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, errno == EBADF ? EACCES : errno, "read",
			                        editing->frame.target->display);
		content->len += (size_t)got;
		if ((size_t)got < step)
			break;
	}
	if (memchr(content->data, '\0', content->len < UW_TEXT_SNIFF ? content->len : UW_TEXT_SNIFF))
		return uwi_fsl_error(err, UW_E_FS_NOT_TEXT, UW_STAGE_READ, "edit", editing->frame.target->display,
		                     "its content is binary");
	return 0;
}

/* Before the search: is it what the caller has seen? */
static int check_version(const struct editing *editing, const struct stat *st, struct uw_version *read,
                         struct uw_error *err)
{
	const struct uw_version *expected = editing->request->expected;
	struct uw_bytes path = editing->frame.target->display;
	uw_version_of_stat(st, editing->frame.self->realm_id, read);
	if (editing->content.len <= UW_VERSION_DIGEST_MAX) {
		uw_blake2b(editing->content.data, editing->content.len, read->digest, UW_DIGEST_SIZE);
		read->has_digest = 1;
	}
	if (!expected)
		return 0;
	if (!uw_version_same_realm(expected, read))
		return uwi_fsl_error(err, UW_E_WORLD_MISMATCH, UW_STAGE_STAGE, "edit", path,
		                     "the version was seen in another world");
	if ((expected->has_digest && !read->has_digest) || !uw_version_same(expected, read))
		return uwi_fsl_stale(err, UW_STAGE_STAGE, path, expected, read);
	return 0;
}

static int not_found(const struct editing *editing, size_t index, struct uw_error *err)
{
	const struct uw_edit *edit = &editing->request->edits[index];
	UW_AUTO_BUF shown = UW_BUF_INIT;
	UW_AUTO_BUF why = UW_BUF_INIT;
	struct uw_bytes near = {NULL, 0};
	uint64_t line = 0;
	char number[24];
	int alike = uwi_content_nearest(&editing->content, edit->old_text, &line, &near);
	uw_buf_printf(&why, "the old text of replacement %zu does not occur in it", index + 1);
	if (alike) {
		uw_text_escape(&shown, near.data, near.len < 120 ? near.len : 120);
		uw_buf_printf(&why, "; the nearest is at line %llu: %s", (unsigned long long)line,
		              shown.failed ? "" : shown.data);
	}
	uwi_fsl_error(err, UW_E_FS_EDIT_NOT_FOUND, UW_STAGE_STAGE, "edit", editing->frame.target->display,
	              why.failed ? "the old text does not occur" : why.data);
	if (alike) {
		(void)snprintf(number, sizeof number, "%llu", (unsigned long long)line);
		uw_error_detail(err, "line", number, strlen(number));
		uw_error_detail(err, "nearest", near.data, near.len);
	}
	return UW_E_FS_EDIT_NOT_FOUND;
}

static int ambiguous(const struct editing *editing, size_t index, const struct uwi_found *found, struct uw_error *err)
{
	UW_AUTO_BUF lines = UW_BUF_INIT;
	UW_AUTO_BUF why = UW_BUF_INIT;
	char count[24];
	for (size_t i = 0; i < found->count && i < UWI_CONTENT_LINES; i++)
		uw_buf_printf(&lines, "%s%llu", i ? "," : "", (unsigned long long)found->lines[i]);
	uw_buf_printf(&why, "the old text of replacement %zu occurs %zu times, at lines %s%s; give more of it, or ask for all",
	              index + 1, found->count, lines.failed ? "?" : lines.data,
	              found->count > UWI_CONTENT_LINES ? ",..." : "");
	uwi_fsl_error(err, UW_E_FS_AMBIGUOUS_EDIT, UW_STAGE_STAGE, "edit", editing->frame.target->display,
	              why.failed ? "the old text occurs more than once" : why.data);
	(void)snprintf(count, sizeof count, "%zu", found->count);
	uw_error_detail(err, "count", count, strlen(count));
	uw_error_detail(err, "lines", lines.data, lines.len);
	return UW_E_FS_AMBIGUOUS_EDIT;
}

/* \x80..\xff as the reader of a bytes-text saw them; 1 if there was any. */
static int unescape_high(struct uw_bytes text, struct uw_buf *out)
{
	int any = 0;
	for (size_t at = 0; at < text.len;) {
		int byte = uw_text_escaped_byte(text.data + at, text.len - at);
		uw_buf_byte(out, byte >= 0x80 ? (char)byte : text.data[at]);
		any |= byte >= 0x80;
		at += byte >= 0x80 ? 4 : 1;
	}
	return any;
}

static int is_bytes_text(struct editing *editing)
{
	if (editing->bytes_text < 0)
		editing->bytes_text = !uw_utf8_valid(editing->content.data, editing->content.len);
	return editing->bytes_text;
}

/*
 * What to look for and what to put there. In a bytes-text, escapes stand for bytes
 * where the text is not found as it is spelt (F-12).
 */
static void choose_texts(struct editing *editing, struct uw_bytes *old_text, struct uw_bytes *new_text,
                         struct uw_buf buffers[2], struct uwi_found *found)
{
	int old_escaped = unescape_high(*old_text, &buffers[0]);
	int new_escaped = unescape_high(*new_text, &buffers[1]);
	uwi_content_find(&editing->content, *old_text, found);
	if (!(old_escaped || new_escaped) || buffers[0].failed || buffers[1].failed || !is_bytes_text(editing))
		return;
	if (old_escaped && found->count)
		return; /* spelt out in the file itself */
	if (old_escaped) {
		*old_text = (struct uw_bytes){buffers[0].data, buffers[0].len};
		uwi_content_find(&editing->content, *old_text, found);
	}
	if (new_escaped)
		*new_text = (struct uw_bytes){buffers[1].data, buffers[1].len};
}

static int apply_one(struct editing *editing, size_t index, struct uw_error *err)
{
	const struct uw_edit *edit = &editing->request->edits[index];
	struct uwi_content *content = &editing->content;
	struct uw_bytes old_text = edit->old_text, new_text = edit->new_text;
	UW_AUTO_BUF old_bytes = UW_BUF_INIT;
	UW_AUTO_BUF new_bytes = UW_BUF_INIT;
	struct uw_buf buffers[2] = {UW_BUF_INIT, UW_BUF_INIT};
	struct uwi_found found;
	int done;
	/* a text with a CR in it means exactly these bytes; else endings match alike */
	int exact = memchr(old_text.data, '\r', old_text.len) != NULL;
	/* what an earlier replacement brought in is folded anew */
	if (uwi_content_unfold(content) < 0 || (!exact && uwi_content_fold(content) < 0))
		return no_memory(editing, err);
	choose_texts(editing, &old_text, &new_text, buffers, &found);
	old_bytes = buffers[0];
	new_bytes = buffers[1];
	if (found.count == 0)
		return not_found(editing, index, err);
	if (found.count > 1 && !edit->all)
		return ambiguous(editing, index, &found, err);
	done = uwi_content_replace(content, old_text, new_text, found.count, UW_FS_EDIT_MAX);
	if (done == -2)
		return uwi_fsl_error(err, UW_E_FS_TOO_LARGE, UW_STAGE_STAGE, "edit", editing->frame.target->display,
		                     "it would grow over 512 MiB");
	if (done < 0)
		return no_memory(editing, err);
	editing->bytes_text = -1;
	editing->replacements += (uint32_t)found.count;
	return 0;
}

static int fill(void *arg, struct uwi_stage *stage, struct uw_error *err)
{
	const struct editing *editing = arg;
	return uwi_fsl_stage_write(stage, editing->content.data, editing->content.len, err);
}

static int edit_file(struct editing *editing, const struct uwi_parent *at, int fd, const struct stat *st,
                     struct uw_error *err)
{
	struct uw_version read;
	struct uwi_publish what = {
	    .intent = UW_WRITE_REPLACE,
	    .durability = editing->request->durability,
	    .expected = &read,
	    .verified = st,
	    .fill = fill,
	    .arg = editing,
	    .refuse_writers = editing->request->expected != NULL,
	};
	int code = read_all(editing, fd, st, err);
	if (code == 0)
		code = check_version(editing, st, &read, err);
	for (size_t i = 0; i < editing->request->edit_count && code == 0; i++)
		code = apply_one(editing, i, err);
	if (code == 0 && uwi_content_unfold(&editing->content) < 0)
		code = no_memory(editing, err);
	if (code == 0)
		code = uwi_fsl_publish(editing->frame.self, editing->frame.call, at, &what, editing->result, err);
	if (code == 0)
		editing->result->replacements = editing->replacements;
	return code;
}

static int run(struct uwi_mutation *mutation, const struct uwi_parent *at, struct uw_error *err)
{
	struct editing *editing = (struct editing *)mutation;
	UW_AUTO_FD fd = -1;
	struct stat st;
	int code = uwi_fsl_open_existing(at, &fd, &st, err);
	if (code != 0)
		return code;
	if (fd < 0 && editing->request->expected)
		return uwi_fsl_stale(err, UW_STAGE_STAGE, mutation->target->display, editing->request->expected, NULL);
	if (fd < 0)
		return uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, ENOENT, "edit", mutation->target->display);
	uwi_content_finish(&editing->content);
	editing->bytes_text = -1;
	editing->replacements = 0;
	return edit_file(editing, at, fd, &st, err);
}

int uwi_fsl_edit(void *self, const struct uw_call *call, const struct uw_target *target,
                 const struct uw_edit_request *request, struct uw_write_result *ret_result,
                 struct uw_error *err)
{
	struct uw_write_result result;
	struct editing editing = {
	    .frame = {UW_FENCE_CONTENT, 0, run, self, call, target},
	    .request = request,
	    .result = &result,
	};
	int code = check_arguments(request, target, err);
	if (code == 0)
		code = uwi_fsl_mutate(&editing.frame, err);
	uwi_content_finish(&editing.content);
	if (code == 0 && ret_result)
		uwi_fsl_copy_out(ret_result, &result, sizeof result);
	return code;
}
