/*
 * Bytes as text, for people and for JSON.
 *
 * Paths, names and output are bytes. Where they are valid UTF-8 without NUL they
 * are shown as they are. Else the whole text is *escaped*: a byte that is NUL or
 * no part of valid UTF-8 is written \xHH and a backslash is doubled, so that the
 * bytes can be had back. JSON says so beside it (json.h).
 */
#ifndef UW_CMD_TEXT_H
#define UW_CMD_TEXT_H

#include "common/buf.h"

/* The length of the UTF-8 character at the start of data (no surrogates, none overlong), or 0. */
size_t cmd_utf8_length(const char *data, size_t len);
/* 1 if the bytes can stand in JSON as they are: valid UTF-8 and no NUL. */
int cmd_text_is_plain(const char *data, size_t len);
/* Adds the bytes, escaped. */
void cmd_text_escape(struct uw_buf *buf, const char *data, size_t len);
/* Adds the bytes meant by escaped text. -1 (nothing to rely on in buf) if an escape is malformed. */
int cmd_text_unescape(struct uw_buf *buf, const char *text, size_t len);
/*
 * Adds text for a person: control bytes and invalid UTF-8 as \xHH, so that it can
 * neither steer a terminal nor begin a line. A newline becomes "\n" and
 * `indent` if that is not NULL, else \x0a.
 */
void cmd_text_show(struct uw_buf *buf, const char *data, size_t len, const char *indent);

#endif
