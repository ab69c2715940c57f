/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies across the border between the kernel and a program. An address is
 * checked at each copy against the memory's size at that moment; it only
 * grows, so what was checked stays good.
 */
#include "copy.h"

static uint8_t *within(struct sk_task *t, sk_user at, uint32_t size)
{
	uint32_t end = atomic_load_explicit(&t->face.memory_size,
					    memory_order_acquire);

	/* A memory of 4 GiB has its size given as UINT32_MAX. */
	if (at > end || size > end - at)
		return NULL;
	return t->face.memory + at;
}

int sk_copy_in(struct sk_task *t, void *to, sk_user from, uint32_t size)
{
	struct sk_kernel *k = t->face.kernel;
	const uint8_t *at;

	if (!t->face.memory)
		return k->host->copy_in(k->self, t, to, from, size);
	at = within(t, from, size);
	if (!at)
		return -SK_EFAULT;
	memcpy(to, at, size);
	return 0;
}

int sk_copy_out(struct sk_task *t, sk_user to, const void *from, uint32_t size)
{
	struct sk_kernel *k = t->face.kernel;
	uint8_t *at;

	if (!t->face.memory)
		return k->host->copy_out(k->self, t, to, from, size);
	at = within(t, to, size);
	if (!at)
		return -SK_EFAULT;
	memcpy(at, from, size);
	return 0;
}

int sk_zero_out(struct sk_task *t, sk_user to, uint32_t size)
{
	static const uint8_t zeros[512];
	uint8_t *at;

	if (t->face.memory) {
		at = within(t, to, size);
		if (!at)
			return -SK_EFAULT;
		memset(at, 0, size);
		return 0;
	}
	while (size) {
		uint32_t part = size < sizeof(zeros) ? size : sizeof(zeros);
		int error = sk_copy_out(t, to, zeros, part);

		if (error)
			return error;
		to += part;
		size -= part;
	}
	return 0;
}

static int64_t copy_near_string(struct sk_task *t, char *to, sk_user from,
				uint32_t size)
{
	uint32_t end = atomic_load_explicit(&t->face.memory_size,
					    memory_order_acquire);
	uint32_t there = from < end ? end - from : 0;
	uint32_t most = size < there ? size : there;
	const char *at = (const char *)t->face.memory + from;

	for (uint32_t i = 0; i < most; i++) {
		to[i] = at[i];
		if (!to[i])
			return i;
	}
	return most == size ? -SK_ENAMETOOLONG : -SK_EFAULT;
}

int64_t sk_copy_string(struct sk_task *t, char *to, sk_user from, uint32_t size)
{
	uint32_t done = 0;

	if (t->face.memory)
		return copy_near_string(t, to, from, size);
	/* Pieces end at multiples of 64, so none runs over the memory's end. */
	while (done < size) {
		uint32_t at = from + done;
		uint32_t part = 64 - at % 64;
		const char *nul;
		int error;

		if (at < from)
			return -SK_EFAULT;
		if (part > size - done)
			part = size - done;
		error = sk_copy_in(t, to + done, at, part);
		if (error)
			return error;
		nul = memchr(to + done, 0, part);
		if (nul)
			return nul - to;
		done += part;
	}
	return -SK_ENAMETOOLONG;
}

void sk_io_user(struct sk_io *io, struct sk_task *t, struct sk_abi_iovec *one,
		sk_user base, uint32_t len)
{
	if (len > SK_RW_MAX)
		len = SK_RW_MAX;
	*one = (struct sk_abi_iovec){ base, len };
	*io = (struct sk_io){
		.task = t, .vec = one, .vec_count = 1, .left = len
	};
}

void sk_io_kernel(struct sk_io *io, void *memory, size_t size)
{
	*io = (struct sk_io){ .kernel = memory, .left = size };
}

static void advance(struct sk_io *io, size_t size)
{
	io->left -= size;
	if (!io->task) {
		io->kernel += size;
		return;
	}
	io->vec_done += (uint32_t)size;
	if (io->vec_done == io->vec->len) {
		io->vec++;
		io->vec_count--;
		io->vec_done = 0;
	}
}

void sk_io_skip(struct sk_io *io, size_t size)
{
	while (size && io->left) {
		size_t part = io->left;

		if (io->task && part > io->vec->len - io->vec_done)
			part = io->vec->len - io->vec_done;
		if (part > size)
			part = size;
		advance(io, part);
		size -= part;
	}
}

/* One piece of one vector, into (`put`) the program or out of it. */
static int64_t move_piece(struct sk_io *io, void *in, const void *out,
			  size_t size)
{
	sk_user base;
	uint32_t part;
	int error;

	if (!io->task) {
		if (in)
			memcpy(in, io->kernel, size);
		else
			memcpy(io->kernel, out, size);
		advance(io, size);
		return (int64_t)size;
	}
	part = io->vec->len - io->vec_done;
	if (part > size)
		part = (uint32_t)size;
	base = io->vec->base + io->vec_done;
	error = in ? sk_copy_in(io->task, in, base, part)
		   : sk_copy_out(io->task, base, out, part);
	if (error)
		return error;
	advance(io, part);
	return part;
}

static int64_t move(struct sk_io *io, uint8_t *in, const uint8_t *out,
		    size_t size)
{
	size_t done = 0;

	if (size > io->left)
		size = io->left;
	while (done < size) {
		int64_t part = move_piece(io, in ? in + done : NULL,
					  out ? out + done : NULL, size - done);

		if (part < 0)
			return done ? (int64_t)done : part;
		done += (size_t)part;
	}
	return (int64_t)done;
}

int64_t sk_io_put(struct sk_io *io, const void *from, size_t size)
{
	return move(io, NULL, from, size);
}

int64_t sk_io_get(struct sk_io *io, void *to, size_t size)
{
	return move(io, to, NULL, size);
}
