/*
 * One line for each check, in the order given:
 *   allow PATH ok          a file could be made, written, read back and removed
 *   allow PATH ERRNO       it could not
 *   deny PATH refused ERRNO  a create was refused (only EACCES, EPERM and EROFS prove anything)
 *   deny PATH CREATED      it was not
 *   nonce ok | differs | ERRNO
 * Control bytes and backslashes of a path are written \xHH.
 */
#include "launcher/prove.h"

#include "launcher/checks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int number;
	const char *name;
} names[] = {
	{EACCES, "EACCES"},       {EPERM, "EPERM"},
	{EROFS, "EROFS"},         {ENOENT, "ENOENT"},
	{ENOTDIR, "ENOTDIR"},     {ENOSPC, "ENOSPC"},
	{EDQUOT, "EDQUOT"},       {EIO, "EIO"},
	{ELOOP, "ELOOP"},         {ENAMETOOLONG, "ENAMETOOLONG"},
	{EMFILE, "EMFILE"},       {ENFILE, "ENFILE"},
	{ENOMEM, "ENOMEM"},       {EXDEV, "EXDEV"},
	{ESTALE, "ESTALE"},       {EISDIR, "EISDIR"},
	{ENODEV, "ENODEV"},       {ENXIO, "ENXIO"},
	{EBUSY, "EBUSY"},         {EFBIG, "EFBIG"},
	{EINVAL, "EINVAL"},       {EAGAIN, "EAGAIN"},
	{ENOSYS, "ENOSYS"},       {EEXIST, "EEXIST"},
	{EOVERFLOW, "EOVERFLOW"},
};

static void print_errno(int number)
{
	size_t i;
	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (names[i].number == number) {
			(void)printf("%s\n", names[i].name);
			return;
		}
	}
	(void)printf("E%d\n", number);
}

static void print_path(const char *verb, const char *path)
{
	(void)printf("%s ", verb);
	for (; *path; path++) {
		unsigned char byte = (unsigned char)*path;
		if (byte < 0x20 || byte == 0x7f || byte == '\\')
			(void)printf("\\x%02x", byte);
		else
			(void)putchar(byte);
	}
	(void)putchar(' ');
}

static int allow(const char *dir)
{
	int created;
	int status = ul_check_create(dir, "umwelt", 6, &created);
	print_path("allow", dir);
	if (status == 0)
		(void)puts("ok");
	else
		print_errno(status);
	return status == 0;
}

static int deny(const char *dir)
{
	int created;
	int status = ul_check_create(dir, NULL, 0, &created);
	print_path("deny", dir);
	if (created) {
		(void)puts("CREATED");
		return 0;
	}
	(void)printf("refused ");
	print_errno(status);
	return ul_check_is_refusal(status);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_nonce(const char *hex, uint8_t ret_nonce[UW_LAUNCH_NONCE_SIZE])
{
	size_t i;
	if (strlen(hex) != 2 * UW_LAUNCH_NONCE_SIZE)
		return -1;
	for (i = 0; i < UW_LAUNCH_NONCE_SIZE; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return -1;
		ret_nonce[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static int nonce_is(const char *path, const uint8_t nonce[UW_LAUNCH_NONCE_SIZE])
{
	int status = ul_check_nonce(path, nonce);
	(void)printf("nonce ");
	if (status == 0 || status == EBADMSG)
		(void)puts(status == 0 ? "ok" : "differs");
	else
		print_errno(status);
	return status == 0;
}

static int wrong_word(const char *word)
{
	(void)fprintf(stderr, "umwelt-launch: --prove does not take: %s\n", word);
	return 125;
}

int ul_prove(int count, char *const *words)
{
	uint8_t nonce[UW_LAUNCH_NONCE_SIZE];
	int (*check)(const char *) = NULL;
	int i, good = 1;
	if (count == 0)
		return wrong_word("nothing to prove");
	for (i = 0; i < count; i++) {
		if (strcmp(words[i], "--allow") == 0) {
			check = allow;
		} else if (strcmp(words[i], "--deny") == 0) {
			check = deny;
		} else if (strcmp(words[i], "--nonce") == 0) {
			if (i + 2 >= count || parse_nonce(words[i + 2], nonce) < 0)
				return wrong_word("--nonce without FILE and 32 hex digits");
			good &= nonce_is(words[i + 1], nonce);
			check = NULL;
			i += 2;
		} else if (!check || words[i][0] != '/') {
			return wrong_word(words[i]);
		} else {
			good &= check(words[i]);
		}
	}
	if (fflush(stdout) != 0)
		return 1;
	return good ? 0 : 1;
}
