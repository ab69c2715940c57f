/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in flight between two ends: a ring that gets memory with the first
 * byte and grows up to its limit. Pipes, stream sockets and terminals.
 * All calls: locked.
 */
#ifndef SK_BUFFER_H
#define SK_BUFFER_H

#include "copy.h"

struct sk_buffer {
	struct sk_kernel *kernel;
	uint8_t *bytes;
	uint32_t size; /* of bytes: 0 or a power of two */
	uint32_t limit; /* what size may become, a power of two */
	uint32_t head; /* where the oldest byte lies */
	uint32_t used;
};

/* Needs no memory yet. */
void sk_buffer_init(struct sk_buffer *b, struct sk_kernel *k, uint32_t limit);
/* Gives its memory back and is empty; it may be used again. */
void sk_buffer_fini(struct sk_buffer *b);

static inline uint32_t sk_buffer_room(const struct sk_buffer *b)
{
	return b->limit - b->used;
}

/*
 * Takes in what there is room for; the count, -SK_EFAULT, or -SK_ENOMEM when
 * there is no memory at all. When it may only not grow, the limit falls to
 * what it has.
 */
int64_t sk_buffer_write(struct sk_buffer *b, struct sk_io *io);
/* Gives out up to io->left bytes; the count or -SK_EFAULT. */
int64_t sk_buffer_read(struct sk_buffer *b, struct sk_io *io);
/* The same, leaving the bytes where they are, after the first `skip`. */
int64_t sk_buffer_peek(struct sk_buffer *b, struct sk_io *io, uint32_t skip);
void sk_buffer_drop(struct sk_buffer *b, uint32_t count);

/* One byte; -SK_EAGAIN when full, -SK_ENOMEM. */
int sk_buffer_put(struct sk_buffer *b, uint8_t byte);
/* The byte at a distance from the oldest; the caller knows that it is there. */
uint8_t sk_buffer_at(const struct sk_buffer *b, uint32_t at);
/* Takes back the youngest byte. */
void sk_buffer_unput(struct sk_buffer *b);

/* 0, -SK_EBUSY when what it holds would not fit. */
int sk_buffer_set_limit(struct sk_buffer *b, uint32_t limit);

#endif
