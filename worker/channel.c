/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes down: frames, and what they do to a request.
 *
 * One turn serves up to TURN_REQUESTS new requests, over all gateways, under
 * one entry into the engine; then responses are published together. A turn is
 * cut short when a hook ran long, so that the answers before it do not wait.
 */
#include "worker/channel.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURN_REQUESTS 64
#define SLOTS_MAX     65536u

static const char over_cpu[] = "route over its limit: cpu\n";
static const char over_memory[] = "route over its limit: memory\n";

int sk_channel_attach(struct sk_channel *channel, int32_t index, int area_fd,
		      int wake_fd)
{
	struct sk_peer *peer;
	int err;

	if (index < 0 || index >= SK_AREAS || channel->peers[index].live) {
		err = -EINVAL;
		goto close_fds;
	}
	peer = &channel->peers[index];
	err = sk_area_map(&peer->area, area_fd, SK_AREA_WORKER);
	if (err)
		goto close_fds;
	close(area_fd);
	peer->wake_fd = wake_fd;
	peer->live = 1;
	if ((unsigned)index >= channel->peer_end)
		channel->peer_end = (unsigned)index + 1;
	return 0;

close_fds:
	close(area_fd);
	close(wake_fd);
	return err;
}

/* --- ends of requests --- */

struct ending {
	struct sk_channel *channel;
	uint32_t id;
	uint32_t reason;
};

static int tell_abort(struct sk_channel *channel, uint32_t id, uint32_t reason)
{
	channel->current = 0;
	return sk_engine_hook(channel->engine, SK_HOOK_ABORT, 2, id, reason);
}

static int end_from_outside(struct sk_channel *channel,
			    struct sk_request *request, uint32_t reason)
{
	uint32_t id = request->id;
	/* JavaScript has let go of a request that it answered in full. */
	int known = !request->out_ending;

	sk__channel_close(channel, request);
	return known ? tell_abort(channel, id, reason) : 0;
}

static void end_body(void *arg)
{
	struct ending *ending = arg;

	tell_abort(ending->channel, ending->id, ending->reason);
}

void sk_channel_detach(struct sk_channel *channel, int32_t index)
{
	struct sk_request *request;
	struct sk_peer *peer;
	uint32_t from = 0;

	if (index < 0 || index >= SK_AREAS || !channel->peers[index].live)
		return;
	peer = &channel->peers[index];
	while ((request = sk_request_next(&channel->requests, &from))) {
		struct ending ending = { channel, request->id,
					 SK_ABORT_SHUTDOWN };
		int known = !request->out_ending;

		if (request->area != (uint32_t)index)
			continue;
		sk__channel_close(channel, request);
		if (known)
			sk_engine_turn(channel->engine, end_body, &ending);
	}
	sk_area_unmap(&peer->area);
	close(peer->wake_fd);
	free(peer->ids);
	memset(peer, 0, sizeof(*peer));
	while (channel->peer_end > 0 &&
	       !channel->peers[channel->peer_end - 1].live)
		channel->peer_end--;
}

/* --- frames --- */

static int grow_slots(struct sk_peer *peer, uint32_t slot)
{
	uint32_t want = peer->slots ? peer->slots : 64;
	uint32_t *more;

	if (slot >= SLOTS_MAX)
		return -EPROTO;
	while (want <= slot)
		want *= 2;
	more = realloc(peer->ids, want * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + peer->slots, 0, (want - peer->slots) * sizeof(*more));
	peer->ids = more;
	peer->slots = want;
	return 0;
}

/* The string that request() returned, into the ring. */
static void send_text(struct sk_channel *channel, struct sk_request *request)
{
	static unsigned char head[128];
	static size_t head_length;
	struct sk_ring *ring = &channel->peers[request->area].area.out;
	size_t size = sk_engine_text_size(channel->engine);
	struct sk_response_head fixed = { 0, 200, 1 };
	unsigned char *at = NULL;
	char *heap;

	if (head_length == 0)
		head_length = (size_t)(sk_pair_write(head + sizeof(fixed),
						     "content-type", 12,
						     "text/plain;"
						     "charset=UTF-8",
						     24) -
				       head);
	if (size <= SK_WINDOW && head_length + size <= SK_FRAME_MAX)
		at = sk_ring_reserve(ring, (uint32_t)(head_length + size));
	if (at) {
		memcpy(at, head, head_length);
		fixed.body_length = sk_engine_text_take(
			channel->engine, (char *)at + head_length);
		memcpy(at, &fixed, sizeof(fixed));
		sk_ring_commit(ring, SK_FRAME_RESPONSE, SK_FRAME_END,
			       request->slot, request->serial,
			       (uint32_t)(head_length + fixed.body_length));
		sk__channel_close(channel, request);
		return;
	}
	heap = malloc(size);
	if (heap) {
		size = sk_engine_text_take(channel->engine, heap);
		if (sk_channel_respond_text(channel, request, 200, heap, size))
			sk_channel_abort(channel, request);
		free(heap);
	} else {
		sk_channel_abort(channel, request);
	}
}

static int begin_request(struct sk_channel *channel, uint32_t id)
{
	struct sk_request *request;
	int result;

	channel->current = id;
	result = sk_engine_request(channel->engine, id);
	request = sk_request_find(&channel->requests, id);
	if (result == 1) {
		if (request && !request->out_begun)
			send_text(channel, request);
		else
			sk_engine_text_drop(channel->engine);
		return 0;
	}
	if (result == -EIO && request)
		sk_channel_fail(channel, request, 500,
				"Internal Server Error\n");
	return result == -ECANCELED ? result : 0;
}

static int on_request(struct sk_channel *channel, uint32_t area,
		      const struct sk_frame *frame)
{
	struct sk_peer *peer = &channel->peers[area];
	struct sk_request *request;
	int err = 0;

	if (frame->slot >= peer->slots)
		err = grow_slots(peer, frame->slot);
	if (err)
		return err;
	request = sk_request_find(&channel->requests, peer->ids[frame->slot]);
	if (request)
		err = end_from_outside(channel, request, SK_ABORT_CLIENT);
	if (err)
		return err;
	err = sk_request_open(&channel->requests, &request, frame->data,
			      frame->length);
	if (err == -EAGAIN || err == -ENOMEM) {
		uint32_t reason = SK_ABORT_BODY;

		sk_ring_push(&peer->area.out, SK_FRAME_ABORT, 0, frame->slot,
			     frame->serial, &reason, sizeof(reason));
		return 0;
	}
	if (err)
		return err;
	request->area = area;
	request->slot = frame->slot;
	request->serial = frame->serial;
	request->in_ended = (frame->flags & SK_FRAME_END) != 0;
	peer->ids[frame->slot] = request->id;
	channel->budget--;
	/* Before the handler runs: should this process die in it, the gateway
	 * must not give the request to another one. */
	sk_ring_mark(&peer->area.in, frame);
	return begin_request(channel, request->id);
}

static int on_body(struct sk_channel *channel, struct sk_request *request,
		   const struct sk_frame *frame)
{
	uint32_t id = request->id;

	if (frame->flags & SK_FRAME_END)
		request->in_ended = 1;
	if (request->in_cancelled) {
		sk_channel_credit(channel, request, frame->length);
		return 0;
	}
	if (sk_request_body_add(request, frame->data, frame->length)) {
		sk_process_logf(channel->process, SK_LEVEL_ERROR,
				"a request body did not fit");
		return end_from_outside(channel, request, SK_ABORT_BODY);
	}
	if (!request->in_waiting)
		return 0;
	request->in_waiting = 0;
	channel->current = id;
	return sk_engine_hook(channel->engine, SK_HOOK_BODY_READY, 1, id, 0);
}

static int on_credit(struct sk_channel *channel, struct sk_request *request,
		     const struct sk_frame *frame)
{
	uint32_t id = request->id, credit;

	if (frame->length != sizeof(credit))
		return -EPROTO;
	memcpy(&credit, frame->data, sizeof(credit));
	if (credit > SK_WINDOW - request->out_window)
		return -EPROTO;
	request->out_window += credit;
	if (request->in_flush || sk__outbox_flush(channel, request))
		return 0;
	return sk__outbox_drained(channel, id);
}

static int on_abort(struct sk_channel *channel, struct sk_request *request,
		    const struct sk_frame *frame)
{
	uint32_t reason = SK_ABORT_CLIENT;

	if (frame->length == sizeof(reason))
		memcpy(&reason, frame->data, sizeof(reason));
	return end_from_outside(channel, request, reason);
}

/* 0, -ECANCELED (a limit ended the turn) or another error: the gateway wrote
 * nonsense. */
static int on_frame(struct sk_channel *channel, uint32_t area,
		    const struct sk_frame *frame)
{
	struct sk_peer *peer = &channel->peers[area];
	struct sk_request *request;

	if (frame->type == SK_FRAME_REQUEST)
		return on_request(channel, area, frame);
	if (frame->slot >= peer->slots)
		return 0;
	request = sk_request_find(&channel->requests, peer->ids[frame->slot]);
	if (!request || request->serial != frame->serial)
		return 0; /* it ended while the frame was on its way */
	channel->budget--;
	if (frame->type == SK_FRAME_BODY)
		return on_body(channel, request, frame);
	if (frame->type == SK_FRAME_CREDIT)
		return on_credit(channel, request, frame);
	if (frame->type == SK_FRAME_ABORT)
		return on_abort(channel, request, frame);
	return -EPROTO;
}

/* --- the turn --- */

static int serve_peer(struct sk_channel *channel, uint32_t area)
{
	struct sk_peer *peer = &channel->peers[area];
	struct sk_frame frame;
	int err = 0, more = 0;

	while (!err && channel->budget > 0 &&
	       (more = sk_ring_peek(&peer->area.in, &frame)) == 1) {
		err = on_frame(channel, area, &frame);
		sk_ring_pop(&peer->area.in, &frame);
		if (sk_engine_turn_is_long(channel->engine))
			channel->budget = 0;
	}
	if (!err && more < 0)
		err = more;
	if (err && err != -ECANCELED) {
		sk_process_logf(channel->process, SK_LEVEL_ERROR,
				"the gateway's ring holds nonsense (%s)",
				strerror(-err));
		_exit(71);
	}
	return err;
}

void sk__channel_take_egress(struct sk_channel *channel)
{
	int err = 0;

	channel->egress_due = 0;
	if (channel->new_egress[0] < 0)
		sk_calls_lose(channel);
	else
		err = sk_calls_attach(channel, channel->new_egress[0],
				      channel->new_egress[1]);

	channel->new_egress[0] = channel->new_egress[1] = -1;
	if (err)
		sk_process_logf(channel->process, SK_LEVEL_ERROR,
				"the egress's area: %s", strerror(-err));
}

static void turn_body(void *arg)
{
	struct sk_channel *channel = arg;
	struct sk_process *process = channel->process;
	uint32_t dead = channel->tell_dead;
	unsigned i;

	channel->tell_dead = 0;
	if (dead && tell_abort(channel, dead, SK_ABORT_TIME))
		return;
	channel->current = 0;
	if (channel->events_due) {
		int wait = sk_engine_iterate(channel->engine);

		channel->events_due = 0;
		channel->engine_deadline =
			wait < 0 ? -1 : sk_now() + wait * INT64_C(1000000);
	}
	if (process->timer >= 0 && sk_now() >= process->timer) {
		process->timer = -1;
		if (sk_engine_hook(channel->engine, SK_HOOK_TIMERS, 0, 0, 0) ==
		    -ECANCELED)
			return;
	}
	if (channel->egress_due)
		sk__channel_take_egress(channel);
	if (sk_calls_serve(channel))
		return;
	if (channel->flush && sk__outbox_retry(channel))
		return;
	for (i = 0; i < channel->peer_end && channel->budget > 0; i++) {
		unsigned at = (channel->first_peer + i) % channel->peer_end;

		if (channel->peers[at].live && serve_peer(channel, at))
			return;
	}
	channel->first_peer++;
	channel->current = 0;
}

/* The request that a stopped step belonged to, as far as that can be known. */
static struct sk_request *culprit(struct sk_channel *channel)
{
	uint32_t id = channel->current ? channel->current : channel->touched;
	uint32_t from = 0;

	if (!id && channel->requests.live == 1)
		return sk_request_next(&channel->requests, &from);
	return sk_request_find(&channel->requests, id);
}

static void stopped(struct sk_channel *channel, enum sk_stop stop)
{
	uint64_t limit = sk_engine_memory_limit(channel->engine);
	struct sk_request *request = culprit(channel);
	const char *text = stop == SK_STOP_CPU ? over_cpu : over_memory;
	struct sk_message recycle = { .type = SK_MSG_RECYCLE };

	sk_process_logf(channel->process, SK_LEVEL_ERROR,
			"stopped: over its limit: %s",
			stop == SK_STOP_CPU ? "cpu" : "memory");
	if (request) {
		channel->tell_dead = request->id;
		sk_channel_fail(channel, request, 503, text);
	}
	if (stop != SK_STOP_MEMORY)
		return;
	sk_engine_rest(channel->engine);
	if (sk_engine_memory(channel->engine) > limit / 4 * 3)
		sk_message_send(channel->process->control_fd, &recycle,
				over_memory, strlen(over_memory) - 1, NULL, 0);
}

int sk__channel_turn(struct sk_channel *channel)
{
	struct sk_status_page *status = channel->process->status;
	enum sk_stop stop;

	channel->budget = TURN_REQUESTS;
	channel->touched = 0;
	if (status) {
		atomic_fetch_add_explicit(&status->turn, 1,
					  memory_order_relaxed);
		atomic_store_explicit(&status->in_turn, 1,
				      memory_order_relaxed);
	}
	stop = sk_engine_turn(channel->engine, turn_body, channel);
	if (stop)
		stopped(channel, stop);
	if (status) {
		atomic_store_explicit(&status->in_turn, 0,
				      memory_order_relaxed);
		atomic_store_explicit(&status->inflight, channel->requests.live,
				      memory_order_relaxed);
	}
	return stop != SK_STOP_NONE || channel->tell_dead;
}
