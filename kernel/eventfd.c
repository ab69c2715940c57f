/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eventfd: a counter that can be waited for. A read takes it all (or one, as
 * a semaphore) and waits while it is 0; a write adds, and waits while the sum
 * would be above the largest but one.
 */
#include "file.h"
#include "process.h"

#define COUNT_MAX (UINT64_MAX - 1)

struct eventfd {
	uint64_t count;
	bool semaphore;
	struct sk_waitq changed;
};

static int64_t eventfd_read(struct sk_file *f, struct sk_task *t,
			    struct sk_io *io)
{
	struct eventfd *e = f->data;
	uint64_t value;
	int64_t moved;

	if (io->left < sizeof(value))
		return -SK_EINVAL;
	if (!e->count)
		return io->flags & SK_O_NONBLOCK ? -SK_EAGAIN :
						   sk_wait_on(t, &e->changed);
	value = e->semaphore ? 1 : e->count;
	moved = sk_io_put(io, &value, sizeof(value));
	if (moved != sizeof(value))
		return -SK_EFAULT;
	e->count -= value;
	sk_waitq_wake(&e->changed);
	return sizeof(value);
}

static int64_t eventfd_write(struct sk_file *f, struct sk_task *t,
			     struct sk_io *io)
{
	struct eventfd *e = f->data;
	uint64_t value;

	if (io->left < sizeof(value))
		return -SK_EINVAL;
	if (sk_io_get(io, &value, sizeof(value)) != sizeof(value))
		return -SK_EFAULT;
	if (value > COUNT_MAX)
		return -SK_EINVAL;
	if (value > COUNT_MAX - e->count)
		return io->flags & SK_O_NONBLOCK ? -SK_EAGAIN :
						   sk_wait_on(t, &e->changed);
	e->count += value;
	sk_waitq_wake(&e->changed);
	return sizeof(value);
}

static uint32_t eventfd_poll(struct sk_file *f, struct sk_waitq *queues[2],
			     uint32_t *count)
{
	struct eventfd *e = f->data;

	queues[0] = &e->changed;
	*count = 1;
	return (e->count ? SK_POLLIN : 0u) |
	       (e->count < COUNT_MAX ? SK_POLLOUT : 0u);
}

static void eventfd_release(struct sk_file *f)
{
	struct eventfd *e = f->data;

	sk_waitq_fini(&e->changed);
	sk_free(f->kernel, e, sizeof(*e));
}

static const struct sk_file_ops eventfd_ops = {
	.mode = 0600,
	.read = eventfd_read,
	.write = eventfd_write,
	.poll = eventfd_poll,
	.release = eventfd_release,
};

int64_t sk_sys_eventfd2(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint32_t flags = (uint32_t)a[1];
	struct eventfd *e;
	struct sk_file *f;
	int error;

	if (flags & ~(uint32_t)(SK_EFD_SEMAPHORE | SK_O_CLOEXEC |
				SK_O_NONBLOCK))
		return -SK_EINVAL;
	e = sk_alloc(k, sizeof(*e));
	if (!e)
		return -SK_ENOMEM;
	error = sk_file_new(k, &eventfd_ops,
			    SK_O_RDWR | (flags & SK_O_NONBLOCK), &f);
	if (error) {
		sk_free(k, e, sizeof(*e));
		return error;
	}
	e->count = (uint32_t)a[0];
	e->semaphore = flags & SK_EFD_SEMAPHORE;
	sk_waitq_init(&e->changed);
	f->data = e;
	return sk_fd_install(t, f, 0, flags & SK_O_CLOEXEC);
}
