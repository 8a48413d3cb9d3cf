/*
 * What Landlock alone holds, row by row (S-12), on a kernel with this ABI.
 */
#ifndef UW_LANDLOCK_TABLE_H
#define UW_LANDLOCK_TABLE_H

#include <umwelt/sandbox.h>

/* Fills all rows; texts are static. */
void landlock_table(struct uw_enforcement_row rows[UW_OP_COUNT], const struct uw_policy *policy,
                    int abi);

#endif
