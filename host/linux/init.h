/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Process 1: the host's own process inside the kernel. It mounts, starts the
 * program, carries bytes between the real terminal and the program's, waits,
 * and knows no other way into the kernel than programs have.
 */
#ifndef SK_HOST_INIT_H
#define SK_HOST_INIT_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "host/linux/options.h"
#include "selkie/kernel.h"

#define SK_INIT_MEMORY (1u << 20)

struct sk_init {
	struct sk_kernel *kernel;
	struct sk_task *task;
	uint8_t *memory;
	uint32_t used; /* of the memory: strings and structs of one call */
	struct sk_run_options *options;
	int programs_fd; /* the folder of Selkie's programs, or -1 */
	int streams[3];	 /* of the host, for standard streams; -1: closed */
	int32_t pid;	 /* the program */
};

int sk_init_start(struct sk_init *i, struct sk_kernel *k);

/* A call of the kernel; its result or -errno. */
int64_t sk_init_call(struct sk_init *i, uint32_t n, uint64_t a, uint64_t b,
		     uint64_t c, uint64_t d);
/* Room in the memory, which lasts until `used` is put back. */
sk_user sk_init_put(struct sk_init *i, const void *data, size_t size);
sk_user sk_init_text(struct sk_init *i, const char *text);

/* Mounts and folders; the root first. 0 or the exit status. */
int sk_init_mount(struct sk_init *i);

/* Makes a folder and those above it. */
void sk_init_folder(struct sk_init *i, const char *path);
/* A file with these contents. 0 or -errno. */
int sk_init_file(struct sk_init *i, const char *path, int fd, uint32_t mode);

/* Runs the program to its end; the exit status. */
int sk_init_run(struct sk_init *i);

/*
 * Starts the program, after looking for it, with the descriptors of process 1
 * or (a path) with a terminal of its own; its pid, or the exit status of a
 * shell, negative.
 */
int32_t sk_init_spawn(struct sk_init *i, const char *terminal);

/* With a terminal of its own: the exit status. */
int sk_init_terminal(struct sk_init *i);

/* 1 when the program has ended: its wait status. */
int sk_init_ended(struct sk_init *i, int options, int32_t *status);
int sk_init_status(int32_t status);

#endif
