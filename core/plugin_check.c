#include "core/plugin_check.h"

#include "common/cleanup.h"
#include "common/io.h"
#include "common/sha256.h"
#include "core/elf_check.h"
#include "core/scan_cache.h"

#include <string.h>

static int digest_of(int fd, char text[UW_SHA256_HEX])
{
	uint8_t digest[UW_SHA256_SIZE], block[16384];
	struct uw_sha256 hash;
	off_t at = 0;
	ssize_t got;
	uw_sha256_start(&hash);
	while ((got = uw_pread_full(fd, block, sizeof block, at)) > 0) {
		uw_sha256_add(&hash, block, (size_t)got);
		at += got;
	}
	uw_sha256_end(&hash, digest);
	uw_sha256_hex(digest, text);
	return got < 0 ? -1 : 0;
}

/* The digest that the owner pinned for this name, if any. */
static int check_pin(const struct uwi_settings *settings, const char *name, const struct uwi_trusted *trusted,
                     struct uw_error *err)
{
	const char *wanted = NULL;
	char found[UW_SHA256_HEX];
	for (size_t i = 0; i < settings->pin_count; i++)
		if (!strcmp(settings->pins[i].plugin, name))
			wanted = settings->pins[i].sha256;
	if (!wanted)
		return 0;
	if (digest_of(trusted->fd, found) < 0)
		return uw_fail(err, UW_E_PLUGIN_UNTRUSTED, UW_STAGE_LOAD, UW_EFFECT_NONE, errno,
		               "plugin %s cannot be read: %s", trusted->path, strerror(errno));
	if (!strcmp(wanted, found))
		return 0;
	uw_fail(err, UW_E_PLUGIN_UNTRUSTED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
	        "plugin %s is not trusted: its SHA-256 is %s, pinned is %s", trusted->path, found, wanted);
	uw_error_detail(err, "rule", "digest", strlen("digest"));
	uw_error_detail(err, "path", trusted->path, strlen(trusted->path));
	uw_error_detail(err, "expected", wanted, strlen(wanted));
	uw_error_detail(err, "found", found, strlen(found));
	return UW_E_PLUGIN_UNTRUSTED;
}

int uwi_plugin_check(const struct uwi_settings *settings, const struct uwi_plugin_file *file,
                      struct uwi_trusted *ret_trusted, struct uw_error *err)
{
	const struct uwi_trust_ask ask = {"plugin", UW_E_PLUGIN_UNTRUSTED, UW_STAGE_LOAD, 0,
	                                  settings->plugin_dirs};
	int result = uwi_trust_open(file->path, &ask, ret_trusted, err);
	if (result == 0)
		result = check_pin(settings, file->name, ret_trusted, err);
	if (result == 0)
		result = uwi_elf_check(ret_trusted->fd, ret_trusted->path, settings->plugin_dirs, err);
	return result;
}

/* A refusal that the scan found, as if it had been found here. */
static int refuse_scanned(const struct uwi_scan_answer *answer, const char *path, struct uw_error *err)
{
	uw_fail(err, answer->refused, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "%s", answer->message);
	uw_error_detail(err, "path", path, strlen(path));
	return answer->refused;
}

int uwi_plugin_scan(struct uw_arena *arena, const struct uwi_settings *settings,
                    const struct uwi_plugin_file *file, const struct uwi_trusted *trusted,
                    struct uwi_scan_answer *ret_answer, struct uw_error *err)
{
	int result = uwi_scan_file(arena, settings, file->name, trusted, ret_answer, err);
	if (result == 0 && ret_answer->refused)
		result = refuse_scanned(ret_answer, trusted->path, err);
	return result;
}
