/* It names a service but has no table of it. */
#define NAME  "null-table"
#define TABLE NULL
#include "plugin.h"
