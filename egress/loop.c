/* SPDX-License-Identifier: BSD-2-Clause */
/* The egress's epoll loop and its control socket. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "egress/egress.h"

#define EVENTS	64
#define TICK_MS 250

uint64_t egress_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

int egress_watch(struct egress *egress, int fd, uint32_t events,
		 struct source *source)
{
	struct epoll_event event = { .events = events,
				     .data = { .ptr = source } };

	if (epoll_ctl(egress->epoll, EPOLL_CTL_ADD, fd, &event) == 0)
		return 0;
	if (errno == EEXIST &&
	    epoll_ctl(egress->epoll, EPOLL_CTL_MOD, fd, &event) == 0)
		return 0;
	return -errno;
}

void egress_discard(struct egress *egress, struct source *source)
{
	if (!source)
		return;
	source->discarded = 1;
	source->next = egress->discarded;
	egress->discarded = source;
}

/* --- control --- */

static struct peer *find_peer(struct egress *egress, uint64_t proc)
{
	struct peer *peer;

	for (peer = egress->peers; peer; peer = peer->next)
		if (peer->proc == proc && !peer->dead)
			return peer;
	return NULL;
}

static void add_peer(struct egress *egress, struct sk_received *message)
{
	struct policy *policy;
	char error[200] = "";
	int err;

	if (message->nfds != 3)
		return;
	err = policy_parse(&policy, (char *)message->payload, message->length,
			   error, sizeof(error));
	if (err) {
		egress_log(egress, NULL, SK_LEVEL_ERROR, "%s",
			   error[0] ? error : strerror(-err));
		return;
	}
	if (!peer_new(egress, message->head.proc, policy, message->fds))
		egress_log(egress, NULL, SK_LEVEL_ERROR,
			   "no memory for the calls of another process");
	message->fds[0] = message->fds[1] = message->fds[2] = -1;
}

static void on_control(struct egress *egress)
{
	static char buffer[SK_MESSAGE_MAX + 1];
	struct sk_received message;
	struct peer *peer;
	int got;

	for (;;) {
		got = sk_message_receive(egress->control, &message, buffer,
					 sizeof(buffer));
		if (got == -EAGAIN)
			return;
		if (got <= 0) { /* the supervisor is gone, and so are we */
			egress->stopping = 1;
			return;
		}
		switch (message.head.type) {
		case SK_MSG_EGRESS_AREA:
			add_peer(egress, &message);
			break;
		case SK_MSG_EGRESS_GONE:
			peer = find_peer(egress, message.head.proc);
			if (peer)
				peer->dead = 1;
			break;
		case SK_MSG_STOP:
			egress->stopping = 1;
			break;
		default:
			break;
		}
		sk_received_close(&message);
	}
}

/* --- the loop --- */

static void on_event(struct egress *egress, const struct epoll_event *event)
{
	struct source *source = event->data.ptr;
	int running, action = 0;

	switch (source->kind) {
	case SOURCE_CONTROL:
		if (event->events & EPOLLOUT)
			egress_say_waiting(egress);
		if (event->events & ~(uint32_t)EPOLLOUT)
			on_control(egress);
		return;
	case SOURCE_FILES:
		egress->outdated |= files_changed(egress->files);
		return;
	case SOURCE_WAKE:
		source->peer->woken = 1;
		return;
	case SOURCE_SOCKET:
		break;
	}
	if (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		action |= CURL_CSELECT_IN;
	if (event->events & EPOLLOUT)
		action |= CURL_CSELECT_OUT;
	if (event->events & EPOLLERR)
		action |= CURL_CSELECT_ERR;
	if (!source->discarded)
		curl_multi_socket_action(source->peer->multi, source->fd,
					 action, &running);
}

static void turn(struct egress *egress)
{
	uint64_t now = egress_now();
	struct peer *peer;
	int running;

	for (peer = egress->peers; peer; peer = peer->next) {
		/* No call without its line in the log. */
		if (!egress_is_behind(egress))
			peer_receive(peer);
		if (peer->dead)
			continue;
		if (peer->woken) {
			peer->woken = 0;
			peer_resume(peer);
		}
		if (peer->timer && peer->timer <= now) {
			peer->timer = 0;
			curl_multi_socket_action(
				peer->multi, CURL_SOCKET_TIMEOUT, 0, &running);
		}
		peer_finished(peer);
		if (now >= egress->next_tick)
			peer_expire(peer, now);
	}
	if (now >= egress->next_tick)
		egress->next_tick = now + TICK_MS;
}

static int is_idle(const struct egress *egress)
{
	const struct peer *peer;

	for (peer = egress->peers; peer; peer = peer->next)
		if (!LIST_EMPTY(&peer->active))
			return 0;
	return 1;
}

static void end_if_outdated(struct egress *egress)
{
	if (!egress->outdated || !is_idle(egress))
		return;
	egress_log(egress, NULL, SK_LEVEL_INFO,
		   "the resolver's files were replaced: begins anew");
	egress->stopping = 1;
}

static void bury(struct egress *egress)
{
	struct peer **at = &egress->peers, *dead;
	struct source *source;

	while (*at) {
		if (!(*at)->dead) {
			at = &(*at)->next;
			continue;
		}
		dead = *at;
		*at = dead->next;
		peer_free(dead);
	}
	while ((source = egress->discarded)) {
		egress->discarded = source->next;
		free(source);
	}
}

/* Publishes and declares us asleep; how long epoll may wait. */
static int prepare_wait(struct egress *egress)
{
	uint64_t now = egress_now(), until = UINT64_MAX;
	struct peer *peer;
	int busy = 0;

	for (peer = egress->peers; peer; peer = peer->next) {
		busy |= peer_flush(peer) && !egress_is_behind(egress);
		if (peer->timer && peer->timer < until)
			until = peer->timer;
		if (!LIST_EMPTY(&peer->active) && egress->next_tick < until)
			until = egress->next_tick;
	}
	if (busy || until <= now)
		return 0;
	return until == UINT64_MAX ? -1 : (int)(until - now);
}

int egress_loop(struct egress *egress)
{
	struct epoll_event events[EVENTS];
	struct peer *peer;
	int i, n;

	egress->control_source.kind = SOURCE_CONTROL;
	egress->control_source.fd = egress->control;
	if (egress_watch(egress, egress->control, EPOLLIN,
			 &egress->control_source))
		return -errno;
	egress->files_source.kind = SOURCE_FILES;
	if (egress->files >= 0 &&
	    egress_watch(egress, egress->files, EPOLLIN, &egress->files_source))
		return -errno;
	while (!egress->stopping) {
		n = epoll_wait(egress->epoll, events, EVENTS,
			       prepare_wait(egress));
		for (peer = egress->peers; peer; peer = peer->next)
			sk_ring_awake(&peer->area.in);
		if (n < 0 && errno != EINTR)
			return -errno;
		for (i = 0; i < n; i++)
			on_event(egress, &events[i]);
		turn(egress);
		bury(egress);
		end_if_outdated(egress);
	}
	for (peer = egress->peers; peer; peer = peer->next)
		peer->dead = 1;
	bury(egress);
	egress_say_fini(egress);
	return 0;
}
