/*
 * The suite as an ordinary user without an entry in the password database. Run
 * by root the tests become that user; run by another user they are what they are.
 */
#include "local.h"

#include <grp.h>
#include "tests/unit.h"

UW_NEEDS_THE_MACHINE;

#define ORDINARY_USER 54321

static void open_as_user(struct subprocess_suite *given)
{
	if (getuid() == 0) {
		ck_assert_int_eq(setgroups(0, NULL), 0);
		ck_assert_int_eq(setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER), 0);
		ck_assert_int_eq(setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER), 0);
	}
	local_open(given);
}

int main(void)
{
	return local_main("subprocess-local/service, ordinary user", open_as_user);
}
