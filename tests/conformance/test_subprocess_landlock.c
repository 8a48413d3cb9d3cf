#define SANDBOX       "{ plugin: sandbox-landlock }"
#define POLICY        "mode: workspace-write"
#define PID_NAMESPACE 0
#include "subprocess_world.h"
