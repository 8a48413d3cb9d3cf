/*
 * fs-local in trouble: full and read-only file systems, quotas, kills, denied
 * directories, bind mounts. Old content stays whole, nothing is left over (F-8).
 */
#include "local_world.h"

#include "local.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

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

static int write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ok = fd >= 0 && write(fd, text, strlen(text)) > 0;
	close(fd);
	return ok;
}

/* A mount table of its own for this process; the test is skipped, loudly, where that cannot be had. */
static int own_mounts(void)
{
	char uid_map[32], gid_map[32];
	snprintf(uid_map, sizeof uid_map, "0 %u 1", getuid());
	snprintf(gid_map, sizeof gid_map, "0 %u 1", getgid());
	if (unshare(CLONE_NEWNS) < 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
			return can(s, "a mount namespace", 0);
		if (!write_to("/proc/self/uid_map", uid_map) || !write_to("/proc/self/setgroups", "deny") ||
		    !write_to("/proc/self/gid_map", gid_map))
			return can(s, "a user namespace", 0);
	}
	return can(s, "private mounts", mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

static void fill_up(const char *path)
{
	char block[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	memset(block, 'f', sizeof block);
	while (write(fd, block, sizeof block) > 0)
		;
	close(fd);
}

/* F-8: ENOSPC: the old content is intact, no staging is left */
START_TEST(f8_a_full_file_system_leaves_the_old_content)
{
	static char large[60000];
	suite_open(s);
	if (!own_mounts())
		return;
	ck_assert_int_eq(mount("tmpfs", s->out, "tmpfs", 0, "size=64k"), 0);
	memset(large, 'x', sizeof large);
	put(s, "../out/f", BYTES("old"));
	fill_up(at(s, "../out/filler"));
	ck_code(s, write_as(s, "../out/f", (struct uw_bytes){large, sizeof large}, UW_WRITE_UNCONDITIONAL, NULL), UW_E_FS_NO_SPACE);
	ck_code(s, write_as(s, "../out/p/q/new", (struct uw_bytes){large, sizeof large}, UW_WRITE_UNCONDITIONAL, NULL), UW_E_FS_NO_SPACE);
	ck_code(s, edit_one(s, "../out/f", BYTES("old"), (struct uw_bytes){large, sizeof large}, 0), UW_E_FS_NO_SPACE);
	ck_holds(s, "../out/f", "old");
	/* the directories made for it are gone as well: effect none is true */
	ck_assert_int_eq(exists(s, "../out/p"), 0);
	ck_assert_int_eq(leftovers(s->out), 0);
	ck_assert_int_eq(umount2(s->out, MNT_DETACH), 0);
	suite_close(s);
}
END_TEST

START_TEST(a_read_only_file_system_says_so)
{
	suite_open(s);
	if (!own_mounts())
		return;
	ck_assert_int_eq(mount("tmpfs", s->out, "tmpfs", 0, NULL), 0);
	put(s, "../out/f", BYTES("old"));
	ck_assert_int_eq(mount(NULL, s->out, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	ck_code(s, W(s, "../out/f", "x"), UW_E_FS_READ_ONLY);
	ck_code(s, W(s, "../out/new", "x"), UW_E_FS_READ_ONLY);
	ck_code(s, mkdir_path(s, "../out/d", 0), UW_E_FS_READ_ONLY);
	ck_code(s, remove_path(s, "../out/f", 0), UW_E_FS_READ_ONLY);
	ck_code(s, rename_path(s, "../out/f", "../out/g", 0), UW_E_FS_READ_ONLY);
	ck_holds(s, "../out/f", "old");
	ck_assert_int_eq(umount2(s->out, MNT_DETACH), 0);
	suite_close(s);
}
END_TEST

START_TEST(a_rename_to_another_file_system_is_said)
{
	suite_open(s);
	if (!own_mounts())
		return;
	ck_assert_int_eq(mount("tmpfs", s->out, "tmpfs", 0, NULL), 0);
	put(s, "f", BYTES("x"));
	ck_code(s, rename_path(s, "f", "../out/f", 0), UW_E_FS_CROSS_DEVICE);
	ck_code(s, rename_path(s, "f", "../out/f", UW_RENAME_NOREPLACE), UW_E_FS_CROSS_DEVICE);
	/* what is mounted inside a tree is not emptied with it */
	mkdir(at(s, "tree"), 0755);
	mkdir(at(s, "tree/mnt"), 0755);
	ck_assert_int_eq(mount("tmpfs", at(s, "tree/mnt"), "tmpfs", 0, NULL), 0);
	put(s, "tree/mnt/kept", BYTES("kept"));
	ck_code(s, remove_path(s, "tree", UW_REMOVE_RECURSIVE), UW_E_FS_BUSY);
	ck_holds(s, "tree/mnt/kept", "kept");
	ck_assert_int_eq(umount2(at(s, "tree/mnt"), MNT_DETACH) | umount2(s->out, MNT_DETACH), 0);
	suite_close(s);
}
END_TEST

/* F-32: a protected directory under another name is the same directory */
START_TEST(a_bind_mount_of_a_protected_directory_is_no_way_around)
{
	static char hooks[PATH_MAX];
	struct uw_protected rule;
	suite_open(s);
	if (!own_mounts())
		return;
	mkdir(at(s, "hooks"), 0755);
	mkdir(at(s, "alias"), 0755);
	mkdir(at(s, "hooks/deep"), 0755);
	snprintf(hooks, sizeof hooks, "%.4000s/hooks", s->ws);
	rule = (struct uw_protected){hooks, "git-hooks", 1, 0, place_of(hooks).dev, place_of(hooks).ino};
	s->policy.protected_paths = &rule;
	s->policy.protected_count = 1;
	local_policy(s);
	ck_assert_int_eq(mount(hooks, at(s, "alias"), NULL, MS_BIND, NULL), 0);
	ck_code(s, W(s, "alias/pre-commit", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, W(s, "alias/deep/x", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_assert_int_eq(exists(s, "hooks/pre-commit"), 0);
	/* so is a single file: by a mount, a hard link, or other letters where case is folded */
	put(s, "config", BYTES("safe"));
	put(s, "conf2", BYTES("x"));
	snprintf(hooks, sizeof hooks, "%.4000s/config", s->ws);
	rule = (struct uw_protected){hooks, "git-config", 1, 0, place_of(hooks).dev, place_of(hooks).ino};
	ck_assert_int_eq(mount(hooks, at(s, "conf2"), NULL, MS_BIND, NULL), 0);
	ck_code(s, W(s, "conf2", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_code(s, E(s, "conf2", "safe", "evil"), UW_E_FS_SANDBOX_DENIED);
	ck_holds(s, "config", "safe");
	ck_assert_int_eq(umount2(at(s, "conf2"), MNT_DETACH), 0);
	ck_assert_int_eq(umount2(at(s, "alias"), MNT_DETACH), 0);
	suite_close(s);
}
END_TEST

/* the signal of RLIMIT_FSIZE would end the host: it must not come */
START_TEST(a_limit_of_the_file_size_is_an_error_not_a_signal)
{
	static char large[8192];
	struct rlimit limit = {4096, 4096};
	suite_open(s);
	put(s, "f", BYTES("old"));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_code(s, write_as(s, "f", (struct uw_bytes){large, sizeof large}, UW_WRITE_UNCONDITIONAL, NULL), UW_E_FS_TOO_LARGE);
	ck_holds(s, "f", "old");
	ck_code(s, write_as(s, "f", (struct uw_bytes){large, 4096}, UW_WRITE_UNCONDITIONAL, NULL), 0);
	suite_close(s);
}
END_TEST

/* W5 and F-9 as an ordinary user: what cannot be read or written is said; nothing changes */
START_TEST(permissions_of_an_ordinary_user_hold)
{
	struct got got;
	suite_open(s);
	ck_assert_int_eq(chmod(s->top, 0755), 0);
	put(s, "ro", BYTES("old"));
	put(s, "secret", BYTES("old"));
	mkdir(at(s, "locked"), 0700);
	mkdir(at(s, "noread"), 0700);
	put(s, "locked/f", BYTES("x"));
	put(s, "noread/f", BYTES("old"));
	if (geteuid() == 0)
		ck_assert_int_eq(chown(s->ws, 54321, 54321) | chown(at(s, "ro"), 54321, 54321) |
		                 chown(at(s, "secret"), 54321, 54321) | chown(at(s, "locked"), 54321, 54321) |
		                 chown(at(s, "noread"), 54321, 54321) | chown(at(s, "noread/f"), 54321, 54321), 0);
	if (!can(s, "another user", temp_become_user(s->top)))
		return;
	/* a read-only file can be replaced: its directory is what counts, and the mode stays */
	ck_assert_int_eq(chmod(at(s, "ro"), 0444) | chmod(at(s, "secret"), 0) | chmod(at(s, "locked"), 0) |
	                 chmod(at(s, "noread"), 0300), 0);
	ck_code(s, W(s, "ro", "new"), 0);
	ck_assert_uint_eq(mode_of(s, "ro"), 0444);
	ck_code(s, read_range(s, "secret", 0, 9, &got), UW_E_FS_PERMISSION_DENIED);
	ck_code(s, E(s, "secret", "old", "new"), UW_E_FS_PERMISSION_DENIED);
	ck_code(s, read_range(s, "locked/f", 0, 9, &got), UW_E_FS_PERMISSION_DENIED);
	/* committed, and said that the directory could not be synced (F-13) */
	ck_code(s, W(s, "noread/f", "new"), 0);
	ck_assert_uint_eq(s->wrote.flags & UW_WROTE_NOT_DURABLE, UW_WROTE_NOT_DURABLE);
	ck_assert_int_eq(s->wrote.after.effect, UW_EFFECT_DONE);
	ck_assert_int_ne(s->wrote.after.code, 0);
	ck_assert_int_eq(chmod(at(s, "noread"), 0500), 0);
	ck_code(s, W(s, "noread/f", "x"), UW_E_FS_PERMISSION_DENIED);
	ck_holds(s, "noread/f", "new");
	ck_assert_int_eq(chmod(at(s, "noread"), 0700) | chmod(at(s, "locked"), 0700), 0);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0) | setegid(0), 0);
	suite_close(s);
}
END_TEST

/* F-9: an owner that cannot be kept is said, and the mode bits that depend on it go */
START_TEST(an_owner_that_cannot_be_kept_is_said)
{
	struct stat st;
	suite_open(s);
	put(s, "f", BYTES("old"));
	if (!can(s, "chown (not root)", geteuid() == 0 && chown(at(s, "f"), 12345, 12345) == 0))
		return;
	ck_assert_int_eq(chmod(at(s, "f"), 02755) | chmod(s->ws, 0777), 0);
	if (!can(s, "another user", temp_become_user(s->top)))
		return;
	ck_code(s, W(s, "f", "new"), 0);
	ck_assert_uint_eq(s->wrote.flags, UW_WROTE_LOST_OWNER);
	ck_assert_int_eq(seteuid(0) | setegid(0), 0);
	ck_assert_int_eq(stat(at(s, "f"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
	suite_close(s);
}
END_TEST

/* fs.protected_symlinks: a walker in user land must not be a way around it */
START_TEST(a_strangers_link_in_a_sticky_directory_is_not_followed)
{
	struct uw_target *t;
	struct got got;
	suite_open(s);
	if (!can(s, "chown (not root)", geteuid() == 0))
		return;
	/* whatever this machine's setting is */
	((struct uwi_fsl *)fs.self)->protected_symlinks = 1;
	mkdir(at(s, "sticky"), 0755);
	ck_assert_int_eq(chmod(at(s, "sticky"), 01777), 0);
	put(s, "secret", BYTES("x"));
	ck_assert_int_eq(symlink("../secret", at(s, "sticky/ln")) | lchown(at(s, "sticky/ln"), 12345, 12345), 0);
	ck_code(s, resolve(s, BYTES("sticky/ln"), 0, &t), UW_E_FS_PERMISSION_DENIED);
	ck_code(s, remove_path(s, "sticky/ln", 0), 0);
	ck_assert_int_eq(symlink("../secret", at(s, "sticky/own")), 0);
	ck_code(s, read_range(s, "sticky/own", 0, 9, &got), 0);
	suite_close(s);
}
END_TEST

/* F-8: a kill at any point leaves the old or the new content, whole */
START_TEST(f8_a_kill_leaves_old_or_new_whole)
{
	static char a[200000], b[200000], found[200001];
	suite_open(s);
	memset(a, 'a', sizeof a);
	memset(b, 'b', sizeof b);
	put(s, "f", (struct uw_bytes){a, sizeof a});
	for (int round = 0; round < 40; round++) {
		int status, ends[2];
		ssize_t len;
		pid_t child;
		char c;
		ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
		child = fork();
		if (child == 0) {
			(void)!write(ends[1], "", 1);
			for (;;) {
				(void)write_as(s, "f", (struct uw_bytes){b, sizeof b}, UW_WRITE_UNCONDITIONAL, NULL);
				(void)write_as(s, "f", (struct uw_bytes){a, sizeof a}, UW_WRITE_UNCONDITIONAL, NULL);
			}
		}
		ck_assert_int_eq(read(ends[0], &c, 1), 1);
		for (volatile int spin = 0; spin < round * 20000; spin++)
			;
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		close(ends[0]);
		close(ends[1]);
		len = get(s, "f", found, sizeof found);
		ck_assert_int_eq(len, sizeof a);
		ck_assert(memcmp(found, a, sizeof a) == 0 || memcmp(found, b, sizeof b) == 0);
	}
	/* a kill between link and rename leaves a staging file, whose name says so; the journal will sweep it */
	ck_assert_int_le(leftovers(s->ws), 40);
	temp_drop(s->ws);
	mkdir(s->ws, 0755);
	suite_close(s);
}
END_TEST

/* What another process does while a content is synced; in place of the library's call. */
static const char *rival_path;

int fsync(int fd)
{
	const char *path = rival_path;
	rival_path = NULL;
	if (path) {
		int rival = open("rival", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		ck_assert_int_eq((int)write(rival, "a theirs", 8), 8);
		close(rival);
		ck_assert_int_eq(rename("rival", path), 0);
	}
	return (int)syscall(SYS_fsync, fd);
}

/* F-7: two edits of one file at once: the later one fails, the earlier one is not lost */
START_TEST(f7_what_another_process_publishes_during_the_sync_is_not_lost)
{
	char path[PATH_MAX];
	suite_open(s);
	put(s, "f", BYTES("a b"));
	snprintf(path, sizeof path, "%s", at(s, "f"));
	ck_assert_int_eq(chdir(s->ws), 0);
	rival_path = path;
	ck_code(s, edit_one(s, "f", BYTES("b"), BYTES("ours"), 0), UW_E_FS_STALE_VERSION);
	ck_assert_ptr_null(rival_path);
	ck_holds(s, "f", "a theirs");
	ck_assert_int_eq(leftovers(s->ws), 0);
	suite_close(s);
}
END_TEST

START_TEST(a_deleted_working_directory_is_not_brought_back)
{
	struct uw_target *t = NULL;
	char gone[PATH_MAX];
	suite_open(s);
	snprintf(gone, sizeof gone, "%.4000s/gone", s->ws);
	ck_code(s, s->fs->v->resolve(s->fs->self, &s->call, BYTES("f"), gone, 0, &t, &s->err), 0);
	ck_code(s, write_target(s, t, BYTES("x"), UW_WRITE_UNCONDITIONAL, NULL, 0), UW_E_FS_NOT_FOUND);
	ck_assert_int_eq(exists(s, "gone"), 0);
	t->release(t);
	ck_code(s, s->fs->v->resolve(s->fs->self, &s->call, BYTES("../f"), gone, 0, &t, &s->err), UW_E_FS_NOT_FOUND);
	s->call.policy = NULL;
	ck_code(s, s->fs->v->resolve(s->fs->self, &s->call, BYTES("f"), NULL, 0, &t, &s->err), UW_E_INVALID_ARGS);
	suite_close(s);
}
END_TEST

/* files/F18: a regular file whose read would wait for ever. It takes what the kernel's log has, so in CI alone. */
START_TEST(files_f18_a_file_whose_read_would_wait)
{
	struct got got;
	int code;
	suite_open(s);
	if (!can(s, "reading /proc/kmsg (CI, as root)",
	         getenv("CI") && geteuid() == 0 && access("/proc/kmsg", R_OK) == 0))
		return;
	code = read_range(s, "/proc/kmsg", 0, UINT64_MAX, &got);
	ck_assert(code == UW_E_FS_NOT_REGULAR_FILE || code == UW_E_FS_PERMISSION_DENIED);
	suite_close(s);
}
END_TEST

/* F-11, W10: the peak of an edit stays below twice the size */
START_TEST(w10_an_edit_of_64_mib_needs_less_than_twice_its_size)
{
	enum { MIB = 64 };
	static char block[1 << 16];
	struct rusage before, after;
	int fd;
	suite_open(s);
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = i % 80 == 79 ? '\n' : i % 80 == 78 ? '\r' : 'x';
	fd = open(at(s, "big"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	for (int i = 0; i < MIB * 16; i++)
		ck_assert_int_eq(write(fd, block, sizeof block), sizeof block);
	ck_assert_int_eq(pwrite(fd, "needle", 6, 40 << 20), 6);
	close(fd);
	getrusage(RUSAGE_SELF, &before);
	ck_code(s, E(s, "big", "needle", "a much longer\ntext than before"), 0);
	getrusage(RUSAGE_SELF, &after);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they keep books of their own */
	ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 2 * MIB * 1024);
#endif
	suite_close(s);
}
END_TEST

START_TEST(an_edit_over_512_mib_is_too_large)
{
	suite_open(s);
	put(s, "f", BYTES("x"));
	ck_assert_int_eq(truncate(at(s, "f"), (512ll << 20) + 1), 0);
	ck_code(s, E(s, "f", "x", "y"), UW_E_FS_TOO_LARGE);
	suite_close(s);
}
END_TEST

/* C-4: a caller of older headers has shorter structs */
START_TEST(shorter_structs_of_older_callers_are_not_overrun)
{
	struct {
		size_t size;
		uint32_t flags, replacements;
		uint64_t guard;
	} old = {16, 0, 0, 0x5555};
	struct uw_write_request request = {
	    .size = sizeof request, .intent = UW_WRITE_UNCONDITIONAL, .content = BYTES("x"), .from_fd = -1};
	struct uw_target *t;
	suite_open(s);
	t = target(s, "f");
	ck_code(s, s->fs->v->write(s->fs->self, &s->call, t, &request, (struct uw_write_result *)(void *)&old, &s->err), 0);
	ck_assert_uint_eq(old.guard, 0x5555);
	ck_assert_uint_eq(old.flags, UW_WROTE_CREATED);
	ck_assert_uint_eq(old.size, 16);
	t->release(t);
	suite_close(s);
}
END_TEST

UW_TESTS("fs-local in trouble", f8_a_full_file_system_leaves_the_old_content,
         a_read_only_file_system_says_so, a_rename_to_another_file_system_is_said,
         a_bind_mount_of_a_protected_directory_is_no_way_around,
         a_limit_of_the_file_size_is_an_error_not_a_signal, permissions_of_an_ordinary_user_hold,
         an_owner_that_cannot_be_kept_is_said, a_strangers_link_in_a_sticky_directory_is_not_followed,
         f8_a_kill_leaves_old_or_new_whole,
         f7_what_another_process_publishes_during_the_sync_is_not_lost, a_deleted_working_directory_is_not_brought_back,
         files_f18_a_file_whose_read_would_wait, w10_an_edit_of_64_mib_needs_less_than_twice_its_size,
         an_edit_over_512_mib_is_too_large,
         shorter_structs_of_older_callers_are_not_overrun)
