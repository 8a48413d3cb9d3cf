/* umwelt ls [PATH]: the entries of a directory, in byte order, page by page. */
#include <inttypes.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/entry.h"

struct listing {
	struct invocation *in;
	json_t *entries;     /* NULL: print */
	struct uw_buf last;  /* the name the next page starts after */
	struct uw_buf page;  /* what a page prints */
	int terminal;
};

static void add_long(struct uw_buf *buf, const struct uw_stat *stat)
{
	static const char letters[] = "?-dlpscb";
	char type = stat->type >= 0 && stat->type < 8 ? letters[stat->type] : '?';
	uw_buf_printf(buf, "%c%04o %12" PRIu64 " ", type, (unsigned)stat->mode, stat->file_size);
	cmd_time_text(buf, stat->mtime_ns);
	uw_buf_byte(buf, ' ');
}

static json_t *entry_json(const struct uw_entry *entry)
{
	json_t *object = cmd_stat_json(&entry->stat);
	(void)cmd_json_text(object, "name", entry->name.data, entry->name.len);
	if (entry->stat.type == UW_FS_SYMLINK)
		(void)cmd_json_string(object, "target_type", cmd_type_name(entry->target_type));
	return object;
}

static int take(void *arg, const struct uw_entry *entry)
{
	struct listing *listing = arg;
	const struct cmd_arguments *given = &listing->in->arguments;
	uw_buf_truncate(&listing->last, 0);
	uw_buf_add(&listing->last, entry->name.data, entry->name.len);
	if (listing->entries && json_array_append_new(listing->entries, entry_json(entry)) < 0)
		return UW_E_NO_MEMORY;
	if (listing->in->json)
		return listing->last.failed ? UW_E_NO_MEMORY : 0;
	if (cmd_given(given, CMD_LONG))
		add_long(&listing->page, &entry->stat);
	if (listing->terminal)
		cmd_text_show(&listing->page, entry->name.data, entry->name.len, NULL);
	else
		uw_buf_add(&listing->page, entry->name.data, entry->name.len);
	uw_buf_byte(&listing->page, cmd_given(given, CMD_NUL) ? '\0' : '\n');
	return listing->last.failed || listing->page.failed ? UW_E_NO_MEMORY : 0;
}

static int list(struct listing *listing, const struct uw_target *target, struct uw_error *err)
{
	uint32_t more = 1;
	const struct uw_fs *fs = NULL;
	int r = cmd_fs(listing->in, &fs, err);
	while (r == 0 && more) {
		struct uw_list_request request = {.size = sizeof request,
		                                  .after = {listing->last.data, listing->last.len}};
		r = fs->v->list(fs->self, &listing->in->call, target, &request,
		                (struct uw_entry_sink){take, listing}, &more, err);
		if (r == 0)
			r = cmd_write_buf(&listing->page, err);
		uw_buf_truncate(&listing->page, 0);
	}
	return r;
}

static int perform(struct invocation *in, struct listing *listing, struct uw_error *err)
{
	const char *path = in->arguments.operand_count ? in->arguments.operands[0] : ".";
	UW_AUTO_TARGET target = NULL;
	json_t *object;
	int r = cmd_open(in, err);
	if (r == 0)
		r = cmd_resolve(in, path, 0, &target, err);
	if (r == 0)
		r = list(listing, target, err);
	if (r < 0 || !listing->entries)
		return r;
	object = json_object();
	(void)cmd_json_string(object, "path", path);
	if (cmd_json_put(object, "entries", UW_STEAL(listing->entries)) < 0) {
		json_decref(object);
		object = NULL;
	}
	return cmd_answer(in, object, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	struct listing listing = {.in = in, .last = UW_BUF_INIT, .page = UW_BUF_INIT};
	int r;
	listing.terminal = isatty(STDOUT_FILENO) && !cmd_given(&in->arguments, CMD_NUL);
	listing.entries = cmd_wants_json(in) ? json_array() : NULL;
	r = perform(in, &listing, err);
	json_decref(listing.entries);
	uw_buf_finish(&listing.last);
	uw_buf_finish(&listing.page);
	return r;
}

const struct command cmd_ls = {
    .name = "ls",
    .operands = "[PATH]",
    .summary = "List a directory",
    .about = "Names are in byte order and include hidden ones. On a terminal, bytes that are no printable\n"
             "text are shown as \\xHH; elsewhere names are printed as they are, one a line.",
    .options = CMD_COMMON | CMD_BIT(LONG) | CMD_BIT(NUL),
    .max_operands = 1,
    .run = run,
};
