/* core/bundle: documents, what they extend, overrides, and every way to be wrong (C-10..C-15). */
#include "tests/temp.h"
#include "tests/unit.h"

#include "common/buf.h"
#include "core/bundle.h"
#include "core/bundle_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

UW_NEEDS_FILES_OF_ROOT;

static char dir[96];        /* a fresh directory of the test, outside the workspace */
static char workspace[112]; /* DIR/ws */
static char presets[4096];

static void setup(void)
{
	if (!realpath("bundles", presets))
		ck_abort_msg("tests run from the top of the tree");
	(void)snprintf(dir, sizeof dir, "%s", temp_make().path);
	snprintf(workspace, sizeof workspace, "%s/ws", dir);
	ck_assert_int_eq(mkdir(workspace, 0755), 0);
	ck_assert_int_eq(chdir(dir), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	temp_drop(dir);
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(name, 0644), 0);
}

/* All problems of one load, a line each. */
struct outcome {
	int code;
	struct uwi_bundle *bundle;
	struct uw_buf lines;
	struct uw_error err;
};

static void add_line(void *arg, const struct uw_error *error)
{
	struct outcome *outcome = arg;
	uw_buf_printf(&outcome->lines, "%s %s\n", uw_code_name(error->code), error->message);
}

static struct uwi_settings settings_of_test(char **dirs)
{
	struct uwi_settings settings = {.bundle_dirs = dirs};
	return settings;
}

static struct outcome load_with(const struct uwi_settings *given, const char *name, const char *ws,
                                int mode, const char *const *sets)
{
	char *dirs[] = {presets, NULL};
	struct uwi_settings settings = given ? *given : settings_of_test(dirs);
	struct uw_world_options options = {
	    .size = sizeof options, .bundle = name, .workspace = ws, .mode = mode, .sets = sets};
	static struct outcome outcome;
	struct uwi_problems problems = {.report = add_line, .arg = &outcome};
	outcome = (struct outcome){.lines = UW_BUF_INIT, .err = UW_ERROR_INIT};
	settings.bundle_dirs = dirs;
	outcome.code = uwi_bundle_load(&settings, &options, &problems, &outcome.bundle, &outcome.err);
	ck_assert_int_eq(outcome.code == 0, problems.count == 0);
	return outcome;
}

static struct outcome load(const char *name)
{
	return load_with(NULL, name, workspace, 0, NULL);
}

static void done(struct outcome *outcome)
{
	uwi_bundle_free(outcome->bundle);
	uw_buf_finish(&outcome->lines);
}

START_TEST(the_preset_read_only_is_as_the_table_says)
{
	struct outcome o = load("read-only");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_uint_eq(o.bundle->fs_count, 2);
	ck_assert_str_eq(o.bundle->fs[0].plugin, "fs-local");
	ck_assert_str_eq(o.bundle->fs[1].plugin, "fs-sandboxed");
	ck_assert_str_eq(o.bundle->fs[1].path, "world.fs[1]");
	ck_assert_str_eq(o.bundle->subprocess.plugin, "subprocess-local");
	ck_assert_int_eq(o.bundle->sandbox.kind, UWI_SANDBOX_CHAIN);
	ck_assert_uint_eq(o.bundle->sandbox.provider_count, 2);
	ck_assert_str_eq(o.bundle->sandbox.providers[0].plugin, "sandbox-bwrap");
	ck_assert_str_eq(o.bundle->sandbox.providers[1].plugin, "sandbox-landlock");
	ck_assert_int_eq(o.bundle->mode, UW_MODE_READ_ONLY);
	ck_assert_str_eq(o.bundle->policy.plugin, "policy");
	ck_assert_str_eq(o.bundle->workspace, workspace);
	ck_assert_int_eq(o.bundle->guard.present | o.bundle->approval.present | o.bundle->trace.present,
	                 0);
	ck_assert_uint_eq(o.bundle->service_count, 1);
	ck_assert_str_eq(o.bundle->services[0].service, "shell");
	ck_assert_str_eq(o.bundle->services[0].provider.plugin, "shell-bash");
	ck_assert_int_eq(o.bundle->max_running, 4);
	ck_assert_int_eq(o.bundle->max_queued, 256);
	ck_assert_str_eq(o.bundle->tools[0], "read");
	done(&o);
}
END_TEST

START_TEST(the_preset_sdk_minimal_confines_nothing)
{
	struct outcome o = load("sdk-minimal");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->sandbox.kind, UWI_SANDBOX_NONE);
	ck_assert_int_eq(o.bundle->mode, UW_MODE_DANGER_FULL_ACCESS);
	done(&o);
}
END_TEST

START_TEST(the_presets_workspace_and_guarded_name_guard_approval_and_trace)
{
	struct outcome o = load("guarded");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_str_eq(o.bundle->guard.provider.plugin, "guard-rules");
	ck_assert_str_eq(o.bundle->approval.provider.plugin, "approval");
	ck_assert_str_eq(o.bundle->trace.provider.plugin, "trace-jsonl");
	ck_assert_int_eq(o.bundle->trace_required, 1);
	ck_assert_int_eq(o.bundle->mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_ptr_nonnull(o.bundle->files[1]);
	ck_assert_ptr_null(o.bundle->files[2]);
	done(&o);
}
END_TEST

START_TEST(the_callers_mode_and_workspace_win)
{
	struct outcome o = load_with(NULL, "read-only", "ws", UW_MODE_WORKSPACE_WRITE, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_str_eq(o.bundle->workspace, workspace);
	ck_assert_str_eq(uwi_node_get(o.bundle->policy.node, "mode")->where, "--mode");
	ck_assert_str_eq(uwi_node_get(o.bundle->policy.node, "mode")->text, "workspace-write");
	done(&o);
}
END_TEST

START_TEST(an_unknown_preset_is_named_with_the_nearest)
{
	struct outcome o = load("raed-only");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(o.lines.data, "did you mean `read-only`?"));
	done(&o);
}
END_TEST

START_TEST(every_problem_of_a_file_is_reported_with_its_position)
{
	struct outcome o;
	put("b.yaml", "umwelt: 1\nextends: read-only\nextra: 1\npolcy: {}\npolicy:\n  mode: read-onyl\n"
	              "limits: { max_running: 0, max_queued: many }\n");
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_INVALID);
	ck_assert_str_eq(
	    o.lines.data,
	    "BUNDLE_INVALID b.yaml:3:1: extra: there is no such key\n"
	    "BUNDLE_INVALID b.yaml:4:1: polcy: there is no such key; did you mean `policy`?\n"
	    "BUNDLE_INVALID b.yaml:6:9: policy.mode: `read-onyl` is none of read-only, "
	    "workspace-write, danger-full-access; did you mean `read-only`?\n"
	    "BUNDLE_INVALID b.yaml:7:24: limits.max_running: 0 is out of its bounds, 1 to 1024\n"
	    "BUNDLE_INVALID b.yaml:7:39: limits.max_queued: wanted here: a whole number, 0 to 65536; "
	    "this is "
	    "text\n");
	ck_assert_ptr_nonnull(strstr(o.err.detail, "file=b.yaml\nline=3\ncolumn=1\npath=extra\n"));
	done(&o);
}
END_TEST

/* The problems of a document that stands in DIR, outside the workspace. */
static void expect(const char *text, const char *lines)
{
	struct outcome o;
	put("b.yaml", text);
	o = load("b.yaml");
	ck_assert_str_eq(o.lines.data ? o.lines.data : "", lines);
	done(&o);
}

#define WORLD                                                                                      \
	"world: { fs: [ { plugin: f } ], subprocess: { plugin: s }, sandbox: { plugin: b } }\n"        \
	"guard: none\n"

START_TEST(the_first_key_is_the_version)
{
	expect("", "BUNDLE_INVALID b.yaml:1:1: the document is empty\n");
	expect("[]\n", "BUNDLE_INVALID b.yaml:1:1: a bundle is a map whose first key is `umwelt: 1`\n");
	expect("extends: read-only\numwelt: 1\n",
	       "BUNDLE_INVALID b.yaml:1:1: umwelt: the first key of a bundle is `umwelt: 1`\n");
	expect("umwelt: 2\nextends: read-only\n",
	       "BUNDLE_INVALID b.yaml:1:9: umwelt: this Umwelt reads documents "
	       "of version 1; write `umwelt: 1`\n");
	expect("umwelt:\nextends: read-only\n",
	       "BUNDLE_INVALID b.yaml:1:8: umwelt: this Umwelt reads documents "
	       "of version 1; write `umwelt: 1`\n");
}
END_TEST

START_TEST(what_is_missing_is_named)
{
	expect("umwelt: 1\n", "BUNDLE_INVALID b.yaml:1:1: world: this key is missing: what is swapped "
	                      "as one unit and is one "
	                      "place\n"
	                      "BUNDLE_INVALID b.yaml:1:1: guard: this key is missing: decides allow, "
	                      "ask or deny for each "
	                      "command; none is to be written out\n");
	expect(
	    "umwelt: 1\nguard: none\nworld: { fs: [], subprocess: { x: 1 } }\n",
	    "BUNDLE_INVALID b.yaml:3:8: world.sandbox: this key is missing: what confines commands: a "
	    "provider, `chain`, `runner` or none\n");
	expect("umwelt: 1\nguard: none\nworld: { fs: [], subprocess: { x: 1 }, sandbox: { chain: [ { "
	       "y: 1 } ] } }\n",
	       "BUNDLE_INVALID b.yaml:3:14: world.fs: at least one provider is needed\n"
	       "BUNDLE_INVALID b.yaml:3:30: world.subprocess: the key `plugin` is missing\n"
	       "BUNDLE_INVALID b.yaml:3:60: world.sandbox.chain[0]: the key `plugin` is missing\n");
}
END_TEST

START_TEST(an_instance_is_shared_by_name)
{
	struct outcome o;
	put("b.yaml",
	    "umwelt: 1\nproviders: { box: { plugin: ssh, host: h } }\n"
	    "world: { fs: [ box, { plugin: f } ], subprocess: box, sandbox: box }\nguard: none\n");
	o = load("b.yaml");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_str_eq(o.bundle->fs[0].plugin, "ssh");
	ck_assert_str_eq(o.bundle->fs[0].path, "providers.box");
	ck_assert_ptr_eq(o.bundle->fs[0].instance, o.bundle->subprocess.instance);
	ck_assert_ptr_eq(o.bundle->fs[0].instance, o.bundle->sandbox.providers[0].instance);
	ck_assert_ptr_null(o.bundle->fs[1].instance);
	done(&o);
	expect(
	    "umwelt: 1\nproviders: { boxes: { plugin: ssh } }\n"
	    "world: { fs: [ box ], subprocess: none, sandbox: none }\nguard: none\n",
	    "BUNDLE_INVALID b.yaml:3:16: world.fs[0]: `providers:` has no instance `box`; did you mean "
	    "`boxes`?; one of its own is {plugin: box}\n"
	    "BUNDLE_INVALID b.yaml:3:35: world.subprocess: `providers:` has no instance `none`; one of "
	    "its own "
	    "is {plugin: none}\n");
	expect("umwelt: 1\nextends: read-only\nproviders: { 'a b': { plugin: x }, c: d }\n",
	       "BUNDLE_INVALID b.yaml:3:14: providers.a b: a name is made of letters, digits, `-` and "
	       "`_`\n"
	       "BUNDLE_INVALID b.yaml:3:39: providers.c: wanted here: a map with `plugin`; this is "
	       "text\n");
}
END_TEST

START_TEST(maps_merge_lists_replace_and_null_removes)
{
	struct outcome o;
	put("base.yaml",
	    "umwelt: 1\n" WORLD
	    "services: { shell: { plugin: sh, a: 1, b: { c: 1, d: 2 } }, lsp: { plugin: l } }\n"
	    "policy: { mode: workspace-write, protected: [x, y] }\nlimits: { max_running: 2 }\n");
	put("b.yaml", "umwelt: 1\nextends: ./base.yaml\n"
	              "services: { shell: { a: 5, b: { c: null } }, lsp: null }\n"
	              "policy: { protected: [z] }\nlimits: null\n");
	o = load("b.yaml");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_uint_eq(o.bundle->service_count, 1);
	ck_assert_str_eq(uwi_node_get(o.bundle->services[0].provider.node, "a")->text, "5");
	ck_assert_str_eq(uwi_node_get(o.bundle->services[0].provider.node, "a")->where, "b.yaml:3:25");
	ck_assert_str_eq(uwi_node_get(o.bundle->services[0].provider.node, "plugin")->text, "sh");
	ck_assert_uint_eq(
	    uwi_node_get(uwi_node_get(o.bundle->services[0].provider.node, "b"), "d") != NULL, 1);
	ck_assert_ptr_null(uwi_node_get(uwi_node_get(o.bundle->services[0].provider.node, "b"), "c"));
	ck_assert_uint_eq(uwi_node_get(o.bundle->policy.node, "protected")->count, 1);
	ck_assert_int_eq(o.bundle->mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_int_eq(o.bundle->max_running, 4);
	ck_assert_ptr_null(uwi_node_get(o.bundle->root, "extends"));
	done(&o);
}
END_TEST

START_TEST(another_plugin_replaces_the_keys_of_the_one_before)
{
	struct outcome o;
	put("b.yaml",
	    "umwelt: 1\nextends: workspace\nworld: { sandbox: { plugin: sandbox-landlock } }\n"
	    "trace: { plugin: mine }\n");
	o = load("b.yaml");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->sandbox.kind, UWI_SANDBOX_PLUGIN);
	ck_assert_ptr_null(uwi_node_get(o.bundle->sandbox.node, "chain"));
	ck_assert_ptr_null(uwi_node_get(o.bundle->trace.node, "required"));
	done(&o);
}
END_TEST

START_TEST(extends_reaches_presets_paths_and_several_steps)
{
	struct outcome o;
	ck_assert_int_eq(mkdir("sub", 0755), 0);
	put("sub/one.yaml", "umwelt: 1\nextends: ../two.yaml\nlimits: { max_running: 3 }\n");
	put("two.yaml", "umwelt: 1\nextends: guarded\nlimits: { max_running: 2, max_queued: 7 }\n");
	o = load("sub/one.yaml");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->max_running, 3);
	ck_assert_int_eq(o.bundle->max_queued, 7);
	ck_assert_ptr_nonnull(o.bundle->files[3]);
	ck_assert_ptr_null(o.bundle->files[4]);
	done(&o);
}
END_TEST

START_TEST(cycles_and_missing_bases_are_refused)
{
	struct outcome o;
	put("c.yaml", "umwelt: 1\nextends: b.yaml\n");
	put("b.yaml", "umwelt: 1\nextends: ./c.yaml\n");
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_INVALID);
	ck_assert_ptr_nonnull(
	    strstr(o.lines.data, "/c.yaml:2:10: extends: the documents extend each other: b.yaml -> "));
	done(&o);
	expect(
	    "umwelt: 1\nextends: ./b.yaml\n",
	    "BUNDLE_INVALID b.yaml:2:10: extends: the documents extend each other: b.yaml -> b.yaml\n");
	put("b.yaml", "umwelt: 1\nextends: ./gone.yaml\n");
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(o.lines.data, "b.yaml:2:10: extends: "));
	done(&o);
	put("b.yaml", "umwelt: 1\nextends: gone\n");
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(o.lines.data, "b.yaml:2:10: extends: there is no preset `gone`"));
	done(&o);
}
END_TEST

START_TEST(a_chain_is_bounded)
{
	struct outcome o;
	char name[32], text[64];
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "n%d.yaml", i);
		snprintf(text, sizeof text, "umwelt: 1\nextends: ./n%d.yaml\n", i + 1);
		put(name, text);
	}
	o = load("n0.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_INVALID);
	ck_assert_ptr_nonnull(strstr(o.lines.data, "more than 16 documents extend one another"));
	done(&o);
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused_and_holds_nobody_up)
{
	struct outcome o;
	ck_assert_int_eq(mkfifo("fifo.yaml", 0644), 0);
	o = load("fifo.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_NOT_FOUND);
	ck_assert_str_eq(o.lines.data,
	                 "BUNDLE_NOT_FOUND fifo.yaml cannot be read: it is not a regular file\n");
	done(&o);
	o = load("/dev/zero");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_NOT_FOUND);
	done(&o);
	o = load("./gone.yaml");
	ck_assert_str_eq(o.lines.data,
	                 "BUNDLE_NOT_FOUND ./gone.yaml cannot be read: No such file or directory\n");
	done(&o);
}
END_TEST

/* ---- overrides ---- */

static struct outcome load_sets(const char *name, const char *const *sets)
{
	return load_with(NULL, name, workspace, 0, sets);
}

START_TEST(set_overrides_by_the_same_paths)
{
	const char *const sets[] = {"world.sandbox={plugin: sandbox-landlock}",
	                            "limits.max_running=1",
	                            "services.shell.timeout_ms=5",
	                            "world.fs[1].mine=x",
	                            "policy.protected=[a, b]",
	                            "services.lsp={plugin: l, x: null}",
	                            NULL};
	struct outcome o = load_sets("read-only", sets);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->sandbox.kind, UWI_SANDBOX_PLUGIN);
	ck_assert_str_eq(o.bundle->sandbox.providers[0].plugin, "sandbox-landlock");
	ck_assert_int_eq(o.bundle->max_running, 1);
	ck_assert_str_eq(uwi_node_get(o.bundle->fs[1].node, "mine")->text, "x");
	ck_assert_str_eq(uwi_node_get(o.bundle->services[0].provider.node, "timeout_ms")->where,
	                 "--set services.shell.timeout_ms");
	ck_assert_uint_eq(o.bundle->service_count, 2);
	ck_assert_ptr_null(uwi_node_get(o.bundle->services[1].provider.node, "x"));
	done(&o);
}
END_TEST

START_TEST(set_of_nothing_removes)
{
	const char *const sets[] = {"services.shell=", "services.lsp=null", NULL};
	struct outcome o = load_sets("read-only", sets);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_uint_eq(o.bundle->service_count, 0);
	done(&o);
}
END_TEST

START_TEST(bad_overrides_are_told)
{
	static const char *const cases[][2] = {
	    {"nothing", "an override reads PATH=VALUE"},
	    {"=x", "an override reads PATH=VALUE"},
	    {"policy..mode=x", "a path reads KEY.KEY"},
	    {"policy.=x", "a path reads KEY.KEY"},
	    {"world.fs[x]=1", "a path reads KEY.KEY"},
	    {"world.fs[9]={plugin: x}", "there is no list member of this index"},
	    {"world.fs[99999999999999999999999]={plugin: x}", "there is no list member of this index"},
	    {"guard.x=1", "the path leads into a value that is no map"},
	    {"umwelt=2", "this key cannot be overridden"},
	    {"extends=x", "this key cannot be overridden"},
	    {"policy.mode=[", "no valid YAML"},
	    {"policy.mode=readonly", "--set policy.mode: policy.mode: `readonly` is none of"},
	    {"polcy=1", "polcy: there is no such key; did you mean `policy`?"},
	    {"tools=--- a\n--- b", "a second document begins here"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const sets[] = {cases[i][0], NULL};
		struct outcome o = load_sets("read-only", sets);
		ck_assert_int_eq(o.code, UW_E_BUNDLE_INVALID);
		ck_assert_msg(strstr(o.lines.data, cases[i][1]) != NULL, "%s: %s", cases[i][0],
		              o.lines.data);
		done(&o);
	}
}
END_TEST

/* ---- modes and ceilings ---- */

START_TEST(no_mode_gets_past_max_mode_or_the_hosts_ceiling)
{
	struct uwi_settings settings = {.max_mode = UW_MODE_WORKSPACE_WRITE, .max_running = 2};
	struct outcome o =
	    load_with(&settings, "read-only", workspace, UW_MODE_DANGER_FULL_ACCESS, NULL);
	ck_assert_int_eq(o.code, UW_E_MODE_REFUSED);
	ck_assert_ptr_nonnull(strstr(o.lines.data,
	                             "--mode: policy.mode: danger-full-access is wider than the "
	                             "host's configuration allows, which is workspace-write"));
	done(&o);
	o = load_with(&settings, "read-only", workspace, 0, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->max_mode, UW_MODE_WORKSPACE_WRITE);
	ck_assert_int_eq(o.bundle->max_running, 2);
	done(&o);
	put("b.yaml", "umwelt: 1\nextends: read-only\npolicy: { max_mode: read-only }\nlimits: { "
	              "max_running: 3 }\n");
	o = load_with(&settings, "b.yaml", workspace, UW_MODE_WORKSPACE_WRITE, NULL);
	ck_assert_int_eq(o.code, UW_E_MODE_REFUSED);
	ck_assert_ptr_nonnull(
	    strstr(o.lines.data, "workspace-write is wider than `max_mode`, which is read-only"));
	ck_assert_ptr_nonnull(strstr(o.lines.data,
	                             "b.yaml:4:24: limits.max_running: 3 is above the host's ceiling, "
	                             "which is 2"));
	done(&o);
	expect(
	    "umwelt: 1\nextends: read-only\npolicy: { mode: workspace-write, max_mode: read-only }\n",
	    "BUNDLE_INVALID b.yaml:3:17: policy.mode: workspace-write is wider than `max_mode`, which "
	    "is "
	    "read-only\n");
	o = load_with(NULL, "read-only", workspace, 17, NULL);
	ck_assert_int_eq(o.code, UW_E_INVALID_ARGS);
	done(&o);
}
END_TEST

START_TEST(the_host_may_want_a_required_trace)
{
	struct uwi_settings settings = {.trace_required = 1};
	struct outcome o = load_with(&settings, "read-only", workspace, 0, NULL);
	ck_assert_int_eq(o.code, UW_E_BUNDLE_INVALID);
	ck_assert_ptr_nonnull(
	    strstr(o.lines.data, "trace: the host's configuration wants a required trace"));
	done(&o);
	o = load_with(&settings, "workspace", workspace, 0, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	done(&o);
}
END_TEST

START_TEST(a_relative_workspace_starts_at_its_file_and_the_default_at_the_current_directory)
{
	struct outcome o;
	char expected[128];
	ck_assert_int_eq(mkdir("sub", 0755), 0);
	put("sub/b.yaml", "umwelt: 1\nextends: read-only\npolicy: { workspace: ./x/../ws }\n");
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(expected, sizeof expected, "%s/sub/b.yaml", dir);
	o = load_with(NULL, expected, NULL, 0, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	snprintf(expected, sizeof expected, "%s/sub/x/../ws", dir);
	ck_assert_str_eq(o.bundle->workspace, expected);
	ck_assert_int_eq(o.bundle->workspace_is_default, 0);
	done(&o);
	ck_assert_int_eq(chdir(workspace), 0);
	o = load_with(NULL, "read-only", NULL, 0, NULL);
	ck_assert_str_eq(o.bundle->workspace, workspace);
	ck_assert_int_eq(o.bundle->workspace_is_default, 1);
	done(&o);
}
END_TEST

START_TEST(a_runner_is_data_with_its_failure_rules)
{
	struct outcome o;
	put("b.yaml",
	    "umwelt: 1\nguard: none\nworld:\n  fs: [ { plugin: f } ]\n  subprocess: { plugin: s }\n"
	    "  sandbox: { runner: { argv: [/usr/bin/firejail, --quiet], failure: { exit: 3, "
	    "signatures: "
	    "[oops] } } }\n");
	o = load("b.yaml");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(o.bundle->sandbox.kind, UWI_SANDBOX_RUNNER);
	ck_assert_str_eq(o.bundle->sandbox.runner_argv[1], "--quiet");
	ck_assert_ptr_null(o.bundle->sandbox.runner_argv[2]);
	ck_assert_int_eq(o.bundle->sandbox.failure_exit, 3);
	ck_assert_str_eq(o.bundle->sandbox.failure_signatures[0], "oops");
	done(&o);
	expect("umwelt: 1\nguard: none\nworld: { fs: [ { plugin: f } ], subprocess: { plugin: s },\n"
	       "  sandbox: { runner: { argv: [firejail] } } }\n",
	       "BUNDLE_INVALID b.yaml:4:22: world.sandbox.runner.argv: it begins with the absolute "
	       "path of the "
	       "runner\n");
	expect("umwelt: 1\nguard: none\nworld: { fs: [ { plugin: f } ], subprocess: { plugin: s },\n"
	       "  sandbox: { plugin: x, chain: [ { plugin: y } ] } }\n",
	       "BUNDLE_INVALID b.yaml:4:12: world.sandbox: `chain` and `runner` stand alone, without "
	       "other keys\n");
}
END_TEST

/* ---- ${NAME} and ~ (C-12) ---- */

START_TEST(only_names_of_env_are_expanded_once_in_values)
{
	struct outcome o;
	char name[128];
	ck_assert_int_eq(setenv("UW_ONE", "/one/${UW_TWO}", 1), 0);
	ck_assert_int_eq(setenv("UW_TWO", "two", 1), 0);
	put("b.yaml",
	    "umwelt: 1\nextends: read-only\nenv: [UW_ONE, UW_TWO]\n"
	    "policy: { workspace: '${UW_ONE}/x' }\n"
	    "services: { shell: { a: 'p${UW_TWO}q${UW_TWO}', '${UW_TWO}': '$${UW_TWO} $ {x} $' } }\n");
	ck_assert_int_eq(chdir("/"), 0); /* so that DIR is no workspace */
	snprintf(name, sizeof name, "%s/b.yaml", dir);
	o = load_with(NULL, name, NULL, 0, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_str_eq(o.bundle->workspace, "/one/${UW_TWO}/x");
	ck_assert_str_eq(uwi_node_get(o.bundle->services[0].provider.node, "a")->text, "ptwoqtwo");
	ck_assert_str_eq(uwi_node_get(o.bundle->services[0].provider.node, "${UW_TWO}")->text,
	                 "${UW_TWO} $ {x} $");
	done(&o);
}
END_TEST

START_TEST(other_variables_are_told)
{
	ck_assert_int_eq(unsetenv("UW_NOT"), 0);
	ck_assert_int_eq(setenv("UW_BAD", "\xff", 1), 0);
	expect("umwelt: 1\nextends: read-only\nenv: [UW_NOT, UW_BAD]\nservices:\n  shell:\n    a: "
	       "${HOME}\n"
	       "    b: ${UW_NOT}\n    c: [ '${', '${}', '${a-b}', '${1}' ]\n    d: ${UW_BAD}\n",
	       "BUNDLE_INVALID b.yaml:6:8: services.shell.a: ${HOME} is not listed in `env:`; write "
	       "`env: [HOME]`, "
	       "or $${ for ${ itself\n"
	       "BUNDLE_INVALID b.yaml:7:8: services.shell.b: the environment has no variable UW_NOT\n"
	       "BUNDLE_INVALID b.yaml:8:10: services.shell.c[0]: ${ begins the name of a variable, "
	       "${NAME}; write "
	       "$${ for ${ itself\n"
	       "BUNDLE_INVALID b.yaml:8:16: services.shell.c[1]: ${ begins the name of a variable, "
	       "${NAME}; write "
	       "$${ for ${ itself\n"
	       "BUNDLE_INVALID b.yaml:8:23: services.shell.c[2]: ${ begins the name of a variable, "
	       "${NAME}; write "
	       "$${ for ${ itself\n"
	       "BUNDLE_INVALID b.yaml:8:33: services.shell.c[3]: ${ begins the name of a variable, "
	       "${NAME}; write "
	       "$${ for ${ itself\n"
	       "BUNDLE_INVALID b.yaml:9:8: services.shell.d: the variable UW_BAD is not UTF-8\n");
}
END_TEST

/* C-21: the environment decides nothing of what confines or what is loaded. */
START_TEST(the_environment_chooses_no_plugin_and_no_runner)
{
	ck_assert_int_eq(setenv("UW_P", "x", 1), 0);
	expect(
	    "umwelt: 1\nenv: [UW_P]\nguard: none\nworld:\n  fs: [ { plugin: '${UW_P}' } ]\n"
	    "  subprocess: '${UW_P}'\n  sandbox: { runner: { argv: [/x, '${UW_P}'] } }\n",
	    "BUNDLE_INVALID b.yaml:5:19: world.fs[0].plugin: the value of this key cannot come from "
	    "the "
	    "environment\n"
	    "BUNDLE_INVALID b.yaml:6:15: world.subprocess: the value of this key cannot come from the "
	    "environment\n"
	    "BUNDLE_INVALID b.yaml:7:35: world.sandbox.runner.argv[1]: the value of this key cannot "
	    "come from "
	    "the environment\n");
}
END_TEST

START_TEST(expansion_is_bounded)
{
	UW_AUTO_BUF text = UW_BUF_INIT;
	char *value = malloc(100001);
	struct outcome o;
	memset(value, 'x', 100000);
	value[100000] = '\0';
	ck_assert_int_eq(setenv("UW_BIG", value, 1), 0);
	free(value);
	uw_buf_text(&text, "umwelt: 1\nextends: read-only\nenv: [UW_BIG]\nservices: { shell: { a: [");
	for (int i = 0; i < 20; i++)
		uw_buf_text(&text, "'${UW_BIG}${UW_BIG}',");
	uw_buf_text(&text, "] } }\n");
	put("b.yaml", text.data);
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_INVALID);
	ck_assert_ptr_nonnull(strstr(o.lines.data, "expand to more than 1 MiB"));
	done(&o);
}
END_TEST

START_TEST(a_tilde_says_what_to_write)
{
	expect("umwelt: 1\nextends: read-only\npolicy: { writable: [ ~/x, { path: ~/y } ] }\n",
	       "BUNDLE_INVALID b.yaml:3:23: policy.writable[0]: ~ is not expanded here; write the "
	       "absolute path, or "
	       "${HOME}/x with `env: [HOME]`\n"
	       "BUNDLE_INVALID b.yaml:3:36: policy.writable[1].path: ~ is not expanded here; write the "
	       "absolute "
	       "path, or ${HOME}/y with `env: [HOME]`\n");
}
END_TEST

START_TEST(the_callers_workspace_is_not_expanded)
{
	struct outcome o;
	ck_assert_int_eq(mkdir("${X}", 0755), 0);
	o = load_with(NULL, "read-only", "${X}", 0, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_ptr_nonnull(strstr(o.bundle->workspace, "/${X}"));
	done(&o);
}
END_TEST

START_TEST(writable_roots_are_paths_or_maps)
{
	expect("umwelt: 1\nextends: read-only\npolicy:\n  writable: [ /a, { path: /b, missing: create "
	       "}, 5, { path: "
	       "/c, missing: maybe }, { paht: /d }, { path: /e, x: 1 } ]\n",
	       "BUNDLE_INVALID b.yaml:4:50: policy.writable[2]: a root is a path, or {path: P, "
	       "missing: create | "
	       "skip}\n"
	       "BUNDLE_INVALID b.yaml:4:74: policy.writable[3]: `missing` is create or skip\n"
	       "BUNDLE_INVALID b.yaml:4:83: policy.writable[4]: a root is a path, or {path: P, "
	       "missing: create | "
	       "skip}\n"
	       "BUNDLE_INVALID b.yaml:4:109: policy.writable[5]: a root has the keys `path` and "
	       "`missing` alone\n");
}
END_TEST

/* Found by fuzz/fuzz_bundle: a list is not merged, so what is broken in it stays. */
START_TEST(a_broken_key_in_a_list_is_a_problem_and_no_more)
{
	expect("umwelt: 1\nextends: read-only\nworld: { fs: [ { *x: f, [a]: g, plugin: h } ] }\n",
	       "BUNDLE_INVALID b.yaml:3:18: world.fs[0]: the alias *x has no anchor &x before it\n"
	       "BUNDLE_INVALID b.yaml:3:25: world.fs[0]: a key must be a word\n");
}
END_TEST

START_TEST(relative_roots_start_at_their_file)
{
	struct outcome o;
	const struct uwi_node *roots;
	char expected[128];
	put("b.yaml", "umwelt: 1\nextends: read-only\n"
	              "policy: { writable: [ /a, ./r, { path: r2, missing: skip } ] }\n");
	o = load("b.yaml");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	roots = uwi_node_get(o.bundle->policy.node, "writable");
	ck_assert_str_eq(roots->items[0]->text, "/a");
	snprintf(expected, sizeof expected, "%s/r", dir);
	ck_assert_str_eq(roots->items[1]->text, expected);
	snprintf(expected, sizeof expected, "%s/r2", dir);
	ck_assert_str_eq(uwi_node_get(roots->items[2], "path")->text, expected);
	done(&o);
}
END_TEST

/* ---- trust (C-15) ---- */

#define BASE                                                                                       \
	"umwelt: 1\nproviders: { x: { plugin: p } }\n"                                                 \
	"world: { fs: [ { plugin: f } ], subprocess: { plugin: s }, sandbox: { plugin: b } }\n"        \
	"policy: { mode: read-only, max_mode: workspace-write, network: none, unix_sockets: none, "    \
	"git: safe,\n"                                                                                 \
	"  protect: enforce, temp: private, protected: [a, b] }\n"                                     \
	"services: { shell: { plugin: sh }, terminal: { plugin: t }, lsp: { plugin: l }, search: { "   \
	"plugin: s } }\n"                                                                              \
	"guard: { plugin: g }\napproval: { plugin: a }\ntrace: { plugin: t, required: true }\n"        \
	"escalation: { tools: [bash] }\ntools: [read, bash]\ngrants: { x: [fs] }\n"                    \
	"limits: { max_running: 2, max_per_session: 2, max_queued: 2 }\n"

static struct outcome load_untrusted(const char *text)
{
	put("base.yaml", BASE);
	put("ws/in.yaml", text);
	return load("ws/in.yaml");
}

/* The document that sets the key of a rule to `value`, as nested flow collections. */
static void set_by_path(struct uw_buf *text, const char *path, const char *value)
{
	char close[16];
	size_t depth = 0;
	uw_buf_text(text, "umwelt: 1\nextends: ../base.yaml\n");
	while (*path) {
		size_t len = strcspn(path, ".[");
		uw_buf_printf(text, "%s%.*s: ", depth ? "{ " : "", (int)len, *path == '*' ? "x" : path);
		if (depth)
			close[depth - 1] = '}';
		depth++;
		path += len;
		if (!strncmp(path, "[]", 2)) {
			uw_buf_text(text, "[ ");
			close[depth++ - 1] = ']';
			path += 2;
		}
		path += *path == '.';
	}
	uw_buf_text(text, value);
	while (depth-- > 1)
		uw_buf_printf(text, " %c", close[depth - 1]);
	uw_buf_byte(text, '\n');
}

/* A value of the rule's type; for a narrowing key the widest, or the narrowest. */
static const char *sample(const struct uwi_rule *rule, int widest)
{
	static char text[64];
	size_t last = 0;
	switch (rule->kind) {
	case UWI_RULE_BOOL: return widest ? "false" : "true";
	case UWI_RULE_INT:
		snprintf(text, sizeof text, "%lld", (long long)(widest ? rule->max : rule->min));
		return text;
	case UWI_RULE_CHOICE:
		while (rule->choices[last + 1])
			last++;
		return rule->choices[widest ? last : 0];
	case UWI_RULE_TEXTS:
		if (rule->narrowing == UWI_FEWER)
			return widest ? "[bash, write]" : "[bash]";
		return widest ? "[zz]" : rule->path[0] == 'g' ? "[fs, zz]" : "[b, a, zz]";
	case UWI_RULE_LIST: return "[ { plugin: evil } ]";
	case UWI_RULE_ROOTS: return "[ /etc ]";
	case UWI_RULE_PROVIDER: return rule->flags & UWI_RULE_ONLY_MAP ? "{ plugin: evil }" : "x";
	case UWI_RULE_PATH: return "/elsewhere";
	default: return "evil";
	}
}

static int is_leaf(const struct uwi_rule *rule)
{
	return rule->kind != UWI_RULE_MAP && rule->kind != UWI_RULE_NAMES &&
	       rule->kind != UWI_RULE_VERSION && strcmp(rule->path, "extends") != 0;
}

START_TEST(the_walk_of_all_keys_that_an_untrusted_document_may_not_set)
{
	size_t refused = 0, allowed = 0;
	ck_assert_int_eq(mkdir("sub", 0755), 0);
	for (size_t i = 0; i < uwi_rule_count; i++) {
		const struct uwi_rule *rule = &uwi_rules[i];
		UW_AUTO_BUF text = UW_BUF_INIT;
		struct outcome o;
		if (!is_leaf(rule))
			continue;
		set_by_path(&text, rule->path, sample(rule, 1));
		o = load_untrusted(text.data);
		ck_assert_msg(o.code == UW_E_BUNDLE_UNTRUSTED, "%s: code %d %s", text.data, o.code,
		              o.lines.data);
		refused++;
		done(&o);
		/* the same words of an owner are no matter of trust */
		put("sub/out.yaml", text.data);
		o = load("sub/out.yaml");
		ck_assert_msg(o.code != UW_E_BUNDLE_UNTRUSTED, "%s: %s", text.data, o.lines.data);
		done(&o);
		if (rule->narrowing == UWI_OWNER)
			continue;
		uw_buf_finish(&text);
		set_by_path(&text, rule->path, sample(rule, 0));
		o = load_untrusted(text.data);
		ck_assert_msg(o.code == 0, "%s: %s", text.data, o.lines.data);
		allowed++;
		done(&o);
	}
	ck_assert_uint_ge(refused, 40);
	ck_assert_uint_ge(allowed, 12);
}
END_TEST

START_TEST(an_untrusted_document_removes_nothing_but_services)
{
	static const char *const refused[] = {
	    "guard: null",
	    "trace: null",
	    "approval: null",
	    "guard: none",
	    "limits: null",
	    "limits: { max_running: null }",
	    "policy: null",
	    "policy: { mode: null }",
	    "policy: { protected: null }",
	    "grants: null",
	    "grants: { x: null }",
	    "tools: null",
	    "trace: { required: null }",
	    "world: { sandbox: none }",
	    "world: null",
	    "world: { sandbox: { plugin: null, runner: { argv: [/x] } } }",
	    "guard: { rules: null, plugin: null }",
	    "providers: { y: { plugin: p } }",
	    "env: [HOME]",
	};
	UW_AUTO_BUF text = UW_BUF_INIT;
	struct outcome o;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		uw_buf_finish(&text);
		uw_buf_printf(&text, "umwelt: 1\nextends: ../base.yaml\n%s\n", refused[i]);
		o = load_untrusted(text.data);
		ck_assert_msg(o.code == UW_E_BUNDLE_UNTRUSTED, "%s: %d %s", refused[i], o.code,
		              o.lines.data);
		done(&o);
	}
	o = load_untrusted("umwelt: 1\nextends: ../base.yaml\nservices: { shell: null }\n");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_uint_eq(o.bundle->service_count, 3);
	done(&o);
}
END_TEST

START_TEST(keys_of_plugins_keep_the_mark_of_an_untrusted_document)
{
	struct outcome o = load_untrusted("umwelt: 1\nextends: ../base.yaml\nguard: { unmatched: { a: "
	                                  "allow } }\npolicy: { git: safe }\n");
	const struct uwi_node *unmatched;
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	unmatched = uwi_node_get(o.bundle->guard.node, "unmatched");
	ck_assert_int_eq(unmatched->trusted, 0);
	ck_assert_int_eq(uwi_node_get(o.bundle->guard.node, "plugin")->trusted, 1);
	ck_assert_int_eq(uwi_node_get(o.bundle->policy.node, "git")->trusted, 1);
	done(&o);
}
END_TEST

START_TEST(an_untrusted_document_chooses_no_base_without_walls)
{
	struct outcome o = load_untrusted("umwelt: 1\nextends: sdk-minimal\n");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_UNTRUSTED);
	ck_assert_ptr_nonnull(
	    strstr(o.lines.data, "ws/in.yaml:2:10: extends: a base of mode danger-full-access"));
	done(&o);
	o = load_untrusted("umwelt: 1\nextends: read-only\n");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	done(&o);
}
END_TEST

START_TEST(a_document_that_others_can_write_is_untrusted_also_as_a_base)
{
	struct outcome o;
	put("loose.yaml", "umwelt: 1\nextends: read-only\npolicy: { network: host, git: full }\n");
	put("b.yaml", "umwelt: 1\nextends: ./loose.yaml\n");
	o = load("b.yaml");
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	done(&o);
	ck_assert_int_eq(chmod("loose.yaml", 0664), 0);
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_UNTRUSTED);
	ck_assert_ptr_nonnull(strstr(o.lines.data, "loose.yaml:3:31: policy.git: this is wider than"));
	done(&o);
	ck_assert_int_eq(chmod("loose.yaml", 0644), 0);
	ck_assert_int_eq(chmod(dir, 0777), 0);
	o = load("b.yaml");
	ck_assert_int_eq(o.code, UW_E_BUNDLE_UNTRUSTED);
	done(&o);
	ck_assert_int_eq(chmod(dir, 0755), 0);
}
END_TEST

/* No document takes itself out of the workspace by naming another. */
START_TEST(a_document_in_the_workspace_cannot_move_the_workspace_away)
{
	struct outcome o;
	put("ws/in.yaml",
	    "umwelt: 1\nextends: read-only\npolicy: { workspace: /elsewhere, git: full }\n");
	ck_assert_int_eq(chdir(workspace), 0);
	o = load_with(NULL, "in.yaml", NULL, 0, NULL);
	ck_assert_int_eq(o.code, UW_E_BUNDLE_UNTRUSTED);
	ck_assert_ptr_nonnull(
	    strstr(o.lines.data, "in.yaml:3:22: policy.workspace: only an owner's document"));
	ck_assert_ptr_nonnull(strstr(o.lines.data, "policy.git: this is wider"));
	done(&o);
	/* a link to it from outside changes nothing */
	ck_assert_int_eq(symlink("ws/in.yaml", "../link.yaml"), 0);
	o = load_with(NULL, "../link.yaml", NULL, 0, NULL);
	ck_assert_int_eq(o.code, UW_E_BUNDLE_UNTRUSTED);
	done(&o);
	/* nor does a workspace that the document's own key makes its place */
	put("b.yaml", "umwelt: 1\nextends: read-only\npolicy: { workspace: ., git: full }\n");
	ck_assert_int_eq(chdir("/"), 0);
	{
		char path[128];
		snprintf(path, sizeof path, "%s/b.yaml", workspace);
		o = load_with(NULL, path, NULL, 0, NULL);
		ck_assert_int_eq(o.code, UW_E_BUNDLE_UNTRUSTED);
		done(&o);
	}
}
END_TEST

/* Presets are found in the host's own directories, also where a workspace holds these. */
START_TEST(a_preset_in_a_workspace_that_holds_the_presets_is_an_owners)
{
	char path[4200];
	struct outcome o;
	ck_assert_int_eq(chdir(presets), 0);
	o = load_with(NULL, "guarded", NULL, 0, NULL);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	done(&o);
	snprintf(path, sizeof path, "%s/read-only.yaml", presets);
	o = load_with(NULL, path, NULL, 0, NULL);
	ck_assert_int_eq(o.code, UW_E_BUNDLE_UNTRUSTED);
	done(&o);
}
END_TEST

/* ---- printing (C-11) ---- */

static int append(void *arg, const char *data, size_t len)
{
	uw_buf_add(arg, data, len);
	return 0;
}

static int same(const struct uwi_node *a, const struct uwi_node *b)
{
	if (a->kind != b->kind || a->count != b->count)
		return 0;
	if (a->kind == UWI_SCALAR)
		return !strcmp(a->text, b->text) &&
		       (a->quoted == b->quoted || (!uwi_node_is_number(a) && !uwi_node_is_bool(a)));
	for (size_t i = 0; i < a->count; i++)
		if (!same(a->items[i], b->items[i]) ||
		    (a->kind == UWI_MAP && strcmp(a->keys[i]->text, b->keys[i]->text) != 0))
			return 0;
	return 1;
}

static void round_trip(const char *name)
{
	UW_AUTO_BUF printed = UW_BUF_INIT;
	char path[128];
	struct outcome first = load(name), second;
	ck_assert_msg(first.code == 0, "%s", first.lines.data);
	ck_assert_int_eq(uwi_bundle_print(first.bundle, (struct uw_sink){append, &printed}, NULL), 0);
	put("again.yaml", printed.data);
	{
		char *dirs[] = {presets, NULL};
		struct uwi_settings settings = settings_of_test(dirs);
		struct uw_world_options options = {.size = sizeof options, .bundle = path};
		snprintf(path, sizeof path, "%s/again.yaml", dir);
		ck_assert_int_eq(chdir("/"), 0); /* so that the copy in DIR is an owner's */
		second.bundle = NULL;
		second.err = (struct uw_error)UW_ERROR_INIT;
		second.code = uwi_bundle_load(&settings, &options, NULL, &second.bundle, &second.err);
		ck_assert_int_eq(chdir(dir), 0);
	}
	ck_assert_msg(second.code == 0, "%s\n%s", second.err.message, printed.data);
	ck_assert_msg(same(first.bundle->root, second.bundle->root), "%s", printed.data);
	uwi_bundle_free(second.bundle);
	done(&first);
}

START_TEST(what_is_printed_reads_as_the_same_document)
{
	round_trip("read-only");
	round_trip("workspace");
	round_trip("guarded");
	ck_assert_int_eq(setenv("UW_V", "${x}\n", 1), 0);
	put("b.yaml",
	    "umwelt: 1\nextends: workspace\nenv: [UW_V]\n"
	    "services:\n  shell:\n    a: [ [ 1, '1', true, 'true', null, {}, [], -5, '-', '~', 'null' "
	    "] ]\n"
	    "    b: [ { x: { y: 1 }, z: [ { q: 1 } ] }, { '<<': 1 } ]\n"
	    "    'key: odd': \"tab\\t quote\\\" back\\\\slash \\u2028 \\uFEFF \\x85 \xc3\xa4 "
	    "\\U0001F600\"\n"
	    "    c: '${UW_V} $${ $$ ${UW_V}'\n    d: \"two\\nlines\\n\"\n    e: '# no comment'\n");
	round_trip("b.yaml");
}
END_TEST

START_TEST(each_value_is_printed_with_its_origin)
{
	UW_AUTO_BUF printed = UW_BUF_INIT;
	const char *const sets[] = {"limits.max_queued=9", NULL};
	struct outcome o;
	put("b.yaml", "umwelt: 1\nextends: read-only\npolicy: { network: none }\n");
	o = load_with(NULL, "b.yaml", "ws", UW_MODE_WORKSPACE_WRITE, sets);
	ck_assert_msg(o.code == 0, "%s", o.lines.data);
	ck_assert_int_eq(uwi_bundle_print(o.bundle, (struct uw_sink){append, &printed}, NULL), 0);
	ck_assert_ptr_nonnull(strstr(printed.data, "\n  network: none  # b.yaml:3:20\n"));
	ck_assert_ptr_nonnull(strstr(printed.data, "\n  mode: \"workspace-write\"  # --mode\n"));
	ck_assert_ptr_nonnull(strstr(printed.data, "/ws\"  # --workspace\n"));
	ck_assert_ptr_nonnull(strstr(printed.data, "\n  max_queued: 9  # --set limits.max_queued\n"));
	ck_assert_ptr_nonnull(strstr(printed.data, "/read-only.yaml:"));
	done(&o);
}
END_TEST

/* UW_TESTS has no fixtures; this suite has. */
int main(void)
{
	const TTest *const tests[] = {
	    the_preset_read_only_is_as_the_table_says,
	    the_preset_sdk_minimal_confines_nothing,
	    the_presets_workspace_and_guarded_name_guard_approval_and_trace,
	    the_callers_mode_and_workspace_win,
	    an_unknown_preset_is_named_with_the_nearest,
	    every_problem_of_a_file_is_reported_with_its_position,
	    the_first_key_is_the_version,
	    what_is_missing_is_named,
	    an_instance_is_shared_by_name,
	    maps_merge_lists_replace_and_null_removes,
	    another_plugin_replaces_the_keys_of_the_one_before,
	    extends_reaches_presets_paths_and_several_steps,
	    cycles_and_missing_bases_are_refused,
	    a_chain_is_bounded,
	    what_is_no_regular_file_is_refused_and_holds_nobody_up,
	    set_overrides_by_the_same_paths,
	    set_of_nothing_removes,
	    bad_overrides_are_told,
	    no_mode_gets_past_max_mode_or_the_hosts_ceiling,
	    the_host_may_want_a_required_trace,
	    a_relative_workspace_starts_at_its_file_and_the_default_at_the_current_directory,
	    a_runner_is_data_with_its_failure_rules,
	    only_names_of_env_are_expanded_once_in_values,
	    other_variables_are_told,
	    the_environment_chooses_no_plugin_and_no_runner,
	    expansion_is_bounded,
	    a_tilde_says_what_to_write,
	    the_callers_workspace_is_not_expanded,
	    writable_roots_are_paths_or_maps,
	    a_broken_key_in_a_list_is_a_problem_and_no_more,
	    relative_roots_start_at_their_file,
	    the_walk_of_all_keys_that_an_untrusted_document_may_not_set,
	    an_untrusted_document_removes_nothing_but_services,
	    keys_of_plugins_keep_the_mark_of_an_untrusted_document,
	    an_untrusted_document_chooses_no_base_without_walls,
	    a_document_that_others_can_write_is_untrusted_also_as_a_base,
	    a_document_in_the_workspace_cannot_move_the_workspace_away,
	    a_preset_in_a_workspace_that_holds_the_presets_is_an_owners,
	    what_is_printed_reads_as_the_same_document,
	    each_value_is_printed_with_its_origin,
	};
	Suite *suite = suite_create("core/bundle");
	TCase *tcase = tcase_create("core/bundle");
	SRunner *runner;
	int failed;
	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
