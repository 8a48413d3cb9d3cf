/*
 * Landlock: the launcher's own table of rights up to ABI 11, scaled down to the
 * running kernel. One ruleset, applied twice: to the launcher (layer 1) and once
 * more to the command (layer 2), whose domain is so strictly below the
 * launcher's: the launcher may signal the command, never the other way round.
 */
#ifndef UL_LANDLOCK_H
#define UL_LANDLOCK_H

#include "launcher/job.h"

struct ul_landlock {
	int ruleset;   /* -1: the job asks for none */
	uint32_t abi;  /* of this kernel; 0 without */
	uint32_t errata; /* bits of the fixed ones, 0 where the kernel does not tell */
	uint64_t lost; /* UW_LOST_* */
};

/* Makes the ruleset; the RULE paths are opened here, in the view the launcher has. */
int ul_landlock_prepare(const struct ul_job *job, struct ul_landlock *landlock,
                        struct ul_failure *failure);
/* One layer on the calling process. Needs no_new_privs. */
int ul_landlock_apply(const struct ul_landlock *landlock, struct ul_failure *failure);

/* For tests: what is handled of that job on a kernel of that ABI. */
struct ul_landlock_rights {
	uint64_t fs, net, scoped, lost;
};
struct ul_landlock_rights ul_landlock_handled(uint32_t abi, uint64_t confine_flags);
/* What a rule of that class grants of `handled` on a directory or on anything else. */
uint64_t ul_landlock_granted(uint32_t access, int directory, uint64_t handled);

#endif
