/* It declares a thread model that does not exist. */
#define NAME    "bad-threads"
#define THREADS 7
#include "plugin.h"
