/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests that live in this process, and the ids that JavaScript knows
 * them by. An id names one request for good: a place in the table and how often
 * that place was used, so that a late call finds nobody rather than another.
 */
#ifndef SK_REQUEST_H
#define SK_REQUEST_H

#include "ring/frame.h"

#include <stddef.h>
#include <stdint.h>

#define SK_REQUESTS_MAX 16384u

struct sk_request {
	uint32_t id; /* 0: this place is free */
	uint32_t slot;
	uint32_t serial;
	uint32_t area;	  /* index in the channel */
	uint32_t uses;	  /* of this place */
	uint32_t next;	  /* free list, index + 1 */
	uint8_t in_flush; /* on the channel's list of requests that wait for
			   * room in the ring */
	struct sk_request *next_flush;

	/* The REQUEST frame: a copy, checked; offsets into it. */
	unsigned char *frame;
	size_t frame_length;
	size_t frame_cap;
	struct sk_request_head head;
	struct sk_bytes method, target, host, remote;
	struct sk_cursor params, headers;

	/* The request's body: what came and was not taken, at most
	 * SK_WINDOW. */
	unsigned char *in;
	size_t in_length;
	size_t in_cap;
	uint32_t in_credit;   /* to be given to the gateway */
	uint8_t in_ended;     /* its last piece has come */
	uint8_t in_cancelled; /* nobody wants it */
	uint8_t in_waiting;   /* bodyReady is to be called */

	uint32_t calls; /* outbound calls that its steps began */

	/* The response. */
	unsigned char *out_head; /* RESPONSE payload that is not sent yet */
	size_t out_head_length;
	unsigned char *out; /* body that is not sent yet */
	size_t out_at;
	size_t out_length;
	size_t out_cap;
	uint32_t out_window; /* bytes that the gateway takes now */
	uint8_t out_begun;   /* respond was called */
	uint8_t out_ending;  /* nothing will be added */
	uint8_t out_aborted; /* it broke off; the gateway is to be told */
	uint8_t out_waiting; /* bodyDrain is to be called */
	uint32_t relay;	     /* the call whose body is the rest of it, or 0 */
};

struct sk_requests {
	struct sk_request **at;
	uint32_t count;
	uint32_t cap;
	uint32_t free; /* index + 1 of the first free place */
	uint32_t live;
};

/* A new request from a REQUEST payload, which is copied. 0, -EPROTO (it does not
 * parse), -ENOMEM, -EAGAIN (too many). */
int sk_request_open(struct sk_requests *requests, struct sk_request **out,
		    const void *payload, size_t length);

/* Ends one; its id is dead from here on. */
void sk_request_close(struct sk_requests *requests, struct sk_request *request);

/* The live request of that id, or NULL. */
struct sk_request *sk_request_find(const struct sk_requests *requests,
				   uint32_t id);

/* A live one from place `from` on, or NULL; `*from` moves behind it. */
struct sk_request *sk_request_next(const struct sk_requests *requests,
				   uint32_t *from);

/* Adds body bytes that came. 0, -ENOMEM, -EPROTO (more than the window). */
int sk_request_body_add(struct sk_request *request, const void *bytes,
			size_t length);

/* Adds body bytes to be sent. 0 or -ENOMEM. */
int sk_request_out_add(struct sk_request *request, const void *bytes,
		       size_t length);

/* What of `target` comes after "?", and what before. */
struct sk_bytes sk_request_query(const struct sk_request *request);
struct sk_bytes sk_request_path(const struct sk_request *request);

/* The absolute, normalised URL. A heap string for the caller, or NULL when
 * memory is out. */
char *sk_request_url(const struct sk_request *request, size_t *length);

#endif
