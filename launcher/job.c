#include "launcher/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_SIZE ((size_t)1 << 16)

static int cannot_read(struct ul_failure *failure)
{
	return ul_fail(failure, UW_WHAT_JOB, errno, "the job cannot be read from descriptor %d",
	               UW_LAUNCH_FD_JOB);
}

/* Grows by doubling, one byte beyond the maximum at most, so that too large is seen. */
static int read_whole(int fd, void **ret_bytes, size_t *ret_len, struct ul_failure *failure)
{
	size_t size = FIRST_SIZE, len = 0;
	char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t n = 1;
	while (bytes != MAP_FAILED && n != 0) {
		if (len > UW_LAUNCH_JOB_MAX)
			return ul_fail(failure, UW_WHAT_JOB, E2BIG, "the job is larger than a job may be");
		if (len == size) {
			bytes = mremap(bytes, size, size * 2, MREMAP_MAYMOVE);
			size *= 2;
			continue;
		}
		n = read(fd, bytes + len, size - len);
		if (n < 0 && errno != EINTR)
			return cannot_read(failure);
		len += n > 0 ? (size_t)n : 0;
	}
	if (bytes == MAP_FAILED)
		return cannot_read(failure);
	*ret_bytes = bytes;
	*ret_len = len;
	return 0;
}

/* Seals hold the size and the bytes: what was checked is what is used. */
static int is_sealed(int fd)
{
	const int needed = F_SEAL_SHRINK | F_SEAL_WRITE;
	int seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & needed) == needed;
}

int ul_job_read(int fd, struct ul_job *job, struct ul_failure *failure)
{
	struct stat st;
	void *bytes = NULL;
	size_t len = 0;
	if (fstat(fd, &st) < 0)
		return cannot_read(failure);
	if (!is_sealed(fd)) {
		if (read_whole(fd, &bytes, &len, failure) < 0)
			return -1;
		return ul_job_take(job, bytes, len, failure);
	}
	if (st.st_size <= 0 || st.st_size > (off_t)UW_LAUNCH_JOB_MAX)
		return ul_fail(failure, UW_WHAT_JOB, E2BIG, "the job is empty or larger than a job may be");
	len = (size_t)st.st_size;
	bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return cannot_read(failure);
	return ul_job_take(job, bytes, len, failure);
}

static void take_record(struct ul_job *job, const struct uw_job_item *item)
{
	switch (item->type) {
	case UW_LAUNCH_EXEC: job->exec = item->text; break;
	case UW_LAUNCH_ARGV: job->argv = *item; break;
	case UW_LAUNCH_ENV: job->env = *item; break;
	case UW_LAUNCH_CWD:
		job->has_cwd = 1;
		job->cwd_path = item->text;
		memcpy(&job->cwd, item->payload, sizeof job->cwd);
		break;
	case UW_LAUNCH_LIFE: memcpy(&job->life, item->payload, sizeof job->life); break;
	case UW_LAUNCH_CONFINE:
		job->confined = 1;
		memcpy(&job->confine, item->payload, sizeof job->confine);
		break;
	case UW_LAUNCH_NONCE:
		job->checks |= UW_CHECKED_NONCE;
		job->nonce_path = item->text;
		memcpy(&job->nonce, item->payload, sizeof job->nonce);
		break;
	case UW_LAUNCH_FORBIDDEN: job->checks |= UW_CHECKED_FORBIDDEN; break;
	default: break; /* iterated over where they are used */
	}
}

int ul_job_take(struct ul_job *job, const void *bytes, size_t len, struct ul_failure *failure)
{
	struct uw_job_fault fault = {"", 0};
	struct uw_job_item item;
	size_t at = 0;
	memset(job, 0, sizeof *job);
	if (uw_job_check(bytes, len, &fault) < 0)
		return ul_fail(failure, UW_WHAT_JOB, EINVAL, "the job is malformed at byte %zu: %s",
		               fault.at, fault.why);
	job->bytes = bytes;
	job->len = len;
	while (uw_job_next(bytes, len, &at, &item, &fault) > 0)
		take_record(job, &item);
	return 0;
}

int ul_job_each(const struct ul_job *job, uint32_t type, size_t *at, struct uw_job_item *ret_item)
{
	struct uw_job_fault fault;
	while (uw_job_next(job->bytes, job->len, at, ret_item, &fault) > 0)
		if (ret_item->type == type)
			return 1;
	return 0;
}
