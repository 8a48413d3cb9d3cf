/*
 * Bytes as text, for people and for JSON; over common/text.h.
 *
 * Paths, names and output are bytes. Where they are valid UTF-8 without NUL, JSON
 * holds them as they are. Else the whole text is *escaped*: a byte that is NUL, a
 * backslash or no part of valid UTF-8 is written \xHH, so that uw_text_unescape
 * gives the bytes back; JSON says so beside it (json.h).
 */
#ifndef UW_CMD_TEXT_H
#define UW_CMD_TEXT_H

#include "common/buf.h"
#include "common/text.h"

/* 1 if the bytes can stand in JSON as they are: valid UTF-8 and no NUL. */
int cmd_text_is_plain(const char *data, size_t len);
/* Adds the bytes, escaped; control characters but NUL stay, JSON has its own way with them. */
void cmd_text_escape(struct uw_buf *buf, const char *data, size_t len);
/*
 * Adds text for a person: control characters and invalid UTF-8 as \xHH, so that it
 * can neither steer a terminal nor begin a line. A newline becomes "\n" and
 * `indent` if that is not NULL, else \x0a.
 */
void cmd_text_show(struct uw_buf *buf, const char *data, size_t len, const char *indent);

#endif
