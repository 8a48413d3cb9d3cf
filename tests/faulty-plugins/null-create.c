/* It cannot make a provider. */
#define NAME   "null-create"
#define CREATE NULL
#include "plugin.h"
