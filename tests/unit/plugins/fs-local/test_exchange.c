/* fs-local: replace-if-version against other processes (F-7, W2). */
#include "local_world.h"

#include "local.h"

#include "common/version.h"

#include <pthread.h>
#include <stdatomic.h>

static struct suite s_, *const s = &s_;

static void suite_attach(struct suite *suite)
{
	local_attach(suite);
}

static void suite_detach(struct suite *suite)
{
	(void)suite;
	local_detach();
}

struct scene {
	struct uwi_spot spot;
	struct uwi_parent at;
	struct uwi_stage stage;
	struct stat seen;
	struct uw_version expected;
	int old;
};

/* "f" holds "old" and was looked at; a stage with "new" stands ready. */
static int set_scene(struct scene *scene)
{
	static char key[PATH_MAX];
	memset(scene, 0, sizeof *scene);
	suite_open(s);
	put(s, "x", BYTES("x"));
	put(s, "y", BYTES("y"));
	/* before anything is open: some file systems keep what is open */
	if (!can(s, "RENAME_EXCHANGE", renameat2(AT_FDCWD, at(s, "x"), AT_FDCWD, at(s, "y"), RENAME_EXCHANGE) == 0))
		return 0;
	put(s, "f", BYTES("old"));
	snprintf(key, sizeof key, "%.4000s/f", s->ws);
	scene->expected = version_of(s, "f");
	scene->at.dir = open(s->ws, O_PATH | O_DIRECTORY | O_CLOEXEC);
	scene->at.name = "f";
	scene->at.spot = &scene->spot;
	scene->old = open(key, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(fstat(scene->old, &scene->seen), 0);
	ck_assert_int_eq(uwi_fsl_stage_open(&scene->stage, &s->call, scene->at.dir, bytes_of(key), 0644, 1, NULL), 0);
	ck_assert_int_eq(uwi_fsl_stage_write(&scene->stage, "new", 3, NULL), 0);
	ck_assert_int_eq(uwi_fsl_stage_name(&scene->stage, NULL), 0);
	return 1;
}

static int exchange(struct scene *scene, int refuse_writers)
{
	struct uwi_guard guard = {&scene->expected, 0, refuse_writers};
	return uwi_fsl_exchange(s->fs->self, &scene->at, &scene->stage, scene->old, &scene->seen, &guard, &s->err);
}

static void end_scene(struct scene *scene)
{
	uwi_fsl_stage_finish(&scene->stage);
	close(scene->at.dir);
	close(scene->old);
	suite_close(s);
}

START_TEST(f7_the_expected_file_is_replaced)
{
	struct scene scene;
	if (!set_scene(&scene))
		return;
	ck_code(s, exchange(&scene, 1), 0);
	ck_holds(s, "f", "new");
	end_scene(&scene);
}
END_TEST

START_TEST(f7_a_late_change_is_given_back_and_said)
{
	struct scene scene;
	if (!set_scene(&scene))
		return;
	put(s, "late", BYTES("late"));
	ck_assert_int_eq(rename(at(s, "late"), at(s, "f")), 0);
	ck_code(s, exchange(&scene, 1), UW_E_FS_STALE_VERSION);
	ck_assert_ptr_nonnull(strstr(s->err.detail, "exposed_us="));
	ck_holds(s, "f", "late");
	end_scene(&scene);
}
END_TEST

/* written in place, same size, and the times set back */
START_TEST(f7_a_late_change_in_place_is_noticed)
{
	struct scene scene;
	struct timespec times[2];
	if (!set_scene(&scene))
		return;
	put(s, "f", BYTES("dlo"));
	times[0] = scene.seen.st_atim;
	times[1] = scene.seen.st_mtim;
	ck_assert_int_eq(utimensat(AT_FDCWD, at(s, "f"), times, 0), 0);
	ck_code(s, exchange(&scene, 0), UW_E_FS_STALE_VERSION);
	ck_holds(s, "f", "dlo");
	end_scene(&scene);
}
END_TEST

START_TEST(f7_a_link_or_directory_that_came_late_is_given_back)
{
	struct scene scene;
	if (!set_scene(&scene))
		return;
	ck_assert_int_eq(unlink(at(s, "f")) | symlink("x", at(s, "f")), 0);
	ck_code(s, exchange(&scene, 0), UW_E_FS_STALE_VERSION);
	ck_holds(s, "x", "y");
	ck_assert_int_eq(unlink(at(s, "f")) | mkdir(at(s, "f"), 0755), 0);
	ck_code(s, exchange(&scene, 0), UW_E_FS_STALE_VERSION);
	ck_assert_int_eq(rmdir(at(s, "f")), 0);
	ck_code(s, exchange(&scene, 0), UW_E_FS_STALE_VERSION);
	ck_assert_int_eq(exists(s, "f"), 0);
	end_scene(&scene);
}
END_TEST

/* what a third one put over ours in that moment is kept beside */
START_TEST(f7_a_third_content_is_kept_aside)
{
	struct scene scene;
	if (!set_scene(&scene))
		return;
	ck_assert_int_eq(uwi_fsl_rename_exchange(scene.at.dir, scene.stage.name, "f"), 0);
	put(s, "third", BYTES("third"));
	ck_assert_int_eq(rename(at(s, "third"), at(s, "f")), 0);
	ck_assert_int_eq(uwi_fsl_exchange_back(&scene.at, &scene.stage, 5000, &s->err), UW_E_FS_STALE_VERSION);
	ck_assert_int_eq(s->err.effect, UW_EFFECT_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(s->err.detail, "kept=f.conflict-1\n"));
	ck_holds(s, "f", "old");
	ck_holds(s, "f.conflict-1", "third");
	end_scene(&scene);
}
END_TEST

START_TEST(f7_a_file_that_others_hold_open_to_write_is_busy)
{
	struct uw_version version;
	int writer;
	suite_open(s);
	put(s, "f", BYTES("old"));
	version = version_of(s, "f");
	writer = open(at(s, "f"), O_WRONLY | O_CLOEXEC);
	ck_code(s, write_as(s, "f", BYTES("new"), UW_WRITE_REPLACE, &version), UW_E_FS_BUSY);
	close(writer);
	ck_code(s, write_as(s, "f", BYTES("new"), UW_WRITE_REPLACE, &version), 0);
	put(s, "x", BYTES("x"));
	put(s, "y", BYTES("y"));
	/* said where the file system cannot exchange, and only there */
	ck_assert_int_eq((s->wrote.flags & UW_WROTE_IN_PROCESS) != 0,
	                 renameat2(AT_FDCWD, at(s, "x"), AT_FDCWD, at(s, "y"), RENAME_EXCHANGE) < 0);
	suite_close(s);
}
END_TEST

static atomic_int running;

/* Another program that replaces the file without looking. Each content is unlike all others. */
static void *replace_always(void *arg)
{
	char text[32];
	(void)arg;
	for (unsigned n = 1; atomic_load(&running); n++) {
		snprintf(text, sizeof text, "foreign %u", n);
		put(s, "their-temp", bytes_of(text));
		(void)rename(at(s, "their-temp"), at(s, "f"));
	}
	return NULL;
}

/*
 * W2: another program replaces the file all the time. Ours either replaces exactly
 * the version that it had read, or says that it did not; nothing else is an answer,
 * and no staging file is left by any interleaving.
 */
START_TEST(w2_guarded_writes_race_with_another_program)
{
	pthread_t thread;
	int won = 0, lost = 0, missed = 0, atomic;
	suite_open(s);
	put(s, "f", BYTES("start"));
	put(s, "x", BYTES("x"));
	/* FUSE, which knows no exchange, hides an open file before another takes its name: it is missing for a moment */
	atomic = renameat2(AT_FDCWD, at(s, "x"), AT_FDCWD, at(s, "f"), RENAME_EXCHANGE) == 0;
	atomic_store(&running, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, replace_always, NULL), 0);
	for (int i = 0; i < 400; i++) {
		static struct got got;
		int code;
		if (read_range(s, "f", 0, UINT64_MAX, &got) < 0) {
			missed++;
			continue;
		}
		code = write_as(s, "f", BYTES("ours"), UW_WRITE_REPLACE, &got.info.version);
		ck_assert_msg(code == 0 || code == UW_E_FS_STALE_VERSION || code == UW_E_FS_BUSY ||
		              (code == UW_E_FS_NOT_FOUND && !atomic && s->err.effect == UW_EFFECT_NONE), "%s", s->err.message);
		won += code == 0;
		lost += code != 0;
	}
	atomic_store(&running, 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(won + lost + missed, 400);
	ck_assert_int_gt(won + lost, 0);
	(void)unlink(at(s, "their-temp"));
	suite_close(s);
}
END_TEST

UW_TESTS("fs-local exchange", f7_the_expected_file_is_replaced, f7_a_late_change_is_given_back_and_said,
         f7_a_late_change_in_place_is_noticed, f7_a_link_or_directory_that_came_late_is_given_back,
         f7_a_third_content_is_kept_aside, f7_a_file_that_others_hold_open_to_write_is_busy,
         w2_guarded_writes_race_with_another_program)
