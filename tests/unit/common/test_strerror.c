/* common/strerror: words for every errno, also for one that is none. */
#include "tests/unit.h"

#include "common/strerror.h"

#include <errno.h>

START_TEST(every_number_has_words)
{
	ck_assert_str_eq(uw_strerror(ENOENT), "No such file or directory");
	for (int number = -1; number < 300; number++)
		ck_assert_int_ne(uw_strerror(number)[0], '\0');
}
END_TEST

UW_TESTS("common/strerror", every_number_has_words)
