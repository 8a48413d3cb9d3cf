/* bundle_schema: the whole bundle as a JSON Schema (C-14), for editors. */
#ifndef UW_CORE_BUNDLE_SCHEMA_H
#define UW_CORE_BUNDLE_SCHEMA_H

#include <umwelt/host.h>

/*
 * JSON Schema 2020-12 from core's own table and the key tables of the plugins
 * given. A plugin that is not among them may have any keys. Deterministic.
 */
int uwi_bundle_schema(const struct uw_plugin_facts *plugins, size_t plugin_count,
                      struct uw_sink sink, struct uw_error *err);

#endif
