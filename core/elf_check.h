/*
 * elf_check: what a shared object asks of the dynamic loader, read from the file
 * before anything of it is mapped or run (C-2). No state; any thread.
 */
#ifndef UW_CORE_ELF_CHECK_H
#define UW_CORE_ELF_CHECK_H

#include <umwelt/error.h>

/*
 * Checks an open file: a whole ELF shared object of this machine, no DT_NEEDED
 * with a slash, no run path but $ORIGIN or one of `trusted` (NULL-terminated),
 * nothing else that loads objects (audit, filter). PLUGIN_LOAD_FAILED for what
 * is no such object, PLUGIN_UNTRUSTED for what it asks for; both name `path`.
 */
int uwi_elf_check(int fd, const char *path, char *const *trusted, struct uw_error *err);

#endif
