/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's terminal: a pty of the kernel whose master process 1 holds.
 * The real terminal is raw meanwhile (main.c), so that ^C and ^Z are bytes
 * like others and mean something inside only. Bytes wait in two buffers; a
 * full one stops the reading on its side.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "host/linux/host.h"
#include "host/linux/init.h"

#define START  1024
#define BUFFER 16384

struct flow {
	int from, to; /* descriptors of process 1 */
	size_t size, done;
	int ended;
	uint8_t data[BUFFER];
};

static void set_size(struct sk_init *i, int master)
{
	struct winsize real = { 0 };
	struct sk_abi_winsize size;

	if (ioctl(0, TIOCGWINSZ, &real) && ioctl(1, TIOCGWINSZ, &real))
		return;
	size = (struct sk_abi_winsize){ real.ws_row, real.ws_col,
					real.ws_xpixel, real.ws_ypixel };
	i->used = START;
	sk_init_call(i, SK_SYS_ioctl, (uint64_t)master, SK_TIOCSWINSZ,
		     sk_init_put(i, &size, sizeof(size)), 0);
}

/* The pty's master; `slave` is its other end's path. */
static int open_pty(struct sk_init *i, char *slave, size_t size)
{
	const int32_t zero = 0;
	int32_t number;
	int64_t master;
	sk_user at;

	i->used = START;
	master = sk_init_call(
		i, SK_SYS_openat, (uint64_t)SK_AT_FDCWD,
		sk_init_text(i, "/dev/ptmx"),
		SK_O_RDWR | SK_O_NOCTTY | SK_O_CLOEXEC | SK_O_NONBLOCK, 0);
	if (master < 0)
		return (int)master;
	at = sk_init_put(i, &zero, sizeof(zero));
	sk_init_call(i, SK_SYS_ioctl, (uint64_t)master, SK_TIOCSPTLCK, at, 0);
	sk_init_call(i, SK_SYS_ioctl, (uint64_t)master, SK_TIOCGPTN, at, 0);
	memcpy(&number, i->memory + at, sizeof(number));
	snprintf(slave, size, "/dev/pts/%d", number);
	set_size(i, (int)master);
	return (int)master;
}

/* Moves what can be moved now. */
static void pump(struct sk_init *i, struct flow *f)
{
	int64_t n;

	i->used = START;
	if (f->done == f->size && !f->ended) {
		n = sk_init_call(i, SK_SYS_read, (uint64_t)f->from, i->used,
				 BUFFER, 0);
		f->done = f->size = 0;
		if (n > 0) {
			memcpy(f->data, i->memory + i->used, (size_t)n);
			f->size = (size_t)n;
		} else if (n != -SK_EAGAIN && n != -SK_EINTR) {
			f->ended = 1;
		}
	}
	if (f->done == f->size)
		return;
	n = sk_init_call(i, SK_SYS_write, (uint64_t)f->to,
			 sk_init_put(i, f->data + f->done, f->size - f->done),
			 f->size - f->done, 0);
	if (n > 0)
		f->done += (size_t)n;
	else if (n != -SK_EAGAIN && n != -SK_EINTR)
		f->done = f->size; /* nobody takes it */
}

static void want(struct sk_abi_pollfd *p, const struct flow *f)
{
	if (f->done != f->size)
		*p = (struct sk_abi_pollfd){ f->to, SK_POLLOUT, 0 };
	else
		*p = (struct sk_abi_pollfd){ f->ended ? -1 : f->from, SK_POLLIN,
					     0 };
}

/* Sleeps until a flow can go on, or a signal (a child's end, a new size). */
static void rest(struct sk_init *i, const struct flow *in,
		 const struct flow *out, int timeout)
{
	struct sk_abi_timespec limit = { 0, timeout * INT64_C(1000000) };
	struct sk_abi_pollfd polled[2];
	sk_user at;

	want(&polled[0], in);
	want(&polled[1], out);
	i->used = START;
	at = sk_init_put(i, polled, sizeof(polled));
	sk_init_call(i, SK_SYS_ppoll, at, 2,
		     timeout < 0 ? 0 : sk_init_put(i, &limit, sizeof(limit)),
		     0);
}

/* What the program wrote before its end still has to come out. */
static void drain(struct sk_init *i, struct flow *out)
{
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		size_t before = out->size - out->done;

		pump(i, out);
		if (out->size == out->done && !before)
			break;
	}
}

int sk_init_terminal(struct sk_init *i)
{
	static struct flow in, out;
	char slave[32];
	int master = open_pty(i, slave, sizeof(slave));
	int32_t status;

	if (master < 0) {
		sk_host_say("no terminal: %s", strerror(-master));
		return 1;
	}
	i->pid = sk_init_spawn(i, slave);
	if (i->pid < 0)
		return -i->pid;
	in.from = sk_open_stream(i->task, i->streams[0],
				 SK_O_RDONLY | SK_O_NONBLOCK);
	out.to = sk_open_stream(i->task, i->streams[1],
				SK_O_WRONLY | SK_O_NONBLOCK);
	in.to = out.from = master;
	while (!sk_init_ended(i, SK_WNOHANG, &status)) {
		rest(i, &in, &out, -1);
		set_size(i, master);
		pump(i, &in);
		pump(i, &out);
	}
	drain(i, &out);
	return sk_init_status(status);
}
