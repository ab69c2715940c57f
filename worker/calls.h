/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls out: the area that this process shares with the egress, and what lives
 * on it (docs/egress.md). No JavaScriptCore here. A call is known to
 * JavaScript by a number that is never used for another one.
 */
#ifndef SK_WORKER_CALLS_H
#define SK_WORKER_CALLS_H

#include "ring/fetch.h"
#include "ring/ring.h"

#include <stddef.h>
#include <stdint.h>

struct sk_channel;
struct sk_request;

/* What hooks.call says of a call. */
enum sk_call_event {
	SK_CALL_REPLY,
	SK_CALL_READY,
	SK_CALL_DRAIN,
	SK_CALL_FAILED
};

struct sk_call {
	uint32_t number;  /* 0: this slot is free */
	uint32_t serial;  /* uses of this slot */
	uint32_t request; /* whose step started it, or 0 */

	unsigned char *frame; /* FETCH payload that is not sent yet */
	size_t frame_length;
	unsigned char *out; /* body that is not sent yet */
	size_t out_at, out_length, out_cap;
	uint32_t out_window; /* bytes that the egress takes now */
	uint8_t out_ending;  /* nothing will be added */
	uint8_t out_ended;   /* END is in the ring */
	uint8_t out_waiting; /* DRAIN is to be called */

	unsigned char *reply; /* REPLY payload */
	size_t reply_length;
	unsigned char *in; /* body that was not taken */
	size_t in_at, in_length, in_cap;
	uint32_t in_credit; /* to be given to the egress */
	uint8_t in_ended;
	uint8_t in_waiting; /* READY is to be called */
	uint32_t relay; /* the request that its body is the reply to, or 0 */

	uint32_t fail; /* enum sk_fail, or 0 */
	char *fail_text;
};

struct sk_calls {
	struct sk_area area;
	int live;
	int wake_fd;
	int lost;	 /* there was an egress, and there is none now */
	uint32_t active; /* slots in use */
	uint32_t first;	 /* slot that is flushed first in this turn */
	uint32_t most;	 /* limits.subrequests: calls of one request */
	uint32_t aborts; /* bits below: slots whose ABORT waits for room */
	uint8_t abort_due[SK_CALLS];
	struct sk_call at[SK_CALLS];
};

/* The egress has gone: its calls fail. Inside a turn, if there is a live one. */
void sk_calls_lose(struct sk_channel *channel);

/* A new egress, in place of an earlier one whose calls fail. The descriptors
 * become ours. 0 or -errno. Inside a turn, if there is a live one. */
int sk_calls_attach(struct sk_channel *channel, int area_fd, int wake_fd);

/* Takes in what came and sends what waited. 0 or -ECANCELED. Inside a turn. */
int sk_calls_serve(struct sk_channel *channel);

/* For the loop: as the rings of the gateways. sk_calls_publish wakes the
 * egress if it sleeps; sk_calls_sleep returns 0 when there is something. */
void sk_calls_publish(struct sk_calls *calls);
int sk_calls_sleep(struct sk_calls *calls);
void sk_calls_awake(struct sk_calls *calls);

/* --- for natives --- */

/* Starts a call for a request (or 0) with a FETCH payload (copied); `end`: there is no body. Returns
 * its number (> 0), or -ENOTCONN (no egress was ever given), -EAGAIN (it is being
 * restarted), -EMFILE (too many), -ENOMEM. */
int64_t sk_call_start(struct sk_calls *calls, uint32_t request,
		      const void *payload, size_t length, int end);

/* The live call of that number, or NULL. */
struct sk_call *sk_call_find(struct sk_calls *calls, uint32_t number);

/* More of the request's body. The free window after it, 0: wait for DRAIN,
 * -ENOMEM. */
int64_t sk_call_write(struct sk_calls *calls, struct sk_call *call,
		      const void *bytes, size_t length);
void sk_call_end(struct sk_calls *calls, struct sk_call *call);

/* Bytes of the reply's body; the heap buffer becomes the caller's. 1: `*out`
 * and `*length`. 0: nothing there yet, READY will come. -ENODATA: the end, the
 * number is dead from here on. */
int sk_call_read(struct sk_calls *calls, struct sk_call *call,
		 unsigned char **out, size_t *length);

/* The rest of the reply's body is the rest of that request's: it goes from ring
 * to ring without JavaScript. READY comes at the end. Nothing is to be read now,
 * and nobody else writes to the request. */
void sk_call_relay(struct sk_call *call, struct sk_request *request);

/* The request can take more: passes on what waited. 0 or -ECANCELED. */
int sk_relay_go(struct sk_channel *channel, uint32_t number);

/* Cancels; the number is dead from here on. */
void sk_call_abort(struct sk_calls *calls, struct sk_call *call);

/* Forgets a call that failed. */
void sk_call_close(struct sk_calls *calls, struct sk_call *call);

#endif
