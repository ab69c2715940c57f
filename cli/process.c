/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cli/file.h"
#include "cli/term.h"

/* For nginx, its connections, and a handful for each route. */
#define FILES_LEAST 256

/* /proc/PID/stat: "PID (NAME) STATE PPID …"; the name may hold anything. */
static pid_t parent_of(const char *pid)
{
	char *path = sk_format("/proc/%s/stat", pid);
	struct sk_text text = { 0 };
	int parent = -1;
	const char *after;

	sk_file_read(path, &text);
	after = strrchr(sk_text_string(&text), ')');
	if (after && sscanf(after, ") %*c %d", &parent) != 1)
		parent = -1;
	sk_text_fini(&text);
	free(path);
	return parent;
}

static int has_title(const char *pid, const char *title)
{
	char *path = sk_format("/proc/%s/cmdline", pid);
	struct sk_text text = { 0 };
	int same;

	sk_file_read(path, &text);
	/* nginx pads the title that it sets with blanks or NULs. */
	while (text.length && (text.data[text.length - 1] == ' ' ||
			       !text.data[text.length - 1]))
		text.data[--text.length] = '\0';
	same = !strcmp(sk_text_string(&text), title);
	sk_text_fini(&text);
	free(path);
	return same;
}

void sk_process_children(struct sk_pids *out, pid_t parent, const char *title)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	memset(out, 0, sizeof(*out));
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
		    parent_of(entry->d_name) != parent ||
		    (title && !has_title(entry->d_name, title)))
			continue;
		out->items = sk_resize(out->items, out->count + 1,
				       sizeof(*out->items));
		out->items[out->count++] = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
}

/* The name of the program that a process runs is the end of its argument 0. */
static int runs(pid_t pid, const char *program)
{
	char *path = sk_format("/proc/%d/cmdline", (int)pid);
	struct sk_text text = { 0 };
	const char *name;
	const char *slash;
	int same;

	sk_file_read(path, &text);
	name = sk_text_string(&text);
	slash = strrchr(name, '/');
	same = !strcmp(slash ? slash + 1 : name, program);
	sk_text_fini(&text);
	free(path);
	return same;
}

int sk_process_has_child(pid_t parent, const char *program)
{
	struct sk_pids pids;
	int found = 0;

	sk_process_children(&pids, parent, NULL);
	for (size_t i = 0; i < pids.count && !found; i++)
		found = runs(pids.items[i], program);
	sk_pids_fini(&pids);
	return found;
}

int sk_pids_have(const struct sk_pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->count; i++)
		if (pids->items[i] == pid)
			return 1;
	return 0;
}

void sk_pids_fini(struct sk_pids *pids)
{
	free(pids->items);
	memset(pids, 0, sizeof(*pids));
}

long long sk_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

int sk_process_take_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return 0;
	if (files.rlim_max < FILES_LEAST) {
		sk_complain("only %llu files may be open at a time (ulimit "
			    "-Hn); %d are the least to serve with",
			    (unsigned long long)files.rlim_max, FILES_LEAST);
		return -EMFILE;
	}
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	return 0;
}
