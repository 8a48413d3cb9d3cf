/* fs-local: the files of this machine, as this process sees them. */
#include "local.h"

#include "common/io.h"
#include "common/realm.h"

#include <errno.h>
#include <string.h>

void uwi_fsl_copy_out(void *out, const void *in, size_t in_size)
{
	size_t given, take;
	memcpy(&given, out, sizeof given);
	take = given && given < in_size ? given : in_size;
	memcpy(out, in, take);
	memcpy(out, given ? &given : &in_size, sizeof given);
}

static int realm(void *self, struct uw_realm *ret_realm, struct uw_error *err)
{
	(void)self;
	return uw_realm_read(ret_realm, err);
}

static const struct uw_fs_v1 table = {
    .size = sizeof(struct uw_fs_v1),
    .realm = realm,
    .resolve = uwi_fsl_resolve,
    .stat_many = uwi_fsl_stat_many,
    .read_many = uwi_fsl_read_many,
    .read_text = uwi_fsl_read_text,
    .open = uwi_fsl_open,
    .open_dir = uwi_fsl_open_dir,
    .list = uwi_fsl_list,
    .write = uwi_fsl_write,
    .edit = uwi_fsl_edit,
    .mkdir = uwi_fsl_mkdir,
    .remove = uwi_fsl_remove,
    .rename = uwi_fsl_rename,
    .contains = uwi_fsl_contains,
    .process_path = uwi_fsl_process_path,
    .file_url = uwi_fsl_file_url,
    .path_of_local = uwi_fsl_path_of_local,
};

static const char *const durabilities[] = {"full", "none", NULL};

static const struct uw_key keys[] = {
    {.name = "durability",
     .type = UW_KEY_CHOICE,
     .default_value = "full",
     .choices = durabilities,
     .help = "full: a write has reached the disk when it returns; none: it survives kills, not a power loss"},
};

static int create(const struct uw_host_api *host, struct uw_plugin_context *context,
                  const struct uw_config *config, void **ret_self, struct uw_error *err)
{
	struct uwi_fsl *self = calloc(1, sizeof *self);
	const char *durability = host->config_string(config, "durability");
	char sysctl[8];
	int code;
	if (!self)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_PREPARE, UW_EFFECT_NONE, ENOMEM, "no memory for fs-local");
	code = uw_realm_read(&self->realm, err);
	if (code < 0) {
		free(self);
		return code;
	}
	uw_realm_evidence_id(&self->realm, self->realm_id);
	self->host = host;
	self->context = context;
	self->durability = durability && !strcmp(durability, "none") ? UW_DURABILITY_NONE : UW_DURABILITY_FULL;
	self->protected_symlinks =
	    uw_read_line_of("/proc/sys/fs/protected_symlinks", sysctl, sizeof sysctl) > 0 && sysctl[0] != '0';
	uw_keylock_init(&self->locks);
	*ret_self = self;
	return 0;
}

static int destroy(void *self, struct uw_error *err)
{
	struct uwi_fsl *own = self;
	(void)err;
	if (own)
		uw_keylock_finish(&own->locks);
	free(own);
	return 0;
}

static const struct uw_provides provides[] = {{UW_FS_SERVICE, UW_THREADS_PARALLEL, 0, &table}};

static const struct uw_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = UW_ABI_MAJOR,
    .name = "fs-local",
    .version = UW_VERSION,
    .summary = "the files of this machine",
    .provides = provides,
    .provides_count = UW_COUNT(provides),
    .keys = keys,
    .key_count = UW_COUNT(keys),
    .create = create,
    .destroy = destroy,
};

UW_EXPORT const struct uw_plugin *uw_plugin_entry(void)
{
	return &plugin;
}
