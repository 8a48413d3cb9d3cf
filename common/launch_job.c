#include "common/launch_job.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void uw_job_record(struct uw_buf *job, uint32_t type, const void *head, size_t head_len,
                   const void *tail, size_t tail_len)
{
	static const char zeroes[8];
	struct uw_launch_record record = {type, 0};
	if (head_len > UW_LAUNCH_JOB_MAX || tail_len > UW_LAUNCH_JOB_MAX - head_len) {
		job->failed = 1;
		return;
	}
	record.length = (uint32_t)(head_len + tail_len);
	uw_buf_add(job, &record, sizeof record);
	uw_buf_add(job, head, head_len);
	uw_buf_add(job, tail, tail_len);
	uw_buf_add(job, zeroes, (8 - record.length % 8) % 8);
}

/* A struct, then a path with its NUL. */
static void record_path(struct uw_buf *job, uint32_t type, const void *head, size_t head_len,
                        const char *path)
{
	if (!path || !*path)
		job->failed = 1;
	else
		uw_job_record(job, type, head, head_len, path, strlen(path) + 1);
}

void uw_job_begin(struct uw_buf *job)
{
	const struct uw_launch_head head = {UW_LAUNCH_MAGIC, UW_LAUNCH_VERSION};
	uw_job_record(job, UW_LAUNCH_HEAD, &head, sizeof head, NULL, 0);
}

void uw_job_text(struct uw_buf *job, uint32_t type, const char *text)
{
	record_path(job, type, NULL, 0, text);
}

void uw_job_words(struct uw_buf *job, uint32_t type, const char *const *words)
{
	UW_AUTO_BUF all = UW_BUF_INIT;
	size_t i;
	for (i = 0; words && words[i]; i++)
		uw_buf_add(&all, words[i], strlen(words[i]) + 1);
	if (all.failed)
		job->failed = 1;
	else
		uw_job_record(job, type, NULL, 0, all.data, all.len);
}

void uw_job_cwd(struct uw_buf *job, int fd, const char *path)
{
	const struct uw_launch_cwd cwd = {fd, 0};
	const char *text = path ? path : "";
	uw_job_record(job, UW_LAUNCH_CWD, &cwd, sizeof cwd, text, strlen(text) + 1);
}

void uw_job_pass(struct uw_buf *job, int fd, int as)
{
	const struct uw_launch_pass pass = {fd, as};
	uw_job_record(job, UW_LAUNCH_PASS, &pass, sizeof pass, NULL, 0);
}

void uw_job_limit(struct uw_buf *job, uint32_t resource, uint64_t soft, uint64_t hard)
{
	const struct uw_launch_limit limit = {resource, 0, soft, hard};
	uw_job_record(job, UW_LAUNCH_LIMIT, &limit, sizeof limit, NULL, 0);
}

void uw_job_life(struct uw_buf *job, const struct uw_launch_life *life)
{
	uw_job_record(job, UW_LAUNCH_LIFE, life, sizeof *life, NULL, 0);
}

void uw_job_confine(struct uw_buf *job, const struct uw_launch_confine *confine)
{
	uw_job_record(job, UW_LAUNCH_CONFINE, confine, sizeof *confine, NULL, 0);
}

void uw_job_rule(struct uw_buf *job, uint32_t access, int required, const char *path)
{
	const struct uw_launch_rule rule = {access, required != 0};
	record_path(job, UW_LAUNCH_RULE, &rule, sizeof rule, path);
}

void uw_job_nonce(struct uw_buf *job, const uint8_t nonce[UW_LAUNCH_NONCE_SIZE], const char *path)
{
	struct uw_launch_nonce head;
	memcpy(head.nonce, nonce, sizeof head.nonce);
	record_path(job, UW_LAUNCH_NONCE, &head, sizeof head, path);
}

void uw_job_place(struct uw_buf *job, uint64_t dev, uint64_t ino, const char *path)
{
	const struct uw_launch_place place = {dev, ino};
	record_path(job, UW_LAUNCH_PLACE, &place, sizeof place, path);
}

int uw_job_profile(struct uw_buf *job, const void *profile, size_t len,
                   struct uw_job_fault *ret_fault)
{
	struct uw_job_fault fault;
	if (uw_job_check_profile(profile, len, ret_fault ? ret_fault : &fault) < 0) {
		job->failed = 1;
		return -1;
	}
	uw_buf_add(job, profile, len);
	return 0;
}

void uw_job_end(struct uw_buf *job)
{
	uw_job_record(job, UW_LAUNCH_END, NULL, 0, NULL, 0);
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int uw_job_seal(const struct uw_buf *job, int *ret_fd, struct uw_job_fault *ret_fault)
{
	struct uw_job_fault fault;
	int fd, saved;
	if (job->failed || job->len > UW_LAUNCH_JOB_MAX) {
		errno = job->failed ? ENOMEM : E2BIG;
		return -1;
	}
	if (uw_job_check(job->data, job->len, ret_fault ? ret_fault : &fault) < 0) {
		errno = EINVAL;
		return -1;
	}
	fd = memfd_create("umwelt-job", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	if (write_all(fd, job->data, job->len) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0) {
		saved = errno;
		(void)close(fd);
		errno = saved;
		return -1;
	}
	*ret_fd = fd;
	return 0;
}
