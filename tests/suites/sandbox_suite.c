#include "tests/suites/sandbox_suite.h"
#include "tests/temp.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/enforcement.h"
#include "common/launch_job.h"
#include "tests/plugin_host.h"

static int has_view(const struct fixture *fixture)
{
	return fixture->confined && fixture->confined->view.count > 0;
}

/* Runs text; it must end with 0. */
static void works(struct fixture *fixture, const char *text)
{
	int exit_code = fixture_run(fixture, text);
	ck_assert_msg(exit_code == 0, "%s in %s: exit %d: %s%s%s", text, uw_mode_name(fixture->policy.mode),
	              exit_code, fixture->err.message, fixture->result.refused.text, fixture->result.out);
}

static void fails(struct fixture *fixture, const char *text)
{
	int exit_code = fixture_run(fixture, text);
	ck_assert_msg(fixture->result.started && exit_code > 0, "%s in %s: exit %d: %s%s%s", text,
	              uw_mode_name(fixture->policy.mode), exit_code, fixture->err.message,
	              fixture->result.refused.text, fixture->result.out);
}

static void host_works(struct fixture *fixture, const char *text)
{
	ck_assert_msg(fixture_host(fixture, text) == 0, "on the host: %s", text);
}

/* peer/E2 */
void sandbox_case_writes_stay_in_the_workspace(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	works(&fixture, "echo x >a && mkdir -p d/e && echo y >d/e/f && chmod 600 a && touch -d @5 a && "
	                "ln a b && ln -s a c && mv d/e/f d/g && rm c && pwd");
	host_works(&fixture, "test \"$(cat a)\" = x && test -f d/g && test \"$(stat -c %Y a)\" = 5");
	ck_assert_uint_eq(fixture.result.said.checks, UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN);
	ck_assert(fixture.confined->in_run_check);
	fails(&fixture, "echo x >\"$OUT/a\"");
	host_works(&fixture, "test ! -e \"$OUT/a\"");
	fixture_close(&fixture);
}

/* peer/E1, peer/E3 */
void sandbox_case_read_only_writes_nothing_but_the_temp(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	fixture.policy.mode = UW_MODE_READ_ONLY;
	fails(&fixture, "echo x >a");
	host_works(&fixture, "test ! -e a");
	works(&fixture, "echo x >/dev/null && cat /etc/passwd >/dev/null && cat </dev/null && head -c 1 /dev/zero >/dev/full || :");
	works(&fixture, "echo x >\"$TMPDIR/t\" && test \"$(cat \"$TMPDIR/t\")\" = x");
	host_works(&fixture, "test \"$(cat \"$TEMP_OUTSIDE/t\")\" = x");
	ck_assert_uint_eq(fixture.result.said.checks, UW_CHECKED_NONCE | UW_CHECKED_FORBIDDEN);
	fixture_close(&fixture);
}

/* peer/E5, S-15, W22 */
void sandbox_case_temp_is_the_sessions(uid_t uid)
{
	struct fixture fixture;
	char name[64], text[200];
	fixture_open(&fixture, uid, NULL);
	(void)snprintf(name, sizeof name, "/tmp/umwelt-suite-%d", (int)getpid());
	for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_WORKSPACE_WRITE; mode++) {
		fixture.policy.mode = mode;
		works(&fixture, "echo kept >\"$TMPDIR/kept\" && mktemp >/dev/null");
		works(&fixture, "test \"$(cat \"$TMPDIR/kept\")\" = kept");
		(void)snprintf(text, sizeof text, "echo x >%s", name);
		if (has_view(&fixture)) {
			works(&fixture, text);
			(void)snprintf(text, sizeof text, "test -f \"$TEMP_OUTSIDE/umwelt-suite-%d\"", (int)getpid());
			host_works(&fixture, text);
		} else {
			fails(&fixture, text);
		}
		ck_assert_int_ne(access(name, F_OK), 0);
		ck_assert_int_eq(fixture_row(&fixture, UW_OP_TEMP)->hold, UW_HOLD_FULL);
	}
	/* temp: host makes /tmp a root; a policy does that */
	fixture.policy.temp_kind = UW_TEMP_HOST;
	fixture.roots[0] = (struct uw_place){"/tmp", 0, 0};
	fixture.policy.root_count = 1;
	(void)snprintf(text, sizeof text, "echo x >%s && echo y >\"$TMPDIR/y\"", name);
	works(&fixture, text);
	ck_assert_int_eq(access(name, F_OK), 0);
	(void)unlink(name);
	ck_assert_int_eq(fixture_row(&fixture, UW_OP_TEMP)->hold, UW_HOLD_PARTIAL);
	ck_assert(!has_view(&fixture));
	fixture_close(&fixture);
}

/* peer/E7, peer/E8, W20: S-41 */
void sandbox_case_what_the_command_says_proves_nothing(uid_t uid)
{
	static const struct {
		const char *text;
		int exit_code;
	} rows[] = {
	    {"echo 'bwrap: boom' >&2; exit 1", 1},
	    {"echo 'umwelt-launch: boom' >&2; exit 125", 125},
	    {"echo 'sh: cannot create /x: Read-only file system' >&2; exit 3", 3},
	    {"echo 'Permission denied' >&2; exit 0", 0},
	    {"exit 137", 137},
	};
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	for (size_t i = 0; i < UW_COUNT(rows); i++) {
		ck_assert_int_eq(fixture_run(&fixture, rows[i].text), rows[i].exit_code);
		ck_assert(fixture.result.started && fixture.result.refused.type == 0);
		ck_assert(WIFEXITED(fixture.result.status));
	}
	fixture_close(&fixture);
}

/* peer/E19, peer/E20, W24 */
void sandbox_case_ends_are_told_as_they_were(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	(void)fixture_run(&fixture, "kill -9 $$");
	ck_assert(WIFSIGNALED(fixture.result.status) && WTERMSIG(fixture.result.status) == 9);
	(void)fixture_run(&fixture, "kill -TERM $$; sleep 5");
	ck_assert(WIFSIGNALED(fixture.result.status) && WTERMSIG(fixture.result.status) == 15);
	works(&fixture, "sleep 0.2 & echo started");
	ck_assert(fixture_said(&fixture, "started"));
	fixture_close(&fixture);
}

/* peer/E17, S-61, srt #79: nothing is run where something else stands than the policy means */
void sandbox_case_places_that_are_gone_or_exchanged(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	host_works(&fixture, "mv \"$WS\" \"$WS.away\"");
	ck_assert_int_eq(fixture_run(&fixture, "echo x >\"$OUT/x\"; :"), -1);
	ck_assert(!fixture.result.started);
	/* exchanged for a link to a place outside after the policy was made */
	host_works(&fixture, "true; ln -s out \"$WS\"");
	ck_assert_int_eq(fixture_run(&fixture, "echo x >x"), -1);
	ck_assert(!fixture.result.started);
	host_works(&fixture, "test ! -e \"$OUT/x\"; rm \"$WS\"; mkdir \"$WS\"");
	ck_assert_int_eq(fixture_run(&fixture, "echo x >x"), -1); /* another directory */
	host_works(&fixture, "rmdir \"$WS\"; mv \"$WS.away\" \"$WS\"");
	works(&fixture, "echo x >x");
	/* the check in each run */
	host_works(&fixture, "mv \"$HOME/nonce\" \"$HOME/n\"; echo other >\"$HOME/nonce\"");
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.result.refused.what, UW_WHAT_NONCE);
	host_works(&fixture, "mv \"$HOME/n\" \"$HOME/nonce\"");
	fixture.roots[0] = (struct uw_place){fixture.forbidden, 0, 0};
	fixture.policy.root_count = 1;
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.result.refused.what, UW_WHAT_FORBIDDEN);
	fixture_close(&fixture);
}

/* S-61; a profile text cannot be injected into */
void sandbox_case_paths_of_odd_shape(uid_t uid)
{
	static const struct {
		const char *root, *name;
	} shapes[] = {
	    {"/var/tmp", "umwelt suite"},      {"/var/tmp", "umwelt\nsuite"},      {"/var/tmp", "umwelt\") (allow \"s"},
	    {"/var/tmp", "umwelt\xff\xfes"},   {"/var/tmp", "--ro-bind umwelt'"},  {"/tmp", "plain"},
	    {"/dev/shm", "plain"},
	};
	for (size_t i = 0; i < UW_COUNT(shapes); i++) {
		struct fixture fixture;
		AUTO_TEMP temp = temp_make_below(shapes[i].root);
		const char *base = temp_dir(&temp, shapes[i].name);
		pid_t pid;
		int status;
		pid = fork(); /* each becomes the user anew */
		ck_assert_int_ge(pid, 0);
		if (pid == 0) {
			char inner[112], outer[112];
			fixture_open_at(&fixture, uid, NULL, base);
			/* the host's check directory is where no backend hides it */
			AUTO_TEMP check = temp_make_for_world();
			(void)snprintf(inner, sizeof inner, "%s/nonce", check.path);
			(void)snprintf(outer, sizeof outer, "%s", temp_dir(&check, "forbidden"));
			(void)setenv("CHECK", check.path, 1);
			host_works(&fixture, "cp \"$HOME/nonce\" \"$CHECK/nonce\"");
			fixture.context->paths[UW_PATH_CHECK_NONCE] = inner;
			fixture.context->paths[UW_PATH_CHECK_FORBIDDEN] = outer;
			for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_WORKSPACE_WRITE; mode++) {
				fixture.policy.mode = mode;
				works(&fixture, "test \"$(pwd)\" = \"$WS\" && ls");
			}
			works(&fixture, "echo x >\"$WS/x\" && rm \"$WS/x\" && echo y >y");
			fails(&fixture, "echo x >\"$OUT/x\"");
			host_works(&fixture, "test \"$(cat y)\" = y && test ! -e \"$OUT/x\"");
			fixture_close(&fixture);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == 0, "base %s: status %x", base, status);
	}
}

/* The everyday things that sandboxes break */
void sandbox_case_shells_and_tools_work(uid_t uid)
{
	static const char *const everywhere[] = {
	    "cat <<E >/dev/null\nsmall\nE",
	    "{ echo 'cat <<E | wc -c'; head -c 200000 /dev/zero | tr '\\0' a; echo; echo E; } | bash | grep -qx 200001",
	    "script -qc true /dev/null",
	    "echo x | cat >/dev/null; head -c 9 /dev/urandom >/dev/null",
	    "bash -c 'exec 3<> <(echo x); read -u 3 y; [ \"$y\" = x ]'",
	    "(sleep 0.05 & wait)",
	};
	static const char *const writing[] = {
	    "mkdir -p a b && echo x >a/x && mv a/x b/x && ln b/x a/x && test -f a/x",
	    "printf 'int main(void){return 0;}' >t.c && gcc -o t t.c && ./t",
	    "mkfifo p && (echo x >p & cat p) | grep -q x",
	    "cp -p t.c u.c && cp -a a c && tar cf t.tar a b && mkdir x && tar xf t.tar -C x",
	    "sed -i s/0/1/ t.c && grep -q 'return 1' t.c",
	};
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_WORKSPACE_WRITE; mode++) {
		fixture.policy.mode = mode;
		for (size_t i = 0; i < UW_COUNT(everywhere); i++)
			works(&fixture, everywhere[i]);
	}
	for (size_t i = 0; i < UW_COUNT(writing); i++)
		works(&fixture, writing[i]);
	if (uid == 0)
		works(&fixture, "touch r && chown 1:1 r && setpriv --reuid 65534 --regid 65534 --clear-groups true");
	host_works(&fixture, "ls -A \"$OUT\" | wc -l | grep -qx 0");
	fixture_close(&fixture);
}

/* S-3: what git needs stays writable */
void sandbox_case_git_works_in_the_workspace(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	host_works(&fixture, "git init -q . && git config user.name n && git config user.email e@x && "
	                     "echo a >a && git add a && git commit -qm one && mkdir -p .git/hooks");
	fixture_protect(&fixture, ".git/hooks", "git-hooks");
	fixture_protect(&fixture, ".git/config", "git-config");
	works(&fixture, "echo b >>a && git add a && git commit -qm two && git branch side && "
	                "echo c >>a && git stash -q && git stash pop -q && git checkout -q -- a && git gc -q && "
	                "git worktree add -q ../ws/wt side && (cd wt && echo w >w && git add w && git commit -qm w) && "
	                "git clone -q . clone && git log --oneline | wc -l | grep -qx 2 && git fsck 2>&1");
	host_works(&fixture, "git status --porcelain | grep -v -e clone -e wt | wc -l | grep -qx 0 && git log --oneline side | grep -q w");
	if (fixture_row(&fixture, UW_OP_PROTECTED_EXISTING)->hold == UW_HOLD_FULL) {
		static const char *const attacks[] = {
		    "echo evil >.git/hooks/pre-commit",
		    "git config core.fsmonitor evil",
		    "git remote add o x",
		    "mv .git g",
		    "mv .git/hooks .git/h",
		    "rm -rf .git/hooks && test ! -d .git/hooks",
		    "echo evil >.git/x && mv .git/x .git/config",
		    "ln -f a .git/config",
		    "chmod 777 .git/config",
		};
		for (size_t i = 0; i < UW_COUNT(attacks); i++)
			fails(&fixture, attacks[i]);
		host_works(&fixture, "test ! -e .git/hooks/pre-commit && ! grep -q evil .git/config && git config user.name");
	}
	/* nothing was left in an untouched tree: no placeholder of a mask or mount */
	host_works(&fixture, "cd clone && git status --porcelain | wc -l | grep -qx 0");
	fixture_close(&fixture);
}

/* S-12 */
void sandbox_case_tables_are_honest(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	for (int mode = UW_MODE_READ_ONLY; mode <= UW_MODE_DANGER_FULL_ACCESS; mode++) {
		int full = 1;
		fixture.policy.mode = mode;
		works(&fixture, "true");
		for (int i = 0; i < UW_OP_COUNT; i++) {
			const struct uw_enforcement_row *row = fixture_row(&fixture, i);
			ck_assert_msg(row->hold == UW_HOLD_FULL || (row->reason && row->reason[0]),
			              "row %s says not why", uw_operation_name(i));
			if (row->promised && row->hold != UW_HOLD_FULL)
				full = 0;
		}
		ck_assert_int_eq(fixture.confined->enforcement, mode == UW_MODE_DANGER_FULL_ACCESS ? UW_UNCONFINED
		                                                : full                             ? UW_FULL
		                                                                                   : UW_PARTIAL);
		ck_assert_int_ne(fixture_row(&fixture, UW_OP_LOCKS)->hold, UW_HOLD_FULL);
		ck_assert_int_eq(uw_job_check_profile(fixture.confined->profile, fixture.confined->profile_len, NULL), 0);
	}
	fixture_close(&fixture);
}

/* S-11 */
void sandbox_case_danger_is_not_confined(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	ck_assert_int_eq(fixture_run_free(&fixture, "echo x >\"$OUT/x\" && kill -0 $HOSTPID"), 0);
	ck_assert_uint_eq(fixture.confined->wrapper_count, 0);
	ck_assert_uint_eq(fixture.confined->profile_len, 0);
	ck_assert_int_eq(fixture.confined->enforcement, UW_UNCONFINED);
	host_works(&fixture, "test -f \"$OUT/x\"");
	fixture_close(&fixture);
}

/* S-11: never a silent pass-through */
void sandbox_case_what_cannot_be_confined_is_refused(uid_t uid)
{
	struct fixture fixture;
	fixture_open(&fixture, uid, NULL);
	fixture.policy.mode = 4;
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	ck_assert_int_eq(fixture.err.effect, UW_EFFECT_NONE);
	fixture.policy.mode = UW_MODE_WORKSPACE_WRITE;
	fixture.policy.workspace.path = NULL;
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	fixture.policy.workspace.path = fixture.ws;
	fixture.context->paths[UW_PATH_CHECK_NONCE] = NULL;
	ck_assert_int_eq(fixture_run(&fixture, "true"), -1);
	ck_assert_int_eq(fixture.code, UW_E_SANDBOX_UNAVAILABLE);
	fixture_close(&fixture);
}
