/* C-4: built with newer headers, where descriptor and table have grown at their ends. */
#define NAME  "larger-structs"
#define SIZE  sizeof(struct newer_descriptor)
#define OWN_ENTRY
#include <umwelt/umwelt.h>

struct newer_descriptor {
	struct uw_plugin known;
	void *later[8];
};
#include "plugin.h"

static const struct {
	struct uw_shell_v1 known;
	void *later[8];
} newer = {{sizeof newer, start, dialect}, {(void *)8}};

static const struct uw_provides newer_provides[] = {{SERVICE, UW_THREADS_SERIAL, 0, &newer}};
static struct newer_descriptor descriptor;

const struct uw_plugin *uw_plugin_entry(void)
{
	descriptor.known = plugin;
	descriptor.known.provides = newer_provides;
	descriptor.later[0] = (void *)8;
	return &descriptor.known;
}
