/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of the host as open files.
 *
 * The host never blocks in read or write of a stream: it answers -SK_EAGAIN.
 * Then the watch is armed, which makes the host call sk_kernel_host_event once
 * when the stream may be ready (at once, if it became so meanwhile: nothing is
 * lost), and the call parks on the watch's queue.
 *
 * The cookie that comes back is the watch's address. It is looked for in the
 * list of watches and never trusted: an event may come late, when the watch
 * has gone.
 */
#include "stream.h"
#include "process.h"

#define BUFFER 65536u
#define SMALL  4096u

struct stream {
	struct sk_host_watch watch;
};

void sk_host_watch_init(struct sk_host_watch *w, struct sk_kernel *k,
			int handle)
{
	w->kernel = k;
	w->handle = handle;
	w->armed = 0;
	sk_waitq_init(&w->ready);
	sk_list_add(&k->watches, &w->link);
}

void sk_host_watch_arm(struct sk_host_watch *w, uint32_t events)
{
	struct sk_kernel *k = w->kernel;

	if ((w->armed & events) == events)
		return;
	w->armed |= events;
	k->host->files->watch(k->self, w->handle, w->armed, w);
}

void sk_host_watch_fini(struct sk_host_watch *w)
{
	struct sk_kernel *k = w->kernel;

	if (w->armed)
		k->host->files->unwatch(k->self, w->handle, w);
	sk_list_remove(&w->link);
	sk_waitq_fini(&w->ready);
}

void sk_kernel_host_event(struct sk_kernel *k, void *cookie)
{
	sk_lock(k);
	SK_LIST_EACH(node, &k->watches)
	{
		struct sk_host_watch *w =
			SK_CONTAINER(node, struct sk_host_watch, link);

		if (w != cookie)
			continue;
		w->armed = 0;
		sk_waitq_wake(&w->ready);
		break;
	}
	sk_unlock(k);
}

/* Memory for up to `size` bytes: `small`, or a buffer of its own. */
static uint8_t *buffer_get(struct sk_kernel *k, uint8_t *small, size_t *size)
{
	if (*size <= SMALL)
		return small;
	if (*size > BUFFER)
		*size = BUFFER;
	return sk_alloc(k, *size);
}

static void buffer_put(struct sk_kernel *k, uint8_t *buffer,
		       const uint8_t *small, size_t size)
{
	if (buffer != small)
		sk_free(k, buffer, size);
}

static int64_t wait_for(struct stream *s, struct sk_task *t, uint32_t flags,
			uint32_t events)
{
	if (flags & SK_O_NONBLOCK)
		return -SK_EAGAIN;
	sk_host_watch_arm(&s->watch, events);
	return sk_wait_on(t, &s->watch.ready);
}

static int64_t stream_read(struct sk_file *f, struct sk_task *t,
			   struct sk_io *io)
{
	struct sk_kernel *k = f->kernel;
	struct stream *s = f->data;
	uint8_t small[SMALL], *buffer;
	size_t size = io->left;
	int64_t n;

	if (!size)
		return 0;
	buffer = buffer_get(k, small, &size);
	if (!buffer)
		return -SK_ENOMEM;
	sk_unlock(k);
	n = k->host->files->read(k->self, s->watch.handle, buffer, size, -1);
	sk_lock(k);
	if (n > 0)
		n = sk_io_put(io, buffer, (size_t)n);
	buffer_put(k, buffer, small, size);
	return n == -SK_EAGAIN ? wait_for(s, t, io->flags, SK_POLLIN) : n;
}

/*
 * Writes all, unless non-blocking: what went out before a park is kept in
 * call.done.
 */
static int64_t write_all(struct stream *s, struct sk_task *t, struct sk_io *io,
			 uint8_t *buffer, size_t size)
{
	struct sk_kernel *k = s->watch.kernel;
	int64_t n = 0, put;

	while (io->left) {
		/* What the host does not take is taken from io again. */
		struct sk_io again = *io;

		n = sk_io_get(io, buffer, size);
		if (n <= 0)
			break;
		sk_unlock(k);
		put = k->host->files->write(k->self, s->watch.handle, buffer,
					    (size_t)n, -1);
		sk_lock(k);
		if (put > 0)
			t->call.done += put;
		if (put == n)
			continue;
		*io = again;
		if (put > 0)
			sk_io_skip(io, (size_t)put);
		n = put > 0 ? -SK_EAGAIN : put;
		if (n == -SK_EAGAIN &&
		    !((io->flags & SK_O_NONBLOCK) && t->call.done))
			n = wait_for(s, t, io->flags, SK_POLLOUT);
		break;
	}
	if (n == -SK_PARK || n == -SK_ENOMEM)
		return n;
	if (t->call.done)
		return t->call.done;
	if (n == -SK_EPIPE)
		sk_signal_send(t->process, SK_SIGPIPE, NULL);
	return n;
}

static int64_t stream_write(struct sk_file *f, struct sk_task *t,
			    struct sk_io *io)
{
	struct sk_kernel *k = f->kernel;
	struct stream *s = f->data;
	uint8_t small[SMALL], *buffer;
	size_t size;
	int64_t n;

	if (t->call.done)
		sk_io_skip(io, (size_t)t->call.done);
	size = io->left;
	buffer = buffer_get(k, small, &size);
	if (!buffer)
		return -SK_ENOMEM;
	n = write_all(s, t, io, buffer, size);
	buffer_put(k, buffer, small, size);
	return n;
}

static uint32_t stream_poll(struct sk_file *f, struct sk_waitq *queues[2],
			    uint32_t *count)
{
	struct sk_kernel *k = f->kernel;
	struct stream *s = f->data;
	uint32_t access = f->flags & SK_O_ACCMODE, wanted = 0;
	uint32_t ready = k->host->files->poll(k->self, s->watch.handle);

	if (access != SK_O_WRONLY)
		wanted |= SK_POLLIN;
	if (access != SK_O_RDONLY)
		wanted |= SK_POLLOUT;
	queues[0] = &s->watch.ready;
	*count = 1;
	wanted &= ~ready;
	/* What hung up stays so: there is nothing more to be told. */
	if (wanted && !(ready & (SK_POLLHUP | SK_POLLERR)))
		sk_host_watch_arm(&s->watch, wanted);
	return ready;
}

static void stream_release(struct sk_file *f)
{
	struct sk_kernel *k = f->kernel;
	struct stream *s = f->data;

	sk_host_watch_fini(&s->watch);
	k->host->files->close(k->self, s->watch.handle);
	sk_free(k, s, sizeof(*s));
}

static const struct sk_file_ops stream_ops = {
	.mode = SK_S_IFIFO | 0600,
	.read = stream_read,
	.write = stream_write,
	.poll = stream_poll,
	.release = stream_release,
};

int sk_stream_new(struct sk_kernel *k, int handle, uint32_t flags,
		  struct sk_file **out)
{
	struct stream *s;
	int error;

	if (!k->host->files)
		return -SK_ENODEV;
	s = sk_alloc(k, sizeof(*s));
	error = s ? sk_file_new(k, &stream_ops, flags, out) : -SK_ENOMEM;
	if (error) {
		k->host->files->close(k->self, handle);
		if (s)
			sk_free(k, s, sizeof(*s));
		return error;
	}
	sk_host_watch_init(&s->watch, k, handle);
	(*out)->data = s;
	return 0;
}

int sk_open_stream(struct sk_task *t, int handle, uint32_t flags)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_file *f;
	int result;

	sk_lock(k);
	result = sk_stream_new(k, handle, flags, &f);
	if (!result)
		result = sk_fd_install(t, f, 0, (flags & SK_O_CLOEXEC) != 0);
	sk_unlock(k);
	return result;
}
