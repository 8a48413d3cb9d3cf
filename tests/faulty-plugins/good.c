/* In order: the control of all others. */
#define NAME "good"
#include "plugin.h"
