#include "policy.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static int note(void *arg, const char *section, const char *sub, const char *key, const char *value)
{
	struct uw_buf *seen = arg;
	uw_buf_printf(seen, "%s|%s|%s|%s;", section, sub, key, value);
	return strcmp(key, "stop") == 0 ? 7 : 0;
}

static void parses(const char *text, const char *wanted)
{
	struct uw_buf seen = UW_BUF_INIT;
	(void)gitconfig_parse(text, strlen(text), note, &seen);
	ck_assert_str_eq(seen.data ? seen.data : "", wanted);
	uw_buf_finish(&seen);
}

START_TEST(values_are_read_as_git_reads_them)
{
	parses("[core]\n\thooksPath = .husky/_\n", "core||hookspath|.husky/_;");
	parses("[Core] HOOKSPATH=a b  # c\n", "core||hookspath|a b;");
	parses("[core]\nhookspath = \"a # b\" ; c\n", "core||hookspath|a # b;");
	parses("[core]\nhookspath = a\\\nb\n", "core||hookspath|ab;");
	parses("[core]\nhookspath = a\\tb\\\\c\\\"\n", "core||hookspath|a\tb\\c\";");
	parses("[includeIf \"gitdir:~/X\\\"\\\\\"]\npath = p\n", "includeif|gitdir:~/X\"\\|path|p;");
	parses("[core]\r\nbare\r\nx = y\r\n", "core||bare|;core||x|y;");
	parses("# c\n; d\n[a.b]\nk=v", "a.b||k|v;");
}
END_TEST

START_TEST(what_git_would_refuse_ends_it)
{
	parses("[core\nhookspath = x\n", "");
	parses("[core]\n= x\nhookspath = y\n", "");
	parses("[core]\na = b\nc = \\q\nhookspath = y\n", "core||a|b;");
	parses("[core]\nx = \"open\n[core]\nhookspath = y\n", "");
	parses("", "");
	parses("[", "");
	parses("[a \"", "");
	parses("[a]\nk=\\", "");
}
END_TEST

START_TEST(what_the_callee_answers_is_passed_on)
{
	struct uw_buf seen = UW_BUF_INIT;
	const char text[] = "[a]\nstop=1\nmore=2\n";
	ck_assert_int_eq(gitconfig_parse(text, sizeof text - 1, note, &seen), 7);
	ck_assert_str_eq(seen.data, "a||stop|1;");
	uw_buf_finish(&seen);
}
END_TEST

UW_TESTS("policy/gitconfig", values_are_read_as_git_reads_them, what_git_would_refuse_ends_it,
         what_the_callee_answers_is_passed_on)
