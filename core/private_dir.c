#include "core/private_dir.h"

#include "common/cleanup.h"
#include "common/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Until its maker has locked it, a directory has this prefix: it is left over only
 * when it has grown old. Under its own name it is locked from the first moment on.
 */
#define UNLOCKED_PREFIX "umwelt-new"
#define YOUNG_S         60

static int failed(struct uw_error *err, const char *path)
{
	(void)uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, errno,
	              "the private directory %s cannot be made: %s", path, strerror(errno));
	uw_error_detail(err, "path", path, strlen(path));
	return UW_E_IO_ERROR;
}

static int name_it(const char *parent, const char *prefix, const uint64_t random[2], char *path,
                   size_t size)
{
	int len = snprintf(path, size, "%s/%s-%lu-%016llx%016llx", strcmp(parent, "/") ? parent : "", prefix,
	               (unsigned long)geteuid(), (unsigned long long)random[0], (unsigned long long)random[1]);
	if (len < 0 || (size_t)len >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

int uwi_private_dir_make(const char *parent, const char *prefix, char **ret_path, int *ret_lock,
                         struct uw_error *err)
{
	char path[4096] = "", fresh[4096];
	uint64_t random[2];
	UW_AUTO_FD lock = -1;
	UW_AUTO_FREE char *kept = NULL;
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random ||
	    name_it(parent, prefix, random, path, sizeof path) < 0 ||
	    name_it(parent, UNLOCKED_PREFIX, random, fresh, sizeof fresh) < 0 || mkdir(fresh, 0700) < 0)
		return failed(err, path);
	lock = open(fresh, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	kept = strdup(path);
	/* 0700 whatever the umask took away */
	if (lock < 0 || fchmod(lock, 0700) < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0 || !kept ||
	    rename(fresh, path) < 0) {
		int code = failed(err, path);
		(void)rmdir(fresh);
		return code;
	}
	*ret_path = UW_STEAL(kept);
	*ret_lock = uw_fd_steal(&lock);
	return 0;
}

int uwi_private_dir_make_unmasked(const char *temp_dir, const char *prefix, char **ret_path, int *ret_lock,
                                  struct uw_error *err)
{
	const char *const parents[] = {"/var/tmp", temp_dir};
	int code = -1;
	for (size_t i = 0; i < 2 && code < 0; i++) {
		uwi_private_dir_clean(parents[i], prefix);
		code = uwi_private_dir_make(parents[i], prefix, ret_path, ret_lock, err);
	}
	return code;
}

static int is_left_over(int dir, const char *name, int min_age_s)
{
	struct stat st;
	struct timespec now;
	UW_AUTO_FD fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || clock_gettime(CLOCK_REALTIME, &now) < 0)
		return 0;
	if (st.st_mtim.tv_sec <= now.tv_sec && now.tv_sec - st.st_mtim.tv_sec < min_age_s)
		return 0;
	return flock(fd, LOCK_EX | LOCK_NB) == 0; /* given back when fd closes, just before the removal */
}

void uwi_private_dir_clean(const char *parent, const char *prefix)
{
	char named[128], fresh[128];
	size_t named_len = (size_t)snprintf(named, sizeof named, "%.64s-%lu-", prefix, (unsigned long)geteuid());
	size_t fresh_len = (size_t)snprintf(fresh, sizeof fresh, "%s-%lu-", UNLOCKED_PREFIX, (unsigned long)geteuid());
	struct dirent *entry;
	DIR *dir = opendir(parent);
	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL)
		if ((!strncmp(entry->d_name, named, named_len) && is_left_over(dirfd(dir), entry->d_name, 0)) ||
		    (!strncmp(entry->d_name, fresh, fresh_len) && is_left_over(dirfd(dir), entry->d_name, YOUNG_S)))
			(void)uw_remove_tree(dirfd(dir), entry->d_name);
	(void)closedir(dir);
}
