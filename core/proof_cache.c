#include "core/proof_cache.h"

#include "common/blake2b.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/io.h"
#include "core/host_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define PASS_S  (24 * 3600)
#define FAIL_S  30
#define STALE_S (2 * 24 * 3600) /* files of other keys are removed after that */
#define FILE_MAX_BYTES 1024

/* Kernel switches on which user namespaces and Landlock depend. Absent ones count as absent. */
static const char *const switches[] = {
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/sys/kernel/security/lsm",
};

/* ---- the key ---- */

static void add_file(struct uw_buf *key, const char *path)
{
	struct stat st;
	uw_buf_printf(key, "%s", path ? path : "-");
	if (path && stat(path, &st) == 0)
		uw_buf_printf(key, " %llu %llu %lld %lld.%09ld %lld.%09ld %o", (unsigned long long)st.st_dev,
		              (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
		              st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec, st.st_mode);
	uw_buf_byte(key, '\n');
}

static void add_node(struct uw_buf *key, const struct uwi_node *node)
{
	if (!node) {
		uw_buf_byte(key, '-');
		return;
	}
	uw_buf_printf(key, "%d(", (int)node->kind);
	if (node->kind == UWI_SCALAR)
		uw_buf_printf(key, "%zu:%s", node->text_len, node->text ? node->text : "");
	for (size_t i = 0; (node->kind == UWI_LIST || node->kind == UWI_MAP) && i < node->count; i++) {
		if (node->kind == UWI_MAP)
			add_node(key, node->keys[i]);
		add_node(key, node->items[i]);
	}
	uw_buf_byte(key, ')');
}

static void add_plugin(struct uw_buf *key, const struct uwi_slot *slot)
{
	add_file(key, slot->provider ? uwi_plugin_path(slot->provider->plugin) : NULL);
}

static void add_kernel(struct uw_buf *key)
{
	struct utsname name;
	char line[256];
	if (uname(&name) == 0)
		uw_buf_printf(key, "%s %s %s\n", name.release, name.version, name.machine);
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
		uw_buf_printf(key, "%s\n", uw_read_line_of(switches[i], line, sizeof line) >= 0 ? line : "-");
}

int uwi_proof_key(const struct uwi_generation *generation, const struct uwi_provider_spec *spec,
                  char key[UWI_PROOF_KEY_SIZE], struct uw_error *err)
{
	const struct uwi_settings *settings = generation->host->settings;
	UW_AUTO_BUF text = UW_BUF_INIT;
	uint8_t digest[(UWI_PROOF_KEY_SIZE - 1) / 2];
	uw_buf_printf(&text, "%s\n%s %s\n%lu %lu %d\n", uw_version_string(), generation->realm.boot_id,
	              generation->realm_id, (unsigned long)getuid(), (unsigned long)geteuid(),
	              generation->max_mode);
	add_kernel(&text);
	add_file(&text, settings->launcher);
	add_file(&text, settings->bwrap);
	add_plugin(&text, &generation->slots[UWI_SANDBOX]);
	add_plugin(&text, &generation->slots[UWI_SUBPROCESS]);
	add_plugin(&text, &generation->slots[UWI_POLICY]);
	add_node(&text, spec->node);
	add_node(&text, generation->bundle->subprocess.node);
	add_node(&text, generation->bundle->policy.node);
	if (text.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, ENOMEM, "no memory for a proof");
	uw_blake2b(text.data, text.len, digest, sizeof digest);
	for (size_t i = 0; i < sizeof digest; i++)
		(void)snprintf(key + 2 * i, 3, "%02x", digest[i]);
	return 0;
}

/* ---- the files ---- */

/* Seconds since boot: with the boot id in the key, no change of the clock makes a verdict younger. */
static long long boot_seconds(void)
{
	struct timespec now = {0, 0};
	(void)clock_gettime(CLOCK_BOOTTIME, &now);
	return (long long)now.tv_sec;
}

static int open_folder(const struct uwi_generation *generation, int make)
{
	const char *state;
	char path[4096];
	int len;
	if (uwi_settings_state_dir(generation->host->settings, &state, NULL) < 0)
		return -1;
	len = snprintf(path, sizeof path, "%s/proof", state);
	if (len < 0 || (size_t)len >= sizeof path)
		return -1;
	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int uwi_proof_recall(const struct uwi_generation *generation, const char *key, char *ret_text,
                     size_t size)
{
	UW_AUTO_FD folder = open_folder(generation, 0);
	UW_AUTO_FD file = folder >= 0 ? openat(folder, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	char text[FILE_MAX_BYTES + 1];
	long long when, age;
	int verdict = 0, at = 0;
	ssize_t len = file >= 0 ? uw_read_full(file, text, FILE_MAX_BYTES) : -1;
	if (len <= 0)
		return 0;
	text[len] = '\0';
	if (sscanf(text, "%d %lld %n", &verdict, &when, &at) != 2 || at == 0)
		return 0;
	age = boot_seconds() - when;
	if (age < 0)
		return 0;
	if ((verdict != 1 || age >= PASS_S) && (verdict != -1 || age >= FAIL_S))
		return 0;
	(void)snprintf(ret_text, size, "%.*s", (int)strcspn(text + at, "\n"), text + at);
	return verdict;
}

static void remove_stale(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	struct stat st;
	if (!dir) {
		uw_fd_close(&copy);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    time(NULL) - st.st_mtime > STALE_S)
			(void)unlinkat(folder, entry->d_name, 0);
	(void)closedir(dir);
}

void uwi_proof_keep(const struct uwi_generation *generation, const char *key, int passed,
                    const char *verdict)
{
	UW_AUTO_FD folder = open_folder(generation, 1);
	UW_AUTO_FD file = -1;
	char text[FILE_MAX_BYTES], temporary[UWI_PROOF_KEY_SIZE + 32];
	int len;
	if (folder < 0)
		return;
	remove_stale(folder);
	len = snprintf(text, sizeof text, "%d %lld %.900s\n", passed ? 1 : -1, boot_seconds(), verdict);
	(void)snprintf(temporary, sizeof temporary, "%s.%ld.new", key, (long)getpid());
	file = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return;
	if (uw_write_full(file, text, (size_t)len) < 0 || renameat(folder, temporary, folder, key) < 0)
		(void)unlinkat(folder, temporary, 0);
}
