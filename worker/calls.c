/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls out, from this process's side. What the ring does not take stays with
 * its call and is tried again at each turn; the egress wakes us when it made
 * room. The egress is trusted, so what it writes is parsed without fear, but
 * bounds are checked all the same.
 */
#include "worker/calls.h"
#include "worker/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_PER_TURN 64
#define SERIAL_MAX	0xffffffu /* a number is serial and slot */

static uint32_t slot_of(const struct sk_calls *calls,
			const struct sk_call *call)
{
	return (uint32_t)(call - calls->at);
}

/* What follows is counted as a step of the request that made the call. */
static int tell(struct sk_channel *channel, const struct sk_call *call,
		enum sk_call_event event)
{
	int result;

	channel->current = call->request;
	result = sk_engine_hook(channel->engine, SK_HOOK_CALL, 2, call->number,
				(uint32_t)event);
	if (result == -ECANCELED)
		return result;
	channel->current = 0;
	return 0;
}

void sk_call_close(struct sk_calls *calls, struct sk_call *call)
{
	uint32_t serial = call->serial;

	free(call->frame);
	free(call->out);
	free(call->reply);
	free(call->in);
	free(call->fail_text);
	memset(call, 0, sizeof(*call));
	call->serial = serial;
	calls->active--;
}

struct sk_call *sk_call_find(struct sk_calls *calls, uint32_t number)
{
	struct sk_call *call = &calls->at[number % SK_CALLS];

	return number && call->number == number ? call : NULL;
}

/* --- sending --- */

static int send_frame(struct sk_calls *calls, struct sk_call *call)
{
	int err;

	if (!call->frame)
		return 0;
	err = sk_ring_push(&calls->area.out, SK_FRAME_FETCH,
			   call->out_ended ? SK_FRAME_END : 0,
			   slot_of(calls, call), call->serial, call->frame,
			   (uint32_t)call->frame_length);
	if (err)
		return err;
	free(call->frame);
	call->frame = NULL;
	return 0;
}

static int send_credit(struct sk_calls *calls, struct sk_call *call)
{
	int err;

	/* A relay is busy: fewer, larger steps. */
	if (!call->in_credit ||
	    (call->relay && call->in_credit < SK_CALL_WINDOW / 4))
		return 0;
	err = sk_ring_push(&calls->area.out, SK_FRAME_CREDIT, 0,
			   slot_of(calls, call), call->serial, &call->in_credit,
			   sizeof(call->in_credit));
	if (!err)
		call->in_credit = 0;
	return err;
}

/* Pieces as far as window and ring go. 0, -EAGAIN (ring). */
static int send_body(struct sk_calls *calls, struct sk_call *call)
{
	size_t n;
	int last, err;

	while (!call->out_ended) {
		n = call->out_length - call->out_at;
		if (n > call->out_window)
			n = call->out_window;
		if (n > SK_FRAME_MAX)
			n = SK_FRAME_MAX;
		last = call->out_ending && n == call->out_length - call->out_at;
		if (!n && !last)
			return 0;
		err = sk_ring_push(&calls->area.out, SK_FRAME_BODY,
				   last ? SK_FRAME_END : 0,
				   slot_of(calls, call), call->serial,
				   call->out + call->out_at, (uint32_t)n);
		if (err)
			return err;
		call->out_at += n;
		call->out_window -= (uint32_t)n;
		call->out_ended = (uint8_t)last;
	}
	return 0;
}

static void flush(struct sk_calls *calls, struct sk_call *call)
{
	if (!calls->live || call->fail)
		return;
	if (!send_frame(calls, call) && !send_credit(calls, call))
		send_body(calls, call);
	if (call->out_at == call->out_length)
		call->out_at = call->out_length = 0;
}

static void flush_aborts(struct sk_calls *calls)
{
	uint32_t slot;

	for (slot = 0; slot < SK_CALLS && calls->aborts; slot++) {
		if (!calls->abort_due[slot])
			continue;
		if (sk_ring_push(&calls->area.out, SK_FRAME_ABORT, 0, slot,
				 calls->at[slot].serial, NULL, 0))
			return;
		calls->abort_due[slot] = 0;
		calls->aborts--;
	}
}

/* --- receiving --- */

static int add_body(struct sk_call *call, const unsigned char *bytes,
		    size_t length)
{
	size_t want = call->in_length + length;
	unsigned char *more;

	if (want > SK_CALL_WINDOW)
		return -EPROTO;
	if (call->in_at && call->in_at + want > call->in_cap) {
		memmove(call->in, call->in + call->in_at, call->in_length);
		call->in_at = 0;
	}
	if (want > call->in_cap) {
		more = realloc(call->in, want);
		if (!more)
			return -ENOMEM;
		call->in = more;
		call->in_cap = want;
	}
	if (length)
		memcpy(call->in + call->in_at + call->in_length, bytes, length);
	call->in_length = want;
	return 0;
}

/* Straight on to the request that the call is relayed to, as far as its window
 * and its ring go. The bytes that went. */
static size_t pass_on(struct sk_channel *channel, struct sk_call *call,
		      const unsigned char *bytes, size_t length)
{
	struct sk_request *request =
		sk_request_find(&channel->requests, call->relay);
	size_t n =
		request ? sk__outbox_pass(channel, request, bytes, length) : 0;

	call->in_credit += call->in_ended ? 0 : (uint32_t)n;
	return n;
}

/* A relay tells JavaScript of its end only. */
static int tell_ready(struct sk_channel *channel, struct sk_call *call)
{
	if (!call->in_waiting ||
	    (call->relay && (call->in_length || !call->in_ended)))
		return 0;
	call->in_waiting = 0;
	return tell(channel, call, SK_CALL_READY);
}

static int relay(struct sk_channel *channel, struct sk_call *call)
{
	size_t n;

	if (!call->in_length || call->fail)
		return 0;
	n = pass_on(channel, call, call->in + call->in_at, call->in_length);
	call->in_length -= n;
	call->in_at = call->in_length ? call->in_at + n : 0;
	return n ? tell_ready(channel, call) : 0;
}

int sk_relay_go(struct sk_channel *channel, uint32_t number)
{
	struct sk_call *call = sk_call_find(&channel->calls, number);
	int err;

	if (!call || !call->relay)
		return 0;
	err = relay(channel, call);
	/* It may have ended there. */
	if (!err && call->number == number)
		flush(&channel->calls, call);
	return err;
}

static int on_body(struct sk_channel *channel, struct sk_call *call,
		   const struct sk_frame *frame)
{
	size_t gone = 0;

	if (call->relay && !call->in_length)
		gone = pass_on(channel, call, frame->data, frame->length);
	if (add_body(call, frame->data + gone, frame->length - gone))
		return -EPROTO;
	if (frame->flags & SK_FRAME_END)
		call->in_ended = 1;
	return tell_ready(channel, call);
}

static int on_reply(struct sk_channel *channel, struct sk_call *call,
		    const struct sk_frame *frame)
{
	if (call->reply)
		return -EPROTO;
	call->reply = malloc(frame->length + 1u);
	if (!call->reply)
		return -ENOMEM;
	memcpy(call->reply, frame->data, frame->length);
	call->reply_length = frame->length;
	call->in_ended = (frame->flags & SK_FRAME_END) != 0;
	return tell(channel, call, SK_CALL_REPLY);
}

static int on_credit(struct sk_channel *channel, struct sk_call *call,
		     const struct sk_frame *frame)
{
	struct sk_calls *calls = &channel->calls;
	uint32_t bytes;

	if (frame->length != sizeof(bytes))
		return -EPROTO;
	memcpy(&bytes, frame->data, sizeof(bytes));
	if (bytes > SK_CALL_WINDOW - call->out_window)
		return -EPROTO;
	call->out_window += bytes;
	flush(calls, call);
	if (!call->out_waiting || call->out_length || !call->out_window)
		return 0;
	call->out_waiting = 0;
	return tell(channel, call, SK_CALL_DRAIN);
}

static int on_fail(struct sk_channel *channel, struct sk_call *call,
		   const struct sk_frame *frame)
{
	struct sk_cursor cursor = { frame->data, frame->data + frame->length };
	struct sk_fail_head head;
	struct sk_bytes text;

	if (sk_cursor_copy(&cursor, &head, sizeof(head)) ||
	    sk_cursor_take(&cursor, head.text_len, &text))
		return -EPROTO;
	call->fail = head.kind ? head.kind : SK_FAIL_PROTOCOL;
	call->fail_text = strndup((const char *)text.data, text.length);
	return tell(channel, call, SK_CALL_FAILED);
}

static int on_frame(struct sk_channel *channel, const struct sk_frame *frame)
{
	struct sk_call *call;

	if (frame->slot >= SK_CALLS)
		return -EPROTO;
	call = &channel->calls.at[frame->slot];
	if (!call->number || call->serial != frame->serial || call->fail)
		return 0;
	switch (frame->type) {
	case SK_FRAME_REPLY:
		return on_reply(channel, call, frame);
	case SK_FRAME_BODY:
		return on_body(channel, call, frame);
	case SK_FRAME_CREDIT:
		return on_credit(channel, call, frame);
	case SK_FRAME_ABORT:
		return on_fail(channel, call, frame);
	default:
		return -EPROTO;
	}
}

static int receive(struct sk_channel *channel)
{
	struct sk_calls *calls = &channel->calls;
	struct sk_frame frame;
	int n = 0, err = 0;

	while (!err && n++ < FRAMES_PER_TURN &&
	       sk_ring_peek(&calls->area.in, &frame) == 1) {
		err = on_frame(channel, &frame);
		sk_ring_pop(&calls->area.in, &frame);
	}
	if (err && err != -ECANCELED)
		sk_process_logf(channel->process, SK_LEVEL_ERROR,
				"the egress's ring holds nonsense (%s)",
				strerror(-err));
	return err == -ECANCELED ? err : 0;
}

int sk_calls_serve(struct sk_channel *channel)
{
	struct sk_calls *calls = &channel->calls;
	uint32_t i, at;
	int err = calls->live ? receive(channel) : 0;

	if (calls->live)
		flush_aborts(calls);
	/* From another call on each time, so that none gets all the room. */
	calls->first++;
	for (i = 0; i < SK_CALLS && calls->active; i++) {
		at = (calls->first + i) % SK_CALLS;
		if (!calls->at[at].number)
			continue;
		if (!err && calls->at[at].relay)
			err = relay(channel, &calls->at[at]);
		flush(calls, &calls->at[at]);
	}
	return err;
}

/* --- the egress comes and goes --- */

void sk_calls_lose(struct sk_channel *channel)
{
	struct sk_calls *calls = &channel->calls;
	uint32_t i;

	calls->lost = 1;
	if (!calls->live)
		return;
	sk_area_unmap(&calls->area);
	close(calls->wake_fd);
	calls->live = 0;
	memset(calls->abort_due, 0, sizeof(calls->abort_due));
	calls->aborts = 0;
	for (i = 0; i < SK_CALLS; i++) {
		struct sk_call *call = &calls->at[i];

		if (!call->number || call->fail)
			continue;
		if (call->in_ended && call->reply)
			continue; /* it has all that it wants */
		call->fail = SK_FAIL_LOST;
		tell(channel, call, SK_CALL_FAILED);
	}
}

int sk_calls_attach(struct sk_channel *channel, int area_fd, int wake_fd)
{
	struct sk_calls *calls = &channel->calls;
	int err;

	sk_calls_lose(channel);
	err = sk_area_map(&calls->area, area_fd, SK_AREA_WORKER);
	close(area_fd);
	if (err) {
		close(wake_fd);
		return err;
	}
	calls->wake_fd = wake_fd;
	calls->live = 1;
	return 0;
}

void sk_calls_publish(struct sk_calls *calls)
{
	if (calls->live)
		sk_area_flush(&calls->area, calls->wake_fd);
}

int sk_calls_sleep(struct sk_calls *calls)
{
	return !calls->live || sk_ring_sleep(&calls->area.in);
}

void sk_calls_awake(struct sk_calls *calls)
{
	if (calls->live)
		sk_ring_awake(&calls->area.in);
}

/* --- for natives --- */

static struct sk_call *take_slot(struct sk_calls *calls)
{
	struct sk_call *call;
	uint32_t i;

	for (i = 0; i < SK_CALLS; i++) {
		call = &calls->at[i];
		if (call->number || calls->abort_due[i])
			continue;
		call->serial = call->serial % SERIAL_MAX + 1;
		call->number = call->serial * SK_CALLS + i;
		calls->active++;
		return call;
	}
	return NULL;
}

int64_t sk_call_start(struct sk_calls *calls, uint32_t request,
		      const void *payload, size_t length, int end)
{
	struct sk_call *call;

	if (!calls->live)
		return calls->lost ? -EAGAIN : -ENOTCONN;
	call = take_slot(calls);
	if (!call)
		return -EMFILE;
	call->request = request;
	call->out_window = SK_CALL_WINDOW;
	call->out_ending = call->out_ended = end != 0;
	call->frame = malloc(length);
	if (!call->frame) {
		sk_call_close(calls, call);
		return -ENOMEM;
	}
	memcpy(call->frame, payload, length);
	call->frame_length = length;
	flush(calls, call);
	return call->number;
}

int64_t sk_call_write(struct sk_calls *calls, struct sk_call *call,
		      const void *bytes, size_t length)
{
	size_t want = call->out_length + length;
	unsigned char *more;

	if (want > call->out_cap) {
		more = realloc(call->out, want);
		if (!more)
			return -ENOMEM;
		call->out = more;
		call->out_cap = want;
	}
	if (length)
		memcpy(call->out + call->out_length, bytes, length);
	call->out_length = want;
	flush(calls, call);
	if (call->out_length || !call->out_window) {
		call->out_waiting = 1;
		return 0;
	}
	return call->out_window;
}

void sk_call_end(struct sk_calls *calls, struct sk_call *call)
{
	call->out_ending = 1;
	flush(calls, call);
}

int sk_call_read(struct sk_calls *calls, struct sk_call *call,
		 unsigned char **out, size_t *length)
{
	if (call->relay && call->in_length)
		return 0;
	if (call->in_length) {
		*out = call->in;
		*length = call->in_length;
		call->in = NULL;
		call->in_length = call->in_cap = 0;
		if (!call->in_ended) {
			call->in_credit += (uint32_t)*length;
			flush(calls, call);
		}
		return 1;
	}
	if (call->in_ended) {
		sk_call_close(calls, call);
		return -ENODATA;
	}
	call->in_waiting = 1;
	return 0;
}

void sk_call_relay(struct sk_call *call, struct sk_request *request)
{
	call->relay = request->id;
	call->in_waiting = 1;
	request->relay = call->number;
}

void sk_call_abort(struct sk_calls *calls, struct sk_call *call)
{
	uint32_t slot = slot_of(calls, call);
	/* Whose FETCH never left, or whose end has come, is nobody's there. */
	int known =
		calls->live && !call->frame && !call->fail && !call->in_ended;

	sk_call_close(calls, call);
	if (!known)
		return;
	calls->abort_due[slot] = 1;
	calls->aborts++;
	flush_aborts(calls);
}
