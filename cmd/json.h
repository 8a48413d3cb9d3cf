/*
 * JSON of the program, over jansson.
 *
 * Text that is no plain UTF-8 is escaped (text.h), and the member's name is
 * listed in the array "escaped" of the same object.
 *
 * What could not be allocated is remembered for the whole process, and then no
 * line is made: a caller that builds an object need not check each member. The
 * functions return -1 where a member is missing all the same.
 */
#ifndef UW_CMD_JSON_H
#define UW_CMD_JSON_H

#include <jansson.h>

#include <umwelt/error.h>
#include <umwelt/types.h>

/* Before the first use of jansson: its allocations, by this function, are watched from here on. */
void cmd_json_start(void *(*allocate)(size_t size));

/* object[name] = the bytes; NULL data: null. */
int cmd_json_text(json_t *object, const char *name, const char *data, size_t len);
/* The same for a C string; NULL: null. */
int cmd_json_string(json_t *object, const char *name, const char *text);
int cmd_json_integer(json_t *object, const char *name, int64_t number);
int cmd_json_unsigned(json_t *object, const char *name, uint64_t number);
int cmd_json_bool(json_t *object, const char *name, int truth);
/* Takes the reference of value, also on failure. */
int cmd_json_put(json_t *object, const char *name, json_t *value);
/* object[name] as the bytes that were meant, escapes undone if it is listed: malloc, or NULL. */
char *cmd_json_bytes(const json_t *object, const char *name, size_t *ret_len);

/* {code, stage, effect, message, os_errno?, detail{}} of an error; NULL without memory. */
json_t *cmd_json_error(const struct uw_error *error);
/* object[name] = the text form of a version. */
int cmd_json_version(json_t *object, const char *name, const struct uw_version *version);

/*
 * The object as one line, ended by a newline: valid UTF-8 in which U+0085, U+2028
 * and U+2029, at which readers of lines stumble, are escaped. malloc, or NULL if
 * any allocation of a JSON value failed.
 */
char *cmd_json_line(const json_t *object, size_t *ret_len);

#endif
