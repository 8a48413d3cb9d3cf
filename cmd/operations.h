/* The enforcement table (S-12) in words, and as JSON: for results and for doctor. */
#ifndef UW_CMD_OPERATIONS_H
#define UW_CMD_OPERATIONS_H

#include <jansson.h>

#include <umwelt/sandbox.h>

/* "content", ... of a row below UW_OP_COUNT. Static memory. */
const char *cmd_operation_name(size_t row);
/* "none", "detected", "partial", "full". Static memory. */
const char *cmd_hold_name(int hold);
/* "unconfined", "partial", "full", or NULL. Static memory. */
const char *cmd_enforcement_name(int enforcement);
/* {operation: {hold, promised, reason?}} of UW_OP_COUNT rows. */
json_t *cmd_operations_json(const struct uw_enforcement_row *rows);

#endif
