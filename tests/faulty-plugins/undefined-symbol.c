/* It needs a symbol that nobody has. */
#define NAME "undefined-symbol"
#define CREATE_BODY uw_nobody_has_this();
extern void uw_nobody_has_this(void);
#include "plugin.h"
