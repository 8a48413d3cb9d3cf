/*
 * Capabilities. The launcher gives up all but those the command keeps and KILL
 * (to end processes of the range that changed their uid); the command gives up
 * KILL too, unless it is kept.
 */
#ifndef UL_CAPS_H
#define UL_CAPS_H

#include "launcher/job.h"

/* Bounding and ambient sets, then the launcher's own. Without DROP_CAPS: nothing. */
int ul_caps_limit_launcher(const struct ul_job *job, struct ul_failure *failure);
/* In the child: permitted and effective exactly what is kept, nothing inheritable. */
int ul_caps_limit_command(const struct ul_job *job, struct ul_failure *failure);

#endif
