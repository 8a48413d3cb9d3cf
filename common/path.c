#include "common/path.h"

#include <string.h>

size_t uw_path_trim(const char *path, size_t len)
{
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

int uw_path_contains(const char *parent, size_t parent_len, const char *child, size_t child_len)
{
	parent_len = uw_path_trim(parent, parent_len);
	if (parent_len == 0 || child_len < parent_len || memcmp(parent, child, parent_len) != 0)
		return 0;
	return child_len == parent_len || parent[parent_len - 1] == '/' || child[parent_len] == '/';
}

size_t uw_path_name(const char *path, size_t len)
{
	size_t at = len;
	while (at > 0 && path[at - 1] != '/')
		at--;
	return at;
}

size_t uw_path_parent(const char *path, size_t len)
{
	size_t name = uw_path_name(path, len);
	return name > 1 ? name - 1 : name;
}

void uw_path_push(struct uw_buf *path, const char *name, size_t len)
{
	if (path->len == 0 || path->data[path->len - 1] != '/')
		uw_buf_byte(path, '/');
	uw_buf_add(path, name, len);
}

void uw_path_url(struct uw_buf *url, const char *path, size_t len)
{
	static const char hex[] = "0123456789ABCDEF";
	uw_buf_text(url, "file://");
	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)path[i];
		int plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		            (byte >= '0' && byte <= '9') || (byte && strchr("-._~/", byte));
		if (plain) {
			uw_buf_byte(url, (char)byte);
		} else {
			uw_buf_byte(url, '%');
			uw_buf_byte(url, hex[byte >> 4]);
			uw_buf_byte(url, hex[byte & 15]);
		}
	}
}
