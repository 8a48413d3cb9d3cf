/*
 * A host in a static build: opens, lists the built-in plugins, and compares them
 * with the names it was given. What it says is what `make builtin-check` checks.
 */
#include <umwelt/umwelt.h>

#include <stdio.h>
#include <string.h>

struct names {
	char **wanted;
	int count, seen;
};

static int see(void *arg, const struct uw_plugin_facts *facts)
{
	struct names *names = arg;
	if (facts->skipped) {
		(void)fprintf(stderr, "%s: skipped: %s\n", facts->path, facts->skipped);
		return UW_E_PLUGIN_INVALID;
	}
	(void)printf("%s %s: %s\n", facts->name, facts->version, facts->provides[0]);
	for (int i = 0; i < names->count; i++)
		names->seen += !strcmp(names->wanted[i], facts->name);
	return 0;
}

int main(int argc, char **argv)
{
	struct names names = {argv + 1, argc - 1, 0};
	struct uw_error err = UW_ERROR_INIT;
	struct uw_host *host = NULL;
	int result = uw_host_open(NULL, &host, &err);
	if (result == 0)
		result = uw_host_plugins(host, see, &names, &err);
	if (result < 0)
		(void)fprintf(stderr, "%s: %s\n", uw_code_name(result), err.message);
	else
		(void)printf("%d of %d plugins are built in\n", names.seen, names.count);
	uw_host_close(host);
	return result < 0 || names.seen != names.count;
}
