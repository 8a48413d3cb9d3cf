/* Its entry function returns nothing. */
#define NAME "null-descriptor"
#define OWN_ENTRY
#include "plugin.h"

const struct uw_plugin *uw_plugin_entry(void)
{
	return NULL;
}
