/*
 * The words of bwrap (S-60). Order matters: a later mount covers an earlier one.
 */
#include "bwrap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "common/path_order.h"

static void namespaces(const struct bwrap *bwrap, const struct uw_policy *policy,
                       struct uw_confining *confining)
{
	if (!bwrap->is_root)
		uw_confined_words(confining, "--unshare-user", NULL);
	uw_confined_words(confining, "--unshare-pid", "--unshare-ipc", NULL);
	if (policy->network != UW_NETWORK_HOST)
		uw_confined_words(confining, "--unshare-net", NULL);
}

/*
 * A fresh /proc is writable for uid 0 where it reaches the host. bwrap itself
 * covers irq and bus, not sys; the rest is behind the second fence, if there is one.
 */
static void cover_proc(const struct bwrap *bwrap, struct uw_confining *confining)
{
	static const char *const reaching[] = {"/proc/sys",  "/proc/sysrq-trigger", "/proc/acpi",
	                                       "/proc/fs",   "/proc/driver",        "/proc/mtrr",
	                                       "/proc/scsi", "/proc/asound",        "/proc/pressure",
	                                       "/proc/tty"};
	size_t count = bwrap->nesting || !bwrap->abi ? UW_COUNT(reaching) : 2;
	if (!bwrap->is_root)
		return;
	for (size_t i = 0; i < count; i++)
		if (access(reaching[i], F_OK) == 0)
			uw_confined_words(confining, "--ro-bind", reaching[i], reaching[i], NULL);
}

/* One hop of a chain of links; 0 at its end or where it breaks. */
static int follow(char path[PATH_MAX])
{
	char target[PATH_MAX], joined[2 * PATH_MAX], *name;
	ssize_t len = readlink(path, target, sizeof target - 1);
	size_t dir_len = uw_path_parent(path, strlen(path));
	if (len <= 0)
		return 0;
	target[len] = '\0';
	if (target[0] == '/')
		(void)snprintf(joined, sizeof joined, "%s", target);
	else
		(void)snprintf(joined, sizeof joined, "%.*s/%s", (int)dir_len, path, target);
	/* the directory made canonical, the last name left as it is */
	name = strrchr(joined, '/');
	*name++ = '\0';
	if (!realpath(joined[0] ? joined : "/", path) || strlen(path) + strlen(name) + 2 > PATH_MAX)
		return 0;
	if (strcmp(path, "/"))
		strcat(path, "/");
	strcat(path, name);
	return 1;
}

/*
 * Name resolution where /etc/resolv.conf leads into the private /run: each hop
 * there gets the final content. And NixOS keeps all its programs below /run.
 */
static void keep_of_run(const struct uw_policy *policy, struct uw_confining *confining)
{
	static const char *const systems[] = {"/run/current-system", "/run/booted-system",
	                                      "/run/wrappers"};
	char hop[PATH_MAX] = "/etc/resolv.conf", last[PATH_MAX];
	for (size_t i = 0; i < UW_COUNT(systems); i++)
		if (access(systems[i], F_OK) == 0)
			uw_confined_words(confining, "--ro-bind", systems[i], systems[i], NULL);
	if (policy->network != UW_NETWORK_HOST || !realpath(hop, last))
		return;
	for (int i = 0; i < 8 && follow(hop); i++)
		if (uw_path_below(hop, "/run"))
			uw_confined_words(confining, "--ro-bind", last, hop, NULL);
}

static void base(const struct bwrap *bwrap, const struct uw_policy *policy,
                 const struct bwrap_plan *plan, struct uw_confining *confining)
{
	uw_confined_words(confining, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", NULL);
	cover_proc(bwrap, confining);
	if (plan->private_run && access("/run", F_OK) == 0) {
		uw_confined_words(confining, "--tmpfs", "/run", NULL);
		keep_of_run(policy, confining);
	}
	if (plan->private_tmp && policy->temp.path)
		uw_confined_words(confining, "--bind", policy->temp.path, "/tmp", NULL);
	else if (plan->private_tmp && access("/tmp", F_OK) == 0)
		uw_confined_words(confining, "--tmpfs", "/tmp", NULL);
	else if (policy->temp.path)
		uw_confined_words(confining, "--bind", policy->temp.path, policy->temp.path, NULL);
}

static void mounts(const struct bwrap_plan *plan, struct uw_confining *confining)
{
	for (size_t i = 0; i < plan->count; i++) {
		const char *path = plan->mounts[i].path;
		switch (plan->mounts[i].kind) {
		case BWRAP_ROOT:
		case BWRAP_PIN: uw_confined_words(confining, "--bind", path, path, NULL); break;
		case BWRAP_SHOWN:
		case BWRAP_READ_ONLY: uw_confined_words(confining, "--ro-bind", path, path, NULL); break;
		case BWRAP_MASK_FILE: uw_confined_words(confining, "--ro-bind", "/dev/null", path, NULL); break;
		default:
			uw_confined_words(confining, "--tmpfs", path, "--remount-ro", path, NULL);
			break;
		}
	}
}

/* The state directory is nobody's business inside. */
static void mask_state(const struct uw_policy *policy, const struct bwrap_plan *plan,
                       struct uw_confining *confining)
{
	const char *state = policy->state_dir;
	if (state && !bwrap_plan_hides(plan, state) && access(state, F_OK) == 0)
		uw_confined_words(confining, "--tmpfs", state, "--remount-ro", state, NULL);
}

static void capabilities(const struct bwrap *bwrap, struct uw_confining *confining)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {{0, "CAP_CHOWN"},  {1, "CAP_DAC_OVERRIDE"}, {3, "CAP_FOWNER"},
	             {4, "CAP_FSETID"}, {6, "CAP_SETGID"},       {7, "CAP_SETUID"}};
	uw_confined_words(confining, "--cap-drop", "ALL", NULL);
	for (size_t i = 0; i < UW_COUNT(names); i++)
		if (bwrap->keep_caps >> names[i].bit & 1)
			uw_confined_words(confining, "--cap-add", names[i].name, NULL);
}

void bwrap_words(const struct bwrap *bwrap, const char *program, const struct uw_policy *policy,
                 const struct bwrap_plan *plan, struct uw_confining *confining)
{
	uw_confined_words(confining, program, NULL);
	namespaces(bwrap, policy, confining);
	base(bwrap, policy, plan, confining);
	mounts(plan, confining);
	mask_state(policy, plan, confining);
	if (plan->private_run && access("/run", F_OK) == 0)
		uw_confined_words(confining, "--remount-ro", "/run", NULL);
	if (plan->private_tmp && !policy->temp.path && access("/tmp", F_OK) == 0)
		uw_confined_words(confining, "--remount-ro", "/tmp", NULL);
	capabilities(bwrap, confining);
	/* the launcher enters the working directory itself, by its handle (S-61) */
	uw_confined_words(confining, "--chdir", "/", "--as-pid-1", "--", NULL);
}
