/*
 * The identity of the place this process acts on, read from evidence (C-30), and
 * what is said about two of them. No state; any thread. A piece of evidence that
 * cannot be had is marked absent, never invented.
 */
#ifndef UW_COMMON_REALM_H
#define UW_COMMON_REALM_H

#include <umwelt/types.h>

/* IO_ERROR only where not even `/` can be looked at. */
int uw_realm_read(struct uw_realm *ret_realm, struct uw_error *err);
/* 1 if equal over all fields and what is absent; else 0 and the first that differs. */
int uw_realm_evidence_equal(const struct uw_realm *a, const struct uw_realm *b,
                            enum uw_realm_field *ret_field);
/* "boot_id" and so on; "unknown" for no field. Static memory. */
const char *uw_realm_evidence_name(int field);
/* Short hash of all fields and of what is absent; the label takes no part. */
void uw_realm_evidence_id(const struct uw_realm *realm, uint8_t id[UW_REALM_ID_SIZE]);

#endif
