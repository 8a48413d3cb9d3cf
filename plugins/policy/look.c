#include "policy.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

int policy_grow(void *array, size_t count, size_t *room, size_t size)
{
	void **data = array;
	size_t wanted = *room ? *room * 2 : 16;
	void *grown;
	if (count < *room)
		return 0;
	if (wanted > SIZE_MAX / size)
		return -1;
	grown = realloc(*data, wanted * size);
	if (!grown)
		return -1;
	*data = grown;
	*room = wanted;
	return 0;
}

const char *texts_add(struct texts *texts, const char *format, ...)
{
	va_list args;
	char *text = NULL;
	int len;
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0 || policy_grow(&texts->items, texts->count, &texts->room, sizeof *texts->items) < 0) {
		if (len >= 0)
			free(text);
		texts->failed = 1;
		return "";
	}
	texts->items[texts->count++] = text;
	return text;
}

void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
	*texts = (struct texts){NULL, 0, 0, 0};
}

struct uw_call policy_call(const struct uw_call *call)
{
	/* what the plugin itself does in fs: look everywhere, make a configured root */
	static const struct uw_policy own = {
	    .size = sizeof own,
	    .mode = UW_MODE_DANGER_FULL_ACCESS,
	    .network = UW_NETWORK_NONE,
	    .unix_sockets = UW_UNIX_NONE,
	    .protect = UW_PROTECT_DETECT,
	    .git = UW_GIT_SAFE,
	    .temp_kind = UW_TEMP_PRIVATE,
	};
	struct uw_call copy = UW_CALL_INIT;
	if (call) {
		copy.deadline_ns = call->deadline_ns;
		copy.cancel_fd = call->cancel_fd;
		copy.host = call->host;
		copy.generation = call->generation;
		copy.trace_id = call->trace_id;
	}
	copy.policy = &own;
	return copy;
}

static void release_target(struct uw_target **target)
{
	if (*target && (*target)->release)
		(*target)->release(*target);
}

#define AUTO_TARGET __attribute__((cleanup(release_target))) struct uw_target

static int resolve(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                   int nofollow, struct uw_target **ret_target, struct uw_error *err)
{
	struct uw_bytes bytes = {path, strlen(path)};
	return plugin->fs->v->resolve(plugin->fs->self, call, bytes, "/",
	                              nofollow ? UW_RESOLVE_NOFOLLOW : 0, ret_target, err);
}

struct stat_answer {
	struct uw_stat stat;
	struct uw_error err;
};

static int take_stat(void *arg, size_t index, const struct uw_stat *stat, const struct uw_error *err)
{
	struct stat_answer *answer = arg;
	(void)index;
	if (err && err->code)
		answer->err = *err;
	else
		answer->stat = *stat;
	return 0;
}

static int stat_target(const struct policy_plugin *plugin, const struct uw_call *call,
                       const struct uw_target *target, struct uw_stat *ret_stat, struct uw_error *err)
{
	struct stat_answer answer = {.err = UW_ERROR_INIT};
	struct uw_stat_sink sink = {take_stat, &answer};
	int failed =
	    plugin->fs->v->stat_many(plugin->fs->self, call, &target, 1, 0, sink, err);
	if (!failed && answer.err.code) {
		if (err)
			*err = answer.err;
		return answer.err.code;
	}
	if (!failed)
		*ret_stat = answer.stat;
	return failed;
}

int policy_look(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                int nofollow, struct texts *texts, struct look *ret_look, struct uw_error *err)
{
	AUTO_TARGET *target = NULL;
	struct uw_stat stat = {0};
	struct uw_error why = UW_ERROR_INIT;
	int failed = resolve(plugin, call, path, nofollow, &target, &why);
	if (failed == UW_E_FS_NOT_DIRECTORY || failed == UW_E_FS_NOT_FOUND) {
		/* a file used as a parent: nothing can be there */
		*ret_look = (struct look){UW_FS_ABSENT, 0, 0, texts_add(texts, "%s", path)};
		return 0;
	}
	if (!failed)
		failed = stat_target(plugin, call, target, &stat, &why);
	if (failed) {
		if (err)
			*err = why;
		return failed;
	}
	ret_look->type = stat.type;
	ret_look->dev = stat.dev;
	ret_look->ino = stat.ino;
	ret_look->path = texts_add(texts, "%.*s", (int)target->key.len, target->key.data);
	return 0;
}

static int take_data(void *arg, size_t index, const char *data, size_t len)
{
	(void)index;
	uw_buf_add(arg, data, len);
	return 0;
}

static int take_done(void *arg, size_t index, const struct uw_read_info *info,
                     const struct uw_error *err)
{
	struct uw_buf *content = arg;
	(void)index, (void)info;
	if (err && err->code)
		content->failed = 1;
	return 0;
}

int policy_read(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                uint64_t max, struct uw_buf *content, struct uw_error *err)
{
	AUTO_TARGET *target = NULL;
	struct uw_stat stat = {0};
	struct uw_error ignored = UW_ERROR_INIT;
	struct uw_read_request request = {.offset = 0, .length = max};
	struct uw_read_sink sink = {take_data, take_done, content};
	/* what cannot be looked at has nothing to say; it cannot be written by a command either */
	if (resolve(plugin, call, path, 0, &target, &ignored) ||
	    stat_target(plugin, call, target, &stat, &ignored) || stat.type != UW_FS_FILE ||
	    stat.file_size > max)
		return 0;
	request.target = target;
	if (plugin->fs->v->read_many(plugin->fs->self, call, &request, 1, sink, &ignored))
		return 0;
	if (content->failed) {
		uw_buf_finish(content);
		return 0;
	}
	(void)err;
	/* an empty file is a text too */
	return uw_buf_reserve(content, 0) < 0
	           ? uw_fail(err, UW_E_NO_MEMORY, UW_STAGE_POLICY, UW_EFFECT_NONE, 0, "no memory")
	           : 1;
}

struct listing {
	int (*entry)(void *arg, const char *name, int type);
	void *arg;
	struct uw_buf last;
	int result;
};

static int take_entry(void *arg, const struct uw_entry *entry)
{
	struct listing *listing = arg;
	uw_buf_truncate(&listing->last, 0);
	uw_buf_add(&listing->last, entry->name.data, entry->name.len);
	if (listing->last.failed)
		return UW_E_NO_MEMORY;
	listing->result = listing->entry(listing->arg, listing->last.data, entry->stat.type);
	return listing->result;
}

int policy_list(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                int (*entry)(void *arg, const char *name, int type), void *arg, struct uw_error *err)
{
	AUTO_TARGET *target = NULL;
	struct listing listing = {entry, arg, UW_BUF_INIT, 0};
	struct uw_entry_sink sink = {take_entry, &listing};
	struct uw_list_request request = {.size = sizeof request};
	struct uw_error why = UW_ERROR_INIT;
	UW_AUTO_BUF after = UW_BUF_INIT;
	uint32_t more = 1;
	int failed = resolve(plugin, call, path, 0, &target, &why);
	while (!failed && more) {
		uw_buf_truncate(&after, 0);
		uw_buf_add(&after, listing.last.data, listing.last.len);
		request.after = (struct uw_bytes){after.data, after.len};
		failed = plugin->fs->v->list(plugin->fs->self, call, target, &request, sink, &more, &why);
		if (listing.result)
			failed = listing.result;
	}
	uw_buf_finish(&listing.last);
	if (failed == UW_E_FS_NOT_FOUND || failed == UW_E_FS_NOT_DIRECTORY)
		return 0;
	/* the entry function has filled err itself */
	if (failed && err && !listing.result)
		*err = why;
	return failed;
}

int policy_mkdir(const struct policy_plugin *plugin, const struct uw_call *call, const char *path,
                 struct uw_error *err)
{
	AUTO_TARGET *target = NULL;
	int failed = resolve(plugin, call, path, 0, &target, err);
	return failed ? failed
	              : plugin->fs->v->mkdir(plugin->fs->self, call, target, UW_MKDIR_PARENTS, err);
}

/* The field at index of a line of passwd(5), up to ':' or the end of the line. */
static struct uw_bytes field(const char *line, const char *end, int index)
{
	const char *colon;
	while (index-- > 0 && (colon = memchr(line, ':', (size_t)(end - line))) != NULL)
		line = colon + 1;
	colon = memchr(line, ':', (size_t)(end - line));
	return (struct uw_bytes){line, (size_t)((colon ? colon : end) - line)};
}

int policy_home(const struct policy_plugin *plugin, const struct uw_call *call, struct texts *texts,
                const char **ret_home, struct uw_error *err)
{
	UW_AUTO_BUF passwd = UW_BUF_INIT;
	struct uw_realm realm = {.size = sizeof realm};
	int found = plugin->fs->v->realm(plugin->fs->self, &realm, err);
	const char *line, *end;
	*ret_home = NULL;
	if (found)
		return found;
	found = policy_read(plugin, call, "/etc/passwd", 16u << 20, &passwd, err);
	if (found <= 0)
		return found;
	for (line = passwd.data; line < passwd.data + passwd.len; line = end + 1) {
		struct uw_bytes uid, home;
		char wanted[24];
		end = strchr(line, '\n');
		if (!end)
			end = passwd.data + passwd.len;
		uid = field(line, end, 2);
		home = field(line, end, 5);
		(void)snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)realm.uid);
		if (uid.len == strlen(wanted) && !memcmp(uid.data, wanted, uid.len) && home.len > 1) {
			struct look look;
			const char *path = texts_add(texts, "%.*s", (int)home.len, home.data);
			int failed = policy_look(plugin, call, path, 0, texts, &look, err);
			*ret_home = failed ? NULL : look.path;
			return 0;
		}
	}
	return 0;
}
