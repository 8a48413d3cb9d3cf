/* The default of its key is outside of the key's own bounds. */
#define NAME "bad-default"
#define KEYS {"size", UW_KEY_INT, 0, 0, 0, 1, 9, "30", NULL, "How large it is"}
#include "plugin.h"
