#include "common/utf8_cut.h"

static int continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The length of a character by its first byte; 1 for what begins none. */
static size_t length_of(char first)
{
	unsigned char byte = (unsigned char)first;
	if (byte >= 0xf0 && byte <= 0xf4)
		return 4;
	if (byte >= 0xe0 && byte < 0xf0)
		return 3;
	return byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
}

size_t uw_utf8_partial_end(const char *data, size_t len)
{
	size_t back;
	for (back = 1; back <= 3 && back <= len; back++)
		if (!continues(data[len - back]))
			return length_of(data[len - back]) > back ? back : 0;
	return 0;
}

size_t uw_utf8_partial_start(const char *data, size_t len)
{
	size_t count = 0;
	while (count < len && count < 4 && continues(data[count]))
		count++;
	return count < 4 ? count : 0;
}
