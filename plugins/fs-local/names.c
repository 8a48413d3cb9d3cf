/* What is said of a target's path without touching a file. */
#include "local.h"

#include "common/path.h"
#include "common/view.h"

#include <errno.h>
#include <string.h>

int uwi_fsl_contains(void *self, const struct uw_call *call, const struct uw_target *parent,
                     const struct uw_target *child, uint32_t *ret_contains, struct uw_error *err)
{
	(void)self, (void)call, (void)err;
	*ret_contains = (uint32_t)uw_path_contains(parent->key.data, parent->key.len, child->key.data, child->key.len);
	return 0;
}

static int give(struct uw_sink sink, const struct uw_buf *text, struct uw_error *err)
{
	int code;
	if (text->failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_NONE, UW_EFFECT_NONE, ENOMEM, "no memory");
	code = sink.write(sink.arg, text->data, text->len);
	return code < 0 ? uw_fail(err, code, UW_STAGE_NONE, UW_EFFECT_NONE, 0, "the receiver of the path gave up") : 0;
}

int uwi_fsl_process_path(void *self, const struct uw_call *call, const struct uw_target *target,
                         struct uw_sink sink, struct uw_error *err)
{
	const struct uwi_target *own = target->impl;
	UW_AUTO_BUF text = UW_BUF_INIT;
	(void)self, (void)call;
	uw_buf_add(&text, own->inside.data, own->inside.len);
	return give(sink, &text, err);
}

int uwi_fsl_file_url(void *self, const struct uw_call *call, const struct uw_target *target,
                     struct uw_sink sink, struct uw_error *err)
{
	const struct uwi_target *own = target->impl;
	UW_AUTO_BUF text = UW_BUF_INIT;
	(void)self, (void)call;
	uw_path_url(&text, own->inside.data, own->inside.len);
	return give(sink, &text, err);
}

int uwi_fsl_path_of_local(void *self, const struct uw_call *call, const char *local_path,
                          struct uw_sink sink, struct uw_error *err)
{
	struct uw_bytes path = {local_path, strlen(local_path)};
	UWI_AUTO_SPOT spot = UWI_SPOT_INIT;
	UW_AUTO_BUF inside = UW_BUF_INIT;
	int code;
	if (local_path[0] != '/')
		return uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_RESOLVE, "find", path, "it is not absolute");
	/* the host's own path: no view */
	code = uwi_fsl_walk(self, NULL, path, 0, &spot, err);
	if (code < 0)
		return code;
	if (!(spot.flags & UW_TARGET_EXISTS) || !uw_view_inside(call ? call->view : NULL, spot.key.data, spot.key.len, &inside))
		return uwi_fsl_error(err, UW_E_NOT_DEPLOYED, UW_STAGE_RESOLVE, "find", path, "it does not exist in this world");
	return give(sink, &inside, err);
}
