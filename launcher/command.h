/*
 * The child: from fork to exec. It confines itself, checks, takes up its place
 * and executes. What goes wrong comes back through a close-on-exec pipe as a
 * struct ul_failure; one with what = 0 says that only exec is left to do. The
 * end of the pipe after it: the command was executed.
 */
#ifndef UL_COMMAND_H
#define UL_COMMAND_H

#include "launcher/job.h"
#include "launcher/landlock.h"

#include <sys/types.h>

/* What the child needs, made before fork so that it allocates nothing. */
struct ul_command {
	const struct ul_job *job;
	const struct ul_landlock *landlock;
	char **argv, **env;
};

int ul_command_prepare(const struct ul_job *job, const struct ul_landlock *landlock,
                       struct ul_command *ret_command, struct ul_failure *failure);
/* Starts it. ret_status: the reading end of the pipe, close-on-exec, not blocking. */
int ul_command_start(const struct ul_command *command, pid_t *ret_pid, int *ret_status,
                     struct ul_failure *failure);

#endif
