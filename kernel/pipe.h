/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes and fifos. sk_fifo_open stands in inode.h. */
#ifndef SK_PIPE_H
#define SK_PIPE_H

#include "buffer.h"
#include "file.h"

#define SK_PIPE_SIZE 65536u
#define SK_PIPE_MAX (1u << 20)

struct sk_pipe {
	struct sk_buffer data;
	uint32_t readers, writers; /* open files of each kind */
	uint64_t readers_ever, writers_ever;
	struct sk_waitq readable, writable;
	/* Opens of a fifo that wait for the other end: they count as ends. */
	struct sk_waitq opening_readers, opening_writers;
	bool named; /* lives as long as its inode */
};

/*
 * Makes descriptors of two files, whose references it takes over, and writes
 * them as int32[2]. On failure nothing is left of either.
 */
int64_t sk_fd_install_pair(struct sk_task *t, struct sk_file *ends[2],
    bool cloexec, sk_user to);

#endif
