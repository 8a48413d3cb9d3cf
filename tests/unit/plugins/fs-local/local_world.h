/*
 * fs-local itself under the suites, with what the system must not offer: calls
 * that a filter answers as an older kernel or a poorer file system would.
 */
#ifndef UW_TESTS_FS_LOCAL_WORLD_H
#define UW_TESTS_FS_LOCAL_WORLD_H

#include "tests/unit.h"

#include "tests/suites/fs_world.h"

#include "tests/plugin_host.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static struct uw_plugin_context context;
static struct uw_config config;
static struct uw_fs fs;
static struct uw_fence fence;
static struct uw_place roots[4];

static inline void local_attach(struct suite *suite)
{
	const struct uw_plugin *plugin = uw_plugin_entry();
	config.plugin = plugin;
	ck_assert_int_eq(plugin->create(&test_host_api, &context, &config, &fs.self, NULL), 0);
	fs.v = plugin->provides[0].interface_table;
	suite->fs = &fs;
}

static inline void local_detach(void)
{
	ck_assert_int_eq(uw_plugin_entry()->destroy(fs.self, NULL), 0);
}

/* What fs-sandboxed would set. */
static inline void local_policy(struct suite *suite)
{
	const struct uw_policy *policy = &suite->policy;
	size_t count = 0;
	if (policy->temp.path)
		roots[count++] = policy->temp;
	if (policy->mode == UW_MODE_WORKSPACE_WRITE)
		roots[count++] = policy->workspace;
	for (size_t i = 0; policy->mode == UW_MODE_WORKSPACE_WRITE && i < policy->root_count; i++)
		roots[count++] = policy->roots[i];
	fence = (struct uw_fence){sizeof fence, policy->mode, roots, count, policy->protected_paths,
	                          policy->protected_count};
	suite->call.fence = policy->mode == UW_MODE_DANGER_FULL_ACCESS ? NULL : &fence;
}

/* The call `nr` gives `error` where (argument & mask) == value; mask 0: always. For this process, for good. */
static inline void refuse_call(unsigned nr, unsigned argument, uint32_t mask, uint32_t value, unsigned error)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * argument)),
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof code[0], code};
	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

#endif
