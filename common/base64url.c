#include "common/base64url.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void uw_base64url_encode(const void *data, size_t len, char *text)
{
	const uint8_t *bytes = data;
	uint32_t bits = 0;
	unsigned held = 0;
	for (size_t i = 0; i < len; i++) {
		bits = bits << 8 | bytes[i];
		for (held += 8; held >= 6; held -= 6)
			*text++ = alphabet[bits >> (held - 6) & 63];
	}
	if (held)
		*text++ = alphabet[bits << (6 - held) & 63];
	*text = '\0';
}

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '-' ? 62 : c == '_' ? 63 : -1;
}

int uw_base64url_decode(const char *text, size_t text_len, void *data, size_t data_len)
{
	uint8_t *bytes = data;
	uint32_t bits = 0;
	unsigned held = 0;
	size_t out = 0;
	if (text_len != UW_BASE64URL_LEN(data_len))
		return -1;
	for (size_t i = 0; i < text_len; i++) {
		int value = value_of(text[i]);
		if (value < 0)
			return -1;
		bits = bits << 6 | (uint32_t)value;
		held += 6;
		if (held >= 8) {
			held -= 8;
			bytes[out++] = (uint8_t)(bits >> held);
		}
	}
	return bits & ((1u << held) - 1) ? -1 : 0;
}
