/*
 * What one spawn puts together before it starts anything: the descriptors of the
 * child and their numbers, the environment, the working directory, the job for
 * the launcher. Lives as long as the call of spawn; whatever it still owns is
 * closed by plan_finish.
 */
#ifndef UW_SUBPROCESS_PLAN_H
#define UW_SUBPROCESS_PLAN_H

#include "common/buf.h"
#include "process.h"
#include "start.h"

/* descriptors that only the child keeps */
#define PLAN_ENDS 12

struct plan {
	const struct uw_call *call;
	const struct uw_spawn *spec;
	const struct uw_confined *confined; /* NULL: nothing */
	struct uw_process *process;
	struct environment environment;
	struct uw_buf program, cwd, temp, words, job;
	const char *cwd_shown; /* outside path, for people */
	int cwd_fd;
	int ends[PLAN_ENDS];
	size_t end_count;
	struct start_map *map;
	size_t map_count, map_capacity;
	int next_as;
	int channel_as; /* UMWELT_CONTROL_FD; 0: none */
	int capture_fd; /* what the wrapper says on stderr; -1 without a wrapper */
};

void plan_init(struct plan *plan, const struct uw_call *call, const struct uw_spawn *spec,
               struct uw_process *process);
void plan_finish(struct plan *plan);
/* Closes the child's ends: after the start, or the streams would never end. */
void plan_close_ends(struct plan *plan);

/* The child gets fd as number `as`, which is returned; -1: memory. */
int plan_map(struct plan *plan, int fd, int as);
/* The child gets fd, under the next number that is free. */
int plan_pass(struct plan *plan, int fd);
/* Keeps fd as an end to be closed; returns it. */
int plan_keep(struct plan *plan, int fd);

/* In this order. Each fails with effect none. */
int plan_environment(struct plan *plan, struct uw_error *err);
int plan_program(struct plan *plan, struct uw_error *err);
int plan_cwd(struct plan *plan, struct uw_error *err);
int plan_stdio(struct plan *plan, struct uw_error *err); /* stdio.c */
int plan_job(struct plan *plan, struct uw_error *err);   /* descriptors, job, control */

int plan_has_wrapper(const struct plan *plan);

#endif
