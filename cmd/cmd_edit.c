/* umwelt edit PATH: literal replacements, all or none. */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/json.h"
#include "cmd/wrote.h"

struct edits {
	struct uw_edit *list; /* owned, with all texts */
	size_t count;
};

static void edits_finish(struct edits *edits)
{
	for (size_t i = 0; i < edits->count; i++) {
		free((char *)edits->list[i].old_text.data);
		free((char *)edits->list[i].new_text.data);
	}
	free(edits->list);
}

static int no_memory(struct uw_error *err)
{
	return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0, "no memory for the edits");
}

static int from_options(const struct cmd_arguments *given, struct edits *edits, struct uw_error *err)
{
	const char *old_text = given->value[CMD_OLD], *new_text = given->value[CMD_NEW];
	if (!old_text || !new_text)
		return cmd_misuse(err, "edit wants --old TEXT and --new TEXT, or --edits FILE");
	edits->list = calloc(1, sizeof *edits->list);
	if (!edits->list)
		return no_memory(err);
	edits->count = 1;
	edits->list[0] = (struct uw_edit){.old_text = {strdup(old_text), strlen(old_text)},
	                                  .new_text = {strdup(new_text), strlen(new_text)},
	                                  .all = cmd_given(given, CMD_ALL)};
	return edits->list[0].old_text.data && edits->list[0].new_text.data ? 0 : no_memory(err);
}

static int bad_item(size_t index, const char *what, struct uw_error *err)
{
	return cmd_misuse(err, "--edits: item %zu: %s", index + 1, what);
}

/* {old, new, all?, escaped?}; other members are mistakes. */
static int from_item(const json_t *item, size_t index, struct uw_edit *edit, struct uw_error *err)
{
	const char *name;
	const json_t *value;
	void *at;
	if (!json_is_object(item))
		return bad_item(index, "it is not an object", err);
	for (at = json_object_iter((json_t *)item); at; at = json_object_iter_next((json_t *)item, at)) {
		name = json_object_iter_key(at);
		if (strcmp(name, "old") && strcmp(name, "new") && strcmp(name, "all") && strcmp(name, "escaped"))
			return bad_item(index, "it has a member that is none of old, new, all, escaped", err);
	}
	value = json_object_get(item, "all");
	if (value && !json_is_boolean(value))
		return bad_item(index, "all is neither true nor false", err);
	edit->all = json_is_true(value);
	edit->old_text.data = cmd_json_bytes(item, "old", &edit->old_text.len);
	edit->new_text.data = cmd_json_bytes(item, "new", &edit->new_text.len);
	if (!edit->old_text.data || !edit->new_text.data)
		return bad_item(index, "old and new must be strings", err);
	return 0;
}

static int from_json(const json_t *list, struct edits *edits, struct uw_error *err)
{
	size_t count = json_array_size(list);
	int r = 0;
	if (!json_is_array(list) || count == 0)
		return cmd_misuse(err, "--edits wants a JSON list of {\"old\": ..., \"new\": ..., \"all\": true or false}");
	edits->list = calloc(count, sizeof *edits->list);
	if (!edits->list)
		return no_memory(err);
	edits->count = count;
	for (size_t i = 0; i < count && r == 0; i++)
		r = from_item(json_array_get(list, i), i, &edits->list[i], err);
	return r;
}

static int from_file(const char *path, struct edits *edits, struct uw_error *err)
{
	json_error_t problem;
	int dash = !strcmp(path, "-"), r;
	json_t *list = dash ? json_loadfd(STDIN_FILENO, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem)
	                    : json_load_file(path, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
	if (!list)
		return cmd_misuse(err, "--edits %s:%d:%d: %s",
		               path, problem.line, problem.column, problem.text);
	r = from_json(list, edits, err);
	json_decref(list);
	return r;
}

static int collect(const struct cmd_arguments *given, struct edits *edits, struct uw_error *err)
{
	const char *file = given->value[CMD_EDITS];
	if (!file)
		return from_options(given, edits, err);
	if (cmd_given(given, CMD_OLD) || cmd_given(given, CMD_NEW) || cmd_given(given, CMD_ALL))
		return cmd_misuse(err, "--edits excludes --old, --new and --all");
	return from_file(file, edits, err);
}

static int perform(struct invocation *in, struct edits *edits, struct uw_error *err)
{
	UW_AUTO_TARGET target = NULL;
	struct uw_edit_request request = {.size = sizeof request};
	struct uw_write_result result = {.size = sizeof result, .after = UW_ERROR_INIT};
	struct uw_version expected;
	const struct uw_fs *fs = NULL;
	int given, r = cmd_if_version(in, &expected, &given, err);
	if (r == 0)
		r = collect(&in->arguments, edits, err);
	if (r == 0)
		r = cmd_open(in, err);
	if (r == 0)
		r = cmd_fs(in, &fs, err);
	if (r == 0)
		r = cmd_resolve(in, in->arguments.operands[0], 0, &target, err);
	if (r < 0)
		return r;
	request.edits = edits->list;
	request.edit_count = edits->count;
	request.expected = given ? &expected : NULL;
	r = fs->v->edit(fs->self, &in->call, target, &request, &result, err);
	return r < 0 ? r : cmd_tell_written(in, "edit", &result, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	struct edits edits = {NULL, 0};
	int r = perform(in, &edits, err);
	edits_finish(&edits);
	return r;
}

const struct command cmd_edit = {
    .name = "edit",
    .operands = "PATH",
    .summary = "Replace text in a file",
    .about = "Texts are literal. The old text must occur once, or --all be given. --edits takes a list of\n"
             "replacements, applied in order, all or none; an item's \"escaped\": [\"old\", \"new\"] says in\n"
             "which of them \\xHH is a byte and \\\\ a backslash.",
    .options = CMD_COMMON | CMD_BIT(OLD) | CMD_BIT(NEW) | CMD_BIT(ALL) | CMD_BIT(EDITS) |
               CMD_BIT(IF_VERSION),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
