/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the frames between a worker process and the egress hold; docs/egress.md
 * says who sends which. Integers are in the machine's byte order.
 */
#ifndef SK_FETCH_H
#define SK_FETCH_H

#include <stdint.h>

#include "ring/frame.h"

/* Beside BODY, CREDIT and ABORT of frame.h. */
#define SK_FRAME_FETCH 16 /* up */
#define SK_FRAME_REPLY 17 /* down */

#define SK_CALLS       256u
#define SK_CALL_WINDOW (128u * 1024u)

/* FETCH: this head, then method, URL, then `headers` pairs. */
struct sk_fetch_head {
	uint64_t body_length; /* bytes, 0, or SK_LENGTH_UNKNOWN */
	uint32_t flags;	      /* none yet: 0 */
	uint32_t timeout_ms;  /* until the reply's head; 0: the default */
	uint32_t method_len;
	uint32_t url_len;
	uint32_t headers;
	uint32_t request; /* worker's id of the request that it serves, or 0 */
};

/* REPLY: this head, then status text, then `headers` pairs. */
struct sk_reply_head {
	uint32_t status;
	uint32_t text_len;
	uint32_t headers;
	uint32_t reserved;
};

/* Why a call failed; what `cause.code` says in JavaScript. */
enum sk_fail {
	SK_FAIL_POLICY = 1, /* POLICY_VIOLATION */
	SK_FAIL_RESOLVE,    /* ENOTFOUND */
	SK_FAIL_CONNECT,    /* ECONNREFUSED and its kind */
	SK_FAIL_TLS,	    /* certificate or handshake */
	SK_FAIL_TIME,	    /* ETIMEDOUT */
	SK_FAIL_PROTOCOL,   /* the upstream broke HTTP, or left in the middle */
	SK_FAIL_LIMIT, /* too many calls, too large, a decompression bomb */
	SK_FAIL_BODY,  /* the request's body broke off */
	SK_FAIL_LOST   /* the egress died */
};

/* ABORT (down): this head, then text for people. */
struct sk_fail_head {
	uint32_t kind; /* enum sk_fail */
	uint32_t text_len;
};

#endif
