#include "core/settle.h"

void uwi_settle(const struct uwi_settle *settle, struct uw_exit *exit)
{
	(void)settle, (void)exit;
}
