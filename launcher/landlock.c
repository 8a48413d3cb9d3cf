#include "launcher/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel's numbers, kept here so that the launcher is built alike on old and
 * new headers.
 */
#define FS(n) ((uint64_t)1 << (n))
enum {
	EXECUTE = 0, WRITE_FILE = 1, READ_FILE = 2, READ_DIR = 3, MAKE_SYM = 12, REFER = 13,
	TRUNCATE = 14, IOCTL_DEV = 15, RESOLVE_UNIX = 16,
};
#define ABI_1_FS (FS(MAKE_SYM + 1) - 1) /* the first thirteen */

enum kind { KIND_FS, KIND_NET, KIND_SCOPE };
/* Each right: the ABI that brought it, and the CONFINE flag it is asked for by (0: always). */
static const struct right {
	uint8_t abi;
	uint8_t kind;
	uint8_t bit;
	uint64_t flag;
} rights[] = {
    {2, KIND_FS, REFER, 0},
    {3, KIND_FS, TRUNCATE, 0},
    {4, KIND_NET, 0, UW_LAUNCH_NO_INET}, /* BIND_TCP */
    {4, KIND_NET, 1, UW_LAUNCH_NO_INET}, /* CONNECT_TCP */
    {5, KIND_FS, IOCTL_DEV, 0},
    {6, KIND_SCOPE, 0, UW_LAUNCH_SCOPE}, /* abstract sockets */
    {6, KIND_SCOPE, 1, UW_LAUNCH_SCOPE}, /* signals */
    /* 7: flags of the audit log, see apply; 8: all threads at once, of which there is one here */
    {9, KIND_FS, RESOLVE_UNIX, UW_LAUNCH_OWN_UNIX},
    {10, KIND_NET, 2, UW_LAUNCH_NO_INET}, /* BIND_UDP */
    {10, KIND_NET, 3, UW_LAUNCH_NO_INET}, /* CONNECT_SEND_UDP */
    /* 11: use of capabilities and namespaces by domain; caps.c and the wrapper hold these */
};

#define CREATE_VERSION    1u
#define CREATE_ERRATA     2u
#define RULE_PATH_BENEATH 1
#define LOG_SAME_EXEC_OFF 1u

struct ruleset_attr {
	uint64_t fs, net, scoped;
};
struct path_beneath_attr {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

struct ul_landlock_rights ul_landlock_handled(uint32_t abi, uint64_t confine_flags)
{
	struct ul_landlock_rights all = {abi >= 1 ? ABI_1_FS : 0, 0, 0, 0};
	size_t i;
	for (i = 0; i < sizeof rights / sizeof rights[0]; i++) {
		const struct right *right = &rights[i];
		uint64_t bit = (uint64_t)1 << right->bit;
		if (right->flag && !(confine_flags & right->flag))
			continue;
		if (abi < right->abi) {
			/* lost net rights cost nothing: the filter that NO_INET asks for refuses the socket */
			if (right->kind == KIND_FS)
				all.lost |= UW_LOST_FS(right->bit);
			if (right->kind == KIND_SCOPE)
				all.lost |= UW_LOST_SCOPE(right->bit);
			continue;
		}
		if (right->kind == KIND_FS)
			all.fs |= bit;
		else if (right->kind == KIND_NET)
			all.net |= bit;
		else
			all.scoped |= bit;
	}
	return all;
}

uint64_t ul_landlock_granted(uint32_t access, int directory, uint64_t handled)
{
	const uint64_t read = FS(EXECUTE) | FS(READ_FILE) | FS(READ_DIR);
	const uint64_t device =
		FS(READ_FILE) | FS(WRITE_FILE) | FS(READ_DIR) | FS(TRUNCATE) | FS(IOCTL_DEV);
	const uint64_t file = FS(EXECUTE) | FS(READ_FILE) | FS(WRITE_FILE) | FS(TRUNCATE) |
	                      FS(IOCTL_DEV) | FS(RESOLVE_UNIX);
	uint64_t granted = handled;
	if (access == UW_LAUNCH_READ)
		granted &= read;
	else if (access == UW_LAUNCH_DEVICE)
		granted &= device;
	return directory ? granted : granted & file;
}

/* The PLACE record of that very path, if there is one. */
static int place_of(const struct ul_job *job, const char *path, struct uw_launch_place *ret_place)
{
	struct uw_job_item item;
	size_t at = 0;
	while (ul_job_each(job, UW_LAUNCH_PLACE, &at, &item)) {
		if (strcmp(item.text, path) == 0) {
			memcpy(ret_place, item.payload, sizeof *ret_place);
			return 1;
		}
	}
	return 0;
}

/*
 * Where a PLACE record has the same path, the rule is bound to that object, by
 * the very descriptor it is added with: a link that was put there in between
 * never becomes a grant.
 */
static int add_rule(const struct ul_job *job, int ruleset, uint64_t handled,
                    const struct uw_job_item *item, struct ul_failure *failure)
{
	struct uw_launch_rule rule;
	struct uw_launch_place place;
	struct path_beneath_attr beneath;
	struct stat st;
	int bound, fd, status = -1;
	memcpy(&rule, item->payload, sizeof rule);
	bound = place_of(job, item->text, &place);
	fd = open(item->text, O_PATH | O_CLOEXEC | (bound ? O_NOFOLLOW : 0));
	if (fd < 0) {
		if (!rule.required && (errno == ENOENT || errno == ENOTDIR))
			return 0;
		return ul_fail(failure, UW_WHAT_PROFILE, errno,
		               "a path of the profile cannot be opened: %s", item->text);
	}
	if (fstat(fd, &st) < 0)
		(void)ul_fail(failure, UW_WHAT_PROFILE, errno, "a path of the profile has no state: %s",
		              item->text);
	else if (bound && (place.dev != (uint64_t)st.st_dev || place.ino != (uint64_t)st.st_ino))
		(void)ul_fail(failure, UW_WHAT_PLACE, ESTALE, "something else stands at %s", item->text);
	else {
		beneath.allowed = ul_landlock_granted(rule.access, S_ISDIR(st.st_mode), handled);
		beneath.parent = fd;
		status = (int)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &beneath, 0);
		if (status < 0)
			(void)ul_fail(failure, UW_WHAT_PROFILE, errno, "Landlock refuses a rule for %s",
			              item->text);
	}
	(void)close(fd);
	return status;
}

int ul_landlock_prepare(const struct ul_job *job, struct ul_landlock *landlock,
                        struct ul_failure *failure)
{
	struct ul_landlock_rights handled;
	struct ruleset_attr attr;
	struct uw_job_item item;
	size_t at = 0;
	long abi, errata;
	*landlock = (struct ul_landlock){-1, 0, 0, 0};
	abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
	landlock->abi = abi > 0 ? (uint32_t)abi : 0;
	if (!ul_job_has(job, UW_LAUNCH_LANDLOCK))
		return 0;
	if (abi < 1)
		return ul_fail(failure, UW_WHAT_PROFILE, errno,
		               "this kernel has no Landlock, or it is switched off");
	if (landlock->abi < job->confine.landlock_min_abi)
		return ul_fail(failure, UW_WHAT_PROFILE, ENOSYS,
		               "Landlock of this kernel is ABI %u, the profile needs %u", landlock->abi,
		               job->confine.landlock_min_abi);
	errata = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_ERRATA);
	landlock->errata = errata > 0 ? (uint32_t)errata : 0;
	handled = ul_landlock_handled(landlock->abi, job->confine.flags);
	landlock->lost = handled.lost;
	attr = (struct ruleset_attr){handled.fs, handled.net, handled.scoped};
	landlock->ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	if (landlock->ruleset < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, errno, "Landlock refuses the ruleset");
	while (ul_job_each(job, UW_LAUNCH_RULE, &at, &item))
		if (add_rule(job, landlock->ruleset, handled.fs, &item, failure) < 0)
			return -1;
	return 0;
}

int ul_landlock_apply(const struct ul_landlock *landlock, struct ul_failure *failure)
{
	/* the launcher's own create in a forbidden place is no event for the audit log */
	const uint32_t flags = landlock->abi >= 7 ? LOG_SAME_EXEC_OFF : 0;
	if (landlock->ruleset < 0)
		return 0;
	if (syscall(SYS_landlock_restrict_self, landlock->ruleset, flags) < 0)
		return ul_fail(failure, UW_WHAT_PROFILE, errno, "Landlock cannot be applied");
	return 0;
}
