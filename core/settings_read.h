/*
 * settings_read: applies the two files of the host configuration to settings that
 * hold their defaults. Implemented with libconfig in settings.c.
 */
#ifndef UW_CORE_SETTINGS_READ_H
#define UW_CORE_SETTINGS_READ_H

#include "core/settings.h"

/* No ceiling; also the largest number that a limit may be set to. */
#define UWI_LIMIT_MAX 100000

/* `system` need not exist; narrower may be NULL and must exist if must_exist. CONFIG_INVALID. */
int uwi_settings_read(struct uwi_settings *settings, const char *system, const char *narrower,
                      int must_exist, struct uw_error *err);

#endif
