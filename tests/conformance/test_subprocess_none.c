#define SANDBOX       "none"
#define POLICY        "mode: danger-full-access"
#define PID_NAMESPACE 0
#include "subprocess_world.h"
