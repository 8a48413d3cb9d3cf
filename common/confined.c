#include "common/confined.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct uw_confining *uw_confined_start(const char *backend)
{
	struct uw_confining *confining = calloc(1, sizeof *confining);
	if (!confining)
		return NULL;
	confining->result.size = sizeof confining->result;
	confining->result.backend = backend;
	confining->result.failure_exit = -1;
	confining->result.impl = confining;
	return confining;
}

/* Room for one more element of `size` bytes in an array; 0, or -1 and failed. */
static int make_room(struct uw_confining *confining, void *array, size_t count, size_t *room,
                     size_t size)
{
	void **data = array;
	size_t wanted = *room ? *room * 2 : 16;
	void *grown;
	if (confining->failed)
		return -1;
	if (count < *room)
		return 0;
	grown = wanted > SIZE_MAX / size ? NULL : realloc(*data, wanted * size);
	if (!grown) {
		confining->failed = 1;
		return -1;
	}
	*data = grown;
	*room = wanted;
	return 0;
}

void uw_confined_words(struct uw_confining *confining, ...)
{
	va_list args;
	const char *word;
	va_start(args, confining);
	while ((word = va_arg(args, const char *)) != NULL) {
		char *copy;
		if (make_room(confining, &confining->words, confining->word_count, &confining->word_room,
		              sizeof *confining->words) < 0)
			break;
		copy = strdup(word);
		if (!copy) {
			confining->failed = 1;
			break;
		}
		confining->words[confining->word_count++] = copy;
	}
	va_end(args);
}

const char *uw_confined_text(struct uw_confining *confining, const char *format, ...)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	va_list args;
	char *copy;
	int len;
	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || uw_buf_reserve(&text, (size_t)len) < 0 ||
	    make_room(confining, &confining->texts, confining->text_count, &confining->text_room,
	              sizeof *confining->texts) < 0) {
		confining->failed = 1;
		return "";
	}
	va_start(args, format);
	(void)vsnprintf(text.data, (size_t)len + 1, format, args);
	va_end(args);
	text.len = (size_t)len;
	copy = uw_buf_steal(&text);
	confining->texts[confining->text_count++] = copy;
	return copy;
}

void uw_confined_view(struct uw_confining *confining, const char *inside, const char *outside,
                      int writable)
{
	struct uw_view_entry entry = {0};
	entry.inside = uw_confined_text(confining, "%s", inside);
	entry.outside = uw_confined_text(confining, "%s", outside);
	entry.writable = writable ? 1 : 0;
	if (make_room(confining, &confining->views, confining->view_count, &confining->view_room,
	              sizeof *confining->views) == 0)
		confining->views[confining->view_count++] = entry;
}

int uw_confined_finish(struct uw_confining *confining, struct uw_error *err)
{
	struct uw_confined *result = &confining->result;
	if (confining->failed || confining->profile.failed)
		return uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_CONFINE, UW_EFFECT_NONE, 0,
		               "no memory for the confinement of a command");
	result->wrapper = (const char *const *)confining->words;
	result->wrapper_count = confining->word_count;
	result->profile = confining->profile.data;
	result->profile_len = confining->profile.len;
	result->view.entries = confining->views;
	result->view.count = confining->view_count;
	return 0;
}

void uw_confined_free(struct uw_confining *confining)
{
	if (!confining)
		return;
	for (size_t i = 0; i < confining->word_count; i++)
		free(confining->words[i]);
	for (size_t i = 0; i < confining->text_count; i++)
		free(confining->texts[i]);
	free(confining->words);
	free(confining->texts);
	free(confining->views);
	uw_buf_finish(&confining->profile);
	free(confining);
}
