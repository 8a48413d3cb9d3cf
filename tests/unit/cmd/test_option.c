/* The option parser (C-70). */
#include "unit.h"

#include <string.h>

#include "cmd/option.h"

#define BITS (CMD_BIT(JSON) | CMD_BIT(SET) | CMD_BIT(MODE) | CMD_BIT(RECURSIVE) | CMD_BIT(PARENTS) | CMD_BIT(HELP))

struct parsed {
	struct cmd_arguments arguments;
	struct uw_error err;
	size_t used;
	int r;
};

static struct parsed parse(enum cmd_order order, int operands, const char *const *words)
{
	struct parsed parsed = {.err = UW_ERROR_INIT};
	size_t count = 0;
	while (words[count])
		count++;
	parsed.r = cmd_options_parse(BITS, order, operands, count, (char *const *)words, &parsed.arguments,
	                             &parsed.used, &parsed.err);
	return parsed;
}

#define PARSE(order, operands, ...) parse(order, operands, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(a_value_follows_or_stands_behind_an_equals_sign)
{
	struct parsed a = PARSE(CMD_MIXED, 1, "--mode", "read-only", "x");
	struct parsed b = PARSE(CMD_MIXED, 1, "x", "--mode=read-only");
	ck_assert_int_eq(a.r, 0);
	ck_assert_str_eq(a.arguments.value[CMD_MODE], "read-only");
	ck_assert_str_eq(a.arguments.operands[0], "x");
	ck_assert_int_eq(b.r, 0);
	ck_assert_str_eq(b.arguments.value[CMD_MODE], "read-only");
	ck_assert_uint_eq(b.arguments.operand_count, 1);
	cmd_arguments_finish(&a.arguments);
	cmd_arguments_finish(&b.arguments);
}
END_TEST

START_TEST(an_empty_value_is_a_value)
{
	struct parsed a = PARSE(CMD_MIXED, 1, "--mode=");
	struct parsed b = PARSE(CMD_MIXED, 1, "--mode", "");
	ck_assert_str_eq(a.arguments.value[CMD_MODE], "");
	ck_assert_str_eq(b.arguments.value[CMD_MODE], "");
	cmd_arguments_finish(&a.arguments);
	cmd_arguments_finish(&b.arguments);
}
END_TEST

START_TEST(what_repeats_is_kept_in_order_and_ends_with_null)
{
	struct parsed a = PARSE(CMD_MIXED, 1, "--set", "a=1", "x", "--set=b=2");
	ck_assert_int_eq(a.r, 0);
	ck_assert_uint_eq(a.arguments.many_count[CMD_SET], 2);
	ck_assert_str_eq(a.arguments.many[CMD_SET][0], "a=1");
	ck_assert_str_eq(a.arguments.many[CMD_SET][1], "b=2");
	ck_assert_ptr_null(a.arguments.many[CMD_SET][2]);
	cmd_arguments_finish(&a.arguments);
}
END_TEST

START_TEST(a_command_s_own_options_are_not_read)
{
	struct parsed a = PARSE(CMD_OPTIONS_FIRST, 1, "--json", "ls", "--mode", "-r", "--", "--json");
	ck_assert_int_eq(a.r, 0);
	ck_assert(cmd_given(&a.arguments, CMD_JSON));
	ck_assert(!cmd_given(&a.arguments, CMD_MODE));
	ck_assert_uint_eq(a.arguments.operand_count, 5);
	ck_assert_str_eq(a.arguments.operands[1], "--mode");
	ck_assert_str_eq(a.arguments.operands[3], "--");
	ck_assert_ptr_null(a.arguments.operands[5]);
	cmd_arguments_finish(&a.arguments);
}
END_TEST

START_TEST(two_dashes_end_the_options_once)
{
	struct parsed a = PARSE(CMD_MIXED, 1, "--", "--json", "--");
	ck_assert_int_eq(a.r, 0);
	ck_assert(!cmd_given(&a.arguments, CMD_JSON));
	ck_assert_uint_eq(a.arguments.operand_count, 2);
	ck_assert_str_eq(a.arguments.operands[1], "--");
	cmd_arguments_finish(&a.arguments);
}
END_TEST

START_TEST(a_lone_dash_is_an_operand)
{
	struct parsed a = PARSE(CMD_MIXED, 1, "-", "");
	ck_assert_int_eq(a.r, 0);
	ck_assert_uint_eq(a.arguments.operand_count, 2);
	ck_assert_str_eq(a.arguments.operands[0], "-");
	cmd_arguments_finish(&a.arguments);
}
END_TEST

START_TEST(letters_may_stand_together)
{
	struct parsed a = PARSE(CMD_MIXED, 1, "-rp");
	ck_assert_int_eq(a.r, 0);
	ck_assert(cmd_given(&a.arguments, CMD_RECURSIVE));
	ck_assert(cmd_given(&a.arguments, CMD_PARENTS));
	cmd_arguments_finish(&a.arguments);
}
END_TEST

START_TEST(without_operands_reading_stops_before_the_first)
{
	struct parsed a = PARSE(CMD_OPTIONS_FIRST, 0, "--json", "run", "--mode", "x");
	ck_assert_int_eq(a.r, 0);
	ck_assert_uint_eq(a.used, 1);
	ck_assert(!cmd_given(&a.arguments, CMD_MODE));
	cmd_arguments_finish(&a.arguments);
}
END_TEST

START_TEST(mistakes_are_told_with_what_was_meant)
{
	static const struct {
		const char *words[3];
		const char *says;
	} cases[] = {
	    {{"--jsom"}, "did you mean --json"},
	    {{"--frobnicate"}, "no option --frobnicate"},
	    {{"-x"}, "no option -x"},
	    {{"-rx"}, "no option -rx"},
	    {{"--mode"}, "needs a value"},
	    {{"--json=1"}, "takes no value"},
	    {{"--mode=a", "--mode=b"}, "given twice"},
	    {{"--"
	      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
	     "no option"},
	    {{"--=x"}, "no option"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct parsed a = parse(CMD_MIXED, 1, cases[i].words);
		ck_assert_int_eq(a.r, UW_E_INVALID_ARGS);
		ck_assert_int_eq(a.err.effect, UW_EFFECT_NONE);
		ck_assert_msg(strstr(a.err.message, cases[i].says), "%s", a.err.message);
		cmd_arguments_finish(&a.arguments);
	}
}
END_TEST

START_TEST(times_are_read_with_their_unit)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} good[] = {{"30", 30000}, {"1.5s", 1500}, {"200ms", 200}, {"2m", 120000}, {"1h", 3600000}, {"0.001", 1}};
	static const char *const bad[] = {"", "0", "0ms", "-1", "1x", "x", "s", "1 s", "99999999999999999999",
	                                  "18446744073709551615", "1e3", "0.0001", "."};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		uint64_t ms = 0;
		ck_assert_int_eq(cmd_parse_time(good[i].text, &ms, NULL), 0);
		ck_assert_uint_eq(ms, good[i].ms);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint64_t ms = 7;
		ck_assert_msg(cmd_parse_time(bad[i], &ms, NULL) == UW_E_INVALID_ARGS, "%s", bad[i]);
		ck_assert_uint_eq(ms, 7);
	}
}
END_TEST

START_TEST(ranges_of_lines_are_read)
{
	static const struct {
		const char *text;
		uint64_t first, last;
	} good[] = {{"1:2", 1, 2}, {"3:", 3, 0}, {":4", 0, 4}, {"5", 5, 5}, {"7:7", 7, 7}};
	static const char *const bad[] = {"", ":", "0", "0:1", "1:0", "2:1", "a", "1:b", "1-2", "1:2:3", "-1",
	                                  "99999999999999999999:"};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		uint64_t first = 9, last = 9;
		ck_assert_int_eq(cmd_parse_lines(good[i].text, &first, &last, NULL), 0);
		ck_assert_uint_eq(first, good[i].first);
		ck_assert_uint_eq(last, good[i].last);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint64_t first, last;
		ck_assert_msg(cmd_parse_lines(bad[i], &first, &last, NULL) == UW_E_INVALID_ARGS, "%s", bad[i]);
	}
}
END_TEST

START_TEST(numbers_are_digits_only)
{
	static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "0x1", "11", "99999999999999999999999"};
	uint64_t number = 0;
	ck_assert_int_eq(cmd_parse_number("10", "it", 10, &number, NULL), 0);
	ck_assert_uint_eq(number, 10);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_int_eq(cmd_parse_number(bad[i], "it", 10, &number, NULL), UW_E_INVALID_ARGS);
}
END_TEST

UW_TESTS("cmd/option", a_value_follows_or_stands_behind_an_equals_sign, an_empty_value_is_a_value,
         what_repeats_is_kept_in_order_and_ends_with_null, a_command_s_own_options_are_not_read,
         two_dashes_end_the_options_once, a_lone_dash_is_an_operand, letters_may_stand_together,
         without_operands_reading_stops_before_the_first, mistakes_are_told_with_what_was_meant,
         times_are_read_with_their_unit, ranges_of_lines_are_read, numbers_are_digits_only)
