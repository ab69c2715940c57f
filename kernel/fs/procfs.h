/* SPDX-License-Identifier: BSD-2-Clause */
/* procfs: what procfs.c (the tree) and proctext.c (the texts) share. */
#ifndef SK_FS_PROCFS_H
#define SK_FS_PROCFS_H

#include "file.h"
#include "process.h"

/* A text that grows; `failed` when there was no memory for all of it. */
struct sk_proc_text {
	struct sk_kernel *kernel;
	char *data;
	size_t size, room;
	bool failed;
};
void sk_proc_text_add(struct sk_proc_text *x, const char *data, size_t size);
void sk_proc_text_put(struct sk_proc_text *x, const char *text);
void sk_proc_text_fini(struct sk_proc_text *x);

/* Writes a text; p is NULL for files that belong to no process. */
typedef void sk_proc_writer(struct sk_proc_text *x, struct sk_task *t,
			    struct sk_process *p);

struct sk_proc_file {
	const char *name;
	sk_proc_writer *write;
};
/* Each ends with a name that is NULL. */
extern const struct sk_proc_file sk_proc_kernel_files[];
extern const struct sk_proc_file sk_proc_process_files[];

#endif
