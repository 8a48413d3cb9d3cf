/* subprocess-local: environment, lookup of programs, paths across a view (P-2, P-3, W29). */
#include "tests/temp.h"
#include "tests/unit.h"

#include "common/cleanup.h"
#include "env_rules.h"
#include "environment.h"
#include "resolve.h"
#include "view_path.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *denied(const char *name)
{
	const char *rule = env_denied(name, strlen(name));
	return rule ? rule : "";
}

/* peer/F15, W29, shell/S17 */
START_TEST(credentials_are_matched_by_word)
{
	static const char *const go[] = {"MY_API_KEY", "A_TOKEN_B", "password_x", "SSH_AUTH_SOCK",
	                                 "AWS_CREDENTIALS", "PASSWD", "GITHUB_TOKEN", "apiKey", "DB_PASS",
	                                 "CLIENT_SECRET_ID", "MYSQL_PWD", "GITHUB_PAT"};
	static const char *const stay[] = {"MONKEY", "DSH_FOO", "dsh_low", "KEEPME", "PATH", "KEYMAP",
	                                   "GIT_AUTHOR_NAME", "LESSKEY", "PATTERN", "COMPASS", "HOME"};
	for (size_t i = 0; i < UW_COUNT(go); i++)
		ck_assert_msg(!strcmp(denied(go[i]), "credential"), "%s stays", go[i]);
	for (size_t i = 0; i < UW_COUNT(stay); i++)
		ck_assert_msg(!denied(stay[i])[0], "%s goes", stay[i]);
}
END_TEST

START_TEST(hooks_of_loaders_and_interpreters_go)
{
	static const char *const go[] = {"LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV",
	                                 "ENV", "BASH_FUNC_ls%%", "PYTHONSTARTUP", "NODE_OPTIONS",
	                                 "GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "PROMPT_COMMAND"};
	for (size_t i = 0; i < UW_COUNT(go); i++)
		ck_assert_msg(!strcmp(denied(go[i]), "hook"), "%s stays", go[i]);
	ck_assert_str_eq(denied("UMWELT_CONTROL_FD"), "host");
}
END_TEST

static char *host_env[] = {(char[]){"PATH=/usr/bin"}, (char[]){"HOME=/h"}, (char[]){"LC_TIME=C"},
                           (char[]){"MONKEY=m"}, (char[]){"GITHUB_TOKEN=t"}, (char[]){"LD_PRELOAD=x"},
                           (char[]){"MONKEY=second"}, (char[]){"broken"}, NULL};

static void build(struct env_base *base, const char *const *pass, size_t count,
                  const struct uw_spawn *spawn, struct environment *environment)
{
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_int_eq(env_base_init(base, host_env, pass, count, &err), 0);
	ck_assert_msg(environment_build(base, spawn, NULL, 0, environment, &err) == 0, "%s", err.message);
}

static const char *value(const struct environment *environment, const char *name)
{
	const char *text = environment_get(environment, name);
	return text ? text : "-";
}

START_TEST(all_minimal_and_names_are_three_bases)
{
	static const char *const all[] = {"all"}, *const names[] = {"MONKEY", "GITHUB_TOKEN", "LD_*"};
	struct uw_spawn spawn = {.size = sizeof spawn};
	struct env_base base;
	struct environment environment;
	build(&base, all, 1, &spawn, &environment);
	ck_assert_str_eq(value(&environment, "MONKEY"), "m");
	ck_assert_str_eq(value(&environment, "GITHUB_TOKEN"), "-");
	environment_finish(&environment);
	env_base_finish(&base);
	/* a name that the owner wrote down wins over the lists, a pattern does not */
	build(&base, names, 3, &spawn, &environment);
	ck_assert_uint_eq(environment.count, 2);
	ck_assert_str_eq(value(&environment, "GITHUB_TOKEN"), "t");
	environment_finish(&environment);
	env_base_finish(&base);
	spawn.env_base = UW_ENV_MINIMAL;
	build(&base, all, 1, &spawn, &environment);
	ck_assert_uint_eq(environment.count, 3);
	environment_finish(&environment);
	env_base_finish(&base);
	spawn.env_base = UW_ENV_EMPTY;
	build(&base, all, 1, &spawn, &environment);
	ck_assert_uint_eq(environment.count, 0);
	environment_finish(&environment);
	env_base_finish(&base);
}
END_TEST

START_TEST(what_the_spec_sets_wins_and_what_it_removes_is_gone)
{
	static const char *const all[] = {"all"};
	static const char *const set[] = {"GITHUB_TOKEN=mine", "A=1", "A=2", "MONKEY=", NULL};
	static const char *const unset[] = {"HOME", NULL};
	static const char *const bad[] = {"=x", NULL};
	struct uw_spawn spawn = {.size = sizeof spawn, .env_set = set, .env_unset = unset};
	struct uw_error err = UW_ERROR_INIT;
	struct env_base base;
	struct environment environment;
	build(&base, all, 1, &spawn, &environment);
	ck_assert_str_eq(value(&environment, "GITHUB_TOKEN"), "mine");
	ck_assert_str_eq(value(&environment, "A"), "2");
	ck_assert_str_eq(value(&environment, "MONKEY"), "");
	ck_assert_str_eq(value(&environment, "HOME"), "-");
	environment_finish(&environment);
	spawn.env_set = bad;
	ck_assert_int_eq(environment_build(&base, &spawn, NULL, 0, &environment, &err), UW_E_INVALID_ARGS);
	env_base_finish(&base);
}
END_TEST

static int find(const char *path, const char *name, struct uw_buf *out)
{
	char word[512];
	const char *words[] = {word, NULL};
	struct environment environment = {words, 1};
	(void)snprintf(word, sizeof word, "PATH=%s", path);
	return resolve_program(&environment, NULL, name, out, NULL);
}

/* peer/F17 */
START_TEST(programs_are_found_or_it_is_said_why_not)
{
	AUTO_TEMP temp = temp_make();
	const char *dir = temp.path;
	char path[256];
	UW_AUTO_BUF out = UW_BUF_INIT;
	FILE *file;
	(void)snprintf(path, sizeof path, "%s/plain", dir);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	(void)fclose(file);
	(void)snprintf(path, sizeof path, "%s/link", dir);
	ck_assert_int_eq(symlink("/bin/sh", path), 0);
	ck_assert_int_eq(find("/nowhere:/bin", "sh", &out), 0);
	ck_assert_str_eq(out.data, "/bin/sh");
	ck_assert_int_eq(find("/bin", "./sh", &out), UW_E_INVALID_ARGS);
	ck_assert_int_eq(find("/bin", "no-such-program", &out), UW_E_EXEC_NOT_FOUND);
	ck_assert_int_eq(find("/bin", "/no/such/program", &out), UW_E_EXEC_NOT_FOUND);
	ck_assert_int_eq(find("/bin", dir, &out), UW_E_EXEC_NOT_EXECUTABLE);
	ck_assert_int_eq(find(dir, "plain", &out), UW_E_EXEC_NOT_EXECUTABLE);
	ck_assert_int_eq(find(dir, "link", &out), 0);
	ck_assert_str_eq(out.data, path);
	/* an empty or relative entry of PATH is no place */
	ck_assert_int_eq(find(":.:bin", "sh", &out), UW_E_EXEC_NOT_FOUND);
}
END_TEST

START_TEST(paths_cross_a_view_both_ways)
{
	static const struct uw_view_entry entries[] = {
	    {"/tmp", "/var/tmp/session", 1, 0}, {"/run", "/var/tmp/session/run", 0, 0}};
	struct uw_view view = {entries, 2};
	UW_AUTO_BUF out = UW_BUF_INIT;
	ck_assert_int_eq(view_outside(&view, "/tmp/x", &out), 0);
	ck_assert_str_eq(out.data, "/var/tmp/session/x");
	ck_assert_int_eq(view_outside(&view, "/tmpx", &out), 0);
	ck_assert_str_eq(out.data, "/tmpx");
	ck_assert_int_eq(view_inside(&view, "/home/u", &out), 0);
	ck_assert_str_eq(out.data, "/home/u");
	ck_assert_int_eq(view_inside(&view, "/var/tmp/session/x", &out), 0);
	ck_assert_str_eq(out.data, "/tmp/x");
	ck_assert_int_eq(view_inside(&view, "/var/tmp/session/run/x", &out), 0);
	ck_assert_str_eq(out.data, "/run/x");
	/* hidden behind the session's temp */
	ck_assert_int_eq(view_inside(&view, "/tmp/x", &out), -1);
	ck_assert_int_eq(view_inside(NULL, "/tmp/x", &out), 0);
	ck_assert_str_eq(out.data, "/tmp/x");
}
END_TEST

UW_TESTS("subprocess-local/environment", credentials_are_matched_by_word,
         hooks_of_loaders_and_interpreters_go, all_minimal_and_names_are_three_bases,
         what_the_spec_sets_wins_and_what_it_removes_is_gone, programs_are_found_or_it_is_said_why_not,
         paths_cross_a_view_both_ways)
