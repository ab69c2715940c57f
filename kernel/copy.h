/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between the kernel and a program's memory, each bounds-checked. */
#ifndef SK_COPY_H
#define SK_COPY_H

#include "task.h"

/* 0 or -SK_EFAULT. */
int sk_copy_in(struct sk_task *t, void *to, sk_user from, uint32_t size);
int sk_copy_out(struct sk_task *t, sk_user to, const void *from, uint32_t size);
int sk_zero_out(struct sk_task *t, sk_user to, uint32_t size);

/*
 * A string with its NUL into `to`; its length, -SK_EFAULT, or
 * -SK_ENAMETOOLONG when it does not fit.
 */
int64_t sk_copy_string(struct sk_task *t, char *to, sk_user from,
		       uint32_t size);

/* The largest that one read or write moves, as in Linux. */
#define SK_RW_MAX 0x7ffff000u

/*
 * Where the bytes of a read or write lie: a program's vector, or the
 * kernel's own memory (then task is NULL). Consumed as bytes move.
 */
struct sk_io {
	struct sk_task *task;
	uint8_t *kernel;		/* when task is NULL */
	const struct sk_abi_iovec *vec; /* copied in */
	uint32_t vec_count;
	uint32_t vec_done; /* bytes of the first vector that are done */
	size_t left;	   /* bytes in all */
	uint32_t flags;	   /* of the open file: SK_O_NONBLOCK counts */
};
void sk_io_user(struct sk_io *io, struct sk_task *t, struct sk_abi_iovec *one,
		sk_user base, uint32_t len);
void sk_io_kernel(struct sk_io *io, void *memory, size_t size);
/* Leaves out what an earlier try of the call has moved. */
void sk_io_skip(struct sk_io *io, size_t size);
/* Moves up to `size` bytes; the count (whole, or io->left), or -SK_EFAULT when none could be moved. */
int64_t sk_io_put(struct sk_io *io, const void *from, size_t size);
int64_t sk_io_get(struct sk_io *io, void *to, size_t size);

#endif
