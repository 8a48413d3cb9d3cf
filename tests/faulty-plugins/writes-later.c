/* C-1: in order at registration, then it writes into its own table. */
#define NAME        "writes-later"
#define CREATE_BODY table.start = NULL;
#include "plugin.h"
