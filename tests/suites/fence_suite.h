/*
 * The suite of the fence (F-30..F-34; peer D, files F20, F21, F23): mutations under
 * a policy. The includer's suite_attach makes sure that s->policy is in force, and
 * again after each change of it by
 *
 *	static void suite_policy(struct suite *s);
 *
 * Each attack is also made without a fence, where it must succeed.
 */
#ifndef UW_TESTS_FENCE_SUITE_H
#define UW_TESTS_FENCE_SUITE_H

#include "tests/suites/fs_world.h"

#include <pthread.h>
#include <stdatomic.h>

static struct suite s_, *const s = &s_;

static void suite_policy(struct suite *suite);

static void mode_is(int mode)
{
	s->policy.mode = mode;
	suite_policy(s);
}

/* F-34, peer/D11: the two lines first, path and rule for machines */
static void ck_refusal(const char *mode, const char *rule)
{
	char marker[256], line[64];
	snprintf(marker, sizeof marker, UW_DENIED_MARKER "\n" UW_DENIED_HINT "\n", mode);
	snprintf(line, sizeof line, "rule=%s\n", rule);
	ck_assert_msg(strncmp(s->err.message, marker, strlen(marker)) == 0, "%s", s->err.message);
	ck_assert_msg(strstr(s->err.detail, line) != NULL, "%s", s->err.detail);
	ck_assert_ptr_nonnull(strstr(s->err.detail, "path=/"));
}

START_TEST(d1_read_only_allows_the_temp_alone)
{
	suite_open(s);
	put(s, "f", BYTES("old"));
	mode_is(UW_MODE_READ_ONLY);
	ck_code(s, W(s, "new", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_refusal("read-only", "outside-roots");
	ck_code(s, W(s, "f", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, E(s, "f", "old", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, mkdir_path(s, "d", 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, remove_path(s, "f", 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, rename_path(s, "f", "g", 0), UW_E_FS_SANDBOX_DENIED);
	ck_holds(s, "f", "old");
	ck_code(s, W(s, "../temp/x", "in the temp"), 0);
	ck_holds(s, "../temp/x", "in the temp");
	s->policy.temp.path = NULL;
	suite_policy(s);
	ck_code(s, W(s, "../temp/y", "x"), UW_E_FS_SANDBOX_DENIED);
	suite_close(s);
}
END_TEST

START_TEST(d2_workspace_write_allows_workspace_roots_and_temp)
{
	struct uw_place more;
	char path[PATH_MAX];
	suite_open(s);
	ck_code(s, W(s, "a", "x"), 0);
	ck_code(s, W(s, "n/e/w", "x"), 0);
	ck_code(s, W(s, "../out/a", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_refusal("workspace-write", "outside-roots");
	ck_code(s, W(s, "/tmp/umwelt-must-not-be", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(exists(s, "/tmp/umwelt-must-not-be"), 0);
	ck_code(s, W(s, "../temp/t", "x"), 0);
	snprintf(path, sizeof path, "%.4000s", s->out);
	more = place_of(path);
	s->policy.roots = &more;
	s->policy.root_count = 1;
	suite_policy(s);
	ck_code(s, W(s, "../out/a", "x"), 0);
	suite_close(s);
}
END_TEST

/* peer/D3, files/F20, files/F21 */
START_TEST(d3_files_f20_f21_dotdot_links_and_siblings_lead_nowhere)
{
	suite_open(s);
	put(s, "../out/secret", BYTES("old"));
	ck_code(s, W(s, "../out/new", "x"), UW_E_FS_SANDBOX_DENIED);
	mkdir(at(s, "../ws-evil"), 0755);
	ck_code(s, W(s, "../ws-evil/s", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(exists(s, "../ws-evil/s"), 0);
	put(s, "../ws-evil/s", BYTES("of a sibling"));
	ck_code(s, W(s, "../ws-evil/s", "x"), UW_E_FS_SANDBOX_DENIED);
	{ /* a read passes (F-30) */
		struct got got;
		ck_code(s, read_range(s, "../ws-evil/s", 0, 99, &got), 0);
		ck_assert_uint_eq(got.len, 12);
	}
	if (symlink("../out/secret", at(s, "leak")) == 0 && symlink("../out", at(s, "leakdir")) == 0) {
		struct got got;
		ck_code(s, W(s, "leak", "x"), UW_E_FS_SANDBOX_DENIED);
		ck_code(s, E(s, "leak", "old", "x"), UW_E_FS_SANDBOX_DENIED);
		ck_code(s, W(s, "leakdir/new", "x"), UW_E_FS_SANDBOX_DENIED);
		ck_code(s, mkdir_path(s, "leakdir/d", UW_MKDIR_PARENTS), UW_E_FS_SANDBOX_DENIED);
		ck_code(s, remove_path(s, "leakdir/secret", 0), UW_E_FS_SANDBOX_DENIED);
		/* the link itself is the workspace's own */
		ck_code(s, remove_path(s, "leak", 0), 0);
		/* a read passes (F-30) */
		ck_code(s, read_range(s, "leakdir/secret", 0, 99, &got), 0);
	}
	ck_holds(s, "../out/secret", "old");
	suite_close(s);
}
END_TEST

START_TEST(d4_a_link_from_outside_into_the_workspace_lands_there)
{
	suite_open(s);
	if (!can(s, "symlink", symlink("../ws", at(s, "../out/in")) == 0))
		return;
	ck_code(s, W(s, "../out/in/f", "x"), 0);
	ck_holds(s, "f", "x");
	suite_close(s);
}
END_TEST

/* peer/D6: the root's spelling does not matter; the root `/` is no workspace with us, but a fence of it allows all */
START_TEST(d6_roots_with_a_slash_at_their_end_and_the_root_itself)
{
	char slash[PATH_MAX + 1];
	suite_open(s);
	snprintf(slash, sizeof slash, "%s/", s->ws);
	s->policy.workspace.path = slash;
	suite_policy(s);
	ck_code(s, W(s, "f", "x"), 0);
	s->policy.workspace = place_of("/");
	suite_policy(s);
	ck_code(s, W(s, "../out/f", "x"), 0);
	s->policy.workspace = place_of(s->ws);
	suite_policy(s);
	suite_close(s);
}
END_TEST

START_TEST(d8_dev_null_is_no_target)
{
	suite_open(s);
	ck_code(s, W(s, "/dev/null", "x"), UW_E_FS_SANDBOX_DENIED);
	suite_close(s);
}
END_TEST

START_TEST(d9_the_workspace_itself_is_no_file_and_stays)
{
	suite_open(s);
	ck_code(s, W(s, ".", "x"), UW_E_FS_NOT_REGULAR_FILE);
	ck_code(s, W(s, s->ws, "x"), UW_E_FS_NOT_REGULAR_FILE);
	ck_code(s, remove_path(s, s->ws, UW_REMOVE_RECURSIVE), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, rename_path(s, s->ws, at(s, "inside"), 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, mkdir_path(s, s->ws, UW_MKDIR_PARENTS), 0);
	suite_close(s);
}
END_TEST

START_TEST(d10_reading_outside_passes_in_any_mode)
{
	static const int modes[] = {UW_MODE_READ_ONLY, UW_MODE_WORKSPACE_WRITE, UW_MODE_DANGER_FULL_ACCESS};
	struct got got;
	suite_open(s);
	put(s, "../out/f", BYTES("x"));
	for (int i = 0; i < 3; i++) {
		mode_is(modes[i]);
		ck_code(s, read_range(s, "../out/f", 0, 9, &got), 0);
		ck_assert_int_eq(stat_path(s, "/etc/passwd", 0).type, UW_FS_FILE);
	}
	suite_close(s);
}
END_TEST

START_TEST(f30_danger_does_not_fence)
{
	suite_open(s);
	mode_is(UW_MODE_DANGER_FULL_ACCESS);
	ck_code(s, W(s, "../out/f", "x"), 0);
	ck_code(s, rename_path(s, at(s, "../out/f"), "here", 0), 0);
	ck_holds(s, "here", "x");
	suite_close(s);
}
END_TEST

START_TEST(f33_both_ends_of_a_rename_are_checked)
{
	suite_open(s);
	put(s, "in", BYTES("in"));
	put(s, "../out/o", BYTES("out"));
	ck_code(s, rename_path(s, "in", at(s, "../out/new"), 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, rename_path(s, at(s, "../out/o"), "new", 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, remove_path(s, at(s, "../out/o"), 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, rename_path(s, "in", "../temp/in", 0), 0);
	ck_holds(s, "../temp/in", "in");
	suite_close(s);
}
END_TEST

/* F-32: the object, not the path alone */
START_TEST(f32_a_replaced_root_is_not_written_to)
{
	suite_open(s);
	ck_assert_int_eq(rename(s->ws, at(s, "../moved")), 0);
	ck_assert_int_eq(mkdir(s->ws, 0755), 0);
	ck_code(s, W(s, "f", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_refusal("workspace-write", "root-replaced");
	ck_assert_int_eq(rmdir(s->ws), 0);
	ck_code(s, W(s, "f", "x"), UW_E_FS_SANDBOX_DENIED);
	ck_refusal("workspace-write", "root-missing");
	suite_close(s);
}
END_TEST

START_TEST(protected_paths_hold_and_their_ancestors_do_not_move)
{
	static char hooks[PATH_MAX], git_config[PATH_MAX];
	struct uw_place place;
	struct uw_protected rules[2];
	struct got got;
	suite_open(s);
	mkdir(at(s, ".git"), 0755);
	mkdir(at(s, ".git/hooks"), 0755);
	put(s, ".git/hooks/pre-commit", BYTES("hook"));
	snprintf(hooks, sizeof hooks, "%.4000s/.git/hooks", s->ws);
	snprintf(git_config, sizeof git_config, "%.4000s/.git/config", s->ws);
	place = place_of(hooks);
	rules[0] = (struct uw_protected){hooks, "git-hooks", 1, 0, place.dev, place.ino};
	rules[1] = (struct uw_protected){git_config, "git-config", 0, 0, 0, 0};
	s->policy.protected_paths = rules;
	s->policy.protected_count = 2;
	suite_policy(s);
	ck_code(s, W(s, ".git/hooks/pre-commit", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_refusal("workspace-write", "git-hooks");
	ck_code(s, W(s, ".git/hooks/new", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, E(s, ".git/hooks/pre-commit", "hook", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, remove_path(s, ".git/hooks/pre-commit", 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, rename_path(s, ".git", "git2", 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, remove_path(s, ".git", UW_REMOVE_RECURSIVE), UW_E_FS_SANDBOX_DENIED);
	/* absent ones are not to appear, by no way */
	ck_code(s, W(s, ".git/config", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_refusal("workspace-write", "git-config");
	ck_code(s, W(s, "conf", "x"), 0);
	ck_code(s, rename_path(s, "conf", ".git/config", 0), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, mkdir_path(s, ".git/config", 0), UW_E_FS_SANDBOX_DENIED);
	/* what is not protected works, reading too */
	ck_code(s, W(s, ".git/index", "x"), 0);
	ck_code(s, W(s, ".git/hooks2/f", "x"), 0);
	ck_code(s, read_range(s, ".git/hooks/pre-commit", 0, 9, &got), 0);
	ck_holds(s, ".git/hooks/pre-commit", "hook");
	if (symlink(".git/hooks", at(s, "way")) == 0)
		ck_code(s, W(s, "way/new", "evil"), UW_E_FS_SANDBOX_DENIED);
	suite_close(s);
}
END_TEST

/* A directory and a link to the outside change places as fast as they can. */
static atomic_int racing;

static void *swap_places(void *arg)
{
	(void)arg;
	while (atomic_load(&racing)) {
		/* the exchange leaves no moment in which the name is missing */
		(void)renameat2(AT_FDCWD, at(s, "dir"), AT_FDCWD, at(s, "link"), RENAME_EXCHANGE);
	}
	return NULL;
}

/* There and back. */
static int can_swap(void)
{
	const char *dir = at(s, "dir"), *link = at(s, "link");
	return can(s, "RENAME_EXCHANGE", renameat2(AT_FDCWD, dir, AT_FDCWD, link, RENAME_EXCHANGE) == 0 &&
	                                     renameat2(AT_FDCWD, dir, AT_FDCWD, link, RENAME_EXCHANGE) == 0);
}

static int naive_write(const char *name)
{
	/* checks, then acts on the path again */
	char real[PATH_MAX];
	int fd;
	if (!realpath(at(s, "dir"), real) || strncmp(real, s->ws, strlen(s->ws)) != 0)
		return -1;
	fd = open(at(s, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0)
		close(fd);
	return fd;
}

/* files/F23, F-32, W14 */
START_TEST(files_f23_a_parent_swapped_for_a_link_leads_nowhere)
{
	pthread_t thread;
	int inside = 0, refused = 0;
	suite_open(s);
	mkdir(at(s, "dir"), 0755);
	if (!can(s, "symlink", symlink("../out", at(s, "link")) == 0) || !can_swap())
		return;
	atomic_store(&racing, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, swap_places, NULL), 0);
	for (int i = 0; i < 3000; i++) {
		struct uw_target *t = NULL;
		int code = resolve(s, BYTES("dir/f"), 0, &t);
		if (code == 0) {
			code = i % 3 == 0   ? write_target(s, t, BYTES("x"), UW_WRITE_UNCONDITIONAL, NULL, UW_WRITE_PARENTS)
			       : i % 3 == 1 ? write_target(s, t, BYTES("y"), UW_WRITE_CREATE, NULL, 0)
			                    : s->fs->v->mkdir(s->fs->self, &s->call, t, UW_MKDIR_PARENTS, &s->err);
			t->release(t);
		}
		inside += code == 0;
		refused += code == UW_E_FS_SANDBOX_DENIED;
	}
	ck_assert_int_eq(exists(s, "../out/f"), 0);
	ck_assert_int_eq(leftovers(s->out), 0);
	/* the same loop with a check and a path gets outside */
	for (int i = 0; i < 200000 && !exists(s, "../out/naive"); i++)
		(void)naive_write("dir/naive");
	atomic_store(&racing, 0);
	pthread_join(thread, NULL);
	ck_assert_msg(inside > 0 && refused > 0, "%d in, %d refused", inside, refused);
	ck_assert_msg(exists(s, "../out/naive"), "the attack itself did not work");
	suite_close(s);
}
END_TEST

/* the same for remove and rename: nothing outside goes away, nothing leaves */
START_TEST(f32_removes_and_renames_stay_inside_under_the_same_attack)
{
	pthread_t thread;
	suite_open(s);
	mkdir(at(s, "dir"), 0755);
	if (!can(s, "symlink", symlink("../out", at(s, "link")) == 0) || !can_swap())
		return;
	put(s, "../out/f", BYTES("keep"));
	put(s, "mine", BYTES("mine"));
	atomic_store(&racing, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, swap_places, NULL), 0);
	for (int i = 0; i < 1500; i++) {
		struct uw_target *a = NULL, *b = NULL;
		if (resolve(s, BYTES("dir/f"), UW_RESOLVE_NOFOLLOW, &a) == 0) {
			if (i % 2)
				(void)s->fs->v->remove(s->fs->self, &s->call, a, UW_REMOVE_RECURSIVE, &s->err);
			else if (resolve(s, BYTES("mine"), UW_RESOLVE_NOFOLLOW, &b) == 0) {
				(void)s->fs->v->rename(s->fs->self, &s->call, b, a, 0, &s->err);
				(void)s->fs->v->rename(s->fs->self, &s->call, a, b, 0, &s->err);
				b->release(b);
			}
			a->release(a);
		}
		if (!exists(s, "mine"))
			put(s, "mine", BYTES("mine"));
	}
	atomic_store(&racing, 0);
	pthread_join(thread, NULL);
	ck_holds(s, "../out/f", "keep");
	suite_close(s);
}
END_TEST

#define FENCE_SUITE                                                                              \
	d1_read_only_allows_the_temp_alone, d2_workspace_write_allows_workspace_roots_and_temp,      \
	    d3_files_f20_f21_dotdot_links_and_siblings_lead_nowhere,                                 \
	    d4_a_link_from_outside_into_the_workspace_lands_there,                                   \
	    d6_roots_with_a_slash_at_their_end_and_the_root_itself, d8_dev_null_is_no_target,        \
	    d9_the_workspace_itself_is_no_file_and_stays, d10_reading_outside_passes_in_any_mode,    \
	    f30_danger_does_not_fence, f33_both_ends_of_a_rename_are_checked,                        \
	    f32_a_replaced_root_is_not_written_to,                                                   \
	    protected_paths_hold_and_their_ancestors_do_not_move,                                    \
	    files_f23_a_parent_swapped_for_a_link_leads_nowhere,                                     \
	    f32_removes_and_renames_stay_inside_under_the_same_attack

#endif
