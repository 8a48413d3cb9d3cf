/*
 * mapped: which file stands behind an address of this process, by the kernel's
 * own account (not by a name that a caller of dlopen chose).
 */
#ifndef UW_CORE_MAPPED_H
#define UW_CORE_MAPPED_H

#include <umwelt/error.h>

struct uwi_mapped {
	unsigned major, minor; /* as the kernel lists them; may differ from st_dev on some file systems */
	unsigned long long inode;
	char path[4096]; /* absolute; "" if it has none */
};

/* PLUGIN_LOAD_FAILED if no file is mapped there or /proc cannot be read. */
int uwi_mapped_find(const void *address, struct uwi_mapped *ret_mapped, struct uw_error *err);
/*
 * The same account of an open file, so that two are comparable also where st_dev
 * is not what the kernel lists (btrfs, overlay): maps a page and looks it up.
 */
int uwi_mapped_of_fd(int fd, struct uwi_mapped *ret_mapped, struct uw_error *err);

#endif
