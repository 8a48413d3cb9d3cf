/*
 * read_many: ranges of files to a sink. What is delivered is bounded by the size
 * seen at the start, so a file that grows ends the read all the same; the version
 * is that of the bytes delivered where they were the whole, else of the metadata
 * from before the read, so that a change meanwhile makes it stale.
 */
#include "local.h"

#include "common/version.h"

#include <errno.h>
#include <string.h>

/* On the stack: enough for most sources, small enough for any thread. */
#define CHUNK_SMALL 16384u
#define CHUNK_LARGE (256u << 10)

struct reading {
	const struct uwi_fsl *self;
	const struct uw_call *call;
	const struct uw_read_request *request;
	struct uw_read_sink sink;
	size_t index;
	int fd;
	int sink_failed;
	struct uw_blake2b hash;
};

static int fail_os(const struct reading *reading, int os_errno, struct uw_error *err)
{
	if (os_errno == EAGAIN)
		return uwi_fsl_error(err, UW_E_FS_NOT_REGULAR_FILE, UW_STAGE_READ, "read",
		                     reading->request->target->display, "a read of it would wait");
	return uwi_fsl_os_error(err, UW_STAGE_READ, UW_EFFECT_NONE, os_errno, "read",
	                        reading->request->target->display);
}

/* Up to `length` bytes from `offset` to the sink; how many came in *ret_done. */
static int deliver(struct reading *reading, uint64_t offset, uint64_t length, uint64_t *ret_done,
                   struct uw_error *err)
{
	char small[CHUNK_SMALL];
	UW_AUTO_FREE char *large = length > sizeof small ? malloc(CHUNK_LARGE) : NULL;
	char *data = large ? large : small;
	size_t chunk = large ? CHUNK_LARGE : sizeof small;
	uint64_t done = 0;
	while (done < length) {
		size_t want = length - done < chunk ? (size_t)(length - done) : chunk;
		ssize_t got;
		int code = uw_call_check(reading->call, UW_STAGE_READ, err);
		if (code < 0)
			return code;
		got = pread(reading->fd, data, want, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail_os(reading, errno, err);
		if (got == 0)
			break;
		if (done + (uint64_t)got <= UW_VERSION_DIGEST_MAX)
			uw_blake2b_update(&reading->hash, data, (size_t)got);
		done += (uint64_t)got;
		code = reading->sink.data(reading->sink.arg, reading->index, data, (size_t)got);
		if (code < 0) {
			reading->sink_failed = 1;
			return uw_fail(err, code, UW_STAGE_READ, UW_EFFECT_NONE, 0, "the receiver of the content gave up");
		}
	}
	*ret_done = done;
	return 0;
}

/* What is left from offset on in a file of that size, as far as it was asked for. */
static uint64_t bounded(const struct uw_read_request *request, uint64_t size)
{
	uint64_t left = size > request->offset ? size - request->offset : 0;
	if (size == 0) /* as in /proc, where no size is known */
		left = UWI_FSL_UNSIZED_MAX;
	return request->length < left ? request->length : left;
}

static int read_one(struct reading *reading, struct uw_read_info *info, struct uw_error *err)
{
	const struct uw_read_request *request = reading->request;
	UW_AUTO_FD fd = -1;
	struct stat before, after;
	uint64_t length, done = 0;
	int code;
	if (request->offset > INT64_MAX)
		return uwi_fsl_error(err, UW_E_INVALID_ARGS, UW_STAGE_READ, "read", request->target->display,
		                     "the offset is too large");
	code = uwi_fsl_open_file(reading->self, reading->call, request->target, &fd, &before, err);
	if (code < 0)
		return code;
	reading->fd = fd;
	length = bounded(request, (uint64_t)before.st_size);
	uw_blake2b_init(&reading->hash, UW_DIGEST_SIZE);
	code = deliver(reading, request->offset, length, &done, err);
	if (code < 0)
		return code;
	if (fstat(fd, &after) < 0)
		return fail_os(reading, errno, err);
	memset(info, 0, sizeof *info);
	info->size = sizeof *info;
	info->offset = request->offset;
	info->length = done;
	info->total = (uint64_t)after.st_size;
	if (before.st_size == 0 && after.st_size == 0 && request->offset + done > 0 && done < length)
		info->total = request->offset + done;
	info->at_end = request->offset + done >= info->total && (before.st_size > 0 || done < length || length == 0);
	info->has_version = 1;
	uw_version_of_stat(&before, reading->self->realm_id, &info->version);
	if (request->offset == 0 && info->at_end && done <= UW_VERSION_DIGEST_MAX) {
		uw_blake2b_finish(&reading->hash, info->version.digest);
		info->version.has_digest = 1;
	}
	return 0;
}

int uwi_fsl_read_many(void *self, const struct uw_call *call, const struct uw_read_request *requests,
                      size_t count, struct uw_read_sink sink, struct uw_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct reading reading = {self, call, &requests[i], sink, i, -1, 0, {{0}, {0}, {0}, 0, 0}};
		struct uw_read_info info;
		struct uw_error one = UW_ERROR_INIT;
		int code = uw_call_check(call, UW_STAGE_READ, err);
		if (code < 0)
			return code;
		code = read_one(&reading, &info, &one);
		if (reading.sink_failed || code == UW_E_CANCELLED || code == UW_E_TIMED_OUT) {
			if (err)
				*err = one;
			return code;
		}
		code = sink.done(sink.arg, i, code < 0 ? NULL : &info, &one);
		if (code < 0)
			return uw_fail(err, code, UW_STAGE_READ, UW_EFFECT_NONE, 0, "the receiver of the content gave up");
	}
	return 0;
}
