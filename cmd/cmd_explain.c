/* umwelt explain CODE: what an error means, and what to do about it. */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/json.h"

static const int all_codes[] = {
#define CODE_LISTED(name, number, meaning) -(number),
    UW_ERRORS(CODE_LISTED)
#undef CODE_LISTED
};

static int no_code(const char *name, struct uw_error *err)
{
	const char *names[UW_COUNT(all_codes)], *meant;
	for (size_t i = 0; i < UW_COUNT(all_codes); i++)
		names[i] = uw_code_name(all_codes[i]);
	meant = cmd_nearest(name, names, UW_COUNT(names));
	return cmd_misuse(err, meant ? "there is no code %s; did you mean %s?"
	                     : "there is no code %s; `umwelt explain` lists them%s",
	               name, meant ? meant : "");
}

static json_t *as_json(int code)
{
	json_t *object = json_object();
	(void)cmd_json_string(object, "code", uw_code_name(code));
	(void)cmd_json_integer(object, "number", -code);
	(void)cmd_json_string(object, "meaning", uw_code_meaning(code));
	(void)cmd_json_string(object, "advice", cmd_advice(code));
	(void)cmd_json_integer(object, "exit_status", cmd_status_of_code(code));
	return object;
}

static int run(struct invocation *in, struct uw_error *err)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	const char *name = in->arguments.operands[0];
	int code = name ? cmd_code_of_name(name) : 0;
	if (name && code == 0)
		return no_code(name, err);
	if (cmd_wants_json(in)) {
		json_t *object = name ? as_json(code) : json_object(), *list = name ? NULL : json_array();
		for (size_t i = 0; list && i < UW_COUNT(all_codes); i++)
			(void)json_array_append_new(list, as_json(all_codes[i]));
		if (!name)
			(void)cmd_json_put(object, "codes", list);
		return cmd_answer(in, object, err);
	}
	if (name)
		uw_buf_printf(&text, "%s (UW_E_%s, %d)\n\n  meaning: %s\n  advice:  %s\n  status:  %d of umwelt run\n",
		              uw_code_name(code), uw_code_name(code), -code, uw_code_meaning(code),
		              cmd_advice(code), cmd_status_of_code(code));
	for (size_t i = 0; !name && i < UW_COUNT(all_codes); i++)
		uw_buf_printf(&text, "%-26s %s\n", uw_code_name(all_codes[i]), uw_code_meaning(all_codes[i]));
	return cmd_write_buf(&text, err);
}

const struct command cmd_explain = {
    .name = "explain",
    .operands = "[CODE]",
    .summary = "Say what an error code means and what to do about it",
    .about = "CODE is a name as it is printed (FS_NOT_FOUND); without one all are listed.",
    .options = CMD_BIT(JSON) | CMD_BIT(STATUS_FD) | CMD_BIT(HELP),
    .max_operands = 1,
    .run = run,
};
