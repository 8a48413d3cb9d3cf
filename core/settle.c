/*
 * From the end of stderr to a verdict. Three parts: which words of a line name an
 * errno that the backend denies by, which parts of that line may be paths, and
 * whether one of these is a place that the policy does not allow to write and this
 * user otherwise could. Only all three together are a denial (S-43), so text that
 * merely speaks of permissions is none.
 */
#include "core/settle.h"

#include "common/path.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES_MAX      20 /* from the end */
#define LINE_MAX_BYTES 4096
#define CANDIDATES_MAX 16

/* How errno values are written: the C locale's text, and the constant (P-20 sets the messages). */
static const struct {
	uint32_t dialect;
	const char *text;
} spoken[] = {
    {UW_DIALECT_EROFS, "read-only file system"},
    {UW_DIALECT_EROFS, "EROFS"},
    {UW_DIALECT_EACCES, "permission denied"},
    {UW_DIALECT_EACCES, "EACCES"},
    {UW_DIALECT_EPERM, "operation not permitted"},
    {UW_DIALECT_EPERM, "EPERM"},
    {UW_DIALECT_EXDEV, "invalid cross-device link"},
    {UW_DIALECT_EXDEV, "EXDEV"},
    {UW_DIALECT_EBUSY, "device or resource busy"},
    {UW_DIALECT_EBUSY, "EBUSY"},
};

/* Verbs of programs that change a name, not a content: the directory's rights decide then. */
static const char *const name_verbs[] = {"remove", "unlink", "rename", "move", "create", "mkdir", "link"};

struct piece {
	const char *text;
	size_t len;
};

struct line {
	struct piece all;
	struct piece errno_text; /* within all */
	uint32_t dialect;
	struct piece candidates[CANDIDATES_MAX];
	size_t count;
};

/* ---- finding the errno ---- */

static const char *find_nocase(const char *text, size_t len, const char *word)
{
	size_t word_len = strlen(word);
	for (size_t i = 0; i + word_len <= len; i++)
		if (!strncasecmp(text + i, word, word_len))
			return text + i;
	return NULL;
}

/*
 * Programs write ": TEXT" at the end of a message, or "[Errno N] TEXT: 'path'", or
 * "EROFS: text, open 'path'". What stands otherwise in a line is content.
 */
static int stands_as_errno(const struct line *line)
{
	const char *start = line->errno_text.text, *end = start + line->errno_text.len;
	const char *last = line->all.text + line->all.len;
	int begins = start == line->all.text ||
	             (start >= line->all.text + 2 &&
	              (!memcmp(start - 2, ": ", 2) || !memcmp(start - 2, "] ", 2) || !memcmp(start - 2, " (", 2)));
	while (last > end && (last[-1] == '.' || last[-1] == ')' || isspace((unsigned char)last[-1])))
		last--;
	return begins && (end == last || *end == ':' || *end == ',' || *end == '\'' || *end == '"' ||
	                  !strncmp(end, " at ", 4) || !strncmp(end, " (os error", 10));
}

static int find_errno(struct line *line, uint32_t dialect)
{
	for (size_t i = 0; i < sizeof spoken / sizeof spoken[0]; i++) {
		const char *found;
		if (!(spoken[i].dialect & dialect))
			continue;
		found = find_nocase(line->all.text, line->all.len, spoken[i].text);
		if (!found)
			continue;
		line->errno_text = (struct piece){found, strlen(spoken[i].text)};
		line->dialect = spoken[i].dialect;
		if (stands_as_errno(line))
			return 1;
	}
	return 0;
}

/* ---- finding what may be paths ---- */

static void add(struct line *line, const char *text, size_t len)
{
	while (len > 0 && isspace((unsigned char)*text))
		text++, len--;
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	if (len == 0 || line->count == CANDIDATES_MAX)
		return;
	line->candidates[line->count++] = (struct piece){text, len};
}

static void add_quoted(struct line *line)
{
	const char *at = line->all.text, *end = at + line->all.len;
	while (at < end) {
		char quote = *at++;
		const char *close;
		if (quote != '\'' && quote != '"' && quote != '`')
			continue;
		/* a quote within a word ("it's") opens nothing */
		if (at - 1 > line->all.text && isalnum((unsigned char)at[-2]))
			continue;
		close = memchr(at, quote == '`' ? '\'' : quote, (size_t)(end - at));
		if (!close)
			return;
		add(line, at, (size_t)(close - at));
		at = close + 1;
	}
}

/* "sudo: ERRNO", "sh: 1: ERRNO", "bash: line 1: ERRNO": who speaks, and where in its text; no path. */
static int names_the_speaker(const char *start, const char *from, const char *end)
{
	if (memchr(from, '/', (size_t)(end - from)))
		return 0;
	if (from == start)
		return 1;
	for (const char *at = start; at + 2 < from; at++)
		if (at[0] == ':' && at[1] == ' ')
			return 0; /* more than the speaker stands before it */
	if (end - from > 5 && !memcmp(from, "line ", 5))
		from += 5;
	while (from < end && isdigit((unsigned char)*from))
		from++;
	return from == end;
}

/* The part before ": ERRNO", back to the colon before it; then its words from the end. */
static void add_segment(struct line *line)
{
	const char *start = line->all.text, *end = line->errno_text.text;
	const char *from, *word;
	if (end - start < 2 || end[-2] == ']') /* "[Errno 13] ERRNO" */
		return;
	end -= 2;
	from = end;
	while (from > start && !(from[-1] == ' ' && from - 1 > start && from[-2] == ':'))
		from--;
	if (names_the_speaker(start, from, end))
		return;
	for (word = from; word < end; word++) /* "cannot create /usr/x y": from the first slash on */
		if ((*word == '/' || *word == '.') && (word == from || word[-1] == ' '))
			add(line, word, (size_t)(end - word));
	for (word = end; word > from && word[-1] != ' ';)
		word--;
	if (word > from)
		add(line, word, (size_t)(end - word));
	add(line, from, (size_t)(end - from));
}

/* "[Errno 13] Permission denied: /x" without quotes */
static void add_rest(struct line *line)
{
	const char *at = line->errno_text.text + line->errno_text.len;
	const char *end = line->all.text + line->all.len;
	if (end - at > 2 && at[0] == ':' && at[1] == ' ')
		add(line, at + 2, (size_t)(end - at - 2));
}

/* ---- judging a path ---- */

int uwi_settle_allows(const struct uw_policy *policy, const char *path, const char **ret_rule)
{
	size_t len = strlen(path);
	const char *unused;
	int inside = 0;
	if (!ret_rule)
		ret_rule = &unused;
	if (policy->mode == UW_MODE_DANGER_FULL_ACCESS)
		return 1;
	if (policy->temp.path && uw_path_contains(policy->temp.path, strlen(policy->temp.path), path, len))
		return 1;
	if (policy->mode == UW_MODE_READ_ONLY) {
		*ret_rule = "read-only";
		return 0;
	}
	inside = uw_path_contains(policy->workspace.path, strlen(policy->workspace.path), path, len);
	for (size_t i = 0; i < policy->root_count && !inside; i++)
		inside = uw_path_contains(policy->roots[i].path, strlen(policy->roots[i].path), path, len);
	for (size_t i = 0; inside && i < policy->protected_count; i++) {
		const struct uw_protected *kept = &policy->protected_paths[i];
		if (uw_path_contains(kept->path, strlen(kept->path), path, len)) {
			*ret_rule = kept->rule;
			return 0;
		}
	}
	*ret_rule = "outside";
	return inside;
}

static int changes_name(const struct line *line)
{
	for (size_t i = 0; i < sizeof name_verbs / sizeof name_verbs[0]; i++)
		if (find_nocase(line->all.text, line->all.len, name_verbs[i]))
			return 1;
	return 0;
}

/*
 * Could this user do it, were there no sandbox? On this host; a far realm's fs
 * will be asked here once there is one. An errno that the file system itself gives
 * (a mount that is read-only for all, mode bits) answers no.
 */
static int could_otherwise(const struct line *line, const char *path)
{
	char parent[PATH_MAX];
	struct stat st;
	int exists = lstat(path, &st) == 0, content, name;
	(void)snprintf(parent, sizeof parent, "%.*s", (int)uw_path_parent(path, strlen(path)), path);
	name = faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) == 0;
	if (!exists) /* EPERM is of what there is: "kill: Operation not permitted" is of no file */
		return name && line->dialect != UW_DIALECT_EPERM;
	content = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
	switch (line->dialect) {
	case UW_DIALECT_EACCES: return content || (name && changes_name(line));
	case UW_DIALECT_EPERM: return content || st.st_uid == geteuid() || geteuid() == 0;
	default: return content || name || st.st_uid == geteuid();
	}
}

/* EXDEV is the sandbox's only where both ends lie on one file system outside. */
static int one_device(const struct uwi_settle *settle, const struct line *line)
{
	dev_t seen = 0;
	size_t found = 0;
	for (size_t i = 0; i < line->count; i++) {
		char path[PATH_MAX];
		struct stat st;
		if (settle->canonical(settle->arg, line->candidates[i].text, line->candidates[i].len, path,
		                      sizeof path) < 0)
			continue;
		path[uw_path_parent(path, strlen(path))] = '\0';
		if (stat(path, &st) < 0)
			continue;
		if (found++ == 0)
			seen = st.st_dev;
		else if (st.st_dev != seen)
			return 0;
	}
	return found > 1;
}

/* EBUSY is the sandbox's only at a protected path, or above one: these cannot be renamed. */
static int refuses(const struct uw_policy *policy, const struct line *line, const char *path,
                   const char **ret_rule)
{
	if (line->dialect != UW_DIALECT_EBUSY)
		return !uwi_settle_allows(policy, path, ret_rule);
	for (size_t i = 0; i < policy->protected_count; i++) {
		const struct uw_protected *kept = &policy->protected_paths[i];
		*ret_rule = kept->rule;
		if (uw_path_contains(kept->path, strlen(kept->path), path, strlen(path)) ||
		    uw_path_contains(path, strlen(path), kept->path, strlen(kept->path)))
			return 1;
	}
	return 0;
}

static int judge_line(const struct uwi_settle *settle, const struct line *line, struct uw_exit *exit)
{
	if (line->dialect == UW_DIALECT_EXDEV && !one_device(settle, line))
		return 0;
	for (size_t i = 0; i < line->count; i++) {
		char path[PATH_MAX];
		const char *rule = NULL;
		if (settle->canonical(settle->arg, line->candidates[i].text, line->candidates[i].len, path,
		                      sizeof path) < 0)
			continue;
		if (!refuses(settle->policy, line, path, &rule) || !could_otherwise(line, path))
			continue;
		(void)snprintf(exit->denied_path, sizeof exit->denied_path, "%s", path);
		(void)snprintf(exit->denied_rule, sizeof exit->denied_rule, "%s", rule);
		return 1;
	}
	return 0;
}

static int line_denies(const struct uwi_settle *settle, const char *text, size_t len,
                       struct uw_exit *exit)
{
	struct line line = {{text, len}, {NULL, 0}, 0, {{NULL, 0}}, 0};
	if (len == 0 || len > LINE_MAX_BYTES || !find_errno(&line, settle->dialect))
		return 0;
	add_quoted(&line);
	add_segment(&line);
	add_rest(&line);
	return judge_line(settle, &line, exit);
}

/* The last lines, the last one first: it is the one that ended the command. */
static int text_denies(const struct uwi_settle *settle, struct uw_exit *exit)
{
	size_t end = settle->text_len;
	for (int lines = 0; end > 0 && lines < LINES_MAX; lines++) {
		size_t start = end;
		while (start > 0 && settle->text[start - 1] != '\n')
			start--;
		if (line_denies(settle, settle->text + start, end - start, exit))
			return 1;
		end = start > 0 ? start - 1 : 0;
	}
	return 0;
}

void uwi_settle(const struct uwi_settle *settle, struct uw_exit *exit)
{
	int failed = exit->exit_code != 0 || exit->signal != 0;
	if (exit->denied == UW_DENIED_YES && exit->evidence == UW_EVIDENCE_KERNEL)
		return; /* the launcher itself refused, and said what */
	exit->denied = UW_DENIED_NO;
	exit->evidence = UW_EVIDENCE_NONE;
	exit->denied_path[0] = exit->denied_rule[0] = '\0';
	if (exit->cancelled || exit->limit != UW_LIMIT_NONE || settle->dialect == 0 ||
	    settle->policy->mode == UW_MODE_DANGER_FULL_ACCESS)
		return;
	if (!settle->text) {
		exit->denied = failed ? UW_DENIED_UNKNOWN : UW_DENIED_NO; /* its messages went elsewhere */
	} else if (text_denies(settle, exit)) {
		exit->denied = failed ? UW_DENIED_YES : UW_DENIED_UNKNOWN;
		exit->evidence = UW_EVIDENCE_INFERRED;
	}
}
