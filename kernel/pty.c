/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The open files of a pty's two sides.
 *
 *     master: write -> line discipline -> slave: read
 *     master: read <- `out` (with the echo) <- slave: write
 *
 * A slave file remembers in `offset` how many hangups there were when it was
 * opened; more mean that it is dead: it is at the end, and EIO for the rest.
 */
#include "process.h"
#include "tty.h"

#define TENTH 100000000ll /* of a second, in ns: the unit of VTIME */
#define CHUNK 256u
#define GROWTH 8u /* bytes that one byte may be shown as: a tab */

#define MAJOR_TTY 5
#define MAJOR_PTS 136
#define TTY_OWN 0
#define TTY_PTMX 2

static bool dead(const struct sk_file *f)
{
	const struct sk_tty *tty = f->data;

	return !tty->master || f->offset != (int64_t)tty->hangups;
}

/* The slave. */

static int64_t take(struct sk_tty *tty, struct sk_io *io)
{
	int64_t count = sk_line_read(tty, io);

	sk_waitq_wake(&tty->in_changed);
	return count;
}

/* MIN 0: what is there, after TIME at most. */
static int64_t read_timed(struct sk_tty *tty, struct sk_task *t,
			  struct sk_io *io)
{
	int64_t time = tty->termios.cc[SK_VTIME] * TENTH, result;

	if (sk_line_ready(tty))
		return take(tty, io);
	if (!time)
		return 0;
	if (io->flags & SK_O_NONBLOCK)
		return -SK_EAGAIN;
	result = sk_wait_until(t, &tty->in_changed,
			       sk_now(tty->kernel, SK_CLOCK_MONOTONIC) + time);
	return result == -SK_ETIMEDOUT ? 0 : result;
}

/*
 * MIN bytes, or as many as came when TIME passed since the last one.
 * t->call.stage[0] is how many there were when the time was set.
 */
static int64_t read_raw(struct sk_tty *tty, struct sk_task *t,
			struct sk_io *io)
{
	int64_t time = tty->termios.cc[SK_VTIME] * TENTH, result;
	uint32_t ready = sk_line_ready(tty), need = tty->termios.cc[SK_VMIN];

	if (!need)
		return read_timed(tty, t, io);
	if (need > io->left)
		need = (uint32_t)io->left;
	if (ready >= need)
		return take(tty, io);
	if (io->flags & SK_O_NONBLOCK)
		return ready ? take(tty, io) : -SK_EAGAIN;
	if (!ready || !time) {
		t->call.deadline = SK_NEVER;
	} else if (t->call.stage[0] != ready) {
		t->call.stage[0] = ready;
		t->call.deadline =
			sk_now(tty->kernel, SK_CLOCK_MONOTONIC) + time;
	}
	result = sk_wait_on(t, &tty->in_changed);
	return result != -SK_PARK && ready ? take(tty, io) : result;
}

static int64_t slave_read(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io)
{
	struct sk_tty *tty = f->data;
	int error;

	if (dead(f))
		return 0;
	error = sk_tty_allow(tty, t, SK_SIGTTIN);
	if (error || !io->left)
		return error;
	if (!(tty->termios.lflag & SK_ICANON))
		return read_raw(tty, t, io);
	if (sk_line_ready(tty))
		return take(tty, io);
	if (io->flags & SK_O_NONBLOCK)
		return -SK_EAGAIN;
	return sk_wait_on(t, &tty->in_changed);
}

/* Shows what there is room for; the count, or -SK_EFAULT. */
static int64_t show(struct sk_tty *tty, struct sk_io *io)
{
	int64_t done = 0;

	while (io->left && !tty->stopped) {
		uint8_t bytes[CHUNK];
		uint32_t count = sk_buffer_room(&tty->out) / GROWTH;
		int64_t moved;

		if (!count)
			break;
		moved = sk_io_get(io, bytes, count < CHUNK ? count : CHUNK);
		if (moved < 0)
			return done ? done : moved;
		sk_line_output(tty, bytes, (size_t)moved);
		done += moved;
	}
	if (done)
		sk_waitq_wake(&tty->out_changed);
	return done;
}

/*
 * The end of one round of a write: done, or more when the queue was woken.
 * `moved` is what this round did, *done what the call did in all.
 */
static int64_t write_on(struct sk_task *t, struct sk_io *io,
			struct sk_waitq *q, int64_t moved, int64_t done)
{
	int64_t result;

	if (moved > 0)
		done += moved;
	if (moved < 0 || !io->left)
		return done ? done : moved;
	if (io->flags & SK_O_NONBLOCK)
		return done ? done : -SK_EAGAIN;
	if (done && !io->task)
		return done;
	t->call.done = done;
	result = sk_wait_on(t, q);
	return result != -SK_PARK && done ? done : result;
}

/* What earlier rounds did; io stands behind it. */
static int64_t write_again(const struct sk_task *t, struct sk_io *io)
{
	if (!io->task)
		return 0;
	sk_io_skip(io, (size_t)t->call.done);
	return t->call.done;
}

static int64_t slave_write(struct sk_file *f, struct sk_task *t,
			   struct sk_io *io)
{
	struct sk_tty *tty = f->data;
	int64_t done = write_again(t, io);
	int error = 0;

	if (dead(f))
		return done ? done : -SK_EIO;
	if (tty->termios.lflag & SK_TOSTOP)
		error = sk_tty_allow(tty, t, SK_SIGTTOU);
	if (error)
		return done ? done : error;
	return write_on(t, io, &tty->out_changed, show(tty, io), done);
}

static int64_t slave_ioctl(struct sk_file *f, struct sk_task *t,
			   uint32_t request, uint64_t arg)
{
	if (dead(f))
		return request == SK_TIOCSPGRP ? -SK_ENOTTY : -SK_EIO;
	return sk_tty_ioctl(f->data, t, request, (sk_user)arg, false);
}

static uint32_t slave_poll(struct sk_file *f, struct sk_waitq *queues[2],
			   uint32_t *count)
{
	struct sk_tty *tty = f->data;
	const uint8_t *cc = tty->termios.cc;
	uint32_t need = 1, ready = 0;

	queues[0] = &tty->in_changed;
	queues[1] = &tty->out_changed;
	*count = 2;
	if (dead(f))
		return SK_POLLIN | SK_POLLOUT | SK_POLLERR | SK_POLLHUP;
	if (!(tty->termios.lflag & SK_ICANON) && !cc[SK_VTIME] && cc[SK_VMIN])
		need = cc[SK_VMIN];
	if (sk_line_ready(tty) >= need)
		ready |= SK_POLLIN;
	if (!tty->stopped && sk_buffer_room(&tty->out) >= GROWTH * CHUNK)
		ready |= SK_POLLOUT;
	return ready;
}

static void slave_release(struct sk_file *f)
{
	struct sk_tty *tty = f->data;

	if (!--tty->slaves) {
		tty->left = true;
		sk_waitq_wake(&tty->out_changed);
	}
	sk_tty_put(tty);
}

static const struct sk_file_ops slave_ops = {
	.mode = SK_S_IFCHR | 0620,
	.read = slave_read,
	.write = slave_write,
	.ioctl = slave_ioctl,
	.poll = slave_poll,
	.release = slave_release,
};

static void open_slave(struct sk_tty *tty, struct sk_file *file)
{
	tty->refs++;
	tty->slaves++;
	tty->left = false;
	file->ops = &slave_ops;
	file->data = tty;
	file->offset = tty->hangups;
}

/* The master. */

static int64_t master_read(struct sk_file *f, struct sk_task *t,
			   struct sk_io *io)
{
	struct sk_tty *tty = f->data;
	int64_t count;

	if (!io->left)
		return 0;
	if (tty->out.used) {
		count = sk_buffer_read(&tty->out, io);
		sk_waitq_wake(&tty->out_changed);
		return count;
	}
	if (tty->left)
		return -SK_EIO;
	if (io->flags & SK_O_NONBLOCK)
		return -SK_EAGAIN;
	return sk_wait_on(t, &tty->out_changed);
}

/* Types what there is room for; the count, or -SK_EFAULT. */
static int64_t type(struct sk_tty *tty, struct sk_io *io)
{
	int64_t done = 0, moved = 0;

	while (io->left && sk_line_room(tty)) {
		uint8_t byte;

		moved = sk_io_get(io, &byte, 1);
		if (moved < 0)
			break;
		sk_line_input(tty, byte);
		done++;
	}
	if (done) {
		sk_waitq_wake(&tty->in_changed);
		sk_waitq_wake(&tty->out_changed);
	}
	return done ? done : moved;
}

static int64_t master_write(struct sk_file *f, struct sk_task *t,
			    struct sk_io *io)
{
	struct sk_tty *tty = f->data;
	int64_t done = write_again(t, io);

	return write_on(t, io, &tty->in_changed, type(tty, io), done);
}

static int64_t master_ioctl(struct sk_file *f, struct sk_task *t,
			    uint32_t request, uint64_t arg)
{
	struct sk_tty *tty = f->data;
	int32_t value;
	int error;

	switch (request) {
	case SK_TIOCGPTN:
		return sk_copy_out(t, (sk_user)arg, &tty->index,
				   sizeof(tty->index));
	case SK_TIOCSPTLCK:
		error = sk_copy_in(t, &value, (sk_user)arg, sizeof(value));
		if (!error)
			tty->locked = value != 0;
		return error;
	default:
		return sk_tty_ioctl(tty, t, request, (sk_user)arg, true);
	}
}

static uint32_t master_poll(struct sk_file *f, struct sk_waitq *queues[2],
			    uint32_t *count)
{
	struct sk_tty *tty = f->data;

	queues[0] = &tty->in_changed;
	queues[1] = &tty->out_changed;
	*count = 2;
	return (tty->out.used ? SK_POLLIN : 0u) |
	       (tty->left ? SK_POLLHUP : 0u) |
	       (sk_line_room(tty) ? SK_POLLOUT : 0u);
}

static void master_release(struct sk_file *f)
{
	struct sk_tty *tty = f->data;

	tty->master = false;
	sk_tty_hangup(tty);
	sk_tty_put(tty);
}

static const struct sk_file_ops master_ops = {
	.mode = SK_S_IFCHR | 0620,
	.read = master_read,
	.write = master_write,
	.ioctl = master_ioctl,
	.poll = master_poll,
	.release = master_release,
};

/* The devices. */

static int open_master(struct sk_kernel *k, struct sk_file *file)
{
	struct sk_tty *tty;
	int error = sk_tty_new(k, &tty);

	if (error)
		return error;
	tty->master = tty->locked = true;
	file->ops = &master_ops;
	file->data = tty;
	return 0;
}

static struct sk_tty *find(struct sk_kernel *k, uint32_t from)
{
	struct sk_tty *tty = k->ttys;

	while (tty && (tty->index < from || !tty->master))
		tty = tty->next;
	return tty;
}

static int open_index(struct sk_task *t, uint32_t index, uint32_t flags,
		      struct sk_file *file)
{
	struct sk_tty *tty = find(sk_kernel_of(t), index);

	if (!tty || tty->index != index)
		return -SK_ENXIO;
	if (tty->locked)
		return -SK_EIO;
	if (tty->exclusive)
		return -SK_EBUSY;
	open_slave(tty, file);
	if (!(flags & SK_O_NOCTTY))
		sk_tty_adopt(tty, t);
	return 0;
}

int sk_tty_open(struct sk_task *t, uint64_t rdev, uint32_t flags,
		struct sk_file *file)
{
	uint32_t major = (uint32_t)(rdev >> 8), minor = (uint32_t)rdev & 0xff;

	if (major == MAJOR_PTS)
		return open_index(t, minor, flags, file);
	if (major == MAJOR_TTY && minor == TTY_PTMX)
		return open_master(sk_kernel_of(t), file);
	if (major != MAJOR_TTY || minor != TTY_OWN || !t->process->tty)
		return -SK_ENXIO;
	open_slave(t->process->tty, file);
	return 0;
}

int sk_pty_next(struct sk_kernel *k, int from)
{
	const struct sk_tty *tty = find(k, from < 0 ? 0 : (uint32_t)from);

	return tty ? (int)tty->index : -1;
}
