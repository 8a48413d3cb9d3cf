/* core/trust: the rules of C-2 on files that are executed or obeyed. */
#include "tests/unit.h"

#include "common/cleanup.h"
#include "core/loader.h"
#include "core/trust.h"
#include "tests/temp.h"

UW_NEEDS_FILES_OF_ROOT;

static const struct uwi_trust_ask ask = {"thing", UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, 0, NULL};

static int open_it(const char *path, struct uw_error *err)
{
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	return uwi_trust_open(path, &ask, &trusted, err);
}

static void refused(const char *path, const char *why)
{
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_int_eq(open_it(path, &err), UW_E_CONFIG_INVALID);
	if (!strstr(err.message, why) && !strstr(err.detail, why))
		ck_abort_msg("wanted [%s] in: %s\n%s", why, err.message, err.detail);
}

START_TEST(a_file_in_order_is_opened_close_on_exec)
{
	AUTO_TEMP temp = temp_make();
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	const char *path = temp_file(&temp, "file", "text");
	char text[8] = "";
	ck_assert_int_eq(uwi_trust_open(path, &ask, &trusted, NULL), 0);
	ck_assert_int_eq(fcntl(trusted.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(read(trusted.fd, text, 4), 4);
	ck_assert_str_eq(text, "text");
	ck_assert_str_eq(trusted.path, path);
}
END_TEST

START_TEST(a_missing_file_and_a_relative_path_are_told)
{
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_int_eq(open_it("/nonexistent/file", &err), UW_E_CONFIG_INVALID);
	ck_assert_int_eq(err.os_errno, ENOENT);
	refused("file", "absolute");
}
END_TEST

/* A FIFO would block whoever opens it. */
START_TEST(what_is_no_regular_file_is_refused_without_blocking)
{
	AUTO_TEMP temp = temp_make();
	ck_assert_int_eq(mkfifo(temp_path(&temp, "fifo"), 0600), 0);
	refused(temp_path(&temp, "fifo"), "rule=regular");
	refused(temp.path, "rule=regular");
	refused("/dev/null", "rule=regular");
}
END_TEST

START_TEST(the_real_place_behind_links_counts)
{
	AUTO_TEMP temp = temp_make();
	(void)temp_dir(&temp, "open");
	(void)temp_file(&temp, "open/file", "x");
	(void)temp_dir(&temp, "closed");
	ck_assert_int_eq(symlink("../open/file", temp_path(&temp, "closed/link")), 0);
	ck_assert_int_eq(open_it(temp_path(&temp, "closed/link"), NULL), 0);
	ck_assert_int_eq(chmod(temp_path(&temp, "open"), 0777), 0);
	refused(temp_path(&temp, "closed/link"), "open has mode 0777");
	ck_assert_int_eq(symlink("loop", temp_path(&temp, "loop")), 0);
	refused(temp_path(&temp, "loop"), "cannot find");
}
END_TEST

START_TEST(group_and_others_must_not_write)
{
	static const mode_t modes[] = {0646, 0664, 0666, 0602};
	AUTO_TEMP temp = temp_make();
	const char *path = temp_file(&temp, "file", "x");
	for (size_t i = 0; i < UW_COUNT(modes); i++) {
		ck_assert_int_eq(chmod(path, modes[i]), 0);
		refused(path, "rule=writable-by-others");
	}
	ck_assert_int_eq(chmod(path, 0444), 0);
	ck_assert_int_eq(open_it(path, NULL), 0);
}
END_TEST

/* A sticky directory is fine unless it belongs to a stranger, who may rename anything in it. */
START_TEST(a_sticky_directory_of_a_stranger_is_refused)
{
	AUTO_TEMP temp = temp_make();
	const char *path;
	if (geteuid() != 0)
		return;
	(void)temp_dir(&temp, "sticky");
	path = temp_file(&temp, "sticky/file", "x");
	ck_assert_int_eq(chmod(temp_path(&temp, "sticky"), 01777), 0);
	ck_assert_int_eq(open_it(path, NULL), 0);
	ck_assert_int_eq(chown(temp_path(&temp, "sticky"), 54321, 54321), 0);
	refused(path, "rule=owner");
}
END_TEST

START_TEST(an_executable_needs_its_bit_and_may_be_unreadable)
{
	AUTO_TEMP temp = temp_make();
	const char *path = temp_file(&temp, "program", "#!/bin/sh\n");
	struct uw_error err = UW_ERROR_INIT;
	UW_AUTO_FD fd = -1;
	ck_assert_int_eq(uwi_trust_open_executable(path, &fd, &err), UW_E_LAUNCHER_FAILED);
	ck_assert_ptr_nonnull(strstr(err.detail, "rule=executable"));
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(chmod(path, 0111), 0);
	ck_assert_int_eq(uwi_trust_open_executable(path, &fd, &err), 0);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & O_PATH, O_PATH);
	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}
END_TEST

START_TEST(within_is_by_identity_not_by_text)
{
	AUTO_TEMP temp = temp_make();
	char *within[] = {NULL, NULL};
	struct uwi_trust_ask inside = {"thing", UW_E_CONFIG_INVALID, UW_STAGE_CONFIG, 0, within};
	UWI_AUTO_TRUSTED trusted = UWI_TRUSTED_INIT;
	char dir[256];
	(void)snprintf(dir, sizeof dir, "%s", temp_dir(&temp, "a"));
	(void)temp_dir(&temp, "a/b");
	(void)temp_file(&temp, "a/b/file", "x");
	(void)temp_dir(&temp, "a-evil");
	(void)temp_file(&temp, "a-evil/file", "x");
	within[0] = dir;
	ck_assert_int_eq(uwi_trust_open(temp_path(&temp, "a/b/file"), &inside, &trusted, NULL), 0);
	uwi_trusted_finish(&trusted);
	ck_assert_int_eq(uwi_trust_open(temp_path(&temp, "a-evil/file"), &inside, &trusted, NULL),
	                 UW_E_CONFIG_INVALID);
	ck_assert_int_eq(uwi_trust_open(temp_path(&temp, "a/../a-evil/file"), &inside, &trusted, NULL),
	                 UW_E_CONFIG_INVALID);
}
END_TEST

UW_TESTS("core/trust", a_file_in_order_is_opened_close_on_exec, a_missing_file_and_a_relative_path_are_told,
         what_is_no_regular_file_is_refused_without_blocking, the_real_place_behind_links_counts,
         group_and_others_must_not_write, a_sticky_directory_of_a_stranger_is_refused,
         an_executable_needs_its_bit_and_may_be_unreadable, within_is_by_identity_not_by_text)
