#include "common/realm.h"

#include "common/blake2b.h"
#include "common/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static void absent(struct uw_realm *realm, enum uw_realm_field field)
{
	realm->absent |= 1u << field;
}

static void read_machine_id(struct uw_realm *realm)
{
	static const char *const places[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		ssize_t len = uw_read_line_of(places[i], realm->machine_id, sizeof realm->machine_id);
		if (len > 0 && strcmp(realm->machine_id, "uninitialized") != 0)
			return;
	}
	memset(realm->machine_id, 0, sizeof realm->machine_id);
	absent(realm, UW_REALM_machine_id);
}

static uint64_t namespace_inode(struct uw_realm *realm, const char *path, enum uw_realm_field field)
{
	struct stat st;
	if (stat(path, &st) == 0)
		return st.st_ino;
	absent(realm, field);
	return 0;
}

int uw_realm_read(struct uw_realm *ret_realm, struct uw_error *err)
{
	struct uw_realm realm;
	struct utsname name;
	struct stat root;
	memset(&realm, 0, sizeof realm);
	realm.size = sizeof realm;
	if (stat("/", &root) < 0)
		return uw_fail(err, UW_E_IO_ERROR, UW_STAGE_PREPARE, UW_EFFECT_NONE, errno,
		               "the root directory cannot be looked at: %s", strerror(errno));
	realm.root_dev = root.st_dev;
	realm.root_ino = root.st_ino;
	if (uw_read_line_of("/proc/sys/kernel/random/boot_id", realm.boot_id, sizeof realm.boot_id) <= 0) {
		memset(realm.boot_id, 0, sizeof realm.boot_id);
		absent(&realm, UW_REALM_boot_id);
	}
	read_machine_id(&realm);
	realm.mount_ns = namespace_inode(&realm, "/proc/self/ns/mnt", UW_REALM_mount_ns);
	realm.user_ns = namespace_inode(&realm, "/proc/self/ns/user", UW_REALM_user_ns);
	realm.uid = geteuid();
	if (uname(&name) == 0)
		(void)snprintf(realm.label, sizeof realm.label, "%.63s", name.nodename);
	*ret_realm = realm;
	return 0;
}

static int differs(const struct uw_realm *a, const struct uw_realm *b, int field)
{
	if ((a->absent ^ b->absent) & 1u << field)
		return 1;
	switch ((enum uw_realm_field)field) {
	case UW_REALM_boot_id: return strncmp(a->boot_id, b->boot_id, sizeof a->boot_id) != 0;
	case UW_REALM_machine_id: return strncmp(a->machine_id, b->machine_id, sizeof a->machine_id) != 0;
	case UW_REALM_root_dev: return a->root_dev != b->root_dev;
	case UW_REALM_root_ino: return a->root_ino != b->root_ino;
	case UW_REALM_mount_ns: return a->mount_ns != b->mount_ns;
	case UW_REALM_user_ns: return a->user_ns != b->user_ns;
	case UW_REALM_uid: return a->uid != b->uid;
	case UW_REALM_COUNT: break;
	}
	return 1;
}

int uw_realm_evidence_equal(const struct uw_realm *a, const struct uw_realm *b,
                            enum uw_realm_field *ret_field)
{
	for (int field = 0; field < UW_REALM_COUNT; field++)
		if (differs(a, b, field)) {
			if (ret_field)
				*ret_field = (enum uw_realm_field)field;
			return 0;
		}
	return 1;
}

const char *uw_realm_evidence_name(int field)
{
	switch (field) {
#define UW_REALM_NAME(name)                                                                      \
	case UW_REALM_##name: return #name;
		UW_REALM_FIELDS(UW_REALM_NAME)
#undef UW_REALM_NAME
	default: return "unknown";
	}
}

static void add_text(struct uw_blake2b *hash, const char *text, size_t size)
{
	uw_blake2b_update(hash, text, strnlen(text, size));
	uw_blake2b_update(hash, "", 1);
}

static void add_number(struct uw_blake2b *hash, uint64_t number)
{
	uint8_t bytes[8];
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
	uw_blake2b_update(hash, bytes, sizeof bytes);
}

void uw_realm_evidence_id(const struct uw_realm *realm, uint8_t id[UW_REALM_ID_SIZE])
{
	struct uw_blake2b hash;
	uw_blake2b_init(&hash, UW_REALM_ID_SIZE);
	add_number(&hash, realm->absent);
	add_text(&hash, realm->boot_id, sizeof realm->boot_id);
	add_text(&hash, realm->machine_id, sizeof realm->machine_id);
	add_number(&hash, realm->root_dev);
	add_number(&hash, realm->root_ino);
	add_number(&hash, realm->mount_ns);
	add_number(&hash, realm->user_ns);
	add_number(&hash, realm->uid);
	uw_blake2b_finish(&hash, id);
}
