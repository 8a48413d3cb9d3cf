/* Built for another major of the ABI. */
#define NAME  "abi-major"
#define MAJOR 999
#include "plugin.h"
