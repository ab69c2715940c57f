/* SPDX-License-Identifier: BSD-2-Clause */
/* Noticing that a file of the app has changed (inotify on its folders, since
 * editors replace files and new files may be found first). */
#ifndef SK_CLI_WATCH_H
#define SK_CLI_WATCH_H

#include "cli/list.h"

struct sk_watch_folder {
	int id;
	char *path;
};

struct sk_watch {
	int fd; /* readable: something happened */
	struct sk_list files;
	struct sk_watch_folder *folders;
	size_t count;
	int any; /* any script counts: the last compile failed */
};

/* 0 or -errno. */
int sk_watch_open(struct sk_watch *watch);
void sk_watch_close(struct sk_watch *watch);

/* Watches these files from now on. */
void sk_watch_set(struct sk_watch *watch, const struct sk_list *files, int any);

/* Reads what happened, until nothing has for 50 ms. `changed` gets the files
 * that matter. Returns how many. */
size_t sk_watch_read(struct sk_watch *watch, struct sk_list *changed);

#endif
