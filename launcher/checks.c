#include "launcher/checks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 32

static int random_name(char name[NAME_SIZE])
{
	uint64_t bits;
	if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != (ssize_t)sizeof bits)
		return errno;
	(void)snprintf(name, NAME_SIZE, ".umwelt-%016llx", (unsigned long long)bits);
	return 0;
}

int ul_check_create(const char *dir, const void *data, size_t len, int *ret_created)
{
	char name[NAME_SIZE];
	int status, at, fd;
	*ret_created = 0;
	status = random_name(name);
	if (status)
		return status;
	at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return errno;
	fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	status = fd < 0 ? errno : 0;
	if (fd >= 0) {
		*ret_created = 1;
		errno = 0;
		if (len && write(fd, data, len) != (ssize_t)len)
			status = errno ? errno : EIO;
		(void)close(fd);
		if (unlinkat(at, name, 0) < 0 && !status)
			status = errno;
	}
	(void)close(at);
	return status;
}

int ul_check_nonce(const char *path, const uint8_t nonce[UW_LAUNCH_NONCE_SIZE])
{
	uint8_t found[UW_LAUNCH_NONCE_SIZE + 1];
	ssize_t n;
	int status;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	n = read(fd, found, sizeof found);
	status = n < 0 ? errno : 0;
	(void)close(fd);
	if (status)
		return status;
	return n == UW_LAUNCH_NONCE_SIZE && memcmp(found, nonce, UW_LAUNCH_NONCE_SIZE) == 0 ? 0
	                                                                                    : EBADMSG;
}

int ul_check_is_refusal(int os_errno)
{
	return os_errno == EACCES || os_errno == EPERM || os_errno == EROFS;
}

static int check_places(const struct ul_job *job, struct ul_failure *failure)
{
	struct uw_launch_place place;
	struct uw_job_item item;
	struct stat st;
	size_t at = 0;
	while (ul_job_each(job, UW_LAUNCH_PLACE, &at, &item)) {
		memcpy(&place, item.payload, sizeof place);
		if (fstatat(AT_FDCWD, item.text, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return ul_fail(failure, UW_WHAT_PLACE, errno, "nothing can be seen at %s", item.text);
		if (place.dev != (uint64_t)st.st_dev || place.ino != (uint64_t)st.st_ino)
			return ul_fail(failure, UW_WHAT_PLACE, ESTALE, "something else stands at %s",
			               item.text);
	}
	return 0;
}

static int check_forbidden(const struct ul_job *job, struct ul_failure *failure)
{
	struct uw_job_item item;
	size_t at = 0;
	while (ul_job_each(job, UW_LAUNCH_FORBIDDEN, &at, &item)) {
		int created;
		int status = ul_check_create(item.text, NULL, 0, &created);
		if (created)
			return ul_fail(failure, UW_WHAT_FORBIDDEN, 0,
			               "the sandbox does not hold: a file could be made in %s", item.text);
		if (!ul_check_is_refusal(status))
			return ul_fail(failure, UW_WHAT_FORBIDDEN, status,
			               "the forbidden place %s cannot be checked", item.text);
	}
	return 0;
}

int ul_check_all(const struct ul_job *job, struct ul_failure *failure)
{
	if (check_places(job, failure) < 0)
		return -1;
	if (job->checks & UW_CHECKED_NONCE) {
		int status = ul_check_nonce(job->nonce_path, job->nonce.nonce);
		if (status)
			return ul_fail(failure, UW_WHAT_NONCE, status,
			               "this is not the place that was meant: the nonce %s at %s",
			               status == EBADMSG ? "differs" : "cannot be read", job->nonce_path);
	}
	return check_forbidden(job, failure);
}
