/* The whole suite of sandbox/1, as root and as an ordinary user. */
#include "tests/suites/sandbox_suite.h"

#include <unistd.h>

#include "unit.h"

UW_NEEDS_THE_MACHINE;

#define BOTH(name)                                                                               \
	START_TEST(name##_as_root)                                                                   \
	{                                                                                            \
		if (geteuid() == 0)                                                                      \
			sandbox_case_##name(0);                                                              \
	}                                                                                            \
	END_TEST                                                                                     \
	START_TEST(name##_as_a_user)                                                                 \
	{                                                                                            \
		sandbox_case_##name(geteuid() == 0 ? SUITE_USER : geteuid());                            \
	}                                                                                            \
	END_TEST

SANDBOX_SUITE(BOTH)

#define NAMES(name) name##_as_root, name##_as_a_user,

UW_TESTS("sandbox-bwrap/suite", SANDBOX_SUITE(NAMES))
