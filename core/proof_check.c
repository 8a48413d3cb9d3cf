/* The check directory of a host instance (C-39). */
#include "common/cleanup.h"
#include "common/io.h"
#include "common/remove_tree.h"
#include "core/host_internal.h"
#include "core/private_dir.h"
#include "core/proof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK_PREFIX "umwelt-check"

static char *below(const char *path, const char *name)
{
	char *joined = NULL;
	return asprintf(&joined, "%s/%s", path, name) < 0 ? NULL : joined;
}

static int fill(struct uwi_check *check, const uint8_t *nonce, size_t nonce_len, struct uw_error *err)
{
	UW_AUTO_FD file = -1;
	check->nonce = below(check->path, "nonce");
	check->forbidden = below(check->path, "forbidden");
	if (!check->nonce || !check->forbidden)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, ENOMEM, "no memory for a path");
	file = open(check->nonce, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0 || uw_write_full(file, nonce, nonce_len) < 0 || mkdir(check->forbidden, 0700) < 0)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, errno,
		               "the check directory %s cannot be filled: %s", check->path, strerror(errno));
	return 0;
}

int uwi_check_make(struct uwi_check *check, const char *temp_dir, const uint8_t *nonce, size_t nonce_len,
                   struct uw_error *err)
{
	struct uwi_check made = {NULL, NULL, NULL, -1};
	int code;
	code = uwi_private_dir_make_unmasked(temp_dir, CHECK_PREFIX, &made.path, &made.lock, err);
	if (code == 0)
		code = fill(&made, nonce, nonce_len, err);
	if (code < 0) {
		uwi_check_remove(&made);
		return code;
	}
	*check = made;
	return 0;
}

void uwi_check_remove(struct uwi_check *check)
{
	if (check->path)
		(void)uw_remove_tree(AT_FDCWD, check->path);
	uw_fd_close(&check->lock);
	free(check->path);
	free(check->nonce);
	free(check->forbidden);
	memset(check, 0, sizeof *check);
	check->lock = -1;
}

int uwi_host_check(struct uw_host *host, struct uw_error *err)
{
	struct uwi_check made;
	int have, code;
	(void)pthread_mutex_lock(&host->lock);
	have = host->check_made;
	(void)pthread_mutex_unlock(&host->lock);
	if (have)
		return 0;
	code = uwi_check_make(&made, host->settings->temp_dir, host->nonce, sizeof host->nonce, err);
	if (code < 0)
		return code;
	(void)pthread_mutex_lock(&host->lock);
	have = host->check_made;
	if (!have) {
		host->check = made;
		host->check_made = 1;
	}
	(void)pthread_mutex_unlock(&host->lock);
	if (have) /* another thread was first */
		uwi_check_remove(&made);
	return 0;
}
