/* Commands that are known by name and not in this build: each says so, with status 120. */
#include "cmd/commands.h"

static int run(struct invocation *in, struct uw_error *err)
{
	return uw_fail(err, UW_E_NOT_BUILT, UW_STAGE_CONFIG, UW_EFFECT_NONE, 0,
	               "the command %s is not in this build", in->command->name);
}

#define LATER(id, text, what)                                                                    \
	const struct command cmd_##id = {                                                            \
	    .name = text,                                                                            \
	    .operands = "...",                                                                       \
	    .summary = what " (not in this build)",                                                  \
	    .options = CMD_COMMON,                                                                   \
	    .order = CMD_OPTIONS_FIRST,                                                              \
	    .max_operands = SIZE_MAX,                                                                \
	    .run = run,                                                                              \
	}

LATER(glob, "glob", "list paths that match a pattern");
LATER(grep, "grep", "search the contents of files");
LATER(schema, "schema", "print the JSON Schema of a bundle");
LATER(session, "session", "keep, list and end sessions");
LATER(world, "world", "show or swap the world of a server");
LATER(trace, "trace", "show what was recorded");
LATER(guard, "guard", "try and show the guard's rules");
LATER(approve, "approve", "answer requests that wait for a person");
LATER(mcp, "mcp", "serve a world to an agent by the Model Context Protocol");
LATER(term, "term", "persistent terminals");
LATER(lsp, "lsp", "ask language servers");
LATER(new_plugin, "new-plugin", "write the scaffold of a plugin");
