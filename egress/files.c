/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walls let through files, not names: when /etc/resolv.conf is replaced,
 * as DHCP clients do it, its successor stays closed. The egress notices, and
 * ends when it has nothing to do; the next one reads the new file.
 */
#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "egress/egress.h"

int files_watch(void)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	if (inotify_add_watch(fd, "/etc", IN_MOVED_TO | IN_CREATE) >= 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int is_ours(const char *name)
{
	static const char *const ours[] = { "resolv.conf", "hosts",
					    "nsswitch.conf", "gai.conf",
					    "host.conf" };
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (!strcmp(ours[i], name))
			return 1;
	return 0;
}

int files_changed(int fd)
{
	_Alignas(struct inotify_event) char buffer[4096];
	const struct inotify_event *event;
	const char *at;
	int changed = 0;
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0) {
		for (at = buffer; at < buffer + n;
		     at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)at;
			if (event->len && is_ours(event->name))
				changed = 1;
		}
	}
	return changed;
}
