/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Landlock with next to empty rulesets: whatever the running kernel can deny is
 * denied. The constants are spelt out because Debian 12's headers stop at
 * version 2 while the kernel may know more; see landlock(7).
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CREATE_RULESET_VERSION 1u
#define PATH_BENEATH	       1
#define EXECUTE		       1u
#define READ_FILE	       4u
#define READ_DIR	       8u
#define NET_BIND	       1u
#define NET_CONNECT	       2u

/* The ruleset of version 6; older kernels accept its zero tail. */
struct ruleset {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

struct rule {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

int sk__landlock_version(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       CREATE_RULESET_VERSION);

	return version < 0 ? 0 : (int)version;
}

/* How many rights on files each version knows: they are bits 0 to n-1. */
static uint64_t file_rights(int version)
{
	unsigned bits = 13;

	if (version >= 2)
		bits = 14; /* refer */
	if (version >= 3)
		bits = 15; /* truncate */
	if (version >= 5)
		bits = 16; /* ioctl on devices */
	return (UINT64_C(1) << bits) - 1;
}

/* A ruleset that handles, and so denies, all that this version knows, of the
 * network what `network` says. Returns its descriptor or -errno. */
static int make_ruleset(uint64_t network)
{
	int version = sk__landlock_version();
	struct ruleset rules = { 0 };
	long fd;

	if (version == 0)
		return -EOPNOTSUPP;
	rules.handled_access_fs = file_rights(version);
	if (version >= 4)
		rules.handled_access_net = network;
	if (version >= 6)
		rules.scoped = 3; /* abstract sockets, signals */
	fd = syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	return fd < 0 ? -errno : (int)fd;
}

static int restrict_self(int ruleset)
{
	int err = syscall(SYS_landlock_restrict_self, ruleset, 0) ? -errno : 0;

	close(ruleset);
	return err;
}

int sk__landlock_deny_all(void)
{
	int ruleset = make_ruleset(NET_BIND | NET_CONNECT);

	return ruleset < 0 ? ruleset : restrict_self(ruleset);
}

int sk__landlock_deny_but(const int *files, int count)
{
	int ruleset = make_ruleset(NET_BIND | NET_CONNECT);
	int i;

	if (ruleset < 0)
		return ruleset;
	for (i = 0; i < count; i++) {
		struct rule rule = { READ_FILE, files[i] };

		if (syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule,
			    0)) {
			int err = -errno;

			close(ruleset);
			return err;
		}
	}
	return restrict_self(ruleset);
}

int sk__landlock_beneath(const int *folders, const int *writable, int count)
{
	int ruleset = make_ruleset(NET_BIND | NET_CONNECT);
	uint64_t all = file_rights(sk__landlock_version());
	int i;

	if (ruleset < 0)
		return ruleset;
	for (i = 0; i < count; i++) {
		struct rule rule = { READ_FILE | READ_DIR, folders[i] };

		if (writable[i])
			rule.allowed_access = all & ~(uint64_t)EXECUTE;
		if (syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule,
			    0)) {
			int err = -errno;

			close(ruleset);
			return err;
		}
	}
	return restrict_self(ruleset);
}

static int allow_reading(int ruleset, const char *path)
{
	struct rule rule = { READ_FILE, -1 };
	struct stat st;
	int err = 0;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return 0; /* not on this system */
	if (fstat(rule.parent_fd, &st) == 0 && S_ISDIR(st.st_mode))
		rule.allowed_access |= READ_DIR;
	if (syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0))
		err = -errno;
	close(rule.parent_fd);
	return err;
}

int sk__landlock_read_only(const char *const *paths)
{
	int ruleset = make_ruleset(NET_BIND);
	int err = 0;

	if (ruleset < 0)
		return ruleset;
	for (; *paths && !err; paths++)
		err = allow_reading(ruleset, *paths);
	if (!err)
		return restrict_self(ruleset);
	close(ruleset);
	return err;
}
