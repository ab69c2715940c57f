/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A peer: one worker process that may call out. Its area is hostile input: a
 * frame is copied before it is parsed, and a peer that breaks the protocol is
 * cut off and named to the supervisor, which kills the process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "egress/egress.h"

/* Frames of one peer in one turn, so that none starves the others. */
#define FRAMES_PER_TURN 64

static int on_timer(CURLM *multi, long ms, void *data)
{
	struct peer *peer = data;

	(void)multi;
	peer->timer = ms < 0 ? 0 : egress_now() + (uint64_t)ms;
	if (ms == 0)
		peer->timer = 1; /* at once */
	return 0;
}

/* The sources of sockets that curl is done with are freed at the end of the
 * turn: an event for one may still lie in the batch. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *data,
		     void *socket_data)
{
	struct peer *peer = data;
	struct source *source = socket_data;
	uint32_t events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(peer->egress->epoll, EPOLL_CTL_DEL, fd, NULL);
		curl_multi_assign(peer->multi, fd, NULL);
		egress_discard(peer->egress, source);
		return 0;
	}
	if (what & CURL_POLL_IN)
		events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		events |= EPOLLOUT;
	if (!source) {
		source = calloc(1, sizeof(*source));
		if (!source)
			return -1;
		source->kind = SOURCE_SOCKET;
		source->peer = peer;
		source->fd = fd;
		curl_multi_assign(peer->multi, fd, source);
	}
	return egress_watch(peer->egress, fd, events, source) ? -1 : 0;
}

static int open_multi(struct peer *peer)
{
	peer->multi = curl_multi_init();
	if (!peer->multi)
		return -ENOMEM;
	curl_multi_setopt(peer->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(peer->multi, CURLMOPT_SOCKETDATA, peer);
	curl_multi_setopt(peer->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(peer->multi, CURLMOPT_TIMERDATA, peer);
	/* As many as there may be calls, or a busy pool closes and dials. */
	curl_multi_setopt(peer->multi, CURLMOPT_MAXCONNECTS, (long)SK_CALLS);
	return 0;
}

struct peer *peer_new(struct egress *egress, uint64_t proc,
		      struct policy *policy, const int fds[3])
{
	struct peer *peer = calloc(1, sizeof(*peer));

	if (!peer) {
		close(fds[1]);
		close(fds[2]);
		policy_free(policy);
		goto close_area;
	}
	peer->egress = egress;
	peer->proc = proc;
	peer->policy = policy;
	peer->wake_worker = fds[1];
	peer->wake_own = fds[2];
	peer->wake_source.kind = SOURCE_WAKE;
	peer->wake_source.peer = peer;
	peer->wake_source.fd = fds[2];
	LIST_INIT(&peer->active);
	LIST_INIT(&peer->spare);
	if (open_multi(peer) ||
	    sk_area_map(&peer->area, fds[0], SK_AREA_GATEWAY) ||
	    egress_watch(egress, fds[2], EPOLLIN | EPOLLET, &peer->wake_source))
		goto free_peer;
	peer->next = egress->peers;
	egress->peers = peer;
	close(fds[0]);
	return peer;
free_peer:
	peer_free(peer);
	peer = NULL;
close_area:
	close(fds[0]);
	return peer;
}

void peer_free(struct peer *peer)
{
	struct call *call;

	peer->dead = 1;
	while ((call = LIST_FIRST(&peer->active)))
		call_free(call);
	while ((call = LIST_FIRST(&peer->spare))) {
		LIST_REMOVE(call, link);
		call_destroy(call);
	}
	curl_multi_cleanup(peer->multi);
	epoll_ctl(peer->egress->epoll, EPOLL_CTL_DEL, peer->wake_own, NULL);
	sk_area_unmap(&peer->area);
	close(peer->wake_worker);
	close(peer->wake_own);
	policy_free(peer->policy);
	free(peer);
}

void peer_hostile(struct peer *peer, const char *what)
{
	struct sk_message head = { .type = SK_MSG_EGRESS_HOSTILE,
				   .proc = peer->proc };

	if (peer->dead)
		return;
	peer->dead = 1;
	egress_say(peer->egress, &head, what, strlen(what));
}

static int start(struct peer *peer, const struct sk_frame *frame)
{
	unsigned char *copy;

	/* A slot is free to the worker process when it has aborted its call;
	 * here it is free when the abort is read, which comes first. */
	if (peer->calls[frame->slot])
		return -EPROTO;
	copy = malloc(frame->length + 1u);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, frame->data, frame->length);
	return call_start(peer, frame, copy);
}

static int is_known(uint16_t type)
{
	return type == SK_FRAME_BODY || type == SK_FRAME_CREDIT ||
	       type == SK_FRAME_ABORT;
}

static int take(struct peer *peer, const struct sk_frame *frame)
{
	struct call *call;
	uint32_t bytes;

	if (frame->slot >= SK_CALLS)
		return -EPROTO;
	if (frame->type == SK_FRAME_FETCH)
		return start(peer, frame);
	if (!is_known(frame->type))
		return -EPROTO;
	call = peer->calls[frame->slot];
	if (!call || call->serial != frame->serial)
		return 0; /* it ended while this was on its way */
	switch (frame->type) {
	case SK_FRAME_BODY:
		return call_body(call, frame);
	case SK_FRAME_CREDIT:
		if (frame->length != sizeof(bytes))
			return -EPROTO;
		memcpy(&bytes, frame->data, sizeof(bytes));
		return call_credit(call, bytes);
	default: /* ABORT */
		call_free(call);
		return 0;
	}
}

void peer_receive(struct peer *peer)
{
	struct sk_frame frame;
	int got, n = 0;

	while (!peer->dead && n++ < FRAMES_PER_TURN &&
	       (got = sk_ring_peek(&peer->area.in, &frame)) != 0) {
		if (got > 0)
			got = take(peer, &frame);
		if (got == -ENOMEM)
			peer_hostile(peer, "out of memory");
		else if (got < 0)
			peer_hostile(peer, "egress: protocol error");
		else
			sk_ring_pop(&peer->area.in, &frame);
	}
}

/* The ring may have room again. */
void peer_resume(struct peer *peer)
{
	struct call *call, *next;

	if (!peer->stuck)
		return;
	peer->stuck = 0;
	for (call = LIST_FIRST(&peer->active); call; call = next) {
		next = LIST_NEXT(call, link);
		call_resume(call);
	}
}

int peer_flush(struct peer *peer)
{
	sk_area_flush(&peer->area, peer->wake_worker);
	return !sk_ring_sleep(&peer->area.in);
}

/* Transfers that curl reports as finished. */
void peer_finished(struct peer *peer)
{
	struct call *call;
	CURLMsg *msg;
	CURLcode code;
	int left;

	while ((msg = curl_multi_info_read(peer->multi, &left))) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		code = msg->data.result;
		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE,
				  (char **)&call);
		call_end(call, code);
	}
}

void peer_expire(struct peer *peer, uint64_t now)
{
	struct call *call, *next;

	for (call = LIST_FIRST(&peer->active); call; call = next) {
		next = LIST_NEXT(call, link);
		if (call->done || !call->head_deadline ||
		    call->head_deadline > now)
			continue;
		call_fail(call, SK_FAIL_TIME, "no reply in time");
		call_end(call, CURLE_OK);
	}
}
