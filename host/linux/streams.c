/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of the host: standard input and its kind. Those that can be opened
 * anew (pipes, terminals) get a description of their own that never blocks;
 * of others poll is asked first. One thread waits for all that are watched.
 *
 * A watch is in the table until it has been reported, or taken back; the
 * thread reports a cookie that it took out of the table without a lock held.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/linux/host.h"

#define WATCHES 256

struct watch {
	int handle;
	short events;
	void *cookie;
};

static struct {
	pthread_mutex_t lock;
	struct watch watches[WATCHES];
	unsigned count;
	int wake; /* eventfd: the table has changed */
	struct sk_kernel *kernel;
} streams = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = -1 };

int sk_stream_own(int fd, int flags)
{
	char path[64];
	struct stat st;
	int own = -1;

	if (fstat(fd, &st))
		return -1;
	/* A file's offset is shared with whoever gave it to us. */
	if (S_ISFIFO(st.st_mode) || isatty(fd)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		own = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static int ready(int handle, short events)
{
	struct pollfd p = { .fd = handle, .events = events };

	return poll(&p, 1, 0) != 0;
}

int64_t sk_stream_read(int handle, void *to, size_t size)
{
	ssize_t n;

	if (!ready(handle, POLLIN))
		return -SK_EAGAIN;
	n = read(handle, to, size);
	return n < 0 ? -errno : n;
}

int64_t sk_stream_write(int handle, const void *from, size_t size)
{
	ssize_t n = send(handle, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0 || errno != ENOTSOCK)
		return n < 0 ? -errno : n;
	if (!ready(handle, POLLOUT))
		return -SK_EAGAIN;
	/* A pipe that blocks has room for this much. */
	if (size > SK_PIPE_BUF && !(fcntl(handle, F_GETFL) & O_NONBLOCK))
		size = SK_PIPE_BUF;
	n = write(handle, from, size);
	return n < 0 ? -errno : n;
}

uint32_t sk_stream_poll(void *self, int handle)
{
	struct pollfd p = { .fd = handle, .events = POLLIN | POLLOUT };

	(void)self;
	return poll(&p, 1, 0) > 0 ? (uint32_t)p.revents : 0;
}

static void changed(void)
{
	const uint64_t one = 1;

	if (write(streams.wake, &one, sizeof(one)) < 0)
		return;
}

void sk_stream_watch(void *self, int handle, uint32_t events, void *cookie)
{
	struct watch w = { handle, (short)(events & (POLLIN | POLLOUT)),
			   cookie };
	int room;

	(void)self;
	pthread_mutex_lock(&streams.lock);
	room = streams.count < WATCHES;
	if (room)
		streams.watches[streams.count++] = w;
	pthread_mutex_unlock(&streams.lock);
	if (room)
		changed();
}

void sk_stream_unwatch(void *self, int handle, void *cookie)
{
	unsigned i;

	(void)self;
	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.count; i++)
		if (streams.watches[i].handle == handle &&
		    streams.watches[i].cookie == cookie)
			streams.watches[i--] = streams.watches[--streams.count];
	pthread_mutex_unlock(&streams.lock);
	changed();
}

/* One that was polled as ready leaves the table; 0 when it has left before. */
static int take(const struct watch *w)
{
	int found = 0;
	unsigned i;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.count && !found; i++)
		if (streams.watches[i].handle == w->handle &&
		    streams.watches[i].cookie == w->cookie) {
			streams.watches[i] = streams.watches[--streams.count];
			found = 1;
		}
	pthread_mutex_unlock(&streams.lock);
	return found;
}

static void *streams_main(void *arg)
{
	struct pollfd polled[WATCHES + 1];
	struct watch watched[WATCHES];
	unsigned count, i;
	uint64_t drop;

	(void)arg;
	for (;;) {
		polled[0] = (struct pollfd){ streams.wake, POLLIN, 0 };
		pthread_mutex_lock(&streams.lock);
		count = streams.count;
		for (i = 0; i < count; i++) {
			watched[i] = streams.watches[i];
			polled[i + 1] = (struct pollfd){ watched[i].handle,
							 watched[i].events, 0 };
		}
		pthread_mutex_unlock(&streams.lock);
		if (poll(polled, count + 1, -1) <= 0)
			continue;
		if (polled[0].revents &&
		    read(streams.wake, &drop, sizeof(drop)) < 0)
			continue;
		for (i = 0; i < count; i++)
			if (polled[i + 1].revents && take(&watched[i]))
				sk_kernel_host_event(streams.kernel,
						     watched[i].cookie);
	}
	return NULL;
}

int sk_streams_start(struct sk_kernel *k)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int err;

	streams.kernel = k;
	streams.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (streams.wake < 0)
		return -errno;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attributes, streams_main, NULL);
	pthread_attr_destroy(&attributes);
	return err ? -err : 0;
}
