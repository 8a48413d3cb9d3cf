/* core/elf_check: what a shared object asks of the dynamic loader; damaged files never crash it (C-2, C-61). */
#include "tests/unit.h"

#include "common/cleanup.h"
#include "core/elf_check.h"
#include "tests/temp.h"

#include <elf.h>
#include <limits.h>

/* The test program itself is a shared object (PIE) and always at hand. */
static size_t self(char **ret_data)
{
	FILE *file = fopen("/proc/self/exe", "re");
	char *data = malloc(64u << 20);
	size_t len = fread(data, 1, 64u << 20, file);
	(void)fclose(file);
	*ret_data = data;
	return len;
}

static int check(const struct temp *temp, const char *data, size_t len, struct uw_error *err)
{
	UW_AUTO_FD fd = open(temp_path(temp, "object"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	return uwi_elf_check(fd, "/p/object", NULL, err);
}

START_TEST(a_whole_object_passes)
{
	AUTO_TEMP temp = temp_make();
	UW_AUTO_FREE char *data = NULL;
	size_t len = self(&data);
	struct uw_error err = UW_ERROR_INIT;
	ck_assert_msg(check(&temp, data, len, &err) == 0, "%s", err.message);
}
END_TEST

START_TEST(an_object_of_another_kind_is_told_apart)
{
	static const struct {
		size_t at;
		unsigned char byte;
		const char *why;
	} cases[] = {{0, 'X', "not an ELF file"},
	             {EI_CLASS, ELFCLASSNONE, "word size"},
	             {offsetof(Elf64_Ehdr, e_machine), 0x7f, "machine"},
	             {offsetof(Elf64_Ehdr, e_type), ET_REL, "not a shared object"},
	             {offsetof(Elf64_Ehdr, e_phentsize), 1, "malformed"}};
	AUTO_TEMP temp = temp_make();
	UW_AUTO_FREE char *data = NULL;
	size_t len = self(&data);
	for (size_t i = 0; i < UW_COUNT(cases); i++) {
		struct uw_error err = UW_ERROR_INIT;
		char saved = data[cases[i].at];
		data[cases[i].at] = (char)cases[i].byte;
		ck_assert_int_eq(check(&temp, data, len, &err), UW_E_PLUGIN_LOAD_FAILED);
		if (!strstr(err.message, cases[i].why))
			ck_abort_msg("wanted [%s] in: %s", cases[i].why, err.message);
		data[cases[i].at] = saved;
	}
}
END_TEST

/* An object small enough to damage it at every byte: headers, dynamic section, strings. */
struct small {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Dyn dynamic[5];
	char strings[64];
};

static struct small make_small(int64_t tag, const char *text)
{
	struct small small = {0};
	memcpy(small.header.e_ident, ELFMAG, SELFMAG);
	small.header.e_ident[EI_CLASS] = ELFCLASS64;
	small.header.e_ident[EI_VERSION] = EV_CURRENT;
	small.header.e_type = ET_DYN;
#if defined(__aarch64__)
	small.header.e_machine = EM_AARCH64;
#else
	small.header.e_machine = EM_X86_64;
#endif
	small.header.e_phoff = offsetof(struct small, segments);
	small.header.e_phentsize = sizeof(Elf64_Phdr);
	small.header.e_phnum = 2;
	small.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = sizeof small, .p_memsz = sizeof small};
	small.segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_offset = offsetof(struct small, dynamic),
	                                 .p_filesz = sizeof small.dynamic};
	small.dynamic[0] = (Elf64_Dyn){DT_STRTAB, {offsetof(struct small, strings)}};
	small.dynamic[1] = (Elf64_Dyn){DT_STRSZ, {sizeof small.strings}};
	small.dynamic[2] = (Elf64_Dyn){tag, {1}};
	(void)snprintf(small.strings + 1, sizeof small.strings - 1, "%s", text);
	return small;
}

static int check_small(const struct small *small, char *const *trusted, struct uw_error *err)
{
	AUTO_TEMP temp = temp_make();
	UW_AUTO_FD fd = open(temp_path(&temp, "object"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, small, sizeof *small), (ssize_t)sizeof *small);
	return uwi_elf_check(fd, "/p/object", trusted, err);
}

START_TEST(what_it_asks_for_is_allowed_or_refused)
{
	static char trusted_dir[] = "/usr/lib/umwelt/plugins";
	char *const trusted[] = {trusted_dir, NULL};
	static const struct {
		int64_t tag;
		const char *text;
		int result;
	} cases[] = {
	    {DT_NEEDED, "libc.so.6", 0},
	    {DT_NEEDED, "/tmp/libc.so.6", UW_E_PLUGIN_UNTRUSTED},
	    {DT_NEEDED, "./libc.so.6", UW_E_PLUGIN_UNTRUSTED},
	    {DT_RUNPATH, "$ORIGIN", 0},
	    {DT_RUNPATH, "${ORIGIN}", 0},
	    {DT_RUNPATH, "/usr/lib/umwelt/plugins", 0},
	    {DT_RUNPATH, "$ORIGIN:/usr/lib/umwelt/plugins", 0},
	    {DT_RUNPATH, "$ORIGIN/../lib", UW_E_PLUGIN_UNTRUSTED},
	    {DT_RUNPATH, "$ORIGIN:", UW_E_PLUGIN_UNTRUSTED},
	    {DT_RUNPATH, ":$ORIGIN", UW_E_PLUGIN_UNTRUSTED},
	    {DT_RUNPATH, "", UW_E_PLUGIN_UNTRUSTED},
	    {DT_RUNPATH, "/tmp", UW_E_PLUGIN_UNTRUSTED},
	    {DT_RPATH, "/usr/lib/umwelt/plugins/", UW_E_PLUGIN_UNTRUSTED},
	    {DT_RPATH, "lib", UW_E_PLUGIN_UNTRUSTED},
	    {DT_FILTER, "libx.so", UW_E_PLUGIN_UNTRUSTED},
	    {DT_AUXILIARY, "libx.so", UW_E_PLUGIN_UNTRUSTED},
	    {DT_AUDIT, "libx.so", UW_E_PLUGIN_UNTRUSTED},
	    {DT_SONAME, "/any/thing", 0},
	};
	for (size_t i = 0; i < UW_COUNT(cases); i++) {
		struct small small = make_small(cases[i].tag, cases[i].text);
		struct uw_error err = UW_ERROR_INIT;
		int result = check_small(&small, trusted, &err);
		ck_assert_msg(result == cases[i].result, "%s: %s: %s", cases[i].text, uw_code_name(result), err.message);
	}
}
END_TEST

START_TEST(damage_at_any_byte_never_crashes)
{
	static const unsigned char bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	AUTO_TEMP temp = temp_make();
	for (size_t at = 0; at < offsetof(struct small, strings); at++)
		for (size_t i = 0; i < sizeof bytes; i++) {
			struct small small = make_small(DT_RUNPATH, "$ORIGIN");
			((unsigned char *)&small)[at] = bytes[i];
			(void)check(&temp, (const char *)&small, sizeof small, NULL);
		}
	for (size_t len = 0; len < sizeof(struct small); len++) {
		struct small small = make_small(DT_RUNPATH, "$ORIGIN");
		ck_assert_int_lt(check(&temp, (const char *)&small, len, NULL), 0);
	}
}
END_TEST

UW_TESTS("core/elf_check", a_whole_object_passes, an_object_of_another_kind_is_told_apart,
         what_it_asks_for_is_allowed_or_refused, damage_at_any_byte_never_crashes)
