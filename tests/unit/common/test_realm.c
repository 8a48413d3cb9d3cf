/* common/realm (C-30): identity from evidence. */
#include "tests/unit.h"

#include "common/realm.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(a_realm_equals_itself_read_twice)
{
	struct uw_realm a, b;
	uint8_t ida[UW_REALM_ID_SIZE], idb[UW_REALM_ID_SIZE];
	ck_assert_int_eq(uw_realm_read(&a, NULL), 0);
	ck_assert_int_eq(uw_realm_read(&b, NULL), 0);
	ck_assert_int_eq(uw_realm_evidence_equal(&a, &b, NULL), 1);
	uw_realm_evidence_id(&a, ida);
	uw_realm_evidence_id(&b, idb);
	ck_assert_int_eq(memcmp(ida, idb, sizeof ida), 0);
	ck_assert_uint_eq(a.uid, geteuid());
	ck_assert_uint_ne(a.root_ino, 0);
}
END_TEST

START_TEST(every_single_field_makes_a_difference_and_is_named)
{
	struct uw_realm a, changed[UW_REALM_COUNT];
	uint8_t ida[UW_REALM_ID_SIZE], idb[UW_REALM_ID_SIZE];
	ck_assert_int_eq(uw_realm_read(&a, NULL), 0);
	for (int i = 0; i < UW_REALM_COUNT; i++)
		changed[i] = a;
	changed[UW_REALM_boot_id].boot_id[0] ^= 1;
	changed[UW_REALM_machine_id].machine_id[0] ^= 1;
	changed[UW_REALM_root_dev].root_dev++;
	changed[UW_REALM_root_ino].root_ino++;
	changed[UW_REALM_mount_ns].mount_ns++;
	changed[UW_REALM_user_ns].user_ns++;
	changed[UW_REALM_uid].uid++;
	uw_realm_evidence_id(&a, ida);
	for (int i = 0; i < UW_REALM_COUNT; i++) {
		enum uw_realm_field field = UW_REALM_COUNT;
		ck_assert_int_eq(uw_realm_evidence_equal(&a, &changed[i], &field), 0);
		ck_assert_int_eq((int)field, i);
		ck_assert_str_ne(uw_realm_evidence_name(i), "unknown");
		uw_realm_evidence_id(&changed[i], idb);
		ck_assert_int_ne(memcmp(ida, idb, sizeof ida), 0);
	}
	ck_assert_str_eq(uw_realm_evidence_name(UW_REALM_COUNT), "unknown");
}
END_TEST

START_TEST(absent_evidence_differs_from_present)
{
	struct uw_realm a, b;
	enum uw_realm_field field = UW_REALM_COUNT;
	ck_assert_int_eq(uw_realm_read(&a, NULL), 0);
	b = a;
	b.absent ^= 1u << UW_REALM_machine_id;
	ck_assert_int_eq(uw_realm_evidence_equal(&a, &b, &field), 0);
	ck_assert_int_eq(field, UW_REALM_machine_id);
	memcpy(b.label, "other", 6);
	b.absent = a.absent;
	ck_assert_int_eq(uw_realm_evidence_equal(&a, &b, NULL), 1);
}
END_TEST

START_TEST(another_mount_namespace_is_another_realm)
{
	struct uw_realm here;
	int status;
	pid_t child;
	ck_assert_int_eq(uw_realm_read(&here, NULL), 0);
	child = fork();
	if (child == 0) {
		struct uw_realm there;
		enum uw_realm_field field;
		if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
			_exit(77);
		if (uw_realm_read(&there, NULL) < 0)
			_exit(1);
		_exit(uw_realm_evidence_equal(&here, &there, &field) ? 2 : 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		fprintf(stderr, "skipped: this kernel gives no namespace\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

UW_TESTS("common/realm", a_realm_equals_itself_read_twice,
         every_single_field_makes_a_difference_and_is_named, absent_evidence_differs_from_present,
         another_mount_namespace_is_another_realm)
