/*
 * The host: what all worlds of one uw_host_open share. Settings and loader are
 * constant after open; the lock guards what stands below it and is held across
 * no plugin call, no I/O but opening an executable for the first time.
 */
#ifndef UW_CORE_HOST_INTERNAL_H
#define UW_CORE_HOST_INTERNAL_H

#include "core/loader.h"
#include "core/proof.h"
#include "core/settings.h"

#include <pthread.h>
#include <umwelt/launch.h>

/* One world in the host's list; the world embeds it. */
struct uwi_host_link {
	struct uwi_host_link *next;
	struct uw_world *world;
	int (*close)(struct uw_world *world, struct uw_error *err); /* uw_world_close */
};

struct uw_host {
	struct uwi_settings *settings;
	struct uwi_loader *loader;
	uint64_t id; /* of this host instance, never 0 (C-36) */
	void (*log)(void *arg, int level, const char *message);
	void *log_arg;
	uint8_t nonce[UW_LAUNCH_NONCE_SIZE]; /* of its in-run checks (C-39) */
	pthread_mutex_t lock;
	uint64_t generation;         /* last one given out */
	struct uwi_host_link *links; /* open worlds, newest first */
	int executables[2];          /* launcher, bwrap: verified, kept; -1 before */
	int check_made;
	struct uwi_check check; /* constant once made */
};

/* Drops what is below the configured level. Any thread; the callback is the host's own. */
void uwi_host_log(struct uw_host *host, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The next generation number, unique in this host. */
uint64_t uwi_host_generation(struct uw_host *host);
/* Adds a world, which uw_host_close then closes; taken out by uw_world_close itself. */
void uwi_host_add(struct uw_host *host, struct uwi_host_link *link);
void uwi_host_remove(struct uw_host *host, struct uwi_host_link *link);
/*
 * UW_PATH_LAUNCHER or UW_PATH_BWRAP as a verified O_PATH descriptor, opened once
 * and kept by the host: the caller does not close it.
 */
int uwi_host_executable(struct uw_host *host, int which, int *ret_fd, struct uw_error *err);
/* Makes the check directory at its first call (C-39, proof.c). */
int uwi_host_check(struct uw_host *host, struct uw_error *err);

#endif
