#define SANDBOX       "{ plugin: sandbox-bwrap }"
#define POLICY        "mode: workspace-write"
#define PID_NAMESPACE 1
#include "subprocess_world.h"
