/* Linked with a run path into a directory that anybody may write. */
#define NAME "run-path"
#include "plugin.h"
