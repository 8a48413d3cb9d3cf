#include "core/scan_cache.h"

#include "common/cleanup.h"
#include "common/io.h"
#include "common/sha256.h"
#include "common/text.h"
#include "core/scan_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define ENTRY_MAX   ((size_t)1 << 20)
#define ENTRIES_MAX 512

/* The first line of an entry: all that the answer depends on. */
static void identity(struct uw_buf *out, const char *name, const struct uwi_trusted *file)
{
	const struct stat *stat = &file->stat;
	uw_buf_printf(out, "umwelt %s abi %u plugin %s %llx:%llx %lld %lld.%09ld ", UW_VERSION, UW_ABI_MAJOR, name,
	              (unsigned long long)stat->st_dev, (unsigned long long)stat->st_ino, (long long)stat->st_size,
	              (long long)stat->st_ctim.tv_sec, (long)stat->st_ctim.tv_nsec);
	uw_text_escape(out, file->path, strlen(file->path));
	uw_buf_byte(out, '\n');
}

/* The entry's file name: one per plugin name and path. */
static void entry_name(const char *name, const char *path, char text[UW_SHA256_HEX])
{
	uint8_t digest[UW_SHA256_SIZE];
	struct uw_sha256 hash;
	uw_sha256_start(&hash);
	uw_sha256_add(&hash, name, strlen(name) + 1);
	uw_sha256_add(&hash, path, strlen(path));
	uw_sha256_end(&hash, digest);
	uw_sha256_hex(digest, text);
}

/* STATE/plugins, made if missing; -1 where there is no cache to be had. */
static int open_cache(const struct uwi_settings *settings)
{
	UW_AUTO_FD state = -1;
	struct stat stat;
	const char *path;
	int dir;
	if (uwi_settings_state_dir(settings, &path, NULL) < 0)
		return -1;
	state = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (state < 0 || (mkdirat(state, "plugins", 0700) < 0 && errno != EEXIST))
		return -1;
	dir = openat(state, "plugins", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0 && (fstat(dir, &stat) < 0 || stat.st_uid != geteuid() || (stat.st_mode & 022)))
		uw_fd_close(&dir);
	return dir;
}

/* The answer behind the identity line; -1 if there is none that can be trusted. */
static int read_entry(int dir, const char *name, const struct uw_buf *wanted, struct uw_arena *arena,
                      struct uwi_scan_answer *ret)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	UW_AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat stat;
	ssize_t got;
	if (fd < 0 || fstat(fd, &stat) < 0)
		return -1;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || (stat.st_mode & 022))
		return -1;
	if (stat.st_size <= 0 || (size_t)stat.st_size > ENTRY_MAX || uw_buf_reserve(&buf, (size_t)stat.st_size) < 0)
		return -1;
	got = uw_read_full(fd, buf.data, (size_t)stat.st_size);
	if (got < (ssize_t)wanted->len || memcmp(buf.data, wanted->data, wanted->len) != 0)
		return -1;
	return uwi_scan_read(arena, buf.data + wanted->len, (size_t)got - wanted->len, ret);
}

/*
 * Plugins come and go, entries only come. Past a number that no installation has,
 * all are dropped: they cost only another scan.
 */
static void prune(int dir)
{
	UW_AUTO_FD copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	size_t count = 0;
	if (!entries)
		return;
	(void)uw_fd_steal(&copy);
	while (readdir(entries))
		count++;
	rewinddir(entries);
	while (count > ENTRIES_MAX && (entry = readdir(entries)))
		(void)unlinkat(dir, entry->d_name, 0);
	(void)closedir(entries);
}

/* A whole file or none: written aside, then renamed. Failures cost only time later. */
static void write_entry(int dir, const char *name, const struct uw_buf *head, const struct uw_buf *answer)
{
	UW_AUTO_FD fd = -1;
	char temporary[32];
	uint64_t number;
	if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
		return;
	(void)snprintf(temporary, sizeof temporary, ".%016llx", (unsigned long long)number);
	prune(dir);
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (uw_write_full(fd, head->data, head->len) < 0 || uw_write_full(fd, answer->data, answer->len) < 0 ||
	    renameat(dir, temporary, dir, name) < 0)
		(void)unlinkat(dir, temporary, 0);
}

/* What cannot change while the file stays the same. A missing library can. */
static int worth_keeping(const struct uwi_scan_answer *answer)
{
	return answer->refused == 0 || answer->refused == UW_E_PLUGIN_INVALID ||
	       answer->refused == UW_E_PLUGIN_ABI_MISMATCH;
}

static int scan_anew(struct uw_arena *arena, const struct uwi_settings *settings, const char *name,
                     const struct uwi_trusted *file, struct uw_buf *text, struct uwi_scan_answer *ret,
                     struct uw_error *err)
{
	int result = uwi_scan_child(settings->scan, name, file->path, UWI_SCAN_TIMEOUT_MS, text, err);
	if (result < 0)
		return result;
	if (uwi_scan_read(arena, text->data, text->len, ret) < 0)
		return uw_fail(err, arena->failed ? UW_E_NO_MEMORY : UW_E_PLUGIN_CRASHED, UW_STAGE_LOAD, UW_EFFECT_NONE,
		               0, "umwelt-scan (%s) gave an answer about %s that cannot be read", settings->scan,
		               file->path);
	return 0;
}

int uwi_scan_file(struct uw_arena *arena, const struct uwi_settings *settings, const char *name,
                  const struct uwi_trusted *file, struct uwi_scan_answer *ret, struct uw_error *err)
{
	UW_AUTO_BUF head = UW_BUF_INIT;
	UW_AUTO_BUF text = UW_BUF_INIT;
	UW_AUTO_FD dir = -1;
	char entry[UW_SHA256_HEX];
	int result;
	identity(&head, name, file);
	entry_name(name, file->path, entry);
	if (head.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
	dir = open_cache(settings);
	if (dir >= 0 && read_entry(dir, entry, &head, arena, ret) == 0)
		return 0;
	result = scan_anew(arena, settings, name, file, &text, ret, err);
	if (result == 0 && dir >= 0 && worth_keeping(ret))
		write_entry(dir, entry, &head, &text);
	return result;
}
