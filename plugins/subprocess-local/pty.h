/* The PTY of a process: its master belongs to this provider (T-3). */
#ifndef UW_SUBPROCESS_PTY_H
#define UW_SUBPROCESS_PTY_H

#include <umwelt/subprocess.h>

/* Both close-on-exec; neither becomes a controlling terminal here. 0 or an errno. */
int pty_open(struct uw_pty size, int *ret_master, int *ret_slave);
/* 0 or an errno. */
int pty_set_size(int master, struct uw_pty size);
/* To the group in front. 0 or an errno (what this kernel sends by a terminal is few signals). */
int pty_send_signal(int master, int number);

/*
 * Facts of the foreground group (T-6). command: the shell as the host sees it, 0
 * unknown. Never fails: what cannot be known says so.
 */
void pty_facts(int master, pid_t command, struct uw_foreground *ret);

#endif
