/* Its descriptor ends before the mandatory members do. */
#define NAME "short-descriptor"
#define SIZE offsetof(struct uw_plugin, create)
#include "plugin.h"
