#include "core/elf_check.h"

#include "common/cleanup.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#define STRINGS_MAX ((uint64_t)16 << 20)
#define DYNAMIC_MAX ((uint64_t)1 << 20)

#if UINTPTR_MAX > 0xffffffffu
#define NATIVE_CLASS ELFCLASS64
#else
#define NATIVE_CLASS ELFCLASS32
#endif
#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#elif defined(__i386__)
#define NATIVE_MACHINE EM_386
#elif defined(__arm__)
#define NATIVE_MACHINE EM_ARM
#elif defined(__riscv)
#define NATIVE_MACHINE EM_RISCV
#endif

struct object {
	int fd;
	const char *path;
	char *const *trusted;
	uint64_t file_size;
	ElfW(Phdr) *headers;
	size_t header_count;
	ElfW(Dyn) *dynamic;
	size_t dynamic_count;
	char *strings;
	uint64_t strings_size;
	struct uw_error *err;
};

static int fail(const struct object *object, const char *what)
{
	return uw_fail(object->err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0, "plugin %s: %s",
	               object->path, what);
}

static int refuse(const struct object *object, const char *rule, const char *value, const char *expected)
{
	uw_fail(object->err, UW_E_PLUGIN_UNTRUSTED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
	        "plugin %s is not trusted: its %s is \"%s\", wanted %s", object->path, rule, value, expected);
	uw_error_detail(object->err, "rule", rule, strlen(rule));
	uw_error_detail(object->err, "path", object->path, strlen(object->path));
	uw_error_detail(object->err, "expected", expected, strlen(expected));
	uw_error_detail(object->err, "found", value, strlen(value));
	return UW_E_PLUGIN_UNTRUSTED;
}

/* The bytes at an offset of the file, as the caller's own (free). */
static int load(const struct object *object, uint64_t offset, uint64_t size, void *ret_data)
{
	char *data;
	size_t have = 0;
	if (offset > object->file_size || size > object->file_size - offset)
		return fail(object, "the file is truncated");
	data = malloc((size_t)size + 1);
	if (!data)
		return uw_fail(object->err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
	while (have < size) {
		ssize_t got = pread(object->fd, data + have, (size_t)size - have, (off_t)(offset + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			free(data);
			return fail(object, "the file cannot be read to its end");
		}
		have += (size_t)got;
	}
	data[size] = '\0';
	*(void **)ret_data = data;
	return 0;
}

static int check_header(const struct object *object, const ElfW(Ehdr) *header)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return fail(object, "not an ELF file");
	if (header->e_ident[EI_CLASS] != NATIVE_CLASS || header->e_ident[EI_VERSION] != EV_CURRENT)
		return fail(object, "an ELF file of another word size or version");
#if defined(NATIVE_MACHINE)
	if (header->e_machine != NATIVE_MACHINE)
		return uw_fail(object->err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
		               "plugin %s: built for ELF machine %u, this is %u", object->path,
		               (unsigned)header->e_machine, (unsigned)NATIVE_MACHINE);
#endif
	if (header->e_type != ET_DYN)
		return fail(object, "not a shared object");
	if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0 || header->e_phnum > 512)
		return fail(object, "its program headers are malformed");
	return 0;
}

/* A mapping beyond the end of the file would be a SIGBUS at run time. */
static int check_segments(const struct object *object)
{
	for (size_t i = 0; i < object->header_count; i++) {
		const ElfW(Phdr) *segment = &object->headers[i];
		if (segment->p_type != PT_LOAD && segment->p_type != PT_DYNAMIC)
			continue;
		if (segment->p_offset > object->file_size || segment->p_filesz > object->file_size - segment->p_offset)
			return uw_fail(object->err, UW_E_PLUGIN_LOAD_FAILED, UW_STAGE_LOAD, UW_EFFECT_NONE, 0,
			               "plugin %s: the file is truncated: a segment ends at byte %llu, the file at %llu",
			               object->path, (unsigned long long)(segment->p_offset + segment->p_filesz),
			               (unsigned long long)object->file_size);
	}
	return 0;
}

/* File offset of a virtual address range. */
static int offset_of(const struct object *object, uint64_t address, uint64_t size, uint64_t *ret_offset)
{
	for (size_t i = 0; i < object->header_count; i++) {
		const ElfW(Phdr) *segment = &object->headers[i];
		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    address - segment->p_vaddr > segment->p_filesz ||
		    size > segment->p_filesz - (address - segment->p_vaddr))
			continue;
		*ret_offset = segment->p_offset + (address - segment->p_vaddr);
		return 0;
	}
	return fail(object, "its dynamic section points outside the file");
}

static int load_dynamic(struct object *object)
{
	uint64_t strings = 0, offset = 0;
	int result;
	for (size_t i = 0; i < object->header_count && !object->dynamic; i++) {
		const ElfW(Phdr) *segment = &object->headers[i];
		if (segment->p_type != PT_DYNAMIC || segment->p_filesz > DYNAMIC_MAX)
			continue;
		result = load(object, segment->p_offset, segment->p_filesz, &object->dynamic);
		if (result < 0)
			return result;
		object->dynamic_count = segment->p_filesz / sizeof *object->dynamic;
	}
	if (!object->dynamic)
		return fail(object, "it has no dynamic section");
	for (size_t i = 0; i < object->dynamic_count; i++) {
		if (object->dynamic[i].d_tag == DT_NULL)
			object->dynamic_count = i;
		else if (object->dynamic[i].d_tag == DT_STRTAB)
			strings = object->dynamic[i].d_un.d_ptr;
		else if (object->dynamic[i].d_tag == DT_STRSZ)
			object->strings_size = object->dynamic[i].d_un.d_val;
	}
	if (object->strings_size == 0 || object->strings_size > STRINGS_MAX)
		return fail(object, "its string table is malformed");
	result = offset_of(object, strings, object->strings_size, &offset);
	return result < 0 ? result : load(object, offset, object->strings_size, &object->strings);
}

static int run_path_allowed(const struct object *object, const char *dir)
{
	if (!strcmp(dir, "$ORIGIN") || !strcmp(dir, "${ORIGIN}"))
		return 1;
	for (size_t i = 0; object->trusted && object->trusted[i]; i++)
		if (!strcmp(dir, object->trusted[i]))
			return 1;
	return 0;
}

static int check_run_path(const struct object *object, const char *list)
{
	UW_AUTO_FREE char *copy = strdup(list);
	char *rest = copy, *dir;
	if (!copy)
		return uw_fail(object->err, UW_E_NO_MEMORY, UW_STAGE_LOAD, UW_EFFECT_NONE, ENOMEM, "out of memory");
	while ((dir = strsep(&rest, ":")))
		if (!run_path_allowed(object, dir))
			return refuse(object, "run path", list, "$ORIGIN or trusted directories");
	return 0;
}

static int check_entry(const struct object *object, const ElfW(Dyn) *entry)
{
	const char *text = NULL;
	switch (entry->d_tag) {
	case DT_NEEDED:
	case DT_RPATH:
	case DT_RUNPATH:
	case DT_FILTER:
	case DT_AUXILIARY:
	case DT_AUDIT:
	case DT_DEPAUDIT:
		if (entry->d_un.d_val >= object->strings_size)
			return fail(object, "its dynamic section points outside its string table");
		text = object->strings + entry->d_un.d_val;
		break;
	default: return 0;
	}
	if (entry->d_tag == DT_NEEDED)
		return strchr(text, '/') ? refuse(object, "needed library", text, "a name without a slash") : 0;
	if (entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH)
		return check_run_path(object, text);
	return refuse(object, "filter or audit library", text, "none");
}

static int check_object(struct object *object)
{
	UW_AUTO_FREE ElfW(Ehdr) *header = NULL;
	int result;
	if (object->file_size < sizeof *header)
		return fail(object, "too short for an ELF file; is it truncated?");
	result = load(object, 0, sizeof *header, &header);
	if (result == 0)
		result = check_header(object, header);
	if (result < 0)
		return result;
	object->header_count = header->e_phnum;
	result = load(object, header->e_phoff, object->header_count * sizeof *object->headers, &object->headers);
	if (result == 0)
		result = check_segments(object);
	if (result == 0)
		result = load_dynamic(object);
	for (size_t i = 0; result == 0 && i < object->dynamic_count; i++)
		result = check_entry(object, &object->dynamic[i]);
	return result;
}

int uwi_elf_check(int fd, const char *path, char *const *trusted, struct uw_error *err)
{
	struct object object = {0};
	struct stat stat;
	int result;
	object.fd = fd;
	object.path = path;
	object.trusted = trusted;
	object.err = err;
	if (fstat(fd, &stat) < 0)
		return fail(&object, strerror(errno));
	object.file_size = (uint64_t)stat.st_size;
	result = check_object(&object);
	free(object.headers);
	free(object.dynamic);
	free(object.strings);
	return result;
}
