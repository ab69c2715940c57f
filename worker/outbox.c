/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes up: responses, pieces of bodies, credit. Everything is tried at
 * once and straight into the ring; what the request's window or the ring does
 * not take stays with the request. It is tried again when CREDIT comes, or, if
 * the ring was full, at each turn (the gateway wakes us when it made room).
 *
 * A request is closed when its last byte is in the ring. Its unread body, if
 * there is any, is the gateway's to drop.
 */
#include "worker/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct sk_ring *ring_of(struct sk_channel *channel,
			       const struct sk_request *request)
{
	return &channel->peers[request->area].area.out;
}

static size_t unsent(const struct sk_request *request)
{
	return request->out_length - request->out_at;
}

static void wait_for_room(struct sk_channel *channel,
			  struct sk_request *request)
{
	if (request->in_flush)
		return;
	request->in_flush = 1;
	request->next_flush = channel->flush;
	channel->flush = request;
}

static void forget_flush(struct sk_channel *channel, struct sk_request *request)
{
	struct sk_request **at = &channel->flush;

	if (!request->in_flush)
		return;
	while (*at != request)
		at = &(*at)->next_flush;
	*at = request->next_flush;
}

void sk__channel_close(struct sk_channel *channel, struct sk_request *request)
{
	struct sk_peer *peer = &channel->peers[request->area];

	if (request->slot < peer->slots &&
	    peer->ids[request->slot] == request->id)
		peer->ids[request->slot] = 0;
	forget_flush(channel, request);
	sk_request_close(&channel->requests, request);
}

/* The RESPONSE frame, with as much body as window and frame allow. 0 or
 * -EAGAIN. */
static int flush_head(struct sk_channel *channel, struct sk_request *request)
{
	size_t body = unsent(request);
	struct sk_ring *ring = ring_of(channel, request);
	unsigned char *at;
	int last;

	if (body > SK_FRAME_MAX - request->out_head_length)
		body = SK_FRAME_MAX - request->out_head_length;
	if (body > request->out_window)
		body = request->out_window;
	last = request->out_ending && body == unsent(request);
	at = sk_ring_reserve(ring, (uint32_t)(request->out_head_length + body));
	if (!at)
		return -EAGAIN;
	memcpy(at, request->out_head, request->out_head_length);
	if (body > 0)
		memcpy(at + request->out_head_length,
		       request->out + request->out_at, body);
	sk_ring_commit(ring, SK_FRAME_RESPONSE, last ? SK_FRAME_END : 0,
		       request->slot, request->serial,
		       (uint32_t)(request->out_head_length + body));
	free(request->out_head);
	request->out_head = NULL;
	request->out_at += body;
	request->out_window -= (uint32_t)body;
	return last;
}

/* One BODY frame. 1: it was the last. 0 or -EAGAIN (no room), -ENOBUFS (no
 * window). */
static int flush_piece(struct sk_channel *channel, struct sk_request *request)
{
	size_t n = unsent(request);
	int last;

	if (n > request->out_window)
		n = request->out_window;
	if (n > SK_FRAME_MAX)
		n = SK_FRAME_MAX;
	last = request->out_ending && n == unsent(request);
	if (n == 0 && !last)
		return -ENOBUFS;
	if (sk_ring_push(
		    ring_of(channel, request), SK_FRAME_BODY,
		    last ? SK_FRAME_END : 0, request->slot, request->serial,
		    n ? request->out + request->out_at : NULL, (uint32_t)n))
		return -EAGAIN;
	request->out_at += n;
	request->out_window -= (uint32_t)n;
	return last;
}

/* Credit and the end of a broken response. 1: the request is over. 0 or
 * -EAGAIN. */
static int flush_signals(struct sk_channel *channel, struct sk_request *request)
{
	struct sk_ring *ring = ring_of(channel, request);
	uint32_t reason = SK_ABORT_BODY;

	if (request->out_aborted)
		return sk_ring_push(ring, SK_FRAME_ABORT, 0, request->slot,
				    request->serial, &reason, sizeof(reason))
			       ? -EAGAIN
			       : 1;
	if (request->in_credit) {
		if (sk_ring_push(ring, SK_FRAME_CREDIT, 0, request->slot,
				 request->serial, &request->in_credit,
				 sizeof(request->in_credit)))
			return -EAGAIN;
		request->in_credit = 0;
	}
	return 0;
}

int sk__outbox_flush(struct sk_channel *channel, struct sk_request *request)
{
	int state = flush_signals(channel, request);

	if (state == 0 && request->out_head)
		state = flush_head(channel, request);
	while (state == 0 && request->out_begun && !request->out_head &&
	       (unsent(request) > 0 || request->out_ending))
		state = flush_piece(channel, request);
	if (state == 1) {
		sk__channel_close(channel, request);
		return 1;
	}
	if (state == -EAGAIN)
		wait_for_room(channel, request);
	if (unsent(request) == 0) {
		request->out_at = 0;
		request->out_length = 0;
	}
	return 0;
}

int sk__outbox_drained(struct sk_channel *channel, uint32_t id)
{
	struct sk_request *request = sk_request_find(&channel->requests, id);

	if (request && request->relay)
		return sk_relay_go(channel, request->relay);
	if (!request || !request->out_waiting || request->out_length > 0 ||
	    request->out_head || request->out_window == 0)
		return 0;
	request->out_waiting = 0;
	channel->current = id;
	return sk_engine_hook(channel->engine, SK_HOOK_BODY_DRAIN, 1, id, 0);
}

int sk__outbox_retry(struct sk_channel *channel)
{
	struct sk_request *list = channel->flush;

	channel->flush = NULL;
	while (list) {
		struct sk_request *request = list;
		uint32_t id = request->id;
		int err;

		list = request->next_flush;
		request->in_flush = 0;
		if (sk__outbox_flush(channel, request))
			continue;
		err = sk__outbox_drained(channel, id);
		if (err != -ECANCELED)
			continue;
		/* The rest keeps its turn. */
		while (list) {
			request = list;
			list = request->next_flush;
			request->in_flush = 0;
			wait_for_room(channel, request);
		}
		return err;
	}
	return 0;
}

/* --- for natives --- */

/* The usual case: all of it into one frame of the ring. 1: done. */
static int respond_at_once(struct sk_channel *channel,
			   struct sk_request *request, const void *head,
			   size_t head_length, const void *body,
			   size_t body_length)
{
	struct sk_ring *ring = ring_of(channel, request);
	unsigned char *at;

	if (request->in_flush || body_length > request->out_window ||
	    head_length + body_length > SK_FRAME_MAX)
		return 0;
	at = sk_ring_reserve(ring, (uint32_t)(head_length + body_length));
	if (!at)
		return 0;
	memcpy(at, head, head_length);
	if (body_length > 0)
		memcpy(at + head_length, body, body_length);
	sk_ring_commit(ring, SK_FRAME_RESPONSE, SK_FRAME_END, request->slot,
		       request->serial, (uint32_t)(head_length + body_length));
	sk__channel_close(channel, request);
	return 1;
}

int sk_channel_respond(struct sk_channel *channel, struct sk_request *request,
		       const void *head, size_t head_length, const void *body,
		       size_t body_length, int last)
{
	int err;

	if (head_length > SK_FRAME_MAX)
		return -EMSGSIZE;
	if (last && respond_at_once(channel, request, head, head_length, body,
				    body_length))
		return 0;
	request->out_head = malloc(head_length);
	if (!request->out_head)
		return -ENOMEM;
	memcpy(request->out_head, head, head_length);
	request->out_head_length = head_length;
	err = sk_request_out_add(request, body, body_length);
	if (err) {
		free(request->out_head);
		request->out_head = NULL;
		return err;
	}
	request->out_begun = 1;
	request->out_ending = (uint8_t)last;
	sk__outbox_flush(channel, request);
	return 0;
}

int sk_channel_respond_text(struct sk_channel *channel,
			    struct sk_request *request, uint32_t status,
			    const char *text, size_t length)
{
	static const char name[] = "content-type";
	static const char value[] = "text/plain;charset=UTF-8";
	struct sk_response_head head = { length, status, 1 };
	unsigned char bytes[sizeof(head) + sizeof(struct sk_pair) +
			    sizeof(name) + sizeof(value)];
	unsigned char *end;

	memcpy(bytes, &head, sizeof(head));
	end = sk_pair_write(bytes + sizeof(head), name, sizeof(name) - 1, value,
			    sizeof(value) - 1);
	return sk_channel_respond(channel, request, bytes,
				  (size_t)(end - bytes), text, length, 1);
}

size_t sk__outbox_pass(struct sk_channel *channel, struct sk_request *request,
		       const unsigned char *bytes, size_t length)
{
	size_t sent = 0, n;

	if (request->in_flush || request->out_head || request->out_ending ||
	    request->out_aborted || unsent(request) > 0)
		return 0;
	while (sent < length && request->out_window > 0) {
		n = length - sent;
		if (n > request->out_window)
			n = request->out_window;
		if (sk_ring_append(ring_of(channel, request), SK_FRAME_BODY,
				   request->slot, request->serial, bytes + sent,
				   (uint32_t)n))
			break;
		request->out_window -= (uint32_t)n;
		sent += n;
	}
	return sent;
}

int64_t sk_channel_write(struct sk_channel *channel, struct sk_request *request,
			 const void *bytes, size_t length)
{
	size_t sent = sk__outbox_pass(channel, request, bytes, length), left;
	int err = sk_request_out_add(
		request, (const unsigned char *)bytes + sent, length - sent);

	if (err)
		return err;
	sk__outbox_flush(channel, request);
	left = unsent(request);
	if (left > 0 || request->out_window == 0) {
		request->out_waiting = 1;
		return 0;
	}
	return request->out_window;
}

void sk_channel_end(struct sk_channel *channel, struct sk_request *request)
{
	request->out_ending = 1;
	request->out_waiting = 0;
	sk__outbox_flush(channel, request);
}

void sk_channel_abort(struct sk_channel *channel, struct sk_request *request)
{
	request->out_aborted = 1;
	request->out_waiting = 0;
	sk__outbox_flush(channel, request);
}

void sk_channel_fail(struct sk_channel *channel, struct sk_request *request,
		     int status, const char *text)
{
	if (request->out_begun || request->out_aborted ||
	    sk_channel_respond_text(channel, request, (uint32_t)status, text,
				    strlen(text)))
		sk_channel_abort(channel, request);
}

void sk_channel_credit(struct sk_channel *channel, struct sk_request *request,
		       uint32_t bytes)
{
	request->in_credit += bytes;
	if (!request->in_flush && !flush_signals(channel, request))
		return;
	wait_for_room(channel, request);
}

struct sk_request *sk_channel_request(struct sk_channel *channel, uint32_t id)
{
	struct sk_request *request;

	if (!channel)
		return NULL;
	request = sk_request_find(&channel->requests, id);
	if (request)
		channel->touched = id;
	return request;
}
