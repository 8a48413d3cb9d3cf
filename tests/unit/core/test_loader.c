/*
 * core/loader: one tiny faulty plugin per defect, each refused with its own error
 * (C-2, C-3); copies, old and new structs (C-1, C-4); new versions (C-6); discovery
 * and its cache (C-7). The plugins are built from tests/faulty-plugins.
 */
#include "tests/unit.h"

#include "common/cleanup.h"
#include "core/loader.h"
#include "core/scan_child.h"
#include "place.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

UW_NEEDS_FILES_OF_ROOT;

static int get(struct place *place, const char *name, struct uwi_plugin **ret)
{
	static struct uwi_plugin *ignored;
	place->err = (struct uw_error)UW_ERROR_INIT;
	return uwi_loader_get(place->loader, name, ret ? ret : &ignored, &place->err);
}

static void says(const struct place *place, const char *text)
{
	if (!strstr(place->err.message, text))
		ck_abort_msg("wanted [%s] in: %s", text, place->err.message);
}

static void refused(struct place *place, const char *name, int code, const char *text)
{
	int result = get(place, name, NULL);
	ck_assert_msg(result == code, "%s: wanted %s, got %s: %s", name, uw_code_name(code), uw_code_name(result),
	              place->err.message);
	ck_assert_int_eq(place->err.effect, UW_EFFECT_NONE);
	says(place, text);
}

START_TEST(a_plugin_in_order_is_loaded_and_copied)
{
	AUTO_PLACE place = place_make();
	const struct uw_plugin *descriptor;
	struct uwi_plugin *plugin = NULL, *again = NULL;
	const struct uw_shell_v1 *shell;
	int threads = 0;
	(void)put(place, "good", "plugins/good.so");
	ck_assert_msg(get(place, "good", &plugin) == 0, "%s", place->err.message);
	descriptor = uwi_plugin_descriptor(plugin);
	ck_assert_str_eq(descriptor->name, "good");
	ck_assert_uint_eq(descriptor->key_count, 1);
	ck_assert_str_eq(descriptor->keys[0].default_value, "3");
	ck_assert_str_eq(uwi_plugin_path(plugin), temp_path(&place->temp, "plugins/good.so"));
	shell = uwi_plugin_interface(plugin, "shell/1", &threads);
	ck_assert_str_eq(shell->dialect(NULL), "sh");
	ck_assert_int_eq(threads, UW_THREADS_PARALLEL);
	ck_assert_ptr_null(uwi_plugin_interface(plugin, "fs/1", NULL));
	ck_assert_int_eq(uwi_plugin_requires(plugin, "fs/1"), 1);
	ck_assert_int_eq(uwi_plugin_requires(plugin, "trace/1"), 0);
	ck_assert_int_eq(uwi_plugin_may_use(plugin, "trace/1"), 1);
	ck_assert_int_eq(uwi_plugin_may_use(plugin, "subprocess/1"), 0);
	ck_assert_int_eq(get(place, "good", &again), 0);
	ck_assert_ptr_eq(plugin, again);
}
END_TEST

START_TEST(each_defect_of_a_descriptor_is_an_error_of_its_own)
{
	static const struct {
		const char *name;
		int code;
		const char *one, *other; /* both values */
	} cases[] = {
	    {"abi-major", UW_E_PLUGIN_ABI_MISMATCH, "999", "has 1"},
	    {"no-entry", UW_E_PLUGIN_INVALID, "uw_plugin_entry", "no-entry.so"},
	    {"null-descriptor", UW_E_PLUGIN_INVALID, "NULL", "descriptor"},
	    {"other-name", UW_E_PLUGIN_INVALID, "\"another\"", "\"other-name\""},
	    {"null-function", UW_E_PLUGIN_INVALID, "function 1", "all 2"},
	    {"null-table", UW_E_PLUGIN_INVALID, "shell/1", "NULL"},
	    {"null-create", UW_E_PLUGIN_INVALID, "create", "NULL"},
	    {"short-table", UW_E_PLUGIN_INVALID, "16 bytes", "24"},
	    {"short-descriptor", UW_E_PLUGIN_INVALID, "says it has", "mandatory"},
	    {"duplicate-service", UW_E_PLUGIN_INVALID, "shell/1", "twice"},
	    {"duplicate-key", UW_E_PLUGIN_INVALID, "size", "twice"},
	    {"bad-default", UW_E_PLUGIN_INVALID, "size", "\"30\""},
	    {"bad-service", UW_E_PLUGIN_INVALID, "\"shell\"", "NAME/REVISION"},
	    {"bad-threads", UW_E_PLUGIN_INVALID, "7", "1 (parallel)"},
	    {"undefined-symbol", UW_E_PLUGIN_LOAD_FAILED, "undefined-symbol.so", "uw_nobody_has_this"},
	    {"crash-constructor", UW_E_PLUGIN_CRASHED, "crash-constructor.so", "broke down"},
	    {"crash-entry", UW_E_PLUGIN_CRASHED, "crash-entry.so", "broke down"},
	    {"exit-constructor", UW_E_PLUGIN_CRASHED, "exit-constructor.so", "status 0"},
	};
	AUTO_PLACE place = place_make();
	for (size_t i = 0; i < UW_COUNT(cases); i++) {
		(void)put(place, cases[i].name, text_of("plugins/%s.so", cases[i].name));
		/* the second time the answer comes from the cache, or from a second child */
		for (int round = 0; round < 2; round++) {
			refused(place, cases[i].name, cases[i].code, cases[i].one);
			says(place, cases[i].other);
		}
	}
}
END_TEST

START_TEST(each_defect_of_a_file_is_an_error_of_its_own)
{
	AUTO_PLACE place = place_make();
	const char *path;
	struct stat stat_;
	int fd;
	refused(place, "absent", UW_E_PLUGIN_NOT_FOUND, "absent-VERSION.so");
	refused(place, "../good", UW_E_PLUGIN_NOT_FOUND, "no name");
	(void)put(place, "run-path", "plugins/run-path.so");
	refused(place, "run-path", UW_E_PLUGIN_UNTRUSTED, "$ORIGIN:/tmp");
	(void)put(place, "needed-slash", "plugins/needed-slash.so");
	refused(place, "needed-slash", UW_E_PLUGIN_UNTRUSTED, "./slash/libslash.so");
	(void)temp_file(&place->temp, "plugins/text.so", "no ELF at all, but long enough to have had a header of one, and more");
	refused(place, "text", UW_E_PLUGIN_LOAD_FAILED, "not an ELF file");
	(void)temp_file(&place->temp, "plugins/empty.so", "");
	refused(place, "empty", UW_E_PLUGIN_LOAD_FAILED, "too short");
	path = put(place, "good", "plugins/short.so");
	ck_assert_int_eq(stat(path, &stat_), 0);
	ck_assert_int_eq(truncate(path, stat_.st_size / 4), 0);
	refused(place, "short", UW_E_PLUGIN_LOAD_FAILED, "truncated");
	(void)temp_dir(&place->temp, "plugins/folder.so");
	refused(place, "folder", UW_E_PLUGIN_UNTRUSTED, "regular file");
	/* corrupt: the headers stand, everything behind them is garbage */
	path = put(place, "good", "plugins/corrupt.so");
	fd = open(path, O_RDWR | O_CLOEXEC);
	for (off_t at = 0x1000; at < stat_.st_size; at += 3)
		ck_assert_int_eq(pwrite(fd, "\xff", 1, at), 1);
	(void)close(fd);
	ck_assert_int_lt(get(place, "corrupt", NULL), 0);
}
END_TEST

START_TEST(the_rules_of_trust_each_refuse)
{
	AUTO_PLACE place = place_make();
	const char *path = put(place, "good", "plugins/good.so");
	ck_assert_int_eq(chmod(path, 0775), 0);
	refused(place, "good", UW_E_PLUGIN_UNTRUSTED, "mode 0775");
	ck_assert_ptr_nonnull(strstr(place->err.detail, "rule=writable-by-others"));
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_int_eq(chmod(temp_path(&place->temp, "plugins"), 0777), 0);
	refused(place, "good", UW_E_PLUGIN_UNTRUSTED, "mode 0777");
	/* a sticky directory is no danger: nobody else can exchange the file */
	ck_assert_int_eq(chmod(temp_path(&place->temp, "plugins"), 01777), 0);
	ck_assert_int_eq(get(place, "good", NULL), 0);
	place_unload(place);
	place_load(place, "");
	ck_assert_int_eq(chmod(temp_path(&place->temp, "plugins"), 0755), 0);
	ck_assert_int_eq(chmod(place->temp.path, 0757), 0);
	refused(place, "good", UW_E_PLUGIN_UNTRUSTED, "mode 0757");
	ck_assert_ptr_nonnull(strstr(place->err.detail, place->temp.path));
}
END_TEST

START_TEST(a_file_or_directory_of_another_owner_is_refused)
{
	AUTO_PLACE place = place_make();
	const char *path = put(place, "good", "plugins/good.so");
	if (geteuid() != 0)
		return; /* only root can give a file away */
	ck_assert_int_eq(chown(path, 54321, 54321), 0);
	refused(place, "good", UW_E_PLUGIN_UNTRUSTED, "uid 54321");
	ck_assert_ptr_nonnull(strstr(place->err.detail, "rule=owner"));
	ck_assert_int_eq(chown(path, 0, 0), 0);
	ck_assert_int_eq(chown(temp_path(&place->temp, "plugins"), 54321, 54321), 0);
	refused(place, "good", UW_E_PLUGIN_UNTRUSTED, "uid 54321");
}
END_TEST

START_TEST(a_link_is_followed_only_within_trusted_directories)
{
	AUTO_PLACE place = place_make();
	(void)put(place, "good", "plugins/real-1.0.so");
	ck_assert_int_eq(symlink("real-1.0.so", temp_path(&place->temp, "plugins/good.so")), 0);
	ck_assert_msg(get(place, "good", NULL) == 0, "%s", place->err.message);
	(void)temp_dir(&place->temp, "elsewhere");
	(void)put(place, "other-name", "elsewhere/another.so");
	ck_assert_int_eq(symlink("../elsewhere/another.so", temp_path(&place->temp, "plugins/another.so")), 0);
	refused(place, "another", UW_E_PLUGIN_UNTRUSTED, "trusted directory");
	ck_assert_ptr_nonnull(strstr(place->err.detail, "rule=outside"));
}
END_TEST

START_TEST(a_pinned_digest_must_match)
{
	AUTO_PLACE place = place_make();
	char digest[65] = "";
	const char *path = put(place, "good", "plugins/good.so");
	FILE *sum;
	place_unload(place);
	place_load(place, "digests: { good = \"00000000000000000000000000000000000000000000000000000000000000aa\"; };");
	refused(place, "good", UW_E_PLUGIN_UNTRUSTED, "pinned is 0000");
	place_unload(place);
	sum = popen(text_of("sha256sum %s", path), "r");
	ck_assert_uint_eq(fread(digest, 1, 64, sum), 64);
	(void)pclose(sum);
	place_load(place, text_of("digests: { good = \"%s\"; };", digest));
	ck_assert_msg(get(place, "good", NULL) == 0, "%s", place->err.message);
}
END_TEST

START_TEST(two_plugins_of_one_name_are_refused)
{
	AUTO_PLACE place = place_make();
	(void)put(place, "good", "plugins/good.so");
	(void)temp_dir(&place->temp, "second");
	(void)put(place, "good", "second/good-2.so");
	(void)temp_file(&place->temp, "user.conf", text_of("plugin_dirs: ( \"%s/second\" );", place->temp.path));
	place_unload(place);
	ck_assert_int_eq(uwi_settings_load_files(place->temp.path, temp_path(&place->temp, "umwelt.conf"),
	                                         temp_path(&place->temp, "user.conf"), 1, &place->settings, NULL), 0);
	ck_assert_int_eq(uwi_loader_create(place->settings, place_log, place, &place->loader, NULL), 0);
	refused(place, "good", UW_E_PLUGIN_DUPLICATE, "plugins/good.so");
	says(place, "second/good-2.so");
}
END_TEST

START_TEST(the_newest_version_is_taken)
{
	AUTO_PLACE place = place_make();
	struct uwi_plugin *plugin = NULL;
	(void)put(place, "good", "plugins/good.so");
	(void)put(place, "good", "plugins/good-1.9.so");
	(void)put(place, "good", "plugins/good-1.10.so");
	(void)put(place, "good", "plugins/good-1.10~rc1.so");
	ck_assert_int_eq(get(place, "good", &plugin), 0);
	ck_assert_str_eq(uwi_plugin_path(plugin), temp_path(&place->temp, "plugins/good-1.10.so"));
}
END_TEST

/* C-6, and the trap of a path that is loaded already */
START_TEST(a_file_that_changed_after_loading_is_told)
{
	AUTO_PLACE place = place_make();
	const char *path = put(place, "good", "plugins/good.so");
	ck_assert_int_eq(get(place, "good", NULL), 0);
	ck_assert_int_eq(unlink(path), 0);
	(void)put(place, "good", "plugins/good.so");
	ck_assert_int_eq(get(place, "good", NULL), 0);
	ck_assert_ptr_nonnull(strstr(place->logged, "changed on disk"));
	/* another host of this process must not get the old code under the new file's name */
	place_unload(place);
	place_load(place, "");
	refused(place, "good", UW_E_PLUGIN_LOAD_FAILED, "needs a new path");
}
END_TEST

START_TEST(what_a_plugin_writes_later_changes_nothing)
{
	AUTO_PLACE place = place_make();
	struct uwi_plugin *plugin = NULL;
	const struct uw_shell_v1 *shell;
	void *self = NULL;
	(void)put(place, "writes-later", "plugins/writes-later.so");
	ck_assert_int_eq(get(place, "writes-later", &plugin), 0);
	shell = uwi_plugin_interface(plugin, "shell/1", NULL);
	ck_assert_ptr_nonnull(*(void *const *)(const void *)&shell->start);
	ck_assert_int_eq(uwi_plugin_descriptor(plugin)->create(NULL, NULL, NULL, &self, NULL), 0);
	ck_assert_ptr_null(*(void *const *)(const void *)&((const struct uw_shell_v1 *)self)->start);
	ck_assert_ptr_nonnull(*(void *const *)(const void *)&shell->start);
}
END_TEST

/* C-4 */
START_TEST(a_plugin_of_newer_headers_is_cut_to_what_is_known)
{
	AUTO_PLACE place = place_make();
	struct uwi_plugin *plugin = NULL;
	const struct uw_shell_v1 *shell;
	(void)put(place, "larger-structs", "plugins/larger-structs.so");
	ck_assert_msg(get(place, "larger-structs", &plugin) == 0, "%s", place->err.message);
	shell = uwi_plugin_interface(plugin, "shell/1", NULL);
	ck_assert_uint_eq(shell->size, sizeof *shell);
	ck_assert_uint_eq(uwi_plugin_descriptor(plugin)->size, sizeof(struct uw_plugin));
}
END_TEST

START_TEST(what_a_constructor_prints_is_no_answer)
{
	AUTO_PLACE place = place_make();
	(void)put(place, "noisy-constructor", "plugins/noisy-constructor.so");
	/* the second load, in this process, does print; that is the plugin's own affair */
	ck_assert_int_eq(dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 1), 1);
	ck_assert_msg(get(place, "noisy-constructor", NULL) == 0, "%s", place->err.message);
}
END_TEST

START_TEST(a_scan_that_hangs_is_ended)
{
	AUTO_PLACE place = place_make();
	UW_AUTO_BUF answer = UW_BUF_INIT;
	const char *path = put(place, "hang-constructor", "plugins/hang-constructor.so");
	ck_assert_int_eq(uwi_scan_child(place->settings->scan, "hang-constructor", path, 300, &answer, &place->err),
	                 UW_E_PLUGIN_CRASHED);
	says(place, "300 ms");
	/* nothing is left of it */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(a_host_that_ignores_its_children_gets_answers_too)
{
	AUTO_PLACE place = place_make();
	(void)put(place, "good", "plugins/good.so");
	(void)put(place, "crash-entry", "plugins/crash-entry.so");
	ck_assert(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(get(place, "good", NULL), 0);
	refused(place, "crash-entry", UW_E_PLUGIN_CRASHED, "no answer");
}
END_TEST

START_TEST(a_scan_program_that_is_not_trusted_is_not_run)
{
	AUTO_PLACE place = place_make();
	const char *ran = temp_path(&place->temp, "was-run");
	(void)put(place, "good", "plugins/good.so");
	place->settings->scan = (char *)(uintptr_t)temp_file(&place->temp, "scan", text_of("#!/bin/sh\ntouch %s\n", ran));
	ck_assert_int_eq(chmod(place->settings->scan, 0777), 0);
	refused(place, "good", UW_E_LAUNCHER_FAILED, "not trusted");
	ck_assert_int_eq(access(ran, F_OK), -1);
}
END_TEST

static void *get_often(void *arg)
{
	struct place *place = arg;
	struct uwi_plugin *plugin = NULL;
	struct uw_error err = UW_ERROR_INIT;
	for (int i = 0; i < 20; i++)
		if (uwi_loader_get(place->loader, i % 2 ? "good" : "writes-later", &plugin, &err) < 0)
			return NULL;
	return plugin;
}

START_TEST(several_threads_get_one_plugin)
{
	AUTO_PLACE place = place_make();
	pthread_t threads[4];
	void *got[4];
	(void)put(place, "good", "plugins/good.so");
	(void)put(place, "writes-later", "plugins/writes-later.so");
	for (size_t i = 0; i < UW_COUNT(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, get_often, place), 0);
	for (size_t i = 0; i < UW_COUNT(threads); i++)
		ck_assert_int_eq(pthread_join(threads[i], &got[i]), 0);
	for (size_t i = 0; i < UW_COUNT(threads); i++) {
		ck_assert_ptr_nonnull(got[i]);
		ck_assert_ptr_eq(got[i], got[0]);
	}
}
END_TEST

/* ---- discovery (C-7) ---- */

struct seen {
	int count, skipped;
	char reasons[4096];
};

static int see(void *arg, const struct uw_plugin_facts *facts)
{
	struct seen *seen = arg;
	seen->count++;
	ck_assert_ptr_nonnull(facts->path);
	if (facts->skipped) {
		size_t len = strlen(seen->reasons);
		seen->skipped++;
		ck_assert_ptr_null(facts->name);
		(void)snprintf(seen->reasons + len, sizeof seen->reasons - len, "%s\n", facts->skipped);
		return 0;
	}
	ck_assert_str_eq(facts->name, "good");
	ck_assert_str_eq(facts->version, "1.0");
	ck_assert_str_eq(facts->provides[0], "shell/1");
	ck_assert_str_eq(facts->requires_services[0], "fs/1");
	ck_assert_str_eq(facts->optional_services[0], "trace/1");
	ck_assert_uint_eq(facts->key_count, 1);
	ck_assert_str_eq(facts->keys[0].name, "size");
	ck_assert_int_eq(facts->keys[0].type, UW_KEY_INT);
	ck_assert_int_eq(facts->keys[0].narrowing, UW_KEY_NARROWING);
	ck_assert_int_eq(facts->keys[0].max, 9);
	ck_assert_str_eq(facts->keys[0].default_value, "3");
	return 0;
}

static int mapped_here(const char *text)
{
	char line[4096];
	int found = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	while (fgets(line, sizeof line, maps))
		found = found || strstr(line, text);
	(void)fclose(maps);
	return found;
}

START_TEST(discovery_lists_what_is_there_and_why_a_file_is_skipped)
{
	AUTO_PLACE place = place_make();
	struct seen seen = {0};
	(void)put(place, "good", "plugins/good-2.so");
	(void)put(place, "good", "plugins/good-1.so");
	(void)put(place, "crash-entry", "plugins/crash-entry.so");
	(void)put(place, "abi-major", "plugins/abi-major.so");
	(void)put(place, "run-path", "plugins/run-path.so");
	(void)temp_file(&place->temp, "plugins/README", "not a plugin");
	ck_assert_msg(uwi_loader_discover(place->loader, see, &seen, &place->err) == 0, "%s", place->err.message);
	ck_assert_int_eq(seen.count, 5);
	ck_assert_int_eq(seen.skipped, 4);
	ck_assert_ptr_nonnull(strstr(seen.reasons, "PLUGIN_CRASHED"));
	ck_assert_ptr_nonnull(strstr(seen.reasons, "PLUGIN_ABI_MISMATCH"));
	ck_assert_ptr_nonnull(strstr(seen.reasons, "PLUGIN_UNTRUSTED"));
	ck_assert_ptr_nonnull(strstr(seen.reasons, "older version"));
	/* nothing of it came into this process */
	ck_assert(!mapped_here("/plugins/good"));
}
END_TEST

/* With a scan program that cannot run, only a kept answer can be the source. */
START_TEST(a_file_once_scanned_is_known_until_it_changes)
{
	AUTO_PLACE place = place_make();
	struct seen seen = {0};
	const char *path = put(place, "good", "plugins/good.so");
	ck_assert_int_eq(uwi_loader_discover(place->loader, see, &seen, &place->err), 0);
	ck_assert_int_eq(seen.skipped, 0);
	place->settings->scan = (char *)(uintptr_t)"/nonexistent/umwelt-scan";
	ck_assert_int_eq(uwi_loader_discover(place->loader, see, &seen, &place->err), 0);
	ck_assert_int_eq(seen.skipped, 0);
	ck_assert_int_eq(get(place, "good", NULL), 0);
	ck_assert_int_eq(unlink(path), 0);
	(void)put(place, "good", "plugins/good.so");
	ck_assert_int_eq(uwi_loader_discover(place->loader, see, &seen, &place->err), 0);
	ck_assert_int_eq(seen.skipped, 1);
}
END_TEST

static void spoil(const struct place *place, const char *command)
{
	ck_assert_int_eq(system(text_of("cd %s/state/plugins && %s", place->temp.path, command)), 0);
}

START_TEST(a_damaged_or_foreign_cache_only_costs_time)
{
	static const char *const damages[] = {"for f in *; do truncate -s 40 $f; done", "for f in *; do echo x >$f; done",
	                                      "for f in *; do chmod 666 $f; done", "rm -f *",
	                                      "for f in *; do sed -i 's/^name .*/name evil/; s/^end$/nd/' $f; done",
	                                      "for f in *; do rm $f; mkdir $f; done", "chmod 777 ."};
	AUTO_PLACE place = place_make();
	struct seen seen = {0};
	(void)put(place, "good", "plugins/good.so");
	ck_assert_int_eq(uwi_loader_discover(place->loader, see, &seen, &place->err), 0);
	for (size_t i = 0; i < UW_COUNT(damages); i++) {
		spoil(place, damages[i]);
		ck_assert_int_eq(uwi_loader_discover(place->loader, see, &seen, &place->err), 0);
	}
	ck_assert_int_eq(seen.skipped, 0);
	ck_assert_int_eq(seen.count, 1 + (int)UW_COUNT(damages));
}
END_TEST

START_TEST(the_cache_does_not_grow_for_ever)
{
	AUTO_PLACE place = place_make();
	struct seen seen = {0};
	(void)put(place, "good", "plugins/good.so");
	ck_assert_int_eq(uwi_loader_discover(place->loader, see, &seen, &place->err), 0);
	spoil(place, "for i in $(seq 600); do : >old$i; done; rm -f [0-9a-f]???????????????????????????????*");
	ck_assert_int_eq(uwi_loader_discover(place->loader, see, &seen, &place->err), 0);
	spoil(place, "test \"$(ls | wc -l)\" = 1");
	ck_assert_int_eq(seen.skipped, 0);
}
END_TEST

/* C-21 */
START_TEST(a_hostile_environment_changes_nothing)
{
	AUTO_PLACE place = place_make();
	(void)put(place, "good", "plugins/good.so");
	/* the child of a scan would end at once if it got any of this */
	ck_assert_int_eq(setenv("LD_PRELOAD", text_of("%s/tests/faulty/exit-constructor.so", build_dir()), 1), 0);
	ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
	ck_assert_int_eq(setenv("HOME", "/nonexistent", 1), 0);
	ck_assert_msg(get(place, "good", NULL) == 0, "%s", place->err.message);
}
END_TEST

UW_TESTS("core/loader", a_plugin_in_order_is_loaded_and_copied,
         each_defect_of_a_descriptor_is_an_error_of_its_own, each_defect_of_a_file_is_an_error_of_its_own,
         the_rules_of_trust_each_refuse, a_file_or_directory_of_another_owner_is_refused,
         a_link_is_followed_only_within_trusted_directories, a_pinned_digest_must_match,
         two_plugins_of_one_name_are_refused, the_newest_version_is_taken,
         a_file_that_changed_after_loading_is_told, what_a_plugin_writes_later_changes_nothing,
         a_plugin_of_newer_headers_is_cut_to_what_is_known, what_a_constructor_prints_is_no_answer,
         a_scan_that_hangs_is_ended, a_host_that_ignores_its_children_gets_answers_too,
         a_scan_program_that_is_not_trusted_is_not_run, several_threads_get_one_plugin,
         discovery_lists_what_is_there_and_why_a_file_is_skipped,
         a_file_once_scanned_is_known_until_it_changes, a_damaged_or_foreign_cache_only_costs_time,
         the_cache_does_not_grow_for_ever, a_hostile_environment_changes_nothing)
