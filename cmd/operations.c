/* The enforcement table in words. */
#include "cmd/operations.h"

#include "cmd/json.h"
#include "common/cleanup.h"

static const char *const names[UW_OP_COUNT] = {
#define OPERATION_TEXT(name, text) text,
    UW_OPERATIONS(OPERATION_TEXT)
#undef OPERATION_TEXT
};

const char *cmd_operation_name(size_t row)
{
	return names[row];
}

const char *cmd_hold_name(int hold)
{
	static const char *const holds[] = {"none", "detected", "partial", "full"};
	return hold >= 0 && (size_t)hold < UW_COUNT(holds) ? holds[hold] : "none";
}

const char *cmd_enforcement_name(int enforcement)
{
	static const char *const words[] = {NULL, "unconfined", "partial", "full"};
	return enforcement > 0 && (size_t)enforcement < UW_COUNT(words) ? words[enforcement] : NULL;
}

json_t *cmd_operations_json(const struct uw_enforcement_row *rows)
{
	json_t *object = json_object();
	for (size_t i = 0; i < UW_OP_COUNT; i++) {
		json_t *row = json_object();
		(void)cmd_json_string(row, "hold", cmd_hold_name(rows[i].hold));
		(void)cmd_json_bool(row, "promised", rows[i].promised != 0);
		if (rows[i].reason)
			(void)cmd_json_string(row, "reason", rows[i].reason);
		(void)cmd_json_put(object, names[i], row);
	}
	return object;
}
