/* umwelt read PATH: the bytes of a file, or its lines, or its facts with the text as JSON. */
#include <inttypes.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/json.h"
#include "cmd/text.h"

struct whole_read {
	struct uw_buf *buf;   /* NULL: to stdout */
	struct uw_error fail; /* of stdout, or of the read; code 0: none */
};

static int take_data(void *arg, size_t index, const char *data, size_t len)
{
	struct whole_read *whole = arg;
	(void)index;
	if (!whole->buf)
		return cmd_write_out(data, len, &whole->fail);
	uw_buf_add(whole->buf, data, len);
	return whole->buf->failed ? UW_E_NO_MEMORY : 0;
}

static int take_done(void *arg, size_t index, const struct uw_read_info *info, const struct uw_error *err)
{
	struct whole_read *whole = arg;
	(void)index;
	(void)info;
	if (err && err->code && !whole->fail.code)
		whole->fail = *err;
	return 0;
}

static int read_range(struct invocation *in, const struct uw_target *target, uint64_t length,
                      struct uw_buf *buf, struct uw_error *err)
{
	struct whole_read whole = {.buf = buf, .fail = UW_ERROR_INIT};
	struct uw_read_request request = {target, 0, length};
	const struct uw_fs *fs = NULL;
	int r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = fs->v->read_many(fs->self, &in->call, &request, 1,
		                     (struct uw_read_sink){take_data, take_done, &whole}, err);
	if (whole.fail.code) { /* what really happened, not what the sink's refusal became */
		*err = whole.fail;
		return whole.fail.code;
	}
	return r;
}

/* A terminal is not sent binary content: FS_NOT_TEXT with what there is to say of it. */
static int refuse_binary(struct invocation *in, const struct uw_target *target, struct uw_error *err)
{
	UW_AUTO_BUF start = UW_BUF_INIT;
	char version[UW_VERSION_TEXT_SIZE];
	struct uw_stat stat;
	int r = read_range(in, target, UW_TEXT_SNIFF, &start, err);
	if (r < 0 || !start.len || !memchr(start.data, '\0', start.len))
		return r;
	r = cmd_stat(in, target, 1, &stat, err);
	if (r < 0)
		return r;
	uw_version_format(&stat.version, version);
	return uw_fail(err, UW_E_FS_NOT_TEXT, UW_STAGE_READ, UW_EFFECT_NONE, 0,
	               "%s is binary (%" PRIu64 " bytes, version %s) and standard output is a terminal",
	               in->arguments.operands[0], stat.file_size, version);
}

static int read_lines(struct invocation *in, const struct uw_target *target,
                      const struct uw_text_request *request, struct uw_error *err)
{
	struct uw_error broken = UW_ERROR_INIT;
	struct uw_text_info info = {.size = sizeof info};
	const struct uw_fs *fs = NULL;
	int r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = fs->v->read_text(fs->self, &in->call, target, request, cmd_sink_out(&broken),
		                     &info, err);
	if (broken.code) {
		*err = broken;
		return broken.code;
	}
	if (r == 0 && info.text_class == UW_TEXT_BINARY)
		return uw_fail(err, UW_E_FS_NOT_TEXT, UW_STAGE_READ, UW_EFFECT_NONE, 0,
		               "%s is binary (%" PRIu64 " bytes) and has no lines", in->arguments.operands[0],
		               info.total_bytes);
	return r;
}

static json_t *as_json(const struct invocation *in, const struct uw_text_info *info,
                       const struct uw_buf *text)
{
	static const char *const classes[] = {"unknown", "utf-8", "bytes", "binary"};
	static const char *const eols[] = {"none", "lf", "crlf", "mixed"};
	json_t *object = json_object(), *lines = json_object();
	size_t class = info->text_class > 0 && info->text_class < 4 ? (size_t)info->text_class : 0;
	size_t eol = info->eol > 0 && info->eol < 4 ? (size_t)info->eol : 0;
	(void)cmd_json_string(object, "path", in->arguments.operands[0]);
	(void)cmd_json_string(object, "class", classes[class]);
	(void)cmd_json_string(object, "eol", eols[eol]);
	(void)cmd_json_bool(object, "bom", info->has_bom != 0);
	(void)cmd_json_unsigned(object, "bytes", info->total_bytes);
	(void)cmd_json_version(object, "version", &info->version);
	if (class == UW_TEXT_BINARY) {
		json_decref(lines);
		return object;
	}
	(void)cmd_json_bool(object, "last_line_ends", info->last_line_ends != 0);
	(void)cmd_json_unsigned(lines, "total", info->total_lines);
	(void)cmd_json_unsigned(lines, "first", info->first_line);
	(void)cmd_json_unsigned(lines, "last", info->last_line);
	(void)cmd_json_put(object, "lines", lines);
	(void)cmd_json_text(object, "text", text->data ? text->data : "", text->len);
	return object;
}

static int read_json(struct invocation *in, const struct uw_target *target,
                     const struct uw_text_request *request, struct uw_error *err)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	struct uw_text_info info = {.size = sizeof info};
	const struct uw_fs *fs = NULL;
	int r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = fs->v->read_text(fs->self, &in->call, target, request, cmd_sink_buf(&text), &info,
		                     err);
	return r < 0 ? r : cmd_answer(in, as_json(in, &info, &text), err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	struct uw_text_request request = {.size = sizeof request};
	const char *lines = in->arguments.value[CMD_LINES];
	UW_AUTO_TARGET target = NULL;
	int r = lines ? cmd_parse_lines(lines, &request.first_line, &request.last_line, err) : 0;
	if (r == 0)
		r = cmd_open(in, err);
	if (r == 0)
		r = cmd_resolve(in, in->arguments.operands[0], 0, &target, err);
	if (r < 0)
		return r;
	if (in->json)
		return read_json(in, target, &request, err);
	if (isatty(STDOUT_FILENO))
		r = refuse_binary(in, target, err);
	if (r == 0)
		r = lines ? read_lines(in, target, &request, err)
		          : read_range(in, target, UINT64_MAX, NULL, err);
	return r;
}

const struct command cmd_read = {
    .name = "read",
    .operands = "PATH",
    .summary = "Print a file, or some of its lines",
    .about = "The bytes are printed as they are. Binary content is not sent to a terminal. --json tells\n"
             "class, line ending, byte order mark, lines and version, with the text.",
    .options = CMD_COMMON | CMD_BIT(LINES),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
