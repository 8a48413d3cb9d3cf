/* write: a whole content, from memory or from a descriptor. */
#include "local.h"

#include "common/fence.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define CHUNK (64u << 10)

struct writing {
	struct uwi_mutation frame; /* first: the frame's run gets its address */
	const struct uw_write_request *request;
	struct uw_write_result *result;
};

/* Until the source has something to read, or the call is over. */
static int wait_for_source(const struct uwi_stage *stage, int fd, struct uw_error *err)
{
	struct pollfd fds[2] = {{fd, POLLIN, 0}, {stage->call ? stage->call->cancel_fd : -1, POLLIN, 0}};
	if (poll(fds, 2, uw_call_poll_ms(stage->call)) < 0 && errno != EINTR)
		return uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "read the content of", stage->path);
	return uwi_fsl_go_on(stage->call, UW_STAGE_STAGE, err);
}

static int fill_from_fd(struct uwi_stage *stage, int fd, struct uw_error *err)
{
	UW_AUTO_FREE char *data = malloc(CHUNK);
	if (!data)
		return uwi_fsl_error(err, UW_E_NO_MEMORY, UW_STAGE_STAGE, "write", stage->path, "no memory");
	for (;;) {
		ssize_t got;
		int code = wait_for_source(stage, fd, err);
		if (code < 0)
			return code;
		got = read(fd, data, CHUNK);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			return uwi_fsl_os_error(err, UW_STAGE_STAGE, UW_EFFECT_NONE, errno, "read the content of", stage->path);
		if (got == 0)
			return 0;
		code = uwi_fsl_stage_write(stage, data, (size_t)got, err);
		if (code < 0)
			return code;
	}
}

static int fill(void *arg, struct uwi_stage *stage, struct uw_error *err)
{
	const struct uw_write_request *request = arg;
	if (request->from_fd >= 0)
		return fill_from_fd(stage, request->from_fd, err);
	return uwi_fsl_stage_write(stage, request->content.data, request->content.len, err);
}

static int run(struct uwi_mutation *mutation, const struct uwi_parent *at, struct uw_error *err)
{
	struct writing *writing = (struct writing *)mutation;
	const struct uw_write_request *request = writing->request;
	struct uwi_publish what = {
	    .intent = request->intent,
	    .durability = request->durability,
	    .create_mode = (mode_t)request->create_mode & 0777,
	    .expected = request->expected,
	    .fill = fill,
	    .arg = (void *)(uintptr_t)request,
	    .fill_once = request->from_fd >= 0,
	    .refuse_writers = request->intent == UW_WRITE_REPLACE,
	};
	return uwi_fsl_publish(mutation->self, mutation->call, at, &what, writing->result, err);
}

int uwi_fsl_write(void *self, const struct uw_call *call, const struct uw_target *target,
                  const struct uw_write_request *request, struct uw_write_result *ret_result,
                  struct uw_error *err)
{
	struct uw_write_result result;
	struct writing writing = {
	    .frame = {UW_FENCE_CONTENT, (request->flags & UW_WRITE_PARENTS) != 0, run, self, call, target},
	    .request = request,
	    .result = &result,
	};
	int code;
	if (request->intent < UW_WRITE_UNCONDITIONAL || request->intent > UW_WRITE_REPLACE)
		return uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_NONE, "write", target->display, "unknown intent");
	if (request->intent == UW_WRITE_REPLACE && !request->expected)
		return uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_NONE, "write", target->display,
		                     "replacing a version needs the version");
	code = uwi_fsl_mutate(&writing.frame, err);
	if (code == 0 && ret_result)
		uwi_fsl_copy_out(ret_result, &result, sizeof result);
	return code;
}
