/* It declares one config key twice. */
#define NAME "duplicate-key"
#define KEYS                                                                                     \
	{"size", UW_KEY_INT, 0, 0, 0, 1, 9, "3", NULL, "One"},                                       \
	    {"size", UW_KEY_INT, 0, 0, 0, 1, 9, "3", NULL, "Other"}
#include "plugin.h"
