#include "common/launch_read.h"

#include <string.h>

#define MANY 0xffffffffu

/* What the format says of each type: the fixed struct, the text after it, how often. */
enum text_rule { NO_TEXT, PATH, PATH_OR_EMPTY, WORDS, WORDS_OR_NONE };
struct type_rule {
	uint32_t type;
	uint32_t fixed; /* bytes of the struct */
	enum text_rule text;
	uint32_t most;
	int needed;
};

static const struct type_rule rules[] = {
    {UW_LAUNCH_HEAD, sizeof(struct uw_launch_head), NO_TEXT, 1, 1},
    {UW_LAUNCH_END, 0, NO_TEXT, 1, 1},
    {UW_LAUNCH_EXEC, 0, PATH, 1, 1},
    {UW_LAUNCH_ARGV, 0, WORDS, 1, 1},
    {UW_LAUNCH_ENV, 0, WORDS_OR_NONE, 1, 1},
    {UW_LAUNCH_CWD, sizeof(struct uw_launch_cwd), PATH_OR_EMPTY, 1, 0},
    {UW_LAUNCH_PASS, sizeof(struct uw_launch_pass), NO_TEXT, UW_LAUNCH_PASS_MAX, 0},
    {UW_LAUNCH_LIMIT, sizeof(struct uw_launch_limit), NO_TEXT, MANY, 0},
    {UW_LAUNCH_LIFE, sizeof(struct uw_launch_life), NO_TEXT, 1, 1},
    {UW_LAUNCH_CONFINE, sizeof(struct uw_launch_confine), NO_TEXT, 1, 0},
    {UW_LAUNCH_RULE, sizeof(struct uw_launch_rule), PATH, MANY, 0},
    {UW_LAUNCH_NONCE, sizeof(struct uw_launch_nonce), PATH, 1, 0},
    {UW_LAUNCH_FORBIDDEN, 0, PATH, MANY, 0},
    {UW_LAUNCH_PLACE, sizeof(struct uw_launch_place), PATH, MANY, 0},
};
#define RULES (sizeof rules / sizeof rules[0])

static int fault(struct uw_job_fault *ret, const char *why, size_t at)
{
	ret->why = why;
	ret->at = at;
	return -1;
}

static size_t rule_of(uint32_t type)
{
	size_t i;
	for (i = 0; i < RULES && rules[i].type != type; i++)
		;
	return i;
}

static int path_is_fine(const char *text, size_t len, int may_be_empty)
{
	return len > 0 && memchr(text, '\0', len) == text + len - 1 && (may_be_empty || len > 1);
}

static const char *text_fault(const struct type_rule *rule, const char *text, size_t len)
{
	switch (rule->text) {
	case NO_TEXT: return len ? "the record is longer than its type" : NULL;
	case PATH:
		return path_is_fine(text, len, 0) ? NULL : "the path is empty or not ended by its only NUL";
	case PATH_OR_EMPTY:
		return path_is_fine(text, len, 1) ? NULL : "the path is not ended by its only NUL";
	case WORDS:
		return len && !text[len - 1] ? NULL : "there is no word, or the last one has no end";
	case WORDS_OR_NONE: return !len || !text[len - 1] ? NULL : "the last word has no end";
	}
	return "unknown";
}

static const char *pass_fault(const struct uw_launch_pass *pass)
{
	if (pass->fd < 0 || (pass->fd > 2 && pass->fd < UW_LAUNCH_FD_FIRST))
		return "PASS names a descriptor that cannot be passed";
	return pass->as < 0 || pass->as > UW_LAUNCH_PASS_AS_MAX ? "PASS has a target out of bounds"
	                                                        : NULL;
}

static const char *cwd_fault(const struct uw_launch_cwd *cwd, size_t text_len)
{
	if (cwd->reserved)
		return "a reserved field is set";
	if (cwd->fd < 0)
		return text_len > 1 ? NULL : "CWD has neither a handle nor a path";
	return cwd->fd < UW_LAUNCH_FD_FIRST ? "CWD names a descriptor that cannot be one" : NULL;
}

static const char *life_fault(const struct uw_launch_life *life)
{
	if (life->reserved || (life->flags & ~(uint32_t)UW_LAUNCH_LIFE_PTY))
		return "LIFE has a flag that is not known";
	return life->umask > 0777 && life->umask != 0xffffffffu ? "LIFE has an impossible umask" : NULL;
}

static const char *confine_fault(const struct uw_launch_confine *confine)
{
	const uint64_t filters = UW_LAUNCH_NO_METADATA | UW_LAUNCH_NO_INET | UW_LAUNCH_NO_UNIX |
	                         UW_LAUNCH_NO_IOCTL_FS | UW_LAUNCH_NO_FAMILIES;
	const uint64_t landlocks = UW_LAUNCH_SCOPE | UW_LAUNCH_OWN_UNIX;
	if (confine->reserved || (confine->flags & ~UW_LAUNCH_CONFINE_KNOWN))
		return "CONFINE has a flag that is not known";
	if ((confine->flags & filters) && !(confine->flags & UW_LAUNCH_FILTER))
		return "CONFINE asks for rules of a filter that it does not ask for";
	if ((confine->flags & landlocks) && !(confine->flags & UW_LAUNCH_LANDLOCK))
		return "CONFINE asks for rights of Landlock without Landlock";
	return NULL;
}

static const char *struct_fault(const struct uw_job_item *item)
{
	union {
		struct uw_launch_head head;
		struct uw_launch_cwd cwd;
		struct uw_launch_pass pass;
		struct uw_launch_limit limit;
		struct uw_launch_life life;
		struct uw_launch_confine confine;
		struct uw_launch_rule rule;
	} is;
	size_t fixed = item->length - item->text_len;
	memset(&is, 0, sizeof is);
	memcpy(&is, item->payload, fixed < sizeof is ? fixed : sizeof is);
	switch (item->type) {
	case UW_LAUNCH_HEAD:
		if (is.head.magic != UW_LAUNCH_MAGIC)
			return "this is not a job";
		return is.head.version != UW_LAUNCH_VERSION ? "the job is of another version" : NULL;
	case UW_LAUNCH_CWD: return cwd_fault(&is.cwd, item->text_len);
	case UW_LAUNCH_PASS: return pass_fault(&is.pass);
	case UW_LAUNCH_LIMIT: return is.limit.reserved ? "a reserved field is set" : NULL;
	case UW_LAUNCH_LIFE: return life_fault(&is.life);
	case UW_LAUNCH_CONFINE: return confine_fault(&is.confine);
	case UW_LAUNCH_RULE:
		if (is.rule.access < UW_LAUNCH_READ || is.rule.access > UW_LAUNCH_DEVICE)
			return "RULE has an access that is not known";
		return is.rule.required > 1 ? "RULE has a flag that is not known" : NULL;
	default: return NULL;
	}
}

/* What a pass over records has met so far. */
struct tally {
	uint32_t seen[RULES];
	uint64_t flags; /* of CONFINE */
	uint8_t targets[(UW_LAUNCH_PASS_AS_MAX + 8) / 8]; /* bit `as`: a PASS has it */
};

static const char *tally_fault(struct tally *tally, const struct uw_job_item *item)
{
	size_t index = rule_of(item->type);
	struct uw_launch_pass pass;
	if (tally->seen[index]++ >= rules[index].most)
		return "a record appears more often than it may";
	if (item->type == UW_LAUNCH_CONFINE)
		memcpy(&tally->flags, item->payload, sizeof tally->flags);
	if (item->type == UW_LAUNCH_PASS) {
		memcpy(&pass, item->payload, sizeof pass);
		if (tally->targets[pass.as / 8] & (1u << pass.as % 8))
			return "two PASS records have one target";
		tally->targets[pass.as / 8] |= (uint8_t)(1u << pass.as % 8);
	}
	return NULL;
}

/* Rules that hold between the records of a profile. */
static int profile_fault(const struct tally *tally, struct uw_job_fault *ret_fault)
{
	if (tally->seen[rule_of(UW_LAUNCH_RULE)] && !(tally->flags & UW_LAUNCH_LANDLOCK))
		return fault(ret_fault, "there are RULE records without Landlock", 0);
	return 0;
}

int uw_job_next(const void *job, size_t len, size_t *at, struct uw_job_item *ret_item,
                struct uw_job_fault *ret_fault)
{
	static const char zeroes[8];
	const char *bytes = job;
	struct uw_launch_record record;
	struct uw_job_item item;
	const struct type_rule *rule;
	const char *why;
	size_t index, padding, start = *at;
	if (start == len)
		return 0;
	if (start > len || len - start < sizeof record)
		return fault(ret_fault, "a record is cut off", start);
	memcpy(&record, bytes + start, sizeof record);
	index = rule_of(record.type);
	if (index == RULES)
		return fault(ret_fault, "a record has a type that is not known", start);
	rule = &rules[index];
	padding = (8 - record.length % 8) % 8;
	if (record.length > len - start - sizeof record ||
	    padding > len - start - sizeof record - record.length)
		return fault(ret_fault, "a record is longer than what is left", start);
	if (record.length < rule->fixed)
		return fault(ret_fault, "the record is shorter than its type", start);
	item.type = record.type;
	item.length = record.length;
	item.payload = bytes + start + sizeof record;
	item.text = (const char *)item.payload + rule->fixed;
	item.text_len = record.length - rule->fixed;
	if (memcmp(item.text + item.text_len, zeroes, padding) != 0)
		return fault(ret_fault, "the padding is not zero", start);
	why = text_fault(rule, item.text, item.text_len);
	if (!why)
		why = struct_fault(&item);
	if (why)
		return fault(ret_fault, why, start);
	*ret_item = item;
	*at = start + sizeof record + record.length + padding;
	return 1;
}

int uw_job_check_profile(const void *profile, size_t len, struct uw_job_fault *ret_fault)
{
	struct tally tally = {{0}, 0, {0}};
	struct uw_job_item item;
	const char *why;
	size_t at = 0, before = 0;
	int more;
	while ((more = uw_job_next(profile, len, &at, &item, ret_fault)) > 0) {
		if (item.type < UW_LAUNCH_CONFINE)
			return fault(ret_fault, "a profile holds a record that is not of a profile", before);
		why = tally_fault(&tally, &item);
		if (why)
			return fault(ret_fault, why, before);
		before = at;
	}
	return more < 0 ? -1 : profile_fault(&tally, ret_fault);
}

int uw_job_check(const void *job, size_t len, struct uw_job_fault *ret_fault)
{
	struct tally tally = {{0}, 0, {0}};
	struct uw_job_item item;
	const char *why;
	size_t at = 0, before = 0, i;
	int more;
	if (len > UW_LAUNCH_JOB_MAX)
		return fault(ret_fault, "the job is larger than a job may be", 0);
	while ((more = uw_job_next(job, len, &at, &item, ret_fault)) > 0) {
		if ((before == 0) != (item.type == UW_LAUNCH_HEAD))
			return fault(ret_fault, "HEAD is not the first record, or not the only one", before);
		if (tally.seen[rule_of(UW_LAUNCH_END)])
			return fault(ret_fault, "something follows END", before);
		why = tally_fault(&tally, &item);
		if (why)
			return fault(ret_fault, why, before);
		before = at;
	}
	if (more < 0)
		return -1;
	for (i = 0; i < RULES; i++)
		if (rules[i].needed && !tally.seen[i])
			return fault(ret_fault, "a record that every job needs is missing", before);
	return profile_fault(&tally, ret_fault);
}

size_t uw_job_word_count(const struct uw_job_item *item)
{
	size_t count = 0, at = 0;
	while (at < item->text_len) {
		at += strlen(item->text + at) + 1;
		count++;
	}
	return count;
}
