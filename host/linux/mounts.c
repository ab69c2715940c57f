/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "host/linux/host.h"
#include "host/linux/init.h"

static int mount_at(struct sk_init *i, const char *type, const char *source,
		    const char *target, uint32_t flags, int fd)
{
	int err;

	if (strcmp(target, "/"))
		sk_init_folder(i, target);
	err = sk_mount(i->task, type, source, target, flags, fd);
	if (err)
		sk_host_say("%s at %s: %s", type, target, strerror(-err));
	return err;
}

/* An archive of the host is read into memory, beside which it is mounted. */
static int mount_archive(struct sk_init *i, const struct sk_mount_spec *m,
			 const char *type, int number)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/run/selkie/archive-%d", number);
	sk_init_folder(i, "/run/selkie");
	err = sk_init_file(i, path, m->fd, 0400);
	if (err) {
		sk_host_say("%s: %s", m->source, strerror(-err));
		return err;
	}
	return mount_at(i, type, path, m->target, SK_MOUNT_RDONLY, -1);
}

static int mount_one(struct sk_init *i, const struct sk_mount_spec *m,
		     int number)
{
	uint32_t flags = m->read_only ? SK_MOUNT_RDONLY : 0;

	switch (m->kind) {
	case SK_MOUNT_HOSTFS:
		return mount_at(i, "hostfs", "", m->target, flags, m->fd);
	case SK_MOUNT_MEMFS:
		return mount_at(i, "memfs", "", m->target, flags, -1);
	case SK_MOUNT_OVERLAY:
		return mount_at(i, "overlay", m->source, m->target, flags, -1);
	case SK_MOUNT_ZIP:
		return mount_archive(i, m, "zip", number);
	default:
		return mount_archive(i, m, "tar", number);
	}
}

static int is_root(const struct sk_mount_spec *m)
{
	return !strcmp(m->target, "/");
}

/* Folders that programs expect, where they can be made. */
static void furnish(struct sk_init *i)
{
	static const char *const folders[] = {
		"/bin", "/dev",	    "/etc",	      "/proc",	 "/root",
		"/run", "/usr/bin", "/usr/local/bin", "/var/tmp"
	};
	size_t n;

	for (n = 0; n < sizeof(folders) / sizeof(*folders); n++)
		sk_init_folder(i, folders[n]);
	sk_init_folder(i, "/tmp");
	i->used = 1024;
	sk_init_call(i, SK_SYS_fchmodat, (uint64_t)SK_AT_FDCWD,
		     sk_init_text(i, "/tmp"), 01777, 0);
}

int sk_init_mount(struct sk_init *i)
{
	const struct sk_run_options *o = i->options;
	int n, err = 0;

	for (n = 0; n < o->mount_count && !err; n++)
		if (is_root(&o->mounts[n]))
			err = mount_one(i, &o->mounts[n], n);
	if (err)
		return 1;
	furnish(i);
	mount_at(i, "devfs", "", "/dev", 0, -1);
	mount_at(i, "procfs", "", "/proc", 0, -1);
	if (i->programs_fd >= 0)
		mount_at(i, "hostfs", "", "/bin", SK_MOUNT_RDONLY,
			 i->programs_fd);
	for (n = 0; n < o->mount_count && !err; n++)
		if (!is_root(&o->mounts[n]))
			err = mount_one(i, &o->mounts[n], n);
	return err ? 1 : 0;
}
