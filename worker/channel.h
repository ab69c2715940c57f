/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The channel: the areas that this process shares with gateways, the requests
 * that come over them, and the event loop. channel.c takes what comes down, outbox.c sends what goes up,
 * loop.c waits. No
 * JavaScriptCore here.
 */
#ifndef SK_CHANNEL_H
#define SK_CHANNEL_H

#include "ring/ring.h"
#include "worker/calls.h"
#include "worker/engine.h"
#include "worker/process.h"
#include "worker/request.h"

#define SK_AREAS 64

/* One gateway. */
struct sk_peer {
	struct sk_area area;
	int live;
	int wake_fd;
	uint32_t *ids; /* by slot: the request that it holds */
	uint32_t slots;
};

struct sk_channel {
	struct sk_process *process;
	struct sk_engine *engine;
	struct sk_requests requests;
	struct sk_peer peers[SK_AREAS];
	unsigned first_peer;	  /* is served first in this turn */
	unsigned peer_end;	  /* one more than the highest live index */
	struct sk_calls calls;	  /* the egress */
	struct sk_request *flush; /* wait for room in their ring */

	/* The turn that runs. */
	int budget;	    /* frames that may still be begun */
	uint32_t current;   /* the request whose hook runs, or 0 */
	uint32_t touched;   /* the request that natives asked about last */
	uint32_t tell_dead; /* its abort hook is due, or 0 */
	int events_due;	    /* the engine's own event sources want a look */

	/* The loop. */
	int epoll_fd;
	int wake_fd;
	int again;     /* there is reason for a turn at once */
	unsigned busy; /* steps that did not wait */
	int stopping;
	int new_egress[2]; /* area and wake, or -1: there is none */
	int egress_due;	   /* new_egress is to be taken in */
	int control_gone;
	int64_t engine_deadline; /* sk_now() time, or -1 */
	int64_t rest_deadline;	 /* collect garbage then, or -1 */
	uint64_t rest_memory;	 /* private memory after the last rest */
};

/* Sets up the loop. The descriptors stay the caller's. 0 or -errno. */
int sk_channel_open(struct sk_channel *channel, struct sk_process *process,
		    int wake_fd);

/* Waits at most `most` ms (-1: for ever), and serves what there is. 0, or
 * -ESHUTDOWN when the supervisor said stop or is gone. */
int sk_channel_step(struct sk_channel *channel, int most);

/* Takes in what the supervisor has said so far. */
void sk_channel_hear(struct sk_channel *channel);

/* Adds or ends an area. The descriptors become the channel's. 0 or -errno. */
int sk_channel_attach(struct sk_channel *channel, int32_t index, int area_fd,
		      int wake_fd);
void sk_channel_detach(struct sk_channel *channel, int32_t index);

/* --- for natives --- */

/* The live request of that id, or NULL; remembers that it was asked about. */
struct sk_request *sk_channel_request(struct sk_channel *channel, uint32_t id);

/* Begins the response: `head` is a RESPONSE payload without its body (the
 * struct, pairs), `body` the first bytes of the body or all of them, `last`
 * that there will be no more. 0, -ENOMEM, -EMSGSIZE (the head does not fit a
 * frame). The request may have ended when it returns. */
int sk_channel_respond(struct sk_channel *channel, struct sk_request *request,
		       const void *head, size_t head_length, const void *body,
		       size_t body_length, int last);

/* A plain-text answer with a status. */
int sk_channel_respond_text(struct sk_channel *channel,
			    struct sk_request *request, uint32_t status,
			    const char *text, size_t length);

/* More body. Returns the window that is free after it, 0: wait for bodyDrain,
 * or -ENOMEM. */
int64_t sk_channel_write(struct sk_channel *channel, struct sk_request *request,
			 const void *bytes, size_t length);

/* No more body. The request may have ended when it returns. */
void sk_channel_end(struct sk_channel *channel, struct sk_request *request);

/* The response broke off, or cannot be begun. */
void sk_channel_abort(struct sk_channel *channel, struct sk_request *request);

/* Answers 500 or 503 in plain words, or breaks off what was begun. */
void sk_channel_fail(struct sk_channel *channel, struct sk_request *request,
		     int status, const char *text);

/* Tells the gateway that `bytes` of the request's body were taken. */
void sk_channel_credit(struct sk_channel *channel, struct sk_request *request,
		       uint32_t bytes);

/* --- channel.c, for loop.c --- */

/* One turn. 1 when there is reason for another at once. */
int sk__channel_turn(struct sk_channel *channel);

/* Changes over to `new_egress`. Inside a turn, if there is a live egress. */
void sk__channel_take_egress(struct sk_channel *channel);

/* --- outbox.c, for the channel --- */

/* Sends what window and ring allow. 1: the request is over and was closed. */
int sk__outbox_flush(struct sk_channel *channel, struct sk_request *request);

/* Closes a request: its slot and its place. */
void sk__channel_close(struct sk_channel *channel, struct sk_request *request);

/* Tries the requests that wait for room again, and tells JavaScript about
 * those that have room. 0 or -ECANCELED. */
int sk__outbox_retry(struct sk_channel *channel);

/* Body straight into the ring, as far as window and ring go, when nothing waits
 * before it. The bytes that went. */
size_t sk__outbox_pass(struct sk_channel *channel, struct sk_request *request,
		       const unsigned char *bytes, size_t length);

/* A request has room again: bodyDrain, or what is relayed to it goes on. 0 or
 * -ECANCELED. */
int sk__outbox_drained(struct sk_channel *channel, uint32_t id);

#endif
