/* Telling what a mutation of content did. */
#include "cmd/wrote.h"

#include "cmd/json.h"

static const struct {
	uint32_t flag;
	const char *name; /* in JSON */
	const char *note; /* for a person; NULL: not worth a line */
} flags[] = {
    {UW_WROTE_CREATED, "created", NULL},
    {UW_WROTE_SPLIT_LINKS, "split-links", "other hard links of it keep the old content"},
    {UW_WROTE_DROPPED_SUID, "dropped-suid", "its setuid bit was dropped"},
    {UW_WROTE_LOST_OWNER, "lost-owner", "its owner or group could not be kept"},
    {UW_WROTE_LOST_XATTR, "lost-xattr", "some of its extended attributes or its ACL could not be kept"},
    {UW_WROTE_VIA_LINK, "via-link", NULL},
    {UW_WROTE_IN_PROCESS, "cas-in-process", "here the version could be held against this process only"},
    {UW_WROTE_NOT_DURABLE, "not-durable", "it may not survive a loss of power"},
};

static json_t *as_json(const struct invocation *in, const char *verb, const struct uw_write_result *result)
{
	json_t *object = json_object(), *list = json_array();
	for (size_t i = 0; i < UW_COUNT(flags); i++)
		if (result->flags & flags[i].flag)
			(void)json_array_append_new(list, json_string(flags[i].name));
	(void)cmd_json_string(object, "path", in->arguments.operands[0]);
	(void)cmd_json_string(object, "operation", verb);
	(void)cmd_json_unsigned(object, "bytes", result->bytes);
	(void)cmd_json_version(object, "version", &result->version);
	if (verb[0] == 'e')
		(void)cmd_json_unsigned(object, "replacements", result->replacements);
	if (result->exposed_us)
		(void)cmd_json_unsigned(object, "exposed_us", result->exposed_us);
	(void)cmd_json_put(object, "flags", list);
	if (result->after.code)
		(void)cmd_json_put(object, "error", cmd_json_error(&result->after));
	return object;
}

int cmd_tell_written(struct invocation *in, const char *verb, const struct uw_write_result *result,
                     struct uw_error *err)
{
	for (size_t i = 0; i < UW_COUNT(flags); i++)
		if ((result->flags & flags[i].flag) && flags[i].note &&
		    (flags[i].flag != UW_WROTE_IN_PROCESS || in->arguments.value[CMD_IF_VERSION]))
			cmd_note("note", "%s: %s", in->arguments.operands[0], flags[i].note);
	if (cmd_wants_json(in)) {
		int r = cmd_answer(in, as_json(in, verb, result), err);
		if (r < 0) {
			err->effect = UW_EFFECT_DONE;
			return r;
		}
	}
	if (result->after.code) {
		*err = result->after;
		return result->after.code;
	}
	return 0;
}

int cmd_if_version(const struct invocation *in, struct uw_version *ret_version, int *ret_given,
                   struct uw_error *err)
{
	const char *text = in->arguments.value[CMD_IF_VERSION];
	int r = text ? uw_version_parse(text, ret_version, err) : 0;
	if (r < 0)
		return cmd_misuse(err, "--if-version wants a version as `umwelt stat` prints it (v1:...), not \"%s\"", text);
	*ret_given = text != NULL;
	return 0;
}
