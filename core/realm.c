/* What <umwelt/host.h> exports of common/realm and common/version. */
#include "common/realm.h"
#include "common/version.h"

#include <umwelt/host.h>

void uw_version_format(const struct uw_version *version, char *text)
{
	uw_version_text_format(version, text);
}

int uw_version_parse(const char *text, struct uw_version *ret_version, struct uw_error *err)
{
	if (!text || !ret_version)
		return uw_fail(err, UW_E_INVALID_ARGS, UW_STAGE_NONE, UW_EFFECT_NONE, 0,
		               "a version's text and a place for it are needed");
	return uw_version_text_parse(text, ret_version, err);
}

int uw_realm_equal(const struct uw_realm *a, const struct uw_realm *b, enum uw_realm_field *ret_field)
{
	return uw_realm_evidence_equal(a, b, ret_field);
}

const char *uw_realm_field_name(enum uw_realm_field field)
{
	return uw_realm_evidence_name((int)field);
}

void uw_realm_id(const struct uw_realm *realm, uint8_t id[UW_REALM_ID_SIZE])
{
	uw_realm_evidence_id(realm, id);
}
