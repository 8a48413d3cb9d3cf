/* umwelt check [BUNDLE]: is the bundle right, what does it say in full, does its world hold. */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/json.h"

struct problems {
	json_t *list; /* NULL: to stderr only */
	size_t count;
};

static void take_problem(void *arg, const struct uw_error *error)
{
	struct problems *problems = arg;
	problems->count++;
	cmd_print_error(error);
	if (problems->list)
		(void)json_array_append_new(problems->list, cmd_json_error(error));
}

static json_t *proof_json(const struct uw_world_facts *facts)
{
	json_t *object = json_object();
	(void)cmd_json_string(object, "sandbox", facts->sandbox);
	(void)cmd_json_string(object, "proof", facts->proof);
	(void)cmd_json_string(object, "realm", facts->realm_id);
	(void)cmd_json_string(object, "realm_label", facts->realm_label);
	(void)cmd_json_string(object, "mode", uw_mode_name(facts->mode));
	(void)cmd_json_string(object, "workspace", facts->workspace);
	return object;
}

/* Opens the world as another command would; it is closed with the invocation. */
static int prove(struct invocation *in, const struct uw_world_options *options, struct uw_buf *text,
                 struct uw_error *err)
{
	const char *mode;
	int r = uw_world_open(in->host, options, &in->world, err);
	if (r < 0)
		return r;
	in->facts.size = sizeof in->facts;
	uw_world_facts(in->world, &in->facts);
	mode = uw_mode_name(in->facts.mode);
	uw_buf_printf(text, "proven: sandbox %s, proof %s, realm %s (%s)\nmode: %s\nworkspace: ",
	              in->facts.sandbox, in->facts.proof, in->facts.realm_id,
	              in->facts.realm_label ? in->facts.realm_label : "", mode ? mode : "?");
	uw_buf_printf(text, "%s\n", in->facts.workspace ? in->facts.workspace : "?");
	return 0;
}

static json_t *as_json(struct invocation *in, const char *bundle, struct problems *problems,
                       const struct uw_buf *resolved)
{
	json_t *object = json_object();
	(void)cmd_json_string(object, "bundle", bundle);
	(void)cmd_json_bool(object, "valid", problems->count == 0);
	(void)cmd_json_put(object, "problems", UW_STEAL(problems->list));
	if (resolved->len)
		(void)cmd_json_text(object, "resolved", resolved->data, resolved->len);
	if (in->world)
		(void)cmd_json_put(object, "world", proof_json(&in->facts));
	return object;
}

static int answer(struct invocation *in, const char *bundle, struct problems *problems,
                  const struct uw_buf *resolved, const struct uw_buf *text, struct uw_error *err)
{
	if (cmd_wants_json(in)) {
		int r = cmd_answer(in, as_json(in, bundle, problems, resolved), err);
		if (r < 0 || in->json)
			return r;
	}
	return cmd_write_buf(text, err);
}

static int check(struct invocation *in, struct problems *problems, struct uw_error *err)
{
	const char *bundle = in->arguments.operand_count ? in->arguments.operands[0] : NULL;
	UW_AUTO_BUF resolved = UW_BUF_INIT;
	UW_AUTO_BUF text = UW_BUF_INIT;
	struct uw_world_options options;
	int r = cmd_world_options(in, bundle, &options, err), bad;
	if (r == 0)
		r = cmd_open_host(in, err);
	if (r < 0)
		return r;
	bad = uw_bundle_check(in->host, &options, take_problem, problems, err);
	if (bad < 0 && problems->count == 0)
		return bad;
	if (bad < 0 || problems->count) {
		r = answer(in, options.bundle, problems, &resolved, &text, err);
		return r < 0 ? r : CMD_USAGE;
	}
	if (cmd_given(&in->arguments, CMD_RESOLVED)) {
		r = uw_bundle_resolved(in->host, &options, cmd_sink_buf(&resolved), err);
		uw_buf_add(&text, resolved.data, resolved.len);
	} else if (!cmd_given(&in->arguments, CMD_PROVE)) {
		uw_buf_printf(&text, "%s: no problems\n", options.bundle);
	}
	if (r == 0 && cmd_given(&in->arguments, CMD_PROVE))
		r = prove(in, &options, &text, err);
	return r < 0 ? r : answer(in, options.bundle, problems, &resolved, &text, err);
}

static int run(struct invocation *in, struct uw_error *err)
{
	struct problems problems = {cmd_wants_json(in) ? json_array() : NULL, 0};
	int r;
	if (in->arguments.operand_count && cmd_given(&in->arguments, CMD_BUNDLE))
		r = cmd_misuse(err, "the bundle was given twice: as an operand and by --bundle");
	else
		r = check(in, &problems, err);
	json_decref(problems.list);
	return r;
}

const struct command cmd_check = {
    .name = "check",
    .operands = "[BUNDLE]",
    .summary = "Check a bundle",
    .about = "All problems are told, each with its place. Nothing is started, but with --prove the world\n"
             "is prepared and proven just as for another command, and closed again.",
    .options = (CMD_COMMON | CMD_BIT(RESOLVED) | CMD_BIT(PROVE)) & ~CMD_BIT(SESSION),
    .max_operands = 1,
    .run = run,
};
