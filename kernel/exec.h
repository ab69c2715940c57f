/* SPDX-License-Identifier: BSD-2-Clause */
/* What an exec or spawn has found, until its commit. All calls: locked. */
#ifndef SK_EXEC_H
#define SK_EXEC_H

#include "file.h"
#include "process.h"

struct sk_image_file {
	struct sk_image image;
	struct sk_path path;
	/* Becomes sk_process.args: argv, envp, the path that was asked for. */
	char *args;
	uint32_t args_size, argc, envc;
	char name[16];
};

/*
 * Finds the program of a path and makes process->image, with arguments from
 * the task's memory. -SK_ENOENT, -SK_EACCES, -SK_ENOEXEC, -SK_ELOOP (scripts
 * of scripts), -SK_E2BIG, -SK_EFAULT, -SK_ENOMEM and those of sk_walk.
 */
int sk_image_find(struct sk_task *t, const char *path, sk_user argv,
		  sk_user envp);
void sk_image_drop(struct sk_process *p);

/* The string behind `strings` others in a block of arguments. */
const char *sk_args_execfn(const char *args, uint32_t strings);

#endif
