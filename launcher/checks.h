/*
 * The checks of every run (C-39), made by the child under all the confinement
 * that the command gets: layer 2, dropped capabilities and the filter are in
 * force. So they prove what the command will meet, not what the launcher meets.
 */
#ifndef UL_CHECKS_H
#define UL_CHECKS_H

#include "launcher/job.h"

#include <stddef.h>

/* PLACE, NONCE and FORBIDDEN, in this order. */
int ul_check_all(const struct ul_job *job, struct ul_failure *failure);

/*
 * Creates a file of a random name in dir, writes `len` bytes and removes it.
 * 0; or the errno of the first step that failed. ret_created tells whether the
 * name was there for a moment.
 */
int ul_check_create(const char *dir, const void *data, size_t len, int *ret_created);
/* 0: the file holds exactly the nonce; EBADMSG: it differs; else the errno. */
int ul_check_nonce(const char *path, const uint8_t nonce[UW_LAUNCH_NONCE_SIZE]);
/* 1: this errno is a refusal of the create, not an accident. */
int ul_check_is_refusal(int os_errno);

#endif
