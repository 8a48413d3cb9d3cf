/*
 * Removal of a whole directory that others filled: symbolic links are removed,
 * never followed, and depth does not matter (a deeper directory is first moved up,
 * so two descriptors are enough for any tree). Directories that their owner made
 * unwritable are opened up on the way. No state; any thread.
 */
#ifndef UW_COMMON_REMOVE_TREE_H
#define UW_COMMON_REMOVE_TREE_H

/*
 * Removes `name` below dir_fd (AT_FDCWD: a path) and all that is in it. Absent is
 * a success. -1 with the errno of the first failure; all else is tried. EBUSY: a file that is
 * held open, on a file system (FUSE) that keeps it under a hidden name until it is closed.
 */
int uw_remove_tree(int dir_fd, const char *name);

#endif
