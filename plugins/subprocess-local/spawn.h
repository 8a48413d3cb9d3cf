/* subprocess/1: resolve and spawn. */
#ifndef UW_SUBPROCESS_SPAWN_H
#define UW_SUBPROCESS_SPAWN_H

#include "process.h"

int spawn_resolve(struct provider *provider, const struct uw_call *call, const struct uw_spawn *spawn,
                  const char *name, struct uw_sink sink, struct uw_error *err);
int spawn_process(struct provider *provider, const struct uw_call *call, const struct uw_spawn *spawn,
                  struct uw_process **ret_process, struct uw_error *err);

#endif
