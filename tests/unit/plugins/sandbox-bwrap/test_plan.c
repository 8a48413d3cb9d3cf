/* What bwrap adds to the suite: mounts over protected paths, masks, folding, status. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bwrap.h"
#include "plugin_host.h"
#include "tests/suites/sandbox_suite.h"
#include "tests/temp.h"
#include "tests/unit.h"

UW_NEEDS_THE_MACHINE;

static void works(struct fixture *fixture, const char *text)
{
	int exit_code = fixture_run(fixture, text);
	ck_assert_msg(exit_code == 0, "%s: exit %d: %s%s%s", text, exit_code, fixture->err.message,
	              fixture->result.refused.text, fixture->result.out);
}

static int listen_at(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	return fd;
}

static size_t count_word(const struct fixture *fixture, const char *word)
{
	size_t count = 0;
	for (size_t i = 0; i < fixture->confined->wrapper_count; i++)
		count += strcmp(fixture->confined->wrapper[i], word) == 0;
	return count;
}

/* srt ancestor pinning, pmg #446 */
START_TEST(the_parent_of_a_protected_path_cannot_be_renamed)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "mkdir -p sub/.git/hooks"), 0);
	fixture_protect(&fixture, "sub/.git/hooks", "git-hooks");
	works(&fixture, "echo x >sub/.git/x && mv sub/.git/x sub/y");
	ck_assert_int_ne(fixture_run(&fixture, "mv sub s2; mkdir -p sub/.git/hooks; echo x >sub/.git/hooks/pre-commit"), 0);
	ck_assert_int_ne(fixture_run(&fixture, "mv sub/.git g; mkdir -p sub/.git/hooks; echo x >sub/.git/hooks/pre-commit"), 0);
	ck_assert_int_eq(fixture_host(&fixture, "test -d sub/.git/hooks && test ! -e sub/.git/hooks/pre-commit && test ! -e s2"), 0);
	fixture_close(&fixture);
}
END_TEST

START_TEST(a_protected_path_below_two_nested_roots_is_pinned_from_the_outer_one)
{
	struct fixture fixture;
	char inner[400];
	struct stat found;
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "mkdir -p a/b/.git/hooks"), 0);
	(void)snprintf(inner, sizeof inner, "%s/a/b", fixture.ws);
	ck_assert_int_eq(stat(inner, &found), 0);
	fixture.roots[0] = (struct uw_place){inner, found.st_dev, found.st_ino};
	fixture.policy.root_count = 1;
	fixture_protect(&fixture, "a/b/.git/hooks", "git-hooks");
	works(&fixture, "echo x >a/b/x && echo x >a/x");
	ck_assert_int_ne(fixture_run(&fixture, "mv a z && mkdir -p a/b/.git/hooks && echo x >a/b/.git/hooks/h"), 0);
	ck_assert_int_ne(fixture_run(&fixture, "mv a/b a/z"), 0);
	fixture_close(&fixture);
}
END_TEST

/* S-62 */
START_TEST(a_protected_link_fails_closed_and_says_what_to_do)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "mkdir -p .git shared && ln -s ../shared .git/hooks"), 0);
	fixture_protect(&fixture, ".git/hooks", "git-hooks");
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(fixture.err.message, "git: full"));
	fixture.policy.mode = UW_MODE_READ_ONLY;
	works(&fixture, "true");
	fixture_close(&fixture);
}
END_TEST

START_TEST(what_is_protected_and_absent_leaves_nothing_behind)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	fixture_protect(&fixture, ".env", "bundle");
	fixture_protect(&fixture, ".git/hooks", "git-hooks");
	works(&fixture, "true");
	ck_assert_int_eq(fixture_host(&fixture, "test -z \"$(ls -A)\""), 0);
	ck_assert_int_eq(fixture_row(&fixture, UW_OP_PROTECTED_ABSENT)->hold, UW_HOLD_NONE);
	ck_assert(!fixture_row(&fixture, UW_OP_PROTECTED_ABSENT)->promised);
	fixture_close(&fixture);
}
END_TEST

/* S-64 */
START_TEST(many_protected_paths_become_their_directory_and_it_is_named)
{
	struct fixture fixture;
	char path[64];
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "for i in $(seq 40); do mkdir -p .git/modules/m$i/hooks; echo c >.git/modules/m$i/config; done; mkdir .git/hooks"), 0);
	fixture_protect(&fixture, ".git/hooks", "git-hooks");
	for (int i = 1; i <= 40; i++) {
		(void)snprintf(path, sizeof path, ".git/modules/m%d/hooks", i);
		fixture_protect(&fixture, path, "git-hooks");
		(void)snprintf(path, sizeof path, ".git/modules/m%d/config", i);
		fixture_protect(&fixture, path, "git-config");
	}
	works(&fixture, "echo x >.git/index && echo x >a");
	ck_assert_uint_le(count_word(&fixture, "--bind") + count_word(&fixture, "--ro-bind"), BWRAP_EXTRA_MAX + 4);
	ck_assert_ptr_nonnull(strstr(fixture_row(&fixture, UW_OP_PROTECTED_EXISTING)->reason, "/.git/modules"));
	for (int i = 1; i <= 40; i++) {
		char text[64];
		(void)snprintf(text, sizeof text, "echo x >.git/modules/m%d/hooks/h", i);
		ck_assert_int_ne(fixture_run(&fixture, text), 0);
	}
	fixture_close(&fixture);
}
END_TEST

START_TEST(too_many_of_the_bundles_own_are_an_error)
{
	struct fixture fixture;
	char path[64];
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "mkdir d && for i in $(seq 17); do echo x >d/f$i; done"), 0);
	for (int i = 1; i <= 17; i++) {
		(void)snprintf(path, sizeof path, "d/f%d", i);
		fixture_protect(&fixture, path, "bundle");
	}
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	free((char *)fixture.protected_paths[15].path);
	free((char *)fixture.protected_paths[16].path);
	fixture.policy.protected_count = 15;
	works(&fixture, "true");
	ck_assert_int_ne(fixture_run(&fixture, "echo y >d/f3"), 0);
	fixture_close(&fixture);
}
END_TEST

/* S-5 */
START_TEST(sockets_of_the_workspace_stay_and_others_are_masked)
{
	struct fixture fixture;
	char path[320];
	fixture_open(&fixture, SUITE_USER, NULL);
	(void)snprintf(path, sizeof path, "%s/s", fixture.ws);
	(void)listen_at(path);
	(void)snprintf(path, sizeof path, "%s/s", fixture.out);
	(void)listen_at(path);
	works(&fixture, "$SELF --attack connect \"$WS/s\" && ! $SELF --attack connect \"$OUT/s\"");
	ck_assert(fixture.confined->may_pass);
	fixture.policy.mode = UW_MODE_READ_ONLY; /* nothing of the workspace is one's own then */
	works(&fixture, "! $SELF --attack connect \"$WS/s\" && ! $SELF --attack connect \"$OUT/s\"");
	fixture.policy.unix_sockets = UW_UNIX_ALL;
	works(&fixture, "$SELF --attack connect \"$OUT/s\"");
	ck_assert(!fixture_row(&fixture, UW_OP_UNIX_SOCKETS)->promised);
	fixture_close(&fixture);
}
END_TEST

START_TEST(many_sockets_of_one_directory_are_masked_with_it)
{
	struct fixture fixture;
	char path[320];
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "mkdir \"$OUT/d\" && echo x >\"$OUT/f\""), 0);
	for (int i = 0; i < 30; i++) {
		(void)snprintf(path, sizeof path, "%s/d/s%d", fixture.out, i);
		(void)listen_at(path);
	}
	works(&fixture, "test -z \"$(ls -A \"$OUT/d\")\" && cat \"$OUT/f\" && ! $SELF --attack connect \"$OUT/d/s7\"");
	fixture_close(&fixture);
}
END_TEST

START_TEST(a_socket_that_cannot_be_placed_leaves_none_instead_of_all)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(chdir(fixture.out), 0);
	(void)listen_at("s");
	works(&fixture, "! $SELF --attack connect \"$OUT/s\" && ! $SELF --attack socket 1");
	ck_assert_ptr_nonnull(strstr(fixture_row(&fixture, UW_OP_UNIX_SOCKETS)->reason, "none"));
	ck_assert_int_eq(chdir("/"), 0);
	fixture_close(&fixture);
}
END_TEST

START_TEST(after_a_mask_broke_off_there_are_none_for_a_while)
{
	struct uw_outcome outcome = {.size = sizeof outcome, .broke_off = 1};
	struct fixture fixture;
	char path[320];
	fixture_open(&fixture, SUITE_USER, NULL);
	(void)snprintf(path, sizeof path, "%s/s", fixture.out);
	(void)listen_at(path);
	ck_assert_int_eq(fixture.v->confine(fixture.self, NULL, &fixture.policy, NULL, &fixture.confined, &fixture.err), 0);
	ck_assert(fixture.confined->may_pass);
	ck_assert_int_eq(fixture.v->release(fixture.self, fixture.confined, &outcome, NULL), 0);
	ck_assert_int_eq(fixture.v->confine(fixture.self, NULL, &fixture.policy, NULL, &fixture.confined, &fixture.err), 0);
	ck_assert(!fixture.confined->may_pass);
	ck_assert_int_eq(fixture_row(&fixture, UW_OP_UNIX_SOCKETS)->hold, UW_HOLD_FULL);
	ck_assert_ptr_nonnull(strstr(fixture_row(&fixture, UW_OP_UNIX_SOCKETS)->reason, "none"));
	fixture_close(&fixture);
}
END_TEST

START_TEST(the_state_directory_is_empty_inside)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture_host(&fixture, "echo secret >\"$HOME/state/token\""), 0);
	works(&fixture, "test -z \"$(ls -A \"$HOME/state\")\"");
	ck_assert_int_ne(fixture_run(&fixture, "echo x >\"$HOME/state/x\""), 0);
	fixture_close(&fixture);
}
END_TEST

/* S-60: name resolution, loopback */
START_TEST(names_resolve_with_the_hosts_network_and_loopback_works_without)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	works(&fixture, "cat /proc/net/dev | grep -c : | grep -qx 1 && $SELF --attack socket 2");
	fixture.policy.network = UW_NETWORK_HOST;
	works(&fixture, "cat /etc/resolv.conf >/dev/null");
	fixture_close(&fixture);
}
END_TEST

/* In a mount namespace of its own: /etc/resolv.conf is a link to a link below /run. */
START_TEST(names_resolve_where_resolv_conf_points_into_run)
{
	struct fixture fixture;
	if (geteuid() != 0)
		return;
	fixture_open(&fixture, 0, NULL);
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(fixture_host(&fixture, "mount --make-rprivate / && cp -a /etc \"$HOME/etc\" && mount -t tmpfs run /run && "
	                                        "mkdir -p /run/a /run/b && echo 'nameserver 127.0.0.53' >/run/b/real && ln -s ../b/real /run/a/stub && "
	                                        "ln -sf /run/a/stub \"$HOME/etc/resolv.conf\" && mount --bind \"$HOME/etc\" /etc && echo x >/run/other"), 0);
	fixture.policy.network = UW_NETWORK_HOST;
	works(&fixture, "grep -q 127.0.0.53 /etc/resolv.conf && test ! -e /run/other && ! echo x >/run/b/real");
	ck_assert_int_eq(fixture_host(&fixture, "umount /etc && umount /run"), 0);
	fixture_close(&fixture);
}
END_TEST

/* S-60, bubblewrap #287 */
START_TEST(root_keeps_six_capabilities_or_none)
{
	static const char *const none[] = {"root_caps", "none", NULL};
	struct fixture fixture;
	if (geteuid() != 0)
		return;
	fixture_open(&fixture, 0, NULL);
	/* the bounding set does not matter once no_new_privs is set */
	works(&fixture, "grep -q 'CapEff:.00000000000000db' /proc/self/status && grep -q 'NoNewPrivs:.1' /proc/self/status");
	fixture_configure(&fixture, none);
	works(&fixture, "grep -q 'CapEff:.0000000000000000' /proc/self/status && ! chown 1:1 .");
	fixture_close(&fixture);
}
END_TEST

/* S-65 */
START_TEST(nesting_leaves_the_second_fence_out_and_says_so)
{
	static const char *const nesting[] = {"nesting", "true", NULL};
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, nesting);
	works(&fixture, "bwrap --unshare-user --ro-bind / / --tmpfs /tmp true");
	ck_assert_int_ne(fixture_run(&fixture, "echo x >\"$OUT/x\""), 0);
	ck_assert_int_ne(fixture_run(&fixture, "unshare -Urm sh -c 'mount -o remount,bind,rw / ; echo bad >\"$OUT/f\"'"), 0);
	ck_assert_int_eq(fixture_row(&fixture, UW_OP_PRIVILEGE)->hold, UW_HOLD_PARTIAL);
	fixture_close(&fixture);
}
END_TEST

START_TEST(a_command_without_a_temp_writes_nowhere_in_read_only)
{
	struct fixture fixture;
	fixture_open(&fixture, SUITE_USER, NULL);
	fixture.policy.mode = UW_MODE_READ_ONLY;
	fixture.policy.temp = (struct uw_place){NULL, 0, 0};
	works(&fixture, "! echo x >/tmp/x && ! echo x >/run/x && ! echo x >x");
	fixture_close(&fixture);
}
END_TEST

START_TEST(a_missing_bwrap_is_unavailable_and_doctor_says_how_to_get_it)
{
	struct fixture fixture;
	struct uw_sandbox_status status = {.size = sizeof status};
	fixture_open(&fixture, SUITE_USER, NULL);
	ck_assert_int_eq(fixture.v->status(fixture.self, &status, NULL), 0);
	ck_assert(status.usable);
	fixture.context->paths[UW_PATH_BWRAP] = "/usr/bin/no-such-bwrap";
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(fixture.v->status(fixture.self, &status, NULL), 0);
	ck_assert(!status.usable);
	ck_assert_ptr_nonnull(strstr(status.advice, "apt-get install bubblewrap"));
	fixture_close(&fixture);
}
END_TEST

/* S-15: temp at /tmp, and a workspace below /tmp as it is */
START_TEST(the_view_names_the_temp_and_roots_below_it)
{
	struct fixture fixture;
	AUTO_TEMP base = temp_make_below("/tmp");
	fixture_open_at(&fixture, SUITE_USER, NULL, base.path);
	fixture.policy.mode = UW_MODE_WORKSPACE_WRITE;
	ck_assert_int_eq(fixture.v->confine(fixture.self, NULL, &fixture.policy, NULL, &fixture.confined, &fixture.err), 0);
	ck_assert_uint_eq(fixture.confined->view.count, 2);
	ck_assert_str_eq(fixture.confined->view.entries[0].inside, "/tmp");
	ck_assert_str_eq(fixture.confined->view.entries[0].outside, fixture.temp);
	ck_assert_str_eq(fixture.confined->view.entries[1].inside, fixture.ws);
	ck_assert_str_eq(fixture.confined->view.entries[1].outside, fixture.ws);
	fixture_close(&fixture);
}
END_TEST

UW_TESTS("sandbox-bwrap/plan", the_parent_of_a_protected_path_cannot_be_renamed,
         a_protected_path_below_two_nested_roots_is_pinned_from_the_outer_one,
         a_protected_link_fails_closed_and_says_what_to_do,
         what_is_protected_and_absent_leaves_nothing_behind,
         many_protected_paths_become_their_directory_and_it_is_named,
         too_many_of_the_bundles_own_are_an_error,
         sockets_of_the_workspace_stay_and_others_are_masked,
         many_sockets_of_one_directory_are_masked_with_it,
         a_socket_that_cannot_be_placed_leaves_none_instead_of_all,
         after_a_mask_broke_off_there_are_none_for_a_while, the_state_directory_is_empty_inside,
         names_resolve_with_the_hosts_network_and_loopback_works_without,
         names_resolve_where_resolv_conf_points_into_run,
         root_keeps_six_capabilities_or_none, nesting_leaves_the_second_fence_out_and_says_so,
         a_command_without_a_temp_writes_nowhere_in_read_only,
         a_missing_bwrap_is_unavailable_and_doctor_says_how_to_get_it,
         the_view_names_the_temp_and_roots_below_it)
