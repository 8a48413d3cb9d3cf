/* core/settings: the host configuration (C-20), its defaults (C-21) and the state directory. */
#include "tests/unit.h"

#include "core/places.h"
#include "core/settings.h"
#include "tests/temp.h"

#include <pwd.h>

UW_NEEDS_FILES_OF_ROOT;

struct loaded {
	struct uwi_settings *settings;
	struct uw_error err;
	int result;
};

static void loaded_free(struct loaded *loaded)
{
	uwi_settings_free(loaded->settings);
}

#define AUTO_LOADED __attribute__((cleanup(loaded_free))) struct loaded

/* NULL text: the file does not exist. */
static struct loaded load(const struct temp *temp, const char *system, const char *user)
{
	struct loaded loaded = {NULL, UW_ERROR_INIT, 0};
	if (system)
		(void)temp_file(temp, "system.conf", system);
	if (user)
		(void)temp_file(temp, "user.conf", user);
	loaded.result = uwi_settings_load_files(temp->path, temp_path(temp, "system.conf"),
	                                        user ? temp_path(temp, "user.conf") : NULL, 1,
	                                        &loaded.settings, &loaded.err);
	return loaded;
}

static int holds(char *const *list, const char *text)
{
	for (; list && *list; list++)
		if (!strcmp(*list, text))
			return 1;
	return 0;
}

static void refused(const struct loaded *loaded, const char *where, const char *why)
{
	ck_assert_int_eq(loaded->result, UW_E_CONFIG_INVALID);
	ck_assert_ptr_null(loaded->settings);
	if (!strstr(loaded->err.message, where) || !strstr(loaded->err.message, why))
		ck_abort_msg("wanted [%s] and [%s] in: %s", where, why, loaded->err.message);
}

START_TEST(without_a_file_the_defaults_are_safe)
{
	AUTO_TEMP temp = temp_make();
	AUTO_LOADED loaded = load(&temp, NULL, NULL);
	ck_assert_int_eq(loaded.result, 0);
	ck_assert_int_eq(loaded.settings->max_mode, UW_MODE_DANGER_FULL_ACCESS);
	ck_assert_int_eq(loaded.settings->log_level, UW_LOG_WARNING);
	ck_assert_int_eq(loaded.settings->trace_required, 0);
	ck_assert_str_eq(loaded.settings->bwrap, "/usr/bin/bwrap");
	ck_assert_str_eq(loaded.settings->temp_dir, "/var/tmp");
	ck_assert_ptr_null(loaded.settings->files);
	ck_assert(holds(loaded.settings->bundle_dirs, "/etc/umwelt/bundles"));
}
END_TEST

START_TEST(plugins_beside_the_program_are_trusted_if_one_owner_holds_both)
{
	AUTO_TEMP temp = temp_make();
	(void)temp_dir(&temp, "plugins");
	{
		AUTO_LOADED loaded = load(&temp, NULL, NULL);
		ck_assert_int_eq(loaded.result, 0);
		ck_assert_str_eq(loaded.settings->plugin_dirs[0], temp_path(&temp, "plugins"));
		ck_assert_ptr_eq(loaded.settings->fallback_plugin_dir, loaded.settings->plugin_dirs[1]);
	}
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(temp_path(&temp, "plugins"), 54321, 54321), 0);
		AUTO_LOADED loaded = load(&temp, NULL, NULL);
		ck_assert(!holds(loaded.settings->plugin_dirs, temp_path(&temp, "plugins")));
	}
}
END_TEST

START_TEST(every_key_of_the_system_file_is_read)
{
	AUTO_TEMP temp = temp_make();
	char text[4096];
	(void)temp_dir(&temp, "p");
	(void)snprintf(text, sizeof text,
	               "plugin_dirs: ( \"%s/p\" );\nbundle_dirs = [ \"/b\" ];\nuser_plugins: \"no\";\n"
	               "digests: { fs-x = \"AA00000000000000000000000000000000000000000000000000000000000000\"; };\n"
	               "launcher: \"/l\"; scan: \"/s\"; bwrap: \"/w\"; helper: \"/h\";\n"
	               "state_dir: \"/st//\"; temp_dir: \"/t\"; max_mode: \"workspace-write\";\n"
	               "trace_required: true; log_level: \"debug\";\n"
	               "limits: { max_running: 3; max_per_session: 2; max_queued: 9; };\n", temp.path);
	AUTO_LOADED loaded = load(&temp, text, NULL);
	ck_assert_msg(loaded.result == 0, "%s", loaded.err.message);
	ck_assert_str_eq(loaded.settings->plugin_dirs[0], temp_path(&temp, "p"));
	ck_assert_ptr_null(loaded.settings->plugin_dirs[1]);
	ck_assert_ptr_null(loaded.settings->fallback_plugin_dir);
	ck_assert_str_eq(loaded.settings->bundle_dirs[0], "/b");
	ck_assert_uint_eq(loaded.settings->pin_count, 1);
	ck_assert_str_eq(loaded.settings->pins[0].plugin, "fs-x");
	ck_assert_int_eq(loaded.settings->pins[0].sha256[0], 'a');
	ck_assert_str_eq(loaded.settings->launcher, "/l");
	ck_assert_str_eq(loaded.settings->scan, "/s");
	ck_assert_str_eq(loaded.settings->bwrap, "/w");
	ck_assert_str_eq(loaded.settings->helper, "/h");
	ck_assert_str_eq(loaded.settings->state_dir, "/st");
	ck_assert_str_eq(loaded.settings->temp_dir, "/t");
	ck_assert_int_eq(loaded.settings->max_mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_int_eq(loaded.settings->trace_required, 1);
	ck_assert_int_eq(loaded.settings->log_level, UW_LOG_DEBUG);
	ck_assert_int_eq(loaded.settings->max_running, 3);
	ck_assert_int_eq(loaded.settings->max_per_session, 2);
	ck_assert_int_eq(loaded.settings->max_queued, 9);
	ck_assert_str_eq(loaded.settings->files[0], temp_path(&temp, "system.conf"));
	ck_assert(holds(loaded.settings->control_plane, temp_path(&temp, "system.conf")));
	ck_assert(holds(loaded.settings->control_plane, "/st"));
}
END_TEST

START_TEST(errors_name_file_and_line)
{
	static const struct {
		const char *text, *where, *why;
	} cases[] = {
	    {"a\n", "system.conf:", "syntax error"},
	    {"\nunknown: 1;\n", "system.conf:2:", "unknown"},
	    {"bwrap: 1;\n", "system.conf:1:", "text"},
	    {"\n\nbwrap: \"bwrap\";\n", "system.conf:3:", "absolute"},
	    {"state_dir: \"~/x\";\n", "system.conf:1:", "~"},
	    {"max_mode: \"full\";\n", "system.conf:1:", "danger-full-access"},
	    {"limits: { max_running: 0; };\n", "system.conf:1:", "0"},
	    {"limits: { max_ran: 1; };\n", "system.conf:1:", "max_ran"},
	    {"digests: { x = \"12\"; };\n", "system.conf:1:", "64"},
	    {"plugin_dirs: ( \"/nonexistent/here\" );\n", "system.conf:1:", "/nonexistent/here"},
	    {"plugin_dirs: \"/a\";\n", "system.conf:1:", "list"},
	    {"log_level: \"loud\";\n", "system.conf:1:", "loud"},
	    {"trace_required: 7;\n", "system.conf:1:", "true or false"},
	    {"bwrap: \"/a\";\nbwrap: \"/b\";\n", "system.conf:2:", "duplicate"},
	    {"# c\n  @include \"/etc/shadow\"\n", "system.conf:2:", "@include"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		AUTO_TEMP temp = temp_make();
		AUTO_LOADED loaded = load(&temp, cases[i].text, NULL);
		refused(&loaded, cases[i].where, cases[i].why);
		ck_assert_ptr_nonnull(strstr(loaded.err.detail, "line="));
	}
}
END_TEST

/* C-20: the second file only narrows. */
START_TEST(a_users_file_cannot_widen_what_the_system_sets)
{
	static const struct {
		const char *system, *user, *why;
	} cases[] = {
	    {"max_mode: \"read-only\";", "max_mode: \"workspace-write\";", "ceiling"},
	    {"limits: { max_running: 2; };", "limits: { max_running: 3; };", "ceiling"},
	    {"trace_required: true;", "trace_required: false;", "taken back"},
	    {"bwrap: \"/usr/bin/bwrap\";", "bwrap: \"/home/me/bwrap\";", "fixed"},
	    {"state_dir: \"/a\";", "state_dir: \"/b\";", "fixed"},
	    {"user_plugins: false;", "user_plugins: true;", "user_plugins"},
	    {"user_plugins: false;", "plugin_dirs: ( \"/var/tmp\" );", "forbids"},
	    {"digests: { a = \"0000000000000000000000000000000000000000000000000000000000000000\"; };",
	     "digests: { a = \"1111111111111111111111111111111111111111111111111111111111111111\"; };", "fixed"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		AUTO_TEMP temp = temp_make();
		AUTO_LOADED loaded = load(&temp, cases[i].system, cases[i].user);
		refused(&loaded, "user.conf:1:", cases[i].why);
	}
}
END_TEST

START_TEST(a_users_file_narrows_and_adds_directories_of_its_own)
{
	AUTO_TEMP temp = temp_make();
	char text[512];
	(void)temp_dir(&temp, "mine");
	(void)snprintf(text, sizeof text,
	               "plugin_dirs: ( \"%s/mine\" ); max_mode: \"read-only\"; limits: { max_queued: 1; };"
	               "trace_required: true; state_dir: \"/s\";", temp.path);
	AUTO_LOADED loaded = load(&temp, "max_mode: \"workspace-write\";", text);
	ck_assert_msg(loaded.result == 0, "%s", loaded.err.message);
	ck_assert_int_eq(loaded.settings->max_mode, UW_MODE_READ_ONLY);
	ck_assert_int_eq(loaded.settings->max_queued, 1);
	ck_assert_int_eq(loaded.settings->trace_required, 1);
	ck_assert_str_eq(loaded.settings->state_dir, "/s");
	ck_assert(holds(loaded.settings->plugin_dirs, temp_path(&temp, "mine")));
}
END_TEST

START_TEST(a_users_file_cannot_add_a_directory_of_another_owner)
{
	AUTO_TEMP temp = temp_make();
	char text[512];
	if (geteuid() == 0) {
		(void)temp_dir(&temp, "theirs");
		ck_assert_int_eq(chown(temp_path(&temp, "theirs"), 54321, 54321), 0);
		(void)snprintf(text, sizeof text, "plugin_dirs: ( \"%s/theirs\" );", temp.path);
	} else {
		(void)snprintf(text, sizeof text, "plugin_dirs: ( \"/usr/lib\" );");
	}
	AUTO_LOADED loaded = load(&temp, NULL, text);
	refused(&loaded, "user.conf:1:", "only directories of your own");
}
END_TEST

START_TEST(a_file_writable_by_others_is_not_obeyed)
{
	AUTO_TEMP temp = temp_make();
	struct uwi_settings *settings = NULL;
	struct uw_error err = UW_ERROR_INIT;
	const char *path = temp_file(&temp, "user.conf", "max_mode: \"read-only\";");
	ck_assert_int_eq(chmod(path, 0666), 0);
	ck_assert_int_eq(uwi_settings_load_files(temp.path, "/nonexistent", path, 1, &settings, &err),
	                 UW_E_CONFIG_INVALID);
	ck_assert_ptr_nonnull(strstr(err.message, "0666"));
	ck_assert_ptr_nonnull(strstr(err.detail, "rule=writable-by-others"));
}
END_TEST

START_TEST(a_config_asked_for_by_name_must_exist)
{
	struct uw_host_options options = {sizeof options, "/nonexistent/umwelt.conf", NULL, NULL, NULL};
	struct uwi_settings *settings = NULL;
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_int_eq(uwi_settings_load(&options, &settings, &err), UW_E_CONFIG_INVALID);
	ck_assert_ptr_nonnull(strstr(err.message, "/nonexistent/umwelt.conf"));
}
END_TEST

/* C-21 */
START_TEST(no_environment_variable_takes_part)
{
	static const char *const hostile[] = {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "TMPDIR",
	                                      "PATH", "LD_LIBRARY_PATH", "UMWELT_CONFIG", "UMWELT_PLUGINS", "USER"};
	AUTO_TEMP temp = temp_make();
	for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
		ck_assert_int_eq(setenv(hostile[i], "/hostile", 1), 0);
	AUTO_LOADED loaded = load(&temp, NULL, NULL);
	ck_assert_int_eq(loaded.result, 0);
	for (char **path = loaded.settings->control_plane; *path; path++)
		ck_assert_ptr_null(strstr(*path, "hostile"));
	for (char **path = loaded.settings->bundle_dirs; *path; path++)
		ck_assert_ptr_null(strstr(*path, "hostile"));
	ck_assert_str_eq(loaded.settings->temp_dir, "/var/tmp");
}
END_TEST

START_TEST(the_state_directory_follows_the_password_database)
{
	AUTO_TEMP temp = temp_make();
	AUTO_LOADED loaded = load(&temp, NULL, NULL);
	const struct passwd *entry = getpwuid(geteuid());
	char wanted[512];
	if (geteuid() == 0)
		(void)snprintf(wanted, sizeof wanted, "/var/lib/umwelt");
	else if (entry)
		(void)snprintf(wanted, sizeof wanted, "%s/.local/state/umwelt", entry->pw_dir);
	else
		(void)snprintf(wanted, sizeof wanted, "/var/tmp/umwelt-%lu", (unsigned long)geteuid());
	ck_assert_str_eq(loaded.settings->state_dir, wanted);
}
END_TEST

START_TEST(the_state_directory_is_made_private_and_checked)
{
	AUTO_TEMP temp = temp_make();
	struct uw_error err = UW_ERROR_INIT;
	struct stat stat_;
	const char *path = NULL;
	char text[512];
	(void)snprintf(text, sizeof text, "state_dir: \"%s/a/b\";", temp.path);
	AUTO_LOADED loaded = load(&temp, text, NULL);
	(void)umask(0);
	ck_assert_int_eq(uwi_settings_state_dir(loaded.settings, &path, &err), 0);
	ck_assert_int_eq(stat(path, &stat_), 0);
	ck_assert_uint_eq(stat_.st_mode & 07777, 0700);
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_int_eq(uwi_settings_state_dir(loaded.settings, &path, &err), UW_E_CONFIG_INVALID);
	ck_assert_ptr_nonnull(strstr(err.message, "0755"));
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(symlink("/etc", path), 0);
	ck_assert_int_lt(uwi_settings_state_dir(loaded.settings, &path, &err), 0);
}
END_TEST

/* The comment signs of its settings, "# x" and "#   x", are taken away; prose stays a comment. */
static void uncomment(FILE *in, FILE *out)
{
	char line[512];
	while (fgets(line, sizeof line, in)) {
		char *at = line + strspn(line, "# ");
		size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_-");
		const char *after = at + word + strspn(at + word, " ");
		int setting = line[0] == '#' && ((word > 0 && after[0] == '=') || !strcmp(at, "};\n"));
		ck_assert_int_ge(fputs(setting ? at : line, out), 0);
	}
}

/* Each key of the annotated example is one that is read, and each key that is read is in it. */
START_TEST(the_installed_example_is_read_also_with_every_setting_on)
{
	static const char *const keys[] = {"plugin_dirs", "user_plugins", "digests", "bundle_dirs", "launcher", "scan",
	                                   "helper", "bwrap", "state_dir", "temp_dir", "max_mode", "trace_required",
	                                   "log_level", "limits", "max_running", "max_per_session", "max_queued"};
	AUTO_TEMP temp = temp_make();
	char text[16384] = "", *dirs;
	FILE *in = fopen("docs/umwelt.conf.example", "re"), *out = fmemopen(text, sizeof text, "w");
	ck_assert_msg(in != NULL, "run this from the top folder");
	uncomment(in, out);
	(void)fclose(in);
	(void)fclose(out);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		char wanted[64];
		const char *at;
		(void)snprintf(wanted, sizeof wanted, "\n%s", keys[i]);
		at = strstr(text, wanted);
		ck_assert_msg(at != NULL, "%s is not in the example", keys[i]);
	}
	/* the one directory that must exist */
	dirs = strstr(text, "\"/usr/local/lib/umwelt/plugins\"");
	ck_assert_ptr_nonnull(dirs);
	(void)memset(dirs, ' ', strlen("\"/usr/local/lib/umwelt/plugins\""));
	(void)memcpy(dirs, "\"/usr/lib\"", strlen("\"/usr/lib\""));
	AUTO_LOADED loaded = load(&temp, text, NULL);
	ck_assert_msg(loaded.result == 0, "%s", loaded.err.message);
	ck_assert_uint_eq(loaded.settings->pin_count, 1);
	ck_assert_str_eq(loaded.settings->bundle_dirs[1], "/etc/umwelt/bundles");
}
END_TEST

UW_TESTS("core/settings", the_installed_example_is_read_also_with_every_setting_on, without_a_file_the_defaults_are_safe,
         plugins_beside_the_program_are_trusted_if_one_owner_holds_both, every_key_of_the_system_file_is_read,
         errors_name_file_and_line, a_users_file_cannot_widen_what_the_system_sets,
         a_users_file_narrows_and_adds_directories_of_its_own,
         a_users_file_cannot_add_a_directory_of_another_owner, a_file_writable_by_others_is_not_obeyed,
         a_config_asked_for_by_name_must_exist, no_environment_variable_takes_part,
         the_state_directory_follows_the_password_database, the_state_directory_is_made_private_and_checked)
