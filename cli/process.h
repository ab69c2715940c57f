/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking at other processes through /proc. */
#ifndef SK_CLI_PROCESS_H
#define SK_CLI_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

struct sk_pids {
	pid_t *items;
	size_t count;
};

/* The children of `parent`, only those whose title is exactly `title` unless
 * that is NULL. */
void sk_process_children(struct sk_pids *out, pid_t parent, const char *title);
/* 1 when a child of `parent` runs a program of this name. */
int sk_process_has_child(pid_t parent, const char *program);

int sk_pids_have(const struct sk_pids *pids, pid_t pid);
void sk_pids_fini(struct sk_pids *pids);

/* Milliseconds on a clock that never jumps. */
long long sk_now(void);

/* Lets this process and those that it starts have as many files open as the
 * system allows. -EMFILE, with a message, when that is too few to serve. */
int sk_process_take_files(void);

#endif
