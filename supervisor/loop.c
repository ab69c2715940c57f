/* SPDX-License-Identifier: BSD-2-Clause */
/* The event loop; see loop.h. */
#include "supervisor/loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

int sk_loop_init(struct sk_loop *loop)
{
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll < 0 ? -errno : 0;
}

void sk_loop_fini(struct sk_loop *loop)
{
	close(loop->epoll);
	loop->epoll = -1;
}

static int control(struct sk_loop *loop, int operation,
		   struct sk_source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	if (epoll_ctl(loop->epoll, operation, source->fd, &event) < 0)
		return -errno;
	return 0;
}

int sk_loop_add(struct sk_loop *loop, struct sk_source *source, uint32_t events)
{
	return control(loop, EPOLL_CTL_ADD, source, events);
}

int sk_loop_change(struct sk_loop *loop, struct sk_source *source,
		   uint32_t events)
{
	return control(loop, EPOLL_CTL_MOD, source, events);
}

void sk_loop_remove(struct sk_loop *loop, struct sk_source *source)
{
	(void)control(loop, EPOLL_CTL_DEL, source, 0);
}

void sk_loop_close(struct sk_loop *loop, struct sk_source *source)
{
	if (source->fd < 0)
		return;
	/* Others may hold the same open file: closing alone would leave it in
	 * the epoll set. */
	sk_loop_remove(loop, source);
	close(source->fd);
	source->fd = -1;
}

int sk_loop_step(struct sk_loop *loop, int timeout)
{
	struct epoll_event event;
	struct sk_source *source;
	int n;

	n = epoll_wait(loop->epoll, &event, 1, timeout);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return 0;
	source = event.data.ptr;
	source->ready(source, event.events);
	return 1;
}

int64_t sk_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
