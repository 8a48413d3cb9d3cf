/* common/fence (F-31..F-34). */
#include "tests/unit.h"

#include "common/fence.h"

#include <umwelt/fs.h>

#include <string.h>

static const struct uw_place roots[] = {{"/ws", 1, 2}, {"/ws/deep", 1, 3}};
static const struct uw_protected rules[] = {{"/ws/.git/hooks", "git-hooks", 1, 0, 1, 4}};
static const struct uw_fence fence = {sizeof(struct uw_fence), UW_MODE_WORKSPACE_WRITE, roots, 2, rules, 1};

static int asked(const char *path, int act, struct uw_error *err)
{
	struct uw_bytes key = {path, strlen(path)};
	int code = 0;
	return uw_fence_root(&fence, key, act, &code, err) ? 0 : code;
}

START_TEST(paths_below_a_root_pass_and_others_do_not)
{
	ck_assert_int_eq(asked("/ws/a", UW_FENCE_ENTRY, NULL), 0);
	ck_assert_int_eq(asked("/ws", UW_FENCE_CONTENT, NULL), 0);
	ck_assert_int_eq(asked("/ws", UW_FENCE_MOVE, NULL), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(asked("/ws/deep", UW_FENCE_MOVE, NULL), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(asked("/ws-evil/a", UW_FENCE_ENTRY, NULL), UW_E_FS_SANDBOX_DENIED);
}
END_TEST

START_TEST(protected_paths_their_children_and_moves_of_their_ancestors_are_refused)
{
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_int_eq(asked("/ws/.git/hooks", UW_FENCE_CONTENT, NULL), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(asked("/ws/.git/hooks/x", UW_FENCE_ENTRY, NULL), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(asked("/ws/.git/hooks2", UW_FENCE_ENTRY, NULL), 0);
	ck_assert_int_eq(asked("/ws/.git", UW_FENCE_CONTENT, NULL), 0);
	ck_assert_int_eq(asked("/ws/.git", UW_FENCE_MOVE, &err), UW_E_FS_SANDBOX_DENIED);
	ck_assert_ptr_nonnull(strstr(err.detail, "rule=git-hooks\n"));
	ck_assert_ptr_nonnull(strstr(err.detail, "path=/ws/.git\n"));
}
END_TEST

/* F-34, peer/D11 */
START_TEST(a_refusal_starts_with_the_two_marker_lines)
{
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_int_eq(asked("/etc/passwd", UW_FENCE_CONTENT, &err), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(strncmp(err.message,
	                         "[sandbox: file access denied under workspace-write mode]\n" UW_DENIED_HINT "\n",
	                         strlen("[sandbox: file access denied under workspace-write mode]\n" UW_DENIED_HINT "\n")), 0);
	ck_assert_int_eq(err.effect, UW_EFFECT_NONE);
	ck_assert_ptr_nonnull(strstr(err.detail, "rule=outside-roots\n"));
}
END_TEST

UW_TESTS("common/fence", paths_below_a_root_pass_and_others_do_not,
         protected_paths_their_children_and_moves_of_their_ancestors_are_refused,
         a_refusal_starts_with_the_two_marker_lines)
