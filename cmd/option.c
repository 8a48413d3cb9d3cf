/* Parsing of the command line by the table of option.h. Nothing is printed here. */
#include "cmd/option.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

static const struct cmd_option_facts facts_of[CMD_OPTION_COUNT] = {
#define CMD_OPTION_FACTS(id, name, letter, argument, many, help) {name, letter, argument, many, help},
    CMD_OPTIONS(CMD_OPTION_FACTS)
#undef CMD_OPTION_FACTS
};

_Static_assert(CMD_OPTION_COUNT <= 64, "a set of options is 64 bits");

const struct cmd_option_facts *cmd_option_facts(enum cmd_option id)
{
	return &facts_of[id];
}

/* The Levenshtein distance of two short words, or a large number. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[33];
	size_t n = strlen(a), m = strlen(b), i, j;
	if (n >= UW_COUNT(row) || m >= UW_COUNT(row))
		return 1000;
	for (j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (i = 1; i <= n; i++) {
		unsigned diagonal = row[0];
		row[0] = (unsigned)i;
		for (j = 1; j <= m; j++) {
			unsigned cost = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
		}
	}
	return row[m];
}

const char *cmd_nearest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	unsigned least = strlen(word) < 5 ? 2 : 3; /* exclusive */
	for (size_t i = 0; i < count; i++) {
		unsigned d = distance(word, names[i]);
		if (d < least) {
			least = d;
			best = names[i];
		}
	}
	return best;
}

static int unknown(const char *word, const char *name, uint64_t allowed, struct uw_error *err)
{
	const char *names[CMD_OPTION_COUNT], *meant;
	size_t count = 0;
	for (size_t i = 0; i < CMD_OPTION_COUNT; i++)
		if (allowed & (UINT64_C(1) << i))
			names[count++] = facts_of[i].name;
	meant = cmd_nearest(name, names, count);
	if (meant)
		return cmd_misuse(err, "there is no option %s; did you mean --%s?", word, meant);
	return cmd_misuse(err, "there is no option %s; --help lists those of this command", word);
}

static int remember(struct cmd_arguments *arguments, size_t id, const char *value, size_t argc,
                    struct uw_error *err)
{
	if (!facts_of[id].many && arguments->value[id] && facts_of[id].argument)
		return cmd_misuse(err, "--%s was given twice", facts_of[id].name);
	arguments->value[id] = value;
	if (!facts_of[id].many)
		return 0;
	if (!arguments->many[id]) {
		/* as many as there are words, twice: before and after the command's name */
		arguments->many[id] = calloc(2 * argc + 2, sizeof *arguments->many[id]);
		if (!arguments->many[id])
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "no memory");
	}
	arguments->many[id][arguments->many_count[id]++] = value;
	return 0;
}

/* One "--name", "--name=value" or "--name value"; *at is the word, and is moved over a value. */
static int parse_long(uint64_t allowed, size_t argc, char *const *argv, size_t *at,
                      struct cmd_arguments *arguments, struct uw_error *err)
{
	const char *word = argv[*at] + 2, *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word), id;
	char name[64];
	for (id = 0; id < CMD_OPTION_COUNT; id++)
		if ((allowed & (UINT64_C(1) << id)) && strlen(facts_of[id].name) == len &&
		    !memcmp(facts_of[id].name, word, len))
			break;
	if (id == CMD_OPTION_COUNT) {
		(void)snprintf(name, sizeof name, "%.*s", (int)(len < 40 ? len : 40), word);
		return unknown(argv[*at], name, allowed, err);
	}
	if (!facts_of[id].argument) {
		if (equals)
			return cmd_misuse(err, "--%s takes no value", facts_of[id].name);
		return remember(arguments, id, "", argc, err);
	}
	if (equals)
		return remember(arguments, id, equals + 1, argc, err);
	if (*at + 1 >= argc)
		return cmd_misuse(err, "--%s needs a value: %s", facts_of[id].name, facts_of[id].argument);
	return remember(arguments, id, argv[++*at], argc, err);
}

/* Letters are flags only, and may stand together. */
static int parse_letters(uint64_t allowed, size_t argc, const char *word,
                         struct cmd_arguments *arguments, struct uw_error *err)
{
	for (const char *letter = word + 1; *letter; letter++) {
		size_t id;
		int r;
		for (id = 0; id < CMD_OPTION_COUNT; id++)
			if ((allowed & (UINT64_C(1) << id)) && facts_of[id].letter == *letter)
				break;
		if (id == CMD_OPTION_COUNT)
			return unknown(word, word + 1, allowed, err);
		r = remember(arguments, id, "", argc, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int cmd_options_parse(uint64_t allowed, enum cmd_order order, int operands, size_t argc,
                      char *const *argv, struct cmd_arguments *arguments, size_t *ret_used,
                      struct uw_error *err)
{
	int ended = 0, r = 0;
	size_t i;
	if (operands && !arguments->operands) {
		arguments->operands = calloc(argc + 1, sizeof *arguments->operands);
		if (!arguments->operands)
			return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "no memory");
	}
	for (i = 0; i < argc && r == 0; i++) {
		const char *word = argv[i];
		if (!ended && !strcmp(word, "--")) {
			ended = 1;
		} else if (!ended && word[0] == '-' && word[1] == '-') {
			r = parse_long(allowed, argc, argv, &i, arguments, err);
		} else if (!ended && word[0] == '-' && word[1]) {
			r = parse_letters(allowed, argc, word, arguments, err);
		} else if (!operands) {
			break;
		} else {
			arguments->operands[arguments->operand_count++] = word;
			ended = ended || order == CMD_OPTIONS_FIRST;
		}
	}
	if (r == 0 && ret_used)
		*ret_used = i;
	return r;
}

void cmd_arguments_finish(struct cmd_arguments *arguments)
{
	for (size_t i = 0; i < CMD_OPTION_COUNT; i++)
		free(arguments->many[i]);
	free(arguments->operands);
	memset(arguments, 0, sizeof *arguments);
}

/* Reads digits at *text; 0 and nothing moved without any; -1 if it does not fit. */
static int digits(const char **text, uint64_t *ret)
{
	const char *at = *text;
	uint64_t number = 0;
	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		if (number > (UINT64_MAX - digit) / 10)
			return -1;
		number = number * 10 + digit;
	}
	*ret = number;
	*text = at;
	return 0;
}

int cmd_parse_number(const char *text, const char *what, uint64_t max, uint64_t *ret_number,
                     struct uw_error *err)
{
	const char *at = text;
	uint64_t number;
	if (digits(&at, &number) < 0 || at == text || *at || number > max)
		return cmd_misuse(err, "%s wants a number from 0 to %llu, not \"%s\"", what,
		               (unsigned long long)max, text);
	*ret_number = number;
	return 0;
}

int cmd_parse_time(const char *text, uint64_t *ret_ms, struct uw_error *err)
{
	static const struct {
		const char *suffix;
		uint64_t ms;
	} units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	const uint64_t most = UINT64_C(1000) * 3600 * 24 * 365;
	const char *at = text;
	uint64_t whole, part = 0, scale = 1;
	int bad = digits(&at, &whole) < 0 || at == text || whole > most;
	if (!bad && *at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++)
			if (scale < 1000000) {
				part = part * 10 + (uint64_t)(*at - '0');
				scale *= 10;
			}
	for (size_t i = 0; !bad && i < UW_COUNT(units); i++) {
		uint64_t ms;
		if (strcmp(at, units[i].suffix) != 0)
			continue;
		ms = whole * units[i].ms + part * units[i].ms / scale;
		if (ms == 0 || ms > most)
			break;
		*ret_ms = ms;
		return 0;
	}
	return cmd_misuse(err, "--timeout wants a time of at least 1 ms and at most a year such as 30, 1.5s, "
	                   "200ms, 2m or 1h, not \"%s\"", text);
}

int cmd_parse_lines(const char *text, uint64_t *ret_first, uint64_t *ret_last, struct uw_error *err)
{
	const char *at = text;
	uint64_t first = 0, last = 0;
	int given, bad;
	bad = digits(&at, &first) < 0;
	given = at != text;
	bad = bad || (given && first == 0);
	if (!bad && given && !*at) {
		last = first;
	} else if (!bad && *at == ':') {
		const char *second = ++at;
		bad = digits(&at, &last) < 0 || *at || (at != second && last == 0) || (at == second && !given);
	} else {
		bad = 1;
	}
	if (bad || (last && first > last))
		return cmd_misuse(err, "--lines wants A:B, A:, :B or A with 1 <= A <= B, not \"%s\"", text);
	*ret_first = first;
	*ret_last = last;
	return 0;
}
