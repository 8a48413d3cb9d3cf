/* Linked against a library whose name holds a slash. */
#define NAME "needed-slash"
#include "plugin.h"
