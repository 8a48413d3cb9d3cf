/*
 * base64url without padding (RFC 4648, section 5). Encoding never fails; decoding
 * takes only what encoding gives: no padding, no white space, no stray low bits.
 */
#ifndef UW_COMMON_BASE64URL_H
#define UW_COMMON_BASE64URL_H

#include <stddef.h>
#include <stdint.h>

/* Length of the text of `len` bytes, without the NUL. */
#define UW_BASE64URL_LEN(len) (((len) * 4 + 2) / 3)

/* Writes UW_BASE64URL_LEN(len) characters and a NUL. */
void uw_base64url_encode(const void *data, size_t len, char *text);
/* Decodes text_len characters to exactly data_len bytes; 0, or -1 if they are not such. */
int uw_base64url_decode(const char *text, size_t text_len, void *data, size_t data_len);

#endif
