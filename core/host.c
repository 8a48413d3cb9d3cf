#include "core/host_internal.h"

#include "common/cleanup.h"

#include <string.h>
#include <sys/random.h>

const char *uw_version_string(void)
{
	return UW_VERSION;
}

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, ENOMEM, "out of memory");
}

static void log_through(void *arg, int level, const char *message)
{
	uwi_host_log(arg, level, "%s", message);
}

static int fill(struct uw_host *host, const struct uw_host_options *options, struct uw_error *err)
{
	int result;
	if (options && UW_HAS(struct uw_host_options, options->size, log))
		host->log = options->log;
	if (options && UW_HAS(struct uw_host_options, options->size, log_arg))
		host->log_arg = options->log_arg;
	if (getrandom(&host->id, sizeof host->id, 0) != (ssize_t)sizeof host->id ||
	    getrandom(host->nonce, sizeof host->nonce, 0) != (ssize_t)sizeof host->nonce)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_CONFIG, UW_EFFECT_NONE, errno, "no random bytes: %s",
		               strerror(errno));
	host->id |= 1;
	result = uwi_settings_load(options, &host->settings, err);
	if (result < 0)
		return result;
	return uwi_loader_create(host->settings, log_through, host, &host->loader, err);
}

int uw_host_open(const struct uw_host_options *options, struct uw_host **ret_host, struct uw_error *err)
{
	struct uw_host *host;
	int result;
	if (!ret_host || (options && options->size < sizeof options->size))
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
		               "uw_host_open needs ret_host, and options with their size");
	host = calloc(1, sizeof *host);
	if (!host)
		return no_memory(err);
	for (size_t i = 0; i < UW_COUNT(host->executables); i++)
		host->executables[i] = -1;
	if (pthread_mutex_init(&host->lock, NULL) != 0) {
		free(host);
		return no_memory(err);
	}
	result = fill(host, options, err);
	if (result < 0) {
		uw_host_close(host);
		return result;
	}
	*ret_host = host;
	return 0;
}

/* Worlds take themselves out of the list; one that does not is taken out here. */
static void close_worlds(struct uw_host *host)
{
	for (;;) {
		struct uwi_host_link *link;
		struct uw_error err = UW_ERROR_INIT;
		(void)pthread_mutex_lock(&host->lock);
		link = host->links;
		if (link)
			host->links = link->next;
		(void)pthread_mutex_unlock(&host->lock);
		if (!link)
			break;
		if (link->close(link->world, &err) < 0)
			uwi_host_log(host, UW_LOG_ERROR, "a world did not close cleanly: %s", err.message);
	}
}

void uw_host_close(struct uw_host *host)
{
	if (!host)
		return;
	close_worlds(host);
	if (host->check_made)
		uwi_check_remove(&host->check);
	for (size_t i = 0; i < UW_COUNT(host->executables); i++)
		uw_fd_close(&host->executables[i]);
	uwi_loader_destroy(host->loader);
	uwi_settings_free(host->settings);
	(void)pthread_mutex_destroy(&host->lock);
	free(host);
}

const char *uw_host_path(struct uw_host *host, int which)
{
	const char *path;
	if (!host)
		return NULL;
	switch (which) {
	case UW_PATH_STATE: return uwi_settings_state_dir(host->settings, &path, NULL) < 0 ? NULL : path;
	case UW_PATH_TEMP: return host->settings->temp_dir;
	case UW_PATH_LAUNCHER: return host->settings->launcher;
	case UW_PATH_BWRAP: return host->settings->bwrap;
	case UW_PATH_CHECK_NONCE: return uwi_host_check(host, NULL) < 0 ? NULL : host->check.nonce;
	case UW_PATH_CHECK_FORBIDDEN: return uwi_host_check(host, NULL) < 0 ? NULL : host->check.forbidden;
	default: return NULL;
	}
}

int uw_host_plugins(struct uw_host *host, int (*sink)(void *arg, const struct uw_plugin_facts *facts),
                    void *arg, struct uw_error *err)
{
	if (!host || !sink)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "uw_host_plugins needs a host and a sink");
	return uwi_loader_discover(host->loader, sink, arg, err);
}

/* ---- for the rest of core ---- */

void uwi_host_log(struct uw_host *host, int level, const char *format, ...)
{
	char message[2048];
	va_list args;
	if (!host->log || (host->settings && level > host->settings->log_level))
		return;
	va_start(args, format);
	(void)vsnprintf(message, sizeof message, format, args);
	va_end(args);
	host->log(host->log_arg, level, message);
}

uint64_t uwi_host_generation(struct uw_host *host)
{
	uint64_t generation;
	(void)pthread_mutex_lock(&host->lock);
	generation = ++host->generation;
	(void)pthread_mutex_unlock(&host->lock);
	return generation;
}

void uwi_host_add(struct uw_host *host, struct uwi_host_link *link)
{
	(void)pthread_mutex_lock(&host->lock);
	link->next = host->links;
	host->links = link;
	(void)pthread_mutex_unlock(&host->lock);
}

void uwi_host_remove(struct uw_host *host, struct uwi_host_link *link)
{
	(void)pthread_mutex_lock(&host->lock);
	for (struct uwi_host_link **at = &host->links; *at; at = &(*at)->next)
		if (*at == link) {
			*at = link->next;
			break;
		}
	(void)pthread_mutex_unlock(&host->lock);
}

int uwi_host_executable(struct uw_host *host, int which, int *ret_fd, struct uw_error *err)
{
	int *slot, result = 0;
	if (which != UW_PATH_LAUNCHER && which != UW_PATH_BWRAP)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "path %d of the host is no executable", which);
	slot = &host->executables[which == UW_PATH_BWRAP];
	(void)pthread_mutex_lock(&host->lock);
	if (*slot < 0)
		result = uwi_trust_open_executable(uw_host_path(host, which), slot, err);
	if (result == 0)
		*ret_fd = *slot;
	(void)pthread_mutex_unlock(&host->lock);
	return result;
}
