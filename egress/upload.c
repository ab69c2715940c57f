/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The body of a call's request: BODY frames to curl's read callback. What
 * curl has not taken lies in a ring of bytes that grows to the window.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "egress/egress.h"

#define SIZE_FIRST (16u * 1024u)

void upload_credit(struct call *call)
{
	uint32_t bytes = call->up_credit;

	/* In large steps, but never so late that both sides wait. */
	if (!bytes || (bytes < SK_CALL_WINDOW / 4 && call->up_used))
		return;
	if (sk_ring_push(&call->peer->area.out, SK_FRAME_CREDIT, 0, call->slot,
			 call->serial, &bytes, sizeof(bytes)) == 0)
		call->up_credit = 0;
	else
		call->peer->stuck = 1;
}

size_t call_on_read(char *to, size_t size, size_t count, void *data)
{
	struct call *call = data;
	size_t room = size * count, n, first;

	if (!call->up_used) {
		if (call->up_end)
			return 0;
		call->up_stall = STALL_PEER;
		return CURL_READFUNC_PAUSE;
	}
	n = call->up_used < room ? call->up_used : room;
	first = call->up_size - call->up_start;
	if (first > n)
		first = n;
	memcpy(to, call->up + call->up_start, first);
	memcpy(to + first, call->up, n - first);
	call->up_start = (call->up_start + (uint32_t)n) % call->up_size;
	call->up_used -= (uint32_t)n;
	call->up_credit += (uint32_t)n;
	upload_credit(call);
	return n;
}

static int grow(struct call *call, uint32_t need)
{
	uint32_t size = call->up_size ? call->up_size : SIZE_FIRST;
	uint32_t first = call->up_size - call->up_start;
	unsigned char *more;

	while (size < need)
		size *= 2;
	if (size == call->up_size)
		return 0;
	more = malloc(size);
	if (!more)
		return -ENOMEM;
	if (first > call->up_used)
		first = call->up_used;
	if (call->up_used) {
		memcpy(more, call->up + call->up_start, first);
		memcpy(more + first, call->up, call->up_used - first);
	}
	free(call->up);
	call->up = more;
	call->up_size = size;
	call->up_start = 0;
	return 0;
}

int upload_take(struct call *call, const unsigned char *data, uint32_t length,
		int end)
{
	uint32_t at, first;
	int err;

	/* What was taken and not yet credited still counts for the sender. */
	if (call->up_end ||
	    length > SK_CALL_WINDOW - call->up_used - call->up_credit)
		return -EPROTO;
	if (call->up_known && length > call->up_left)
		return -EPROTO;
	call->up_left -= call->up_known ? length : 0;
	if (end && call->up_known && call->up_left)
		return -EPROTO;
	call->up_end = end;
	if (!length)
		return 0;
	err = grow(call, call->up_used + length);
	if (err)
		return err;
	at = (call->up_start + call->up_used) % call->up_size;
	first = call->up_size - at < length ? call->up_size - at : length;
	memcpy(call->up + at, data, first);
	memcpy(call->up, data + first, length - first);
	call->up_used += length;
	return 0;
}
