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

LATER(glob, "glob", "List paths that match a pattern");
LATER(grep, "grep", "Search the contents of files");
LATER(session, "session", "Keep, list and end sessions");
LATER(world, "world", "Show or swap the world of a server");
LATER(trace, "trace", "Show what was recorded");
LATER(guard, "guard", "Try and show the guard's rules");
LATER(approve, "approve", "Answer requests that wait for a person");
LATER(mcp, "mcp", "Serve a world to an agent by the Model Context Protocol");
LATER(term, "term", "Persistent terminals");
LATER(lsp, "lsp", "Ask language servers");
LATER(new_plugin, "new-plugin", "Write the scaffold of a plugin");
