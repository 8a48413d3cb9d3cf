/* core/host: opening and closing, paths, what it keeps for worlds. */
#include "tests/unit.h"

#include "core/host_internal.h"
#include "tests/temp.h"

UW_NEEDS_FILES_OF_ROOT;

START_TEST(a_host_opens_without_options_and_closes)
{
	struct uw_host *host = NULL;
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_msg(uw_host_open(NULL, &host, &err) == 0, "%s", err.message);
	ck_assert_uint_ne(host->id, 0);
	ck_assert_str_eq(uw_host_path(host, UW_PATH_TEMP), "/var/tmp");
	ck_assert_ptr_nonnull(uw_host_path(host, UW_PATH_LAUNCHER));
	ck_assert_ptr_null(uw_host_path(host, 99));
	ck_assert_uint_eq(uwi_host_generation(host), 1);
	ck_assert_uint_eq(uwi_host_generation(host), 2);
	uw_host_close(host);
	uw_host_close(NULL);
	ck_assert_str_eq(uw_version_string(), UW_VERSION);
}
END_TEST

/* C-4: a caller with a shorter struct gets the defaults of what it does not know. */
START_TEST(shorter_options_are_understood)
{
	struct uw_host_options options = {offsetof(struct uw_host_options, program_dir), NULL, "/nonexistent", NULL, NULL};
	struct uw_host *host = NULL;
	ck_assert_int_eq(uw_host_open(&options, &host, NULL), 0);
	ck_assert_ptr_null(strstr(uw_host_path(host, UW_PATH_LAUNCHER), "nonexistent"));
	uw_host_close(host);
	options.size = 1;
	ck_assert_int_eq(uw_host_open(&options, &host, NULL), UW_E_INVALID_ARGS);
	ck_assert_int_eq(uw_host_open(NULL, NULL, NULL), UW_E_INVALID_ARGS);
}
END_TEST

static int closed;

static int close_world(struct uw_world *world, struct uw_error *err)
{
	(void)world;
	(void)err;
	closed++;
	return 0;
}

START_TEST(closing_the_host_closes_its_worlds)
{
	struct uwi_host_link a = {NULL, NULL, close_world}, b = {NULL, NULL, close_world};
	struct uw_host *host = NULL;
	ck_assert_int_eq(uw_host_open(NULL, &host, NULL), 0);
	uwi_host_add(host, &a);
	uwi_host_add(host, &b);
	uwi_host_remove(host, &a);
	uw_host_close(host);
	ck_assert_int_eq(closed, 1);
}
END_TEST

START_TEST(an_executable_is_verified_once_and_kept)
{
	AUTO_TEMP temp = temp_make();
	struct uw_host_options options = {sizeof options, NULL, temp.path, NULL, NULL};
	struct uw_host *host = NULL;
	struct uw_error err = UW_ERROR_INIT;
	int one = -1, other = -1;
	const char *launcher = temp_file(&temp, "umwelt-launch", "#!\n");
	ck_assert_int_eq(uw_host_open(&options, &host, NULL), 0);
	ck_assert_int_eq(uwi_host_executable(host, UW_PATH_LAUNCHER, &one, &err), UW_E_LAUNCHER_FAILED);
	ck_assert_ptr_nonnull(strstr(err.detail, "rule=executable"));
	ck_assert_int_eq(chmod(launcher, 0777), 0);
	ck_assert_int_eq(uwi_host_executable(host, UW_PATH_LAUNCHER, &one, &err), UW_E_LAUNCHER_FAILED);
	ck_assert_ptr_nonnull(strstr(err.detail, "rule=writable-by-others"));
	ck_assert_int_eq(chmod(launcher, 0755), 0);
	ck_assert_int_eq(uwi_host_executable(host, UW_PATH_LAUNCHER, &one, &err), 0);
	ck_assert_int_eq(uwi_host_executable(host, UW_PATH_LAUNCHER, &other, &err), 0);
	ck_assert_int_eq(one, other);
	ck_assert_int_eq(uwi_host_executable(host, UW_PATH_STATE, &other, &err), UW_E_INVALID_ARGS);
	uw_host_close(host);
}
END_TEST

UW_TESTS("core/host", a_host_opens_without_options_and_closes, shorter_options_are_understood,
         closing_the_host_closes_its_worlds, an_executable_is_verified_once_and_kept)
