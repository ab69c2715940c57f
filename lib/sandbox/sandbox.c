/* SPDX-License-Identifier: BSD-2-Clause */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const layer_name[SK_SANDBOX_LAYERS] = { "closed descriptors",
							   "user of its own",
							   "no capabilities",
							   "no_new_privs",
							   "landlock",
							   "seccomp",
							   "rlimits" };

void sk__sandbox_miss(struct sk_sandbox *sandbox, enum sk__layer layer)
{
	sandbox->missing |= 1u << layer;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int sk__sandbox_close_others(const struct sk_sandbox *sandbox)
{
	int keep[16];
	unsigned from = 3;
	int i;

	if (sandbox->nkeep > (int)(sizeof(keep) / sizeof(*keep)))
		return -EINVAL;
	if (sandbox->nkeep > 0)
		memcpy(keep, sandbox->keep,
		       (size_t)sandbox->nkeep * sizeof(*keep));
	qsort(keep, (size_t)sandbox->nkeep, sizeof(*keep), by_number);
	for (i = 0; i < sandbox->nkeep; i++) {
		unsigned fd = (unsigned)keep[i];

		if (keep[i] < (int)from)
			continue;
		if (fd > from && syscall(SYS_close_range, from, fd - 1, 0))
			return -errno;
		from = fd + 1;
	}
	return syscall(SYS_close_range, from, ~0u, 0) ? -errno : 0;
}

static int drop_user(struct sk_sandbox *sandbox)
{
	if (sandbox->drop_user) {
		if (setgroups(0, NULL) ||
		    setresgid(sandbox->gid, sandbox->gid, sandbox->gid) ||
		    setresuid(sandbox->uid, sandbox->uid, sandbox->uid))
			return -errno;
	} else {
		sk__sandbox_miss(sandbox, SK__LAYER_USER);
	}
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2];

	memset(none, 0, sizeof(none));
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &head, none) ? -errno : 0;
}

/* Lowers a limit. One that is lower already stays: to raise it is refused. */
int sk__sandbox_limit(int which, uint64_t value)
{
	struct rlimit limit;

	if (getrlimit(which, &limit))
		return -errno;
	if (limit.rlim_max > value)
		limit.rlim_max = value;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(which, &limit) ? -errno : 0;
}

static int set_limits(const struct sk_sandbox *sandbox)
{
	int err = sk__sandbox_limit(RLIMIT_CORE, 0);

	if (!err && !sandbox->writes_stdio)
		err = sk__sandbox_limit(RLIMIT_FSIZE, 0);
	if (!err)
		err = sk__sandbox_limit(RLIMIT_NOFILE, 256);
	if (!err)
		err = sk__sandbox_limit(RLIMIT_MEMLOCK, 0);
	return err;
}

/* What the engine opens while it starts. */
static const char *const start_files[SK_SANDBOX_START_FILES] = {
	"/dev/urandom", "/proc/self/maps"
};

static int landlock_start(struct sk_sandbox *sandbox)
{
	int i, err;

	for (i = 0; i < SK_SANDBOX_START_FILES; i++) {
		sandbox->start_fds[i] =
			open(start_files[i], O_PATH | O_CLOEXEC);
		if (sandbox->start_fds[i] < 0)
			return -errno;
	}
	err = sk__landlock_deny_but(sandbox->start_fds, SK_SANDBOX_START_FILES);
	if (err == -ENOSYS || err == -EOPNOTSUPP) {
		sk__sandbox_miss(sandbox, SK__LAYER_LANDLOCK);
		err = 0;
	}
	return err;
}

int sk__sandbox_drop(struct sk_sandbox *sandbox)
{
	pid_t parent = getppid();
	int err = drop_user(sandbox);

	if (!err)
		err = drop_capabilities();
	if (err)
		return err;
	/* After the change of user, which clears both. */
	if (prctl(PR_SET_DUMPABLE, 0) ||
	    (sandbox->die_with_parent && prctl(PR_SET_PDEATHSIG, SIGKILL)) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (sandbox->die_with_parent && getppid() != parent)
		return -ESRCH;
	return 0;
}

int sk_sandbox_enter(struct sk_sandbox *sandbox)
{
	int err;

	err = sk__sandbox_close_others(sandbox);
	if (err)
		return err;
	sandbox->status_fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (sandbox->status_fd < 0)
		return -errno;
	err = sk__sandbox_drop(sandbox);
	if (err)
		return err;
	err = set_limits(sandbox);
	if (!err)
		err = landlock_start(sandbox);
	return err;
}

int sk__sandbox_data(int status_fd, uint64_t *out)
{
	char text[4096];
	ssize_t n = pread(status_fd, text, sizeof(text) - 1, 0);
	const char *at;

	if (n < 0)
		return -errno;
	text[n] = '\0';
	at = strstr(text, "VmData:");
	if (!at)
		return -EPROTO;
	*out = strtoull(at + strlen("VmData:"), NULL, 10) * 1024;
	return 0;
}

int sk_sandbox_close(struct sk_sandbox *sandbox)
{
	uint64_t data = 0;
	int err = sk__sandbox_data(sandbox->status_fd, &data);
	int i;

	close(sandbox->status_fd);
	for (i = 0; i < SK_SANDBOX_START_FILES; i++)
		close(sandbox->start_fds[i]);
	if (!err && !(sandbox->missing & 1u << SK__LAYER_LANDLOCK))
		err = sk__landlock_deny_all();
	if (!err && sandbox->data_budget)
		err = sk__sandbox_limit(RLIMIT_DATA,
					data + sandbox->data_budget);
	if (err)
		return err;
	err = sk__seccomp_load();
	if (err == -ENOSYS || err == -EOPNOTSUPP) {
		sk__sandbox_miss(sandbox, SK__LAYER_SECCOMP);
		err = 0;
	}
	return err;
}

size_t sk_sandbox_missing(const struct sk_sandbox *sandbox, char *text,
			  size_t size)
{
	size_t at = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < SK_SANDBOX_LAYERS; i++) {
		int n;

		if (!(sandbox->missing & 1u << i))
			continue;
		n = snprintf(text + at, size - at, "%s%s", at ? ", " : "",
			     layer_name[i]);
		if (n < 0 || (size_t)n >= size - at)
			break;
		at += (size_t)n;
	}
	return at;
}

static int have_seccomp(void)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void probe_layer(struct sk_sandbox_layer *layer, int which)
{
	layer->name = layer_name[which];
	layer->state = SK_SANDBOX_ON;
	layer->hint = "";
	if (which == SK__LAYER_USER && geteuid() != 0) {
		layer->state = SK_SANDBOX_MISSING;
		layer->hint = "worker processes run as you; started by root, "
			      "they run as a user of their own";
	} else if (which == SK__LAYER_LANDLOCK && !sk__landlock_version()) {
		layer->state = SK_SANDBOX_MISSING;
		layer->hint = "needs Linux 5.13 with \"landlock\" in lsm=; "
			      "files stay closed by seccomp alone";
	} else if (which == SK__LAYER_LANDLOCK && sk__landlock_version() < 4) {
		layer->state = SK_SANDBOX_PARTIAL;
		layer->hint = "files only: network rules need Linux 6.7; the "
			      "network stays closed by seccomp alone";
	} else if (which == SK__LAYER_SECCOMP && !have_seccomp()) {
		layer->state = SK_SANDBOX_MISSING;
		layer->hint = "needs a kernel with CONFIG_SECCOMP_FILTER";
	}
}

int sk_sandbox_probe(struct sk_sandbox_layer *layers, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < SK_SANDBOX_LAYERS; i++)
		probe_layer(&layers[i], (int)i);
	return SK_SANDBOX_LAYERS;
}
