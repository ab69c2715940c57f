/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event loop: turns while there is work, then what was made is published
 * and the gateways are woken, once, just before waiting. The order of
 * publishing, sleeping and looking again is docs/ring.md's.
 */
#include "worker/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define NS_PER_MS   INT64_C(1000000)
#define REST_AFTER  (1000 * NS_PER_MS) /* idle that long: collect garbage */
#define REST_GROWTH (UINT64_C(1) << 20)
#define BUSY_TURNS  16 /* turns without a look at the control socket */

enum event { EVENT_CONTROL, EVENT_WAKE, EVENT_ENGINE };

static int watch(struct sk_channel *channel, int fd, enum event which,
		 uint32_t events)
{
	struct epoll_event event = { .events = events,
				     .data.u32 = (uint32_t)which };

	return epoll_ctl(channel->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno
								       : 0;
}

int sk_channel_open(struct sk_channel *channel, struct sk_process *process,
		    int wake_fd)
{
	int err;

	memset(channel, 0, sizeof(*channel));
	channel->process = process;
	channel->engine = process->engine;
	channel->wake_fd = wake_fd;
	channel->engine_deadline = -1;
	channel->rest_deadline = -1;
	channel->new_egress[0] = channel->new_egress[1] = -1;
	channel->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (channel->epoll_fd < 0)
		return -errno;
	err = watch(channel, process->control_fd, EVENT_CONTROL, EPOLLIN);
	if (!err && wake_fd >= 0)
		err = watch(channel, wake_fd, EVENT_WAKE, EPOLLIN | EPOLLET);
	if (!err)
		err = watch(channel, sk_engine_event_fd(process->engine),
			    EVENT_ENGINE, EPOLLIN);
	if (err)
		close(channel->epoll_fd);
	return err;
}

/* --- control --- */

/* Calls of an earlier one fail inside a turn, so the next turn takes it in.
 * Without descriptors: there is no egress now. */
static void keep_egress(struct sk_channel *channel, int fds[2])
{
	int i;

	for (i = 0; i < 2; i++) {
		if (channel->new_egress[i] >= 0)
			close(channel->new_egress[i]);
		channel->new_egress[i] = fds[i];
		fds[i] = -1;
	}
	channel->egress_due = 1;
	if (!channel->calls.live)
		sk__channel_take_egress(channel);
}

static void on_message(struct sk_channel *channel, struct sk_received *message)
{
	int err;

	switch (message->head.type) {
	case SK_MSG_AREA:
		if (message->nfds != 2)
			break;
		err = sk_channel_attach(channel, message->head.value,
					message->fds[0], message->fds[1]);
		message->fds[0] = message->fds[1] = -1;
		if (err)
			sk_process_logf(channel->process, SK_LEVEL_ERROR,
					"area %d: %s", message->head.value,
					strerror(-err));
		break;
	case SK_MSG_AREA_GONE:
		sk_channel_detach(channel, message->head.value);
		break;
	case SK_MSG_EGRESS:
		keep_egress(channel, message->fds);
		break;
	case SK_MSG_STOP:
		channel->stopping = 1;
		break;
	default:
		break;
	}
}

void sk_channel_hear(struct sk_channel *channel)
{
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	struct sk_received message;
	int got;

	for (;;) {
		got = sk_message_receive(channel->process->control_fd, &message,
					 buffer, sizeof(buffer));
		if (got == -EPROTO || got == -EINTR)
			continue;
		if (got != 1)
			break;
		on_message(channel, &message);
		sk_received_close(&message);
	}
	if (got != -EAGAIN)
		channel->control_gone = 1;
}

/* --- publishing and waiting --- */

static void publish(struct sk_channel *channel)
{
	unsigned i;

	for (i = 0; i < channel->peer_end; i++) {
		struct sk_peer *peer = &channel->peers[i];

		if (!peer->live)
			continue;
		sk_area_flush(&peer->area, peer->wake_fd);
	}
	sk_calls_publish(&channel->calls);
}

static void awake(struct sk_channel *channel, unsigned end)
{
	unsigned i;

	for (i = 0; i < end; i++)
		if (channel->peers[i].live)
			sk_ring_awake(&channel->peers[i].area.in);
}

/* 1: every gateway knows that we sleep. 0: there is something to do. */
static int fall_asleep(struct sk_channel *channel)
{
	unsigned i;

	for (i = 0; i < channel->peer_end; i++) {
		if (channel->peers[i].live &&
		    !sk_ring_sleep(&channel->peers[i].area.in)) {
			awake(channel, i + 1);
			return 0;
		}
	}
	if (sk_calls_sleep(&channel->calls))
		return 1;
	awake(channel, channel->peer_end);
	return 0;
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (a < 0)
		return b;
	return b < 0 || a < b ? a : b;
}

/* Milliseconds to wait, rounded up so that a timer is due when we wake. */
static int patience(const struct sk_channel *channel)
{
	int64_t due = earlier(
		channel->process->timer,
		earlier(channel->engine_deadline, channel->rest_deadline));
	int64_t now, ms;

	if (due < 0)
		return -1;
	now = sk_now();
	if (due <= now)
		return 0;
	ms = (due - now + NS_PER_MS - 1) / NS_PER_MS;
	return ms > 60000 ? 60000 : (int)ms;
}

/* Waits at most `timeout` and takes in what happened. 1 when there is reason
 * for a turn. */
static int wait_events(struct sk_channel *channel, int timeout)
{
	struct epoll_event events[4];
	int n = epoll_wait(channel->epoll_fd, events, 4, timeout);
	int turn = 0, i;

	for (i = 0; i < n; i++) {
		if (events[i].data.u32 == EVENT_CONTROL)
			sk_channel_hear(channel);
		if (events[i].data.u32 == EVENT_ENGINE)
			channel->events_due = 1;
		turn = 1;
	}
	return turn;
}

static int due(int64_t deadline, int64_t now)
{
	return deadline >= 0 && deadline <= now;
}

/* After a wait that nothing ended: which deadline is it? 1: a turn is due. */
static int deadlines(struct sk_channel *channel)
{
	int64_t now = sk_now();

	if (due(channel->engine_deadline, now)) {
		channel->engine_deadline = -1;
		channel->events_due = 1;
	}
	if (due(channel->rest_deadline, now)) {
		channel->rest_deadline = -1;
		if (sk_engine_memory(channel->engine) >
		    channel->rest_memory + REST_GROWTH) {
			sk_engine_rest(channel->engine);
			channel->rest_memory =
				sk_engine_memory(channel->engine);
		}
	}
	return channel->events_due || due(channel->process->timer, now);
}

static int over(const struct sk_channel *channel)
{
	return channel->control_gone ||
	       (channel->stopping && channel->requests.live == 0);
}

int sk_channel_step(struct sk_channel *channel, int most)
{
	if (channel->again || !fall_asleep(channel)) {
		if (++channel->busy % BUSY_TURNS == 0)
			wait_events(channel, 0);
	} else {
		int timeout = patience(channel);
		int turn;

		if (most >= 0 && (timeout < 0 || timeout > most))
			timeout = most;
		turn = wait_events(channel, timeout);
		awake(channel, channel->peer_end);
		sk_calls_awake(&channel->calls);
		if (!turn && !deadlines(channel))
			return over(channel) ? -ESHUTDOWN : 0;
	}
	channel->again = sk__channel_turn(channel);
	publish(channel);
	channel->rest_deadline = sk_now() + REST_AFTER;
	return over(channel) ? -ESHUTDOWN : 0;
}
