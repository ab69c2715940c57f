/* SPDX-License-Identifier: BSD-2-Clause */
/* posix_spawn as one system call: nothing is copied. */
#define _GNU_SOURCE
#include <spawn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../fdop.h"
#include "kernel.h"
#include "syscall.h"

/* struct sk_abi_spawn and its actions. */
struct action {
	int kind, fd, from;
	const char *path;
	int flags;
	unsigned mode;
};
enum { KIND_CLOSE, KIND_DUP2, KIND_OPEN, KIND_CHDIR, KIND_FCHDIR };

struct spawn {
	unsigned flags;
	int pgroup;
	unsigned long mask[2], defaults[2];
	struct action *actions;
	unsigned action_count;
};

#define FLAGS                                                                  \
	(POSIX_SPAWN_RESETIDS | POSIX_SPAWN_SETPGROUP |                        \
	 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID)

static void action_set(struct action *a, const struct fdop *op)
{
	a->fd = op->fd;
	switch (op->cmd) {
	case FDOP_CLOSE:
		a->kind = KIND_CLOSE;
		break;
	case FDOP_DUP2:
		a->kind = KIND_DUP2;
		a->from = op->srcfd;
		break;
	case FDOP_OPEN:
		a->kind = KIND_OPEN;
		a->path = op->path;
		a->flags = op->oflag;
		a->mode = op->mode;
		break;
	case FDOP_CHDIR:
		a->kind = KIND_CHDIR;
		a->path = op->path;
		break;
	case FDOP_FCHDIR:
		a->kind = KIND_FCHDIR;
		break;
	}
}

/* The list ends with the action that is to be done first. */
static int actions_set(struct spawn *s, const posix_spawn_file_actions_t *fa)
{
	struct fdop *op = fa ? fa->__actions : 0, *first = 0;

	for (; op; op = op->next) {
		first = op;
		s->action_count++;
	}
	if (!first)
		return 0;
	s->actions = calloc(s->action_count, sizeof *s->actions);
	if (!s->actions)
		return ENOMEM;
	struct action *a = s->actions;
	for (op = first; op; op = op->prev)
		action_set(a++, op);
	return 0;
}

/* As execvp looks, but each try is a spawn. */
static long search(const char *name, char *const argv[], char *const envp[],
		   struct spawn *s)
{
	const char *path = getenv("PATH"), *end;
	size_t name_size = strlen(name) + 1;
	char file[PATH_MAX + NAME_MAX + 2];
	long pid = -ENOENT, worst = -ENOENT;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/'))
		return __syscall(SYS_sk_spawn, name, argv, envp, s);
	if (name_size > NAME_MAX + 1)
		return -ENAMETOOLONG;
	if (!path)
		path = "/usr/local/bin:/bin:/usr/bin";
	for (;; path = end + 1) {
		end = strchrnul(path, ':');
		size_t size = end - path;
		if (size < PATH_MAX) {
			memcpy(file, path, size);
			file[size] = '/';
			memcpy(file + size + !!size, name, name_size);
			pid = __syscall(SYS_sk_spawn, file, argv, envp, s);
			if (pid == -EACCES)
				worst = pid;
			else if (pid != -ENOENT && pid != -ENOTDIR)
				return pid;
		}
		if (!*end)
			return worst;
	}
}

int posix_spawn(pid_t *restrict res, const char *restrict path,
		const posix_spawn_file_actions_t *fa,
		const posix_spawnattr_t *restrict attr,
		char *const argv[restrict], char *const envp[restrict])
{
	struct spawn s = { 0 };
	long pid;
	int err;

	if (attr) {
		s.flags = attr->__flags & FLAGS;
		s.pgroup = attr->__pgrp;
		memcpy(s.mask, &attr->__mask, sizeof s.mask);
		memcpy(s.defaults, &attr->__def, sizeof s.defaults);
	}
	err = actions_set(&s, fa);
	if (err)
		return err;
	/* posix_spawnp leaves its mark in __fn. */
	if (attr && attr->__fn)
		pid = search(path, argv, envp, &s);
	else
		pid = __syscall(SYS_sk_spawn, path, argv, envp, &s);
	free(s.actions);
	if (pid < 0)
		return -pid;
	if (res)
		*res = pid;
	return 0;
}
