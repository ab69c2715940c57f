/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/inputs.h"
#include "cli/process.h"

#define SETTLE	    50 /* ms */
#define SETTLE_MOST 1000
#define EVENTS                                                                 \
	(IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM |            \
	 IN_DELETE | IN_ONLYDIR)

int sk_watch_open(struct sk_watch *watch)
{
	memset(watch, 0, sizeof(*watch));
	watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return watch->fd < 0 ? -errno : 0;
}

void sk_watch_close(struct sk_watch *watch)
{
	if (watch->fd >= 0)
		close(watch->fd);
	for (size_t i = 0; i < watch->count; i++)
		free(watch->folders[i].path);
	free(watch->folders);
	sk_list_fini(&watch->files);
	memset(watch, 0, sizeof(*watch));
	watch->fd = -1;
}

static struct sk_watch_folder *find_folder(struct sk_watch *watch, int id)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->folders[i].id == id)
			return &watch->folders[i];
	return NULL;
}

/* A folder that is not there yet is waited for in the one above it. */
static void add_folder(struct sk_watch *watch, const char *path)
{
	struct sk_watch_folder *folder;
	int id = inotify_add_watch(watch->fd, path, EVENTS);

	if (id < 0 && strcmp(path, "/")) {
		char *above = sk_path_folder(path);

		sk_list_add(&watch->files, path);
		add_folder(watch, above);
		free(above);
		return;
	}
	if (id < 0 || find_folder(watch, id))
		return;
	watch->folders = sk_resize(watch->folders, watch->count + 1,
				   sizeof(*watch->folders));
	folder = &watch->folders[watch->count++];
	folder->id = id;
	folder->path = sk_copy(path);
}

void sk_watch_set(struct sk_watch *watch, const struct sk_list *files, int any)
{
	watch->any = any;
	if (!any)
		sk_list_fini(&watch->files);
	sk_list_add_all(&watch->files, files);
	for (size_t i = 0; i < files->count; i++) {
		char *folder = sk_path_folder(files->items[i]);

		add_folder(watch, folder);
		free(folder);
	}
}

static int is_script(const char *path)
{
	static const char *const ends[] = { ".js",  ".mjs", ".ts",  ".mts",
					    ".tsx", ".jsx", ".json" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (sk_ends_with(path, ends[i]))
			return 1;
	return 0;
}

static int matters(const struct sk_watch *watch, const char *path,
		   uint32_t mask)
{
	/* A file that was just made is empty: its end of writing counts. */
	if (mask & IN_CREATE && !(mask & IN_ISDIR))
		return 0;
	if (sk_list_has(&watch->files, path))
		return 1;
	if (mask & IN_ISDIR)
		return 0;
	if (watch->any && is_script(path))
		return 1;
	if (sk_ends_with(path, "/package.json") ||
	    sk_ends_with(path, "/tsconfig.json"))
		return 1;
	for (size_t i = 0; i < watch->files.count; i++)
		if (sk_inputs_shadows(path, watch->files.items[i]))
			return 1;
	return 0;
}

static void take_event(struct sk_watch *watch,
		       const struct inotify_event *event,
		       struct sk_list *changed)
{
	struct sk_watch_folder *folder;
	char *path;

	if (event->mask & IN_Q_OVERFLOW) {
		sk_list_add_all(changed, &watch->files);
		return;
	}
	folder = find_folder(watch, event->wd);
	if (!folder)
		return;
	if (event->mask & IN_IGNORED) {
		free(folder->path);
		*folder = watch->folders[--watch->count];
		return;
	}
	if (!event->len)
		return;
	path = sk_format("%s/%s", strcmp(folder->path, "/") ? folder->path : "",
			 event->name);
	if (matters(watch, path, event->mask))
		sk_list_add(changed, path);
	free(path);
}

size_t sk_watch_read(struct sk_watch *watch, struct sk_list *changed)
{
	_Alignas(struct inotify_event) char buffer[16384];
	struct pollfd poller = { .fd = watch->fd, .events = POLLIN };
	long long end = sk_now() + SETTLE_MOST;
	ssize_t got;

	do {
		got = read(watch->fd, buffer, sizeof(buffer));
		for (ssize_t at = 0; at < got;) {
			const struct inotify_event *event =
				(const void *)(buffer + at);

			take_event(watch, event, changed);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	} while (poll(&poller, 1, SETTLE) > 0 && sk_now() < end);
	return changed->count;
}
