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

/* The folder that all files of a sorted list lie in. */
static char *common_folder(const struct sk_list *files)
{
	const char *first = files->items[0];
	const char *last = files->items[files->count - 1];
	size_t length = 0;
	char *common;
	char *folder;

	while (first[length] && first[length] == last[length])
		length++;
	/* Up to the last slash of what they share. */
	common = sk_copy_range(first, length);
	folder = sk_path_folder(common);
	free(common);
	return folder;
}

/* A folder tells of its own files; of its own end tells the one above it. */
static void add_folders(struct sk_watch *watch, const char *file,
			const char *common)
{
	char *folder = sk_path_folder(file);

	while (strcmp(folder, common) && strcmp(folder, "/")) {
		char *next = sk_path_folder(folder);

		add_folder(watch, folder);
		free(folder);
		folder = next;
	}
	add_folder(watch, folder);
	free(folder);
}

void sk_watch_set(struct sk_watch *watch, const struct sk_list *files, int any)
{
	struct sk_list all = { 0 };
	char *common;

	watch->any = any;
	if (!any)
		sk_list_fini(&watch->files);
	sk_list_add_all(&watch->files, files);
	if (!watch->files.count)
		return;
	common = common_folder(&watch->files);
	/* A folder that is missing becomes one of the watch's own files. */
	sk_list_add_all(&all, &watch->files);
	for (size_t i = 0; i < all.count; i++)
		add_folders(watch, all.items[i], common);
	sk_list_fini(&all);
	free(common);
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

static int lies_under(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && path[length] == '/';
}

static int has_under(const struct sk_list *files, const char *folder)
{
	for (size_t i = 0; i < files->count; i++)
		if (lies_under(files->items[i], folder))
			return 1;
	return 0;
}

/* A folder that has gone elsewhere takes its watches along. */
static void forget_under(struct sk_watch *watch, const char *folder)
{
	for (size_t i = 0; i < watch->count; i++)
		if (!strcmp(watch->folders[i].path, folder) ||
		    lies_under(watch->folders[i].path, folder))
			inotify_rm_watch(watch->fd, watch->folders[i].id);
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
		return mask & (IN_MOVED_FROM | IN_MOVED_TO) &&
		       has_under(&watch->files, path);
	if (watch->any && is_script(path))
		return 1;
	if (sk_ends_with(path, "/package.json") ||
	    sk_ends_with(path, "/tsconfig.json") ||
	    sk_ends_with(path, "/jsconfig.json"))
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
	if (event->mask & IN_ISDIR && event->mask & IN_MOVED_FROM)
		forget_under(watch, path);
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
