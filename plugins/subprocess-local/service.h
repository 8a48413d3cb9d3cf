/* subprocess/1: what is done with a process once it runs. Takes the process's lock itself. */
#ifndef UW_SUBPROCESS_SERVICE_H
#define UW_SUBPROCESS_SERVICE_H

#include "process.h"

int service_process_fd(struct uw_process *process, int which);
int service_close_fd(struct uw_process *process, int which, struct uw_error *err);
int64_t service_pid(struct uw_process *process);
int service_wait(struct uw_process *process, const struct uw_call *call, int what,
                 struct uw_exit *ret_exit, struct uw_error *err);
int service_output(struct uw_process *process, const struct uw_call *call, int stream, uint64_t offset,
                   uint64_t max, struct uw_sink sink, uint64_t *ret_offset, uint64_t *ret_next,
                   struct uw_error *err);
int service_signal(struct uw_process *process, int number, struct uw_error *err);
int service_terminate(struct uw_process *process, uint32_t grace_ms, struct uw_error *err);
int service_pty_resize(struct uw_process *process, struct uw_pty size, struct uw_error *err);
int service_pty_foreground(struct uw_process *process, struct uw_foreground *ret, struct uw_error *err);
int service_pty_signal(struct uw_process *process, int number, struct uw_error *err);
int service_dispose(struct uw_process *process, struct uw_error *err);

#endif
