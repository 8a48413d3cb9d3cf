/* Fuzzes core/settings: any bytes as umwelt.conf end in settings or in one error (C-20, C-61). */
#include "core/settings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses texts that a syntax error follows; losses of our own are still seen. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

static char dir[] = "/tmp/umwelt-fuzz.XXXXXX";
static char path[64];

static void clean_up(void)
{
	(void)unlink(path);
	(void)rmdir(dir);
}

static void set_up(void)
{
	if (*path)
		return;
	if (!mkdtemp(dir))
		abort();
	(void)snprintf(path, sizeof path, "%s/umwelt.conf", dir);
	(void)atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uw_host_options options = {
	    .size = sizeof options, .config_path = path, .program_dir = "/usr/bin"};
	struct uw_error err = UW_ERROR_INIT;
	struct uwi_settings *settings = NULL;
	FILE *file;
	int code;
	set_up();
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
	code = uwi_settings_load(&options, &settings, &err);
	if ((code == 0) != (settings != NULL) || (code && (code != err.code || !*err.message)))
		abort();
	uwi_settings_free(settings);
	return 0;
}
