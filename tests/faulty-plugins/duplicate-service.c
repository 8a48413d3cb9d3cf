/* It provides one service twice. */
#define NAME          "duplicate-service"
#define MORE_PROVIDES {SERVICE, UW_THREADS_PARALLEL, 0, &table}
#include "plugin.h"
