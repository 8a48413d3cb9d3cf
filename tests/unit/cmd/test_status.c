/* Exit statuses (C-71), the pages of `explain` (C-60), and the table of commands (C-70). */
#include "unit.h"

#include <string.h>

#include "cmd/cmd.h"

static const int codes[] = {
#define LISTED(name, number, meaning) -(number),
    UW_ERRORS(LISTED)
#undef LISTED
};

START_TEST(every_code_has_advice_and_is_found_by_its_name)
{
	char name[64];
	for (size_t i = 0; i < UW_COUNT(codes); i++) {
		ck_assert_msg(cmd_advice(codes[i]) != NULL, "%s", uw_code_name(codes[i]));
		ck_assert_int_eq(cmd_code_of_name(uw_code_name(codes[i])), codes[i]);
		(void)snprintf(name, sizeof name, "UW_E_%s", uw_code_name(codes[i]));
		ck_assert_int_eq(cmd_code_of_name(name), codes[i]);
	}
	ck_assert_int_eq(cmd_code_of_name(""), 0);
	ck_assert_int_eq(cmd_code_of_name("fs_not_found"), UW_E_FS_NOT_FOUND);
	ck_assert_int_eq(cmd_code_of_name("FS_NOT"), 0);
}
END_TEST

START_TEST(every_code_has_a_status_that_is_umwelt_s_own)
{
	for (size_t i = 0; i < UW_COUNT(codes); i++) {
		int status = cmd_status_of_code(codes[i]);
		ck_assert_msg(status == 1 || (status >= 120 && status <= 127), "%s: %d", uw_code_name(codes[i]), status);
	}
	ck_assert_int_eq(cmd_status_of_code(UW_E_INVALID_ARGS), 120);
	ck_assert_int_eq(cmd_status_of_code(UW_E_NOT_BUILT), 120);
	ck_assert_int_eq(cmd_status_of_code(UW_E_REALM_MISMATCH), 121);
	ck_assert_int_eq(cmd_status_of_code(UW_E_APPROVAL_REQUIRED), 122);
	ck_assert_int_eq(cmd_status_of_code(UW_E_SANDBOX_UNAVAILABLE), 123);
	ck_assert_int_eq(cmd_status_of_code(UW_E_TIMED_OUT), 124);
	ck_assert_int_eq(cmd_status_of_code(UW_E_INTERNAL), 125);
	ck_assert_int_eq(cmd_status_of_code(UW_E_EXEC_NOT_EXECUTABLE), 126);
	ck_assert_int_eq(cmd_status_of_code(UW_E_EXEC_NOT_FOUND), 127);
	ck_assert_int_eq(cmd_status_of_code(UW_E_FS_NOT_FOUND), 1);
	ck_assert_int_eq(cmd_status_of_code(UW_E_FS_BUSY), 1);
	ck_assert_int_eq(cmd_status_of_code(-9999), 125);
}
END_TEST

START_TEST(a_command_s_own_end_is_passed_on)
{
	struct uw_exit end = {.size = sizeof end, .phase = UW_PHASE_EMPTY, .exit_code = 42};
	ck_assert_int_eq(cmd_status_of_exit(&end), 42);
	end.exit_code = -1;
	end.signal = 9;
	ck_assert_int_eq(cmd_status_of_exit(&end), 137);
	end.exit_code = 137; /* exit 137 is no death by signal 9, but the same status */
	end.signal = 0;
	ck_assert_int_eq(cmd_status_of_exit(&end), 137);
	end.cancelled = 2;
	ck_assert_int_eq(cmd_status_of_exit(&end), 124);
	end.cancelled = 0;
	end.limit = UW_LIMIT_WALL;
	ck_assert_int_eq(cmd_status_of_exit(&end), 124);
	end.limit = UW_LIMIT_CPU;
	end.signal = 24;
	ck_assert_int_eq(cmd_status_of_exit(&end), 152);
	end.phase = UW_PHASE_LOST;
	ck_assert_int_eq(cmd_status_of_exit(&end), 125);
}
END_TEST

START_TEST(every_command_has_help_and_no_name_twice)
{
	for (size_t i = 0; cmd_commands[i]; i++) {
		struct uw_buf text = UW_BUF_INIT;
		cmd_help(&text, cmd_commands[i]);
		ck_assert(!text.failed);
		ck_assert(strstr(text.data, cmd_commands[i]->name));
		ck_assert(cmd_commands[i]->min_operands <= cmd_commands[i]->max_operands);
		ck_assert(cmd_commands[i]->options & CMD_BIT(HELP));
		ck_assert_ptr_eq(cmd_find(cmd_commands[i]->name), cmd_commands[i]);
		uw_buf_finish(&text);
	}
	ck_assert_ptr_null(cmd_find("nonsense"));
}
END_TEST

START_TEST(no_command_takes_two_options_of_one_name)
{
	for (size_t c = 0; cmd_commands[c]; c++)
		for (size_t i = 0; i < CMD_OPTION_COUNT; i++)
			for (size_t j = i + 1; j < CMD_OPTION_COUNT; j++) {
				const struct cmd_option_facts *a = cmd_option_facts((enum cmd_option)i);
				const struct cmd_option_facts *b = cmd_option_facts((enum cmd_option)j);
				uint64_t both = UINT64_C(1) << i | UINT64_C(1) << j;
				if ((cmd_commands[c]->options & both) == both) {
					ck_assert_str_ne(a->name, b->name);
					ck_assert(!a->letter || a->letter != b->letter);
				}
			}
}
END_TEST

UW_TESTS("cmd/status", every_code_has_advice_and_is_found_by_its_name,
         every_code_has_a_status_that_is_umwelt_s_own, a_command_s_own_end_is_passed_on,
         every_command_has_help_and_no_name_twice, no_command_takes_two_options_of_one_name)
