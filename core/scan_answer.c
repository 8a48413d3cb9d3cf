#include "core/scan_answer.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <string.h>

#define HEAD "umwelt-scan 1\n"
#define END  "end\n"

/* ---- writing ---- */

static void line(struct uw_buf *out, const char *word, const char *value)
{
	if (!value)
		return;
	uw_buf_text(out, word);
	uw_buf_byte(out, ' ');
	uw_text_escape(out, value, strlen(value));
	uw_buf_byte(out, '\n');
}

static void lines(struct uw_buf *out, const char *word, const char *const *list)
{
	for (; list && *list; list++)
		line(out, word, *list);
}

static void write_key(struct uw_buf *out, const struct uw_key *key)
{
	line(out, "key", key->name);
	uw_buf_printf(out, "type %d\nrequired %d\nnarrowing %d\nmin %lld\nmax %lld\n", (int)key->type,
	              (int)key->required, (int)key->narrowing, (long long)key->min, (long long)key->max);
	line(out, "help", key->help);
	line(out, "default", key->default_value);
	lines(out, "choice", key->choices);
}

void uwi_scan_write(struct uw_buf *out, const struct uw_plugin *plugin)
{
	uw_buf_text(out, HEAD);
	line(out, "name", plugin->name);
	line(out, "version", plugin->version);
	line(out, "summary", plugin->summary);
	for (size_t i = 0; i < plugin->provides_count; i++)
		line(out, "provides", plugin->provides[i].service);
	lines(out, "requires", plugin->requires_services);
	lines(out, "optional", plugin->optional_services);
	for (size_t i = 0; i < plugin->key_count; i++)
		write_key(out, &plugin->keys[i]);
	uw_buf_text(out, END);
}

void uwi_scan_write_refusal(struct uw_buf *out, const struct uw_error *error)
{
	uw_buf_text(out, HEAD);
	uw_buf_printf(out, "refused %d\n", (int)error->code);
	line(out, "message", error->message);
	line(out, "detail", error->detail);
	uw_buf_text(out, END);
}

/* ---- reading ---- */

int uwi_scan_complete(const char *text, size_t len)
{
	const size_t head = strlen(HEAD), end = strlen(END);
	return len >= head + end && !memcmp(text, HEAD, head) && text[len - end - 1] == '\n' &&
	       !memcmp(text + len - end, END, end);
}

struct reader {
	struct uw_arena *arena;
	struct uwi_scan_answer *answer;
	struct uw_key *key;      /* the one being read */
	struct uw_key *keys;     /* room for all */
	const char **lists[3];   /* provides, requires, optional; room for all */
	size_t counts[3];
	size_t lines;            /* upper bound of everything */
	const char **choices;    /* of the key being read */
	size_t choice_count;
};

static int read_number(const char *value, int64_t *ret)
{
	char *end;
	errno = 0;
	*ret = strtoll(value, &end, 10);
	return errno || end == value || *end ? -1 : 0;
}

static int read_small(const char *value, int32_t *ret)
{
	int64_t number;
	if (read_number(value, &number) < 0 || number < INT32_MIN || number > INT32_MAX)
		return -1;
	*ret = (int32_t)number;
	return 0;
}

static int set_once(const char **slot, const char *value)
{
	if (*slot)
		return -1;
	*slot = value;
	return 0;
}

static int start_key(struct reader *reader, const char *name)
{
	reader->key = &reader->keys[reader->answer->facts.key_count++];
	reader->key->name = name;
	reader->choices = NULL;
	reader->choice_count = 0;
	return 0;
}

static int add_choice(struct reader *reader, const char *value)
{
	/* a list is written out anew for each entry: lists are short, answers are small */
	const char **longer = uw_arena_alloc(reader->arena, reader->choice_count + 2, sizeof *longer);
	if (!longer)
		return -1;
	for (size_t i = 0; i < reader->choice_count; i++)
		longer[i] = reader->choices[i];
	longer[reader->choice_count++] = value;
	reader->choices = longer;
	reader->key->choices = longer;
	return 0;
}

static int read_key_line(struct reader *reader, const char *word, const char *value)
{
	struct uw_key *key = reader->key;
	if (!key)
		return -1;
	if (!strcmp(word, "type"))
		return read_small(value, &key->type);
	if (!strcmp(word, "required"))
		return read_small(value, &key->required);
	if (!strcmp(word, "narrowing"))
		return read_small(value, &key->narrowing);
	if (!strcmp(word, "min"))
		return read_number(value, &key->min);
	if (!strcmp(word, "max"))
		return read_number(value, &key->max);
	if (!strcmp(word, "help"))
		return set_once(&key->help, value);
	if (!strcmp(word, "default"))
		return set_once(&key->default_value, value);
	if (!strcmp(word, "choice"))
		return add_choice(reader, value);
	return -1;
}

static int read_line(struct reader *reader, const char *word, const char *value)
{
	static const char *const lists[] = {"provides", "requires", "optional"};
	struct uwi_scan_answer *answer = reader->answer;
	int32_t code;
	if (!strcmp(word, "name"))
		return set_once(&answer->facts.name, value);
	if (!strcmp(word, "version"))
		return set_once(&answer->facts.version, value);
	if (!strcmp(word, "summary"))
		return set_once(&answer->facts.summary, value);
	if (!strcmp(word, "message"))
		return set_once(&answer->message, value);
	if (!strcmp(word, "detail"))
		return set_once(&answer->detail, value);
	if (!strcmp(word, "refused")) {
		if (read_small(value, &code) < 0 || code >= 0 || answer->refused)
			return -1;
		answer->refused = code;
		return 0;
	}
	for (size_t i = 0; i < UW_COUNT(lists); i++)
		if (!strcmp(word, lists[i])) {
			reader->lists[i][reader->counts[i]++] = value;
			return 0;
		}
	if (!strcmp(word, "key"))
		return start_key(reader, value);
	return read_key_line(reader, word, value);
}

static char *unescaped(struct uw_arena *arena, const char *data, size_t len)
{
	UW_AUTO_BUF buf = UW_BUF_INIT;
	uw_text_unescape(&buf, data, len);
	return buf.failed ? NULL : uw_arena_copy(arena, buf.data, buf.len);
}

static int read_lines(struct reader *reader, const char *text, const char *end)
{
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *space = newline ? memchr(text, ' ', (size_t)(newline - text)) : NULL;
		char *word, *value;
		if (!space)
			return -1;
		word = uw_arena_copy(reader->arena, text, (size_t)(space - text));
		value = unescaped(reader->arena, space + 1, (size_t)(newline - space - 1));
		if (!word || !value || read_line(reader, word, value) < 0)
			return -1;
		text = newline + 1;
	}
	return 0;
}

static int is_whole(const struct uwi_scan_answer *answer)
{
	const struct uw_plugin_facts *facts = &answer->facts;
	if (answer->refused)
		return answer->message != NULL;
	for (size_t i = 0; i < facts->key_count; i++)
		if (!facts->keys[i].help || !facts->keys[i].type)
			return 0;
	return facts->name && facts->version && facts->summary && facts->provides[0];
}

int uwi_scan_read(struct uw_arena *arena, const char *text, size_t len, struct uwi_scan_answer *ret)
{
	struct uwi_scan_answer answer = {0};
	struct reader reader = {0};
	size_t count = 1;
	if (!uwi_scan_complete(text, len))
		return -1;
	for (size_t i = 0; i < len; i++)
		count += text[i] == '\n';
	reader.arena = arena;
	reader.answer = &answer;
	reader.keys = uw_arena_alloc(arena, count, sizeof *reader.keys);
	for (size_t i = 0; i < UW_COUNT(reader.lists); i++)
		reader.lists[i] = uw_arena_alloc(arena, count, sizeof *reader.lists[i]);
	if (arena->failed)
		return -1;
	answer.facts.size = sizeof answer.facts;
	answer.facts.keys = reader.keys;
	answer.facts.provides = reader.lists[0];
	answer.facts.requires_services = reader.lists[1];
	answer.facts.optional_services = reader.lists[2];
	if (read_lines(&reader, text + strlen(HEAD), text + len - strlen(END)) < 0 || !is_whole(&answer))
		return -1;
	*ret = answer;
	return 0;
}
