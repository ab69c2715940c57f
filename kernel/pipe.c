/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes and fifos: one ring of bytes between readers and writers.
 *
 * A reader waits while the ring is empty and there is a writer; without one
 * it is at the end. A writer waits while its bytes do not fit; without a
 * reader it gets EPIPE and SIGPIPE. Up to SK_PIPE_BUF bytes go in at once or
 * not at all; more go in as room comes, and t->call.done remembers how many
 * did. Writers are woken when SK_PIPE_BUF bytes have room, so that small
 * reads of a full pipe do not wake them each time.
 *
 * A fifo's pipe hangs at its inode from its first open on. An open that waits
 * for the other end is a waiter on opening_*, which makes it an end for all
 * purposes: it leaves the queue by itself when its task dies, and when it is
 * made again it sees by the *_ever counters that the other end came, even if
 * that one has left since. The bytes go when no end of any kind is left.
 */
#include "pipe.h"

#include "process.h"

static bool has_reader(const struct sk_pipe *p)
{
	return p->readers || !sk_list_empty(&p->opening_readers.waiters);
}

static bool has_writer(const struct sk_pipe *p)
{
	return p->writers || !sk_list_empty(&p->opening_writers.waiters);
}

static int64_t pipe_read(struct sk_file *f, struct sk_task *t,
			 struct sk_io *io)
{
	struct sk_pipe *p = f->data;

	if (!io->left)
		return 0;
	if (p->data.used) {
		int64_t count = sk_buffer_read(&p->data, io);

		if (!p->data.used || sk_buffer_room(&p->data) >= SK_PIPE_BUF)
			sk_waitq_wake(&p->writable);
		return count;
	}
	if (!has_writer(p))
		return 0;
	if (io->flags & SK_O_NONBLOCK)
		return -SK_EAGAIN;
	return sk_wait_on(t, &p->readable);
}

/* No reader is left: what was written counts, but the signal comes anyway. */
static int64_t broken(struct sk_task *t, int64_t done)
{
	sk_signal_task(t, SK_SIGPIPE, NULL);
	return done ? done : -SK_EPIPE;
}

static int64_t pipe_write(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io)
{
	struct sk_pipe *p = f->data;
	size_t must_fit = io->left <= SK_PIPE_BUF ? io->left : 1;
	int64_t done = 0, result;

	if (!io->left)
		return 0;
	/* Only a program's own write goes on where it was. */
	if (io->task) {
		done = t->call.done;
		sk_io_skip(io, (size_t)done);
	}
	if (!has_reader(p))
		return broken(t, done);
	if (sk_buffer_room(&p->data) >= must_fit) {
		result = sk_buffer_write(&p->data, io);
		if (result > 0) {
			done += result;
			sk_waitq_wake(&p->readable);
		}
		if (result < 0 || !io->left)
			return done ? done : result;
	}
	if (io->flags & SK_O_NONBLOCK)
		return done ? done : -SK_EAGAIN;
	if (done && !io->task)
		return done;
	t->call.done = done;
	result = sk_wait_on(t, &p->writable);
	return result != -SK_PARK && done ? done : result;
}

static uint32_t pipe_poll(struct sk_file *f, struct sk_waitq *queues[2],
			  uint32_t *count)
{
	struct sk_pipe *p = f->data;
	uint32_t mode = f->flags & SK_O_ACCMODE;
	uint32_t ready = 0;

	*count = 0;
	if (mode != SK_O_WRONLY) {
		queues[(*count)++] = &p->readable;
		if (p->data.used)
			ready |= SK_POLLIN;
		/* A fifo that had no writer yet is not hung up. */
		if (!has_writer(p) && f->offset != (int64_t)p->writers_ever)
			ready |= SK_POLLHUP;
	}
	if (mode != SK_O_RDONLY) {
		queues[(*count)++] = &p->writable;
		if (!p->data.used || sk_buffer_room(&p->data) >= SK_PIPE_BUF)
			ready |= SK_POLLOUT;
		if (!has_reader(p))
			ready |= SK_POLLERR;
	}
	return ready;
}

static int64_t set_size(struct sk_pipe *p, uint64_t size)
{
	uint32_t limit = 4096;
	int error;

	if (size > SK_PIPE_MAX)
		return -SK_EPERM;
	while (limit < size)
		limit *= 2;
	error = sk_buffer_set_limit(&p->data, limit);
	if (error)
		return error;
	sk_waitq_wake(&p->writable);
	return limit;
}

static int64_t pipe_ioctl(struct sk_file *f, struct sk_task *t,
			  uint32_t request, uint64_t arg)
{
	struct sk_pipe *p = f->data;
	int32_t used = (int32_t)p->data.used;

	switch (request) {
	case SK_FIONREAD:
		return sk_copy_out(t, (sk_user)arg, &used, sizeof(used));
	case SK_F_GETPIPE_SZ:
		return p->data.limit;
	case SK_F_SETPIPE_SZ:
		return set_size(p, (uint32_t)arg);
	default:
		return -SK_ENOTTY;
	}
}

static void pipe_free(struct sk_pipe *p)
{
	struct sk_kernel *k = p->data.kernel;

	sk_waitq_fini(&p->readable);
	sk_waitq_fini(&p->writable);
	sk_waitq_fini(&p->opening_readers);
	sk_waitq_fini(&p->opening_writers);
	sk_buffer_fini(&p->data);
	sk_free(k, p, sizeof(*p));
}

static void pipe_release(struct sk_file *f)
{
	struct sk_pipe *p = f->data;
	uint32_t mode = f->flags & SK_O_ACCMODE;

	if (mode != SK_O_WRONLY)
		p->readers--;
	if (mode != SK_O_RDONLY)
		p->writers--;
	if (!p->readers && !p->writers && !p->named) {
		pipe_free(p);
		return;
	}
	if (!has_reader(p) && !has_writer(p))
		sk_buffer_fini(&p->data);
	if (!p->writers)
		sk_waitq_wake(&p->readable);
	if (!p->readers)
		sk_waitq_wake(&p->writable);
}

static const struct sk_file_ops pipe_ops = {
	.mode = SK_S_IFIFO | 0600,
	.read = pipe_read,
	.write = pipe_write,
	.poll = pipe_poll,
	.ioctl = pipe_ioctl,
	.release = pipe_release,
};

static struct sk_pipe *pipe_new(struct sk_kernel *k)
{
	struct sk_pipe *p = sk_alloc(k, sizeof(*p));

	if (!p)
		return NULL;
	sk_buffer_init(&p->data, k, SK_PIPE_SIZE);
	sk_waitq_init(&p->readable);
	sk_waitq_init(&p->writable);
	sk_waitq_init(&p->opening_readers);
	sk_waitq_init(&p->opening_writers);
	return p;
}

/* Makes `file` an end of the pipe. */
static void attach(struct sk_pipe *p, struct sk_file *file)
{
	uint32_t mode = file->flags & SK_O_ACCMODE;

	if (mode != SK_O_WRONLY) {
		p->readers++;
		p->readers_ever++;
		sk_waitq_wake(&p->opening_writers);
		sk_waitq_wake(&p->writable);
	}
	file->offset = (int64_t)p->writers_ever;
	if (mode != SK_O_RDONLY) {
		p->writers++;
		p->writers_ever++;
		sk_waitq_wake(&p->opening_readers);
		sk_waitq_wake(&p->readable);
	}
	file->ops = &pipe_ops;
	file->data = p;
}

static int pipe_files(struct sk_kernel *k, uint32_t flags,
		      struct sk_file *ends[2])
{
	struct sk_pipe *p = pipe_new(k);
	int error;

	if (!p)
		return -SK_ENOMEM;
	error = sk_file_new(k, &pipe_ops, SK_O_RDONLY | flags, &ends[0]);
	if (error)
		goto free_pipe;
	attach(p, ends[0]);
	ends[0]->ino = ++k->next_generation;
	error = sk_file_new(k, &pipe_ops, SK_O_WRONLY | flags, &ends[1]);
	if (error)
		goto put_reader;
	attach(p, ends[1]);
	ends[1]->ino = ends[0]->ino;
	return 0;

put_reader:
	sk_file_put(ends[0]);
	return error;
free_pipe:
	pipe_free(p);
	return error;
}

int64_t sk_fd_install_pair(struct sk_task *t, struct sk_file *ends[2],
			   bool cloexec, sk_user to)
{
	int32_t fds[2];
	int error;

	fds[0] = sk_fd_install(t, ends[0], 0, cloexec);
	if (fds[0] < 0) {
		sk_file_put(ends[1]);
		return fds[0];
	}
	fds[1] = sk_fd_install(t, ends[1], 0, cloexec);
	error = fds[1];
	if (fds[1] < 0)
		goto close_first;
	error = sk_copy_out(t, to, fds, sizeof(fds));
	if (!error)
		return 0;
	sk_fd_close(t, fds[1]);
close_first:
	sk_fd_close(t, fds[0]);
	return error;
}

int64_t sk_sys_pipe2(struct sk_task *t, const uint64_t *a)
{
	uint32_t flags = (uint32_t)a[1];
	struct sk_file *ends[2];
	int error;

	if (flags & ~(uint32_t)(SK_O_CLOEXEC | SK_O_NONBLOCK))
		return -SK_EINVAL;
	error = pipe_files(sk_kernel_of(t), flags & SK_O_NONBLOCK, ends);
	if (error)
		return error;
	return sk_fd_install_pair(t, ends, flags & SK_O_CLOEXEC, (sk_user)a[0]);
}

static struct sk_pipe *fifo_pipe(struct sk_inode *i, bool waited)
{
	struct sk_pipe *p = i->special;

	if (!p) {
		p = i->special = pipe_new(i->kernel);
		if (p)
			p->named = true;
	} else if (!has_reader(p) && !has_writer(p) && !waited) {
		/* Left by an opener that died before it came to read. */
		sk_buffer_fini(&p->data);
	}
	return p;
}

/*
 * Waits until `*ever` moves. The counter's value at the first try stays in
 * t->call.stage[1] (plus one, for 0 means that there was none).
 */
static int64_t wait_other(struct sk_task *t, struct sk_waitq *q,
			  uint64_t ever)
{
	if (!t->call.stage[1])
		t->call.stage[1] = ever + 1;
	if (t->call.stage[1] != ever + 1)
		return 0;
	return sk_wait_on(t, q);
}

int sk_fifo_open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		 struct sk_file *file)
{
	struct sk_pipe *p = fifo_pipe(i, t->call.stage[1] != 0);
	uint32_t mode = flags & SK_O_ACCMODE;
	int64_t error = 0;

	if (!p)
		return -SK_ENOMEM;
	if (mode == SK_O_RDONLY && !has_writer(p) && !(flags & SK_O_NONBLOCK))
		error = wait_other(t, &p->opening_readers, p->writers_ever);
	if (mode == SK_O_WRONLY && !has_reader(p)) {
		error = flags & SK_O_NONBLOCK ?
				-SK_ENXIO :
				wait_other(t, &p->opening_writers,
					   p->readers_ever);
	}
	if (error)
		return (int)error;
	attach(p, file);
	return 0;
}

void sk_fifo_forget(struct sk_inode *i)
{
	if (i->special)
		pipe_free(i->special);
	i->special = NULL;
}
