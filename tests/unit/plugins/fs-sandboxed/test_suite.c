/* fs-sandboxed: the whole suite of fs/1 inside a workspace-write policy. */
#include "sandboxed.h"

#include "tests/suites/fs_suite.h"

UW_TESTS("fs-sandboxed", FS_SUITE)
