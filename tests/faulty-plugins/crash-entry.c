/* Its entry function crashes. */
#define NAME "crash-entry"
#define OWN_ENTRY
#include "plugin.h"

const struct uw_plugin *uw_plugin_entry(void)
{
	__builtin_trap();
}
