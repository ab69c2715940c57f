/* SPDX-License-Identifier: BSD-2-Clause */
/* The walls round the egress; see sk_sandbox_network. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#define DATA_MOST  (UINT64_C(2) << 30) /* beyond what it has at the start */
#define FILES_MOST 65536

/* Certificates, and what getaddrinfo reads and loads. A folder where the file
 * itself is replaced by another from time to time. */
static const char *const readable[] = {
	"/etc/ssl",
	"/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates",
	"/etc/pki/tls",
	"/etc/resolv.conf",
	"/run/systemd/resolve",
	"/run/resolvconf",
	"/run/NetworkManager",
	"/etc/hosts",
	"/etc/nsswitch.conf",
	"/etc/host.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/ld.so.cache",
	"/lib",
	"/lib64",
	"/usr/lib",
	"/usr/lib64",
	"/dev/urandom",
	NULL,
};

static int limit_data(void)
{
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	uint64_t data;
	int err;

	if (fd < 0)
		return -errno;
	err = sk__sandbox_data(fd, &data);
	close(fd);
	return err ? err : sk__sandbox_limit(RLIMIT_DATA, data + DATA_MOST);
}

static int set_limits(void)
{
	struct rlimit files;
	int err = getrlimit(RLIMIT_NOFILE, &files) ? -errno : 0;

	if (!err && files.rlim_max > FILES_MOST)
		files.rlim_max = FILES_MOST;
	if (!err)
		err = sk__sandbox_limit(RLIMIT_NOFILE, files.rlim_max);
	if (!err)
		err = sk__sandbox_limit(RLIMIT_CORE, 0);
	if (!err)
		err = sk__sandbox_limit(RLIMIT_FSIZE, 0);
	if (!err)
		err = sk__sandbox_limit(RLIMIT_MEMLOCK, 0);
	return err ? err : limit_data();
}

static int is_absent(int err)
{
	return err == -ENOSYS || err == -EOPNOTSUPP;
}

int sk_sandbox_network(struct sk_sandbox *sandbox)
{
	int err = sk__sandbox_close_others(sandbox);

	if (!err)
		err = sk__sandbox_drop(sandbox);
	if (!err)
		err = set_limits();
	if (err)
		return err;
	err = sk__landlock_read_only(readable);
	if (is_absent(err)) {
		sk__sandbox_miss(sandbox, SK__LAYER_LANDLOCK);
		err = 0;
	}
	if (!err)
		err = sk__seccomp_load_network();
	if (is_absent(err)) {
		sk__sandbox_miss(sandbox, SK__LAYER_SECCOMP);
		err = 0;
	}
	return err;
}
