/*
 * git's configuration syntax, as far as values go: sections with subsections,
 * names without a value, quotes, escapes, comments, continued lines.
 */
#include "policy.h"

#include <ctype.h>
#include <string.h>

struct parser {
	const char *at, *end;
	struct uw_buf section, sub, key, value;
};

static int peek(const struct parser *parser)
{
	return parser->at < parser->end ? (unsigned char)*parser->at : -1;
}

static void skip_line(struct parser *parser)
{
	while (parser->at < parser->end && *parser->at != '\n')
		parser->at++;
}

static void skip_blank(struct parser *parser)
{
	while (peek(parser) == ' ' || peek(parser) == '\t')
		parser->at++;
}

/* "[section]" or "[section "sub"]"; -1 if it is neither. */
static int read_section(struct parser *parser)
{
	uw_buf_truncate(&parser->section, 0);
	uw_buf_truncate(&parser->sub, 0);
	parser->at++;
	while (isalnum(peek(parser)) || peek(parser) == '-' || peek(parser) == '.')
		uw_buf_byte(&parser->section, (char)tolower(*parser->at++));
	skip_blank(parser);
	if (peek(parser) == '"') {
		parser->at++;
		while (peek(parser) != '"') {
			if (peek(parser) == '\\')
				parser->at++;
			if (peek(parser) < 0 || peek(parser) == '\n')
				return -1;
			uw_buf_byte(&parser->sub, *parser->at++);
		}
		parser->at++;
	}
	if (peek(parser) != ']')
		return -1;
	parser->at++;
	return 0;
}

/* After a backslash in a value; -1 if git knows no such escape. */
static int read_escape(struct parser *parser)
{
	int byte = peek(parser);
	static const char from[] = "ntb\"\\", to[] = "\n\t\b\"\\";
	const char *found = byte > 0 ? strchr(from, byte) : NULL;
	parser->at++;
	if (byte == '\n')
		return 0; /* the line goes on */
	if (!found)
		return -1;
	uw_buf_byte(&parser->value, to[found - from]);
	return 0;
}

/* What follows '=', to the end of the line; blanks at its end do not count unless quoted. */
static int read_value(struct parser *parser)
{
	size_t keep = 0;
	int quoted = 0;
	skip_blank(parser);
	while (peek(parser) >= 0 && peek(parser) != '\n') {
		int byte = peek(parser);
		if (!quoted && (byte == '#' || byte == ';'))
			break;
		parser->at++;
		if (byte == '"') {
			quoted = !quoted;
			keep = parser->value.len;
		} else if (byte == '\\') {
			if (read_escape(parser) < 0)
				return -1;
			keep = parser->value.len;
		} else if (byte != '\r' || peek(parser) != '\n') {
			uw_buf_byte(&parser->value, (char)byte);
			if (quoted || (byte != ' ' && byte != '\t'))
				keep = parser->value.len;
		}
	}
	uw_buf_truncate(&parser->value, keep);
	return quoted ? -1 : 0;
}

static int read_key(struct parser *parser)
{
	uw_buf_truncate(&parser->key, 0);
	uw_buf_truncate(&parser->value, 0);
	while (isalnum(peek(parser)) || peek(parser) == '-')
		uw_buf_byte(&parser->key, (char)tolower(*parser->at++));
	skip_blank(parser);
	if (parser->key.len == 0)
		return -1;
	if (peek(parser) != '=')
		return 0; /* a name alone: true */
	parser->at++;
	return read_value(parser);
}

static const char *text_of(const struct uw_buf *buf)
{
	return buf->data ? buf->data : "";
}

int gitconfig_parse(const char *text, size_t len,
                    int (*each)(void *arg, const char *section, const char *sub, const char *key,
                                const char *value),
                    void *arg)
{
	struct parser parser = {text, text + len, UW_BUF_INIT, UW_BUF_INIT, UW_BUF_INIT, UW_BUF_INIT};
	int result = 0, broken = 0;
	while (!result && !broken && parser.at < parser.end) {
		int byte = peek(&parser);
		if (isspace(byte))
			parser.at++;
		else if (byte == '#' || byte == ';')
			skip_line(&parser);
		else if (byte == '[')
			broken = read_section(&parser) < 0;
		else if (read_key(&parser) < 0)
			broken = 1;
		else
			result = each(arg, text_of(&parser.section), text_of(&parser.sub), text_of(&parser.key),
			              text_of(&parser.value));
		if (!broken && byte != '[' && !isspace(byte))
			skip_line(&parser);
	}
	uw_buf_finish(&parser.section);
	uw_buf_finish(&parser.sub);
	uw_buf_finish(&parser.key);
	uw_buf_finish(&parser.value);
	return result;
}
