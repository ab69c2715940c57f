/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/request.h"

#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_BITS 14 /* of an id; SK_REQUESTS_MAX places */
#define USES_MASK  0xffffu
#define FRAME_KEPT 16384 /* a larger buffer is not kept for the next one */

static int add_place(struct sk_requests *requests)
{
	struct sk_request *request;

	if (requests->count == SK_REQUESTS_MAX)
		return -EAGAIN;
	if (requests->count == requests->cap) {
		uint32_t cap = requests->cap ? requests->cap * 2 : 64;
		struct sk_request **more =
			realloc(requests->at, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		requests->at = more;
		requests->cap = cap;
	}
	request = calloc(1, sizeof(*request));
	if (!request)
		return -ENOMEM;
	requests->at[requests->count++] = request;
	requests->free = requests->count;
	return 0;
}

/* Cuts the copied frame into its parts. 0 or -EPROTO. */
static int parse(struct sk_request *request)
{
	struct sk_cursor cursor = { request->frame,
				    request->frame + request->frame_length };
	struct sk_bytes name, value;
	uint32_t i;
	int err;

	err = sk_cursor_copy(&cursor, &request->head, sizeof(request->head));
	if (!err)
		err = sk_cursor_take(&cursor, request->head.method_len,
				     &request->method);
	if (!err)
		err = sk_cursor_take(&cursor, request->head.target_len,
				     &request->target);
	if (!err)
		err = sk_cursor_take(&cursor, request->head.host_len,
				     &request->host);
	if (!err)
		err = sk_cursor_take(&cursor, request->head.remote_len,
				     &request->remote);
	request->params = cursor;
	for (i = 0; !err && i < request->head.params; i++)
		err = sk_cursor_pair(&cursor, &name, &value);
	request->headers = cursor;
	for (i = 0; !err && i < request->head.headers; i++)
		err = sk_cursor_pair(&cursor, &name, &value);
	return err;
}

static int copy_frame(struct sk_request *request, const void *payload,
		      size_t length)
{
	if (length > request->frame_cap) {
		unsigned char *more = realloc(request->frame, length);

		if (!more)
			return -ENOMEM;
		request->frame = more;
		request->frame_cap = length;
	}
	if (length > 0)
		memcpy(request->frame, payload, length);
	request->frame_length = length;
	return 0;
}

int sk_request_open(struct sk_requests *requests, struct sk_request **out,
		    const void *payload, size_t length)
{
	struct sk_request *request;
	uint32_t place;
	int err = 0;

	if (!requests->free)
		err = add_place(requests);
	if (err)
		return err;
	place = requests->free - 1;
	request = requests->at[place];
	err = copy_frame(request, payload, length);
	if (!err)
		err = parse(request);
	if (err)
		return err;
	requests->free = request->next;
	request->uses = request->uses == USES_MASK ? 1 : request->uses + 1;
	request->id = request->uses << PLACE_BITS | place;
	request->out_window = SK_WINDOW;
	requests->live++;
	*out = request;
	return 0;
}

void sk_request_close(struct sk_requests *requests, struct sk_request *request)
{
	uint32_t place = request->id & (SK_REQUESTS_MAX - 1);
	unsigned char *frame = request->frame;
	size_t cap = request->frame_cap;
	uint32_t uses = request->uses;

	free(request->in);
	free(request->out_head);
	free(request->out);
	if (cap > FRAME_KEPT) {
		free(frame);
		frame = NULL;
		cap = 0;
	}
	memset(request, 0, sizeof(*request));
	request->frame = frame;
	request->frame_cap = cap;
	request->uses = uses;
	request->next = requests->free;
	requests->free = place + 1;
	requests->live--;
}

struct sk_request *sk_request_find(const struct sk_requests *requests,
				   uint32_t id)
{
	uint32_t place = id & (SK_REQUESTS_MAX - 1);

	if (place >= requests->count || !id || requests->at[place]->id != id)
		return NULL;
	return requests->at[place];
}

struct sk_request *sk_request_next(const struct sk_requests *requests,
				   uint32_t *from)
{
	while (*from < requests->count) {
		struct sk_request *request = requests->at[(*from)++];

		if (request->id)
			return request;
	}
	return NULL;
}

/* Appends to a buffer whose first `*at` bytes are gone. */
static int append(unsigned char **buffer, size_t *at, size_t *length,
		  size_t *cap, const void *bytes, size_t n)
{
	if (*at > 0) {
		memmove(*buffer, *buffer + *at, *length - *at);
		*length -= *at;
		*at = 0;
	}
	if (*length + n > *cap) {
		size_t want =
			*cap && *cap * 2 > *length + n ? *cap * 2 : *length + n;
		unsigned char *more = realloc(*buffer, want);

		if (!more)
			return -ENOMEM;
		*buffer = more;
		*cap = want;
	}
	memcpy(*buffer + *length, bytes, n);
	*length += n;
	return 0;
}

int sk_request_body_add(struct sk_request *request, const void *bytes,
			size_t length)
{
	size_t at = 0;

	if (length > SK_WINDOW - request->in_length)
		return -EPROTO;
	if (length == 0)
		return 0;
	return append(&request->in, &at, &request->in_length, &request->in_cap,
		      bytes, length);
}

int sk_request_out_add(struct sk_request *request, const void *bytes,
		       size_t length)
{
	if (length == 0)
		return 0;
	return append(&request->out, &request->out_at, &request->out_length,
		      &request->out_cap, bytes, length);
}
