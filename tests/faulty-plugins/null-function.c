/* A mandatory function of its table is missing. */
#define NAME  "null-function"
#define START NULL
#include "plugin.h"
