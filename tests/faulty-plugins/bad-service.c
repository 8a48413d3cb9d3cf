/* The service it provides has no revision. */
#define NAME    "bad-service"
#define SERVICE "shell"
#include "plugin.h"
