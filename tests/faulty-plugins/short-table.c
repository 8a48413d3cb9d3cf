/* Its table ends before the mandatory functions do. */
#define NAME       "short-table"
#define TABLE_SIZE offsetof(struct uw_shell_v1, dialect)
#include "plugin.h"
