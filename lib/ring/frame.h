/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the frames of an area hold. See docs/ring.md for who sends which and
 * when. All integers are in the machine's byte order; strings carry no NUL.
 */
#ifndef SK_FRAME_H
#define SK_FRAME_H

#include <stdint.h>
#include <stddef.h>

enum sk_frame_type {
	SK_FRAME_REQUEST = 1, /* down */
	SK_FRAME_BODY = 2,    /* both ways */
	SK_FRAME_CREDIT = 3,  /* both ways */
	SK_FRAME_ABORT = 4,   /* both ways */
	SK_FRAME_RESPONSE = 5 /* up */
};

#define SK_FRAME_END 1u /* flag: no more body follows */

enum sk_abort_reason {
	SK_ABORT_CLIENT = 1,   /* the client went away */
	SK_ABORT_TIME = 2,     /* the route's wall time is up */
	SK_ABORT_SHUTDOWN = 3, /* the gateway is going away */
	SK_ABORT_BODY = 4      /* a body broke off */
};

#define SK_LENGTH_UNKNOWN UINT64_MAX

#define SK_REQUEST_SECURE 1u /* came over TLS */

/*
 * REQUEST: this head, then method, target (path and query as the client sent
 * them, origin form), host (the Host header, may be empty), remote address
 * (text), then `params` pairs, then `headers` pairs. A pair is a
 * struct sk_pair, then name, then value. Header names are lower case. Values
 * are bytes. Param values are percent-decoded.
 */
struct sk_request_head {
	uint64_t body_length; /* bytes, 0, or SK_LENGTH_UNKNOWN */
	uint32_t flags;	      /* SK_REQUEST_... */
	uint32_t method_len;
	uint32_t target_len;
	uint32_t host_len;
	uint32_t remote_len;
	uint32_t remote_port;
	uint32_t params;
	uint32_t headers;
};

/*
 * RESPONSE: this head, then `headers` pairs, then the first bytes of the body
 * up to the frame's end. body_length is what the gateway announces as
 * Content-Length (checked against what comes), or SK_LENGTH_UNKNOWN for a
 * stream.
 */
struct sk_response_head {
	uint64_t body_length;
	uint32_t status; /* 200 to 599 */
	uint32_t headers;
};

struct sk_pair {
	uint32_t name_len;
	uint32_t value_len;
};

/* A cursor over a payload; every call checks the bounds. */
struct sk_cursor {
	const unsigned char *at;
	const unsigned char *end;
};

struct sk_bytes {
	const unsigned char *data;
	size_t length;
};

/* Takes `length` bytes. 0, or -EPROTO when fewer are left. */
int sk_cursor_take(struct sk_cursor *cursor, size_t length,
		   struct sk_bytes *out);

/* Copies a fixed-size record out. 0 or -EPROTO. */
int sk_cursor_copy(struct sk_cursor *cursor, void *out, size_t size);

/* Takes one name/value pair. 0 or -EPROTO. */
int sk_cursor_pair(struct sk_cursor *cursor, struct sk_bytes *name,
		   struct sk_bytes *value);

/* Writes a pair at `at` and returns the address after it; the caller has
 * reserved sizeof(struct sk_pair) + name_len + value_len bytes. */
unsigned char *sk_pair_write(unsigned char *at, const void *name,
			     size_t name_len, const void *value,
			     size_t value_len);

#endif
