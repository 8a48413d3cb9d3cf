/* Calls itself by another name than its file. */
#define NAME "another"
#include "plugin.h"
