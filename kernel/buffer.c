/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of bytes. `size` is a power of two, so places are found by a mask;
 * head + used may pass the end and wrap. Growing straightens the ring out.
 */
#include "buffer.h"

#define FIRST_SIZE 4096u

void sk_buffer_init(struct sk_buffer *b, struct sk_kernel *k, uint32_t limit)
{
	*b = (struct sk_buffer){ .kernel = k, .limit = limit };
}

void sk_buffer_fini(struct sk_buffer *b)
{
	if (b->bytes)
		sk_free(b->kernel, b->bytes, b->size);
	b->bytes = NULL;
	b->size = b->head = b->used = 0;
}

/* How many bytes lie in one piece from `at` (a distance from the oldest). */
static uint32_t piece(const struct sk_buffer *b, uint32_t at, uint8_t **bytes)
{
	uint32_t place = (b->head + at) & (b->size - 1);

	*bytes = b->bytes + place;
	return b->size - place;
}

static void copy_all(const struct sk_buffer *b, uint8_t *to)
{
	uint8_t *from;
	uint32_t first;

	if (!b->used)
		return;
	first = piece(b, 0, &from);
	if (first > b->used)
		first = b->used;
	memcpy(to, from, first);
	memcpy(to + first, b->bytes, b->used - first);
}

/* Makes room for `more` bytes as far as the limit and the memory go. */
static int grow(struct sk_buffer *b, size_t more)
{
	uint32_t size = b->size ? b->size : FIRST_SIZE;
	uint8_t *bytes;

	if (size > b->limit)
		size = b->limit;
	while (size < b->limit && size - b->used < more)
		size *= 2;
	if (size == b->size)
		return 0;
	bytes = sk_alloc(b->kernel, size);
	if (!bytes && b->size) {
		b->limit = b->size;
		return 0;
	}
	if (!bytes)
		return -SK_ENOMEM;
	copy_all(b, bytes);
	if (b->bytes)
		sk_free(b->kernel, b->bytes, b->size);
	b->bytes = bytes;
	b->size = size;
	b->head = 0;
	return 0;
}

int64_t sk_buffer_write(struct sk_buffer *b, struct sk_io *io)
{
	int64_t total = 0;

	if (b->size - b->used < io->left) {
		int error = grow(b, io->left);

		if (error)
			return error;
	}
	while (io->left && b->used < b->size) {
		uint8_t *to;
		uint32_t count = piece(b, b->used, &to);
		int64_t moved;

		if (count > b->size - b->used)
			count = b->size - b->used;
		if (count > io->left)
			count = (uint32_t)io->left;
		moved = sk_io_get(io, to, count);
		if (moved <= 0)
			return total ? total : moved;
		b->used += (uint32_t)moved;
		total += moved;
		if (moved < count)
			break;
	}
	return total;
}

int64_t sk_buffer_peek(struct sk_buffer *b, struct sk_io *io, uint32_t skip)
{
	int64_t total = 0;

	while (io->left && skip < b->used) {
		uint8_t *from;
		uint32_t count = piece(b, skip, &from);
		int64_t moved;

		if (count > b->used - skip)
			count = b->used - skip;
		if (count > io->left)
			count = (uint32_t)io->left;
		moved = sk_io_put(io, from, count);
		if (moved <= 0)
			return total ? total : moved;
		skip += (uint32_t)moved;
		total += moved;
		if (moved < count)
			break;
	}
	return total;
}

void sk_buffer_drop(struct sk_buffer *b, uint32_t count)
{
	b->used -= count;
	/* An empty ring starts anew, so that the next bytes lie in one piece. */
	b->head = b->used ? (b->head + count) & (b->size - 1) : 0;
}

int64_t sk_buffer_read(struct sk_buffer *b, struct sk_io *io)
{
	int64_t count = sk_buffer_peek(b, io, 0);

	if (count > 0)
		sk_buffer_drop(b, (uint32_t)count);
	return count;
}

int sk_buffer_put(struct sk_buffer *b, uint8_t byte)
{
	uint8_t *to;

	if (b->used == b->limit)
		return -SK_EAGAIN;
	if (b->used == b->size) {
		int error = grow(b, 1);

		if (error)
			return error;
		if (b->used == b->size)
			return -SK_EAGAIN;
	}
	piece(b, b->used, &to);
	*to = byte;
	b->used++;
	return 0;
}

uint8_t sk_buffer_at(const struct sk_buffer *b, uint32_t at)
{
	return b->bytes[(b->head + at) & (b->size - 1)];
}

void sk_buffer_unput(struct sk_buffer *b)
{
	b->used--;
}

int sk_buffer_set_limit(struct sk_buffer *b, uint32_t limit)
{
	if (limit < b->used || limit < b->size) {
		uint8_t *bytes;

		if (limit < b->used)
			return -SK_EBUSY;
		bytes = sk_alloc(b->kernel, limit);
		if (!bytes)
			return -SK_ENOMEM;
		copy_all(b, bytes);
		sk_free(b->kernel, b->bytes, b->size);
		b->bytes = bytes;
		b->size = limit;
		b->head = 0;
	}
	b->limit = limit;
	return 0;
}
