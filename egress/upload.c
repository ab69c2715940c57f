/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a call's request: BODY frames to curl's read callback. */
#include <errno.h>
#include <string.h>

#include "egress/egress.h"

/* --- the request's body --- */

static void give_up_credit(struct call *call)
{
	uint32_t bytes = call->up_credit;

	if (!bytes)
		return;
	if (sk_ring_push(&call->peer->area.out, SK_FRAME_CREDIT, 0, call->slot,
			 call->serial, &bytes, sizeof(bytes)) == 0)
		call->up_credit = 0;
}

size_t call_on_read(char *to, size_t size, size_t count, void *data)
{
	struct call *call = data;
	size_t room = size * count, n;

	give_up_credit(call);
	if (!call->up_used) {
		if (call->up_end)
			return 0;
		call->up_paused = 1;
		return CURL_READFUNC_PAUSE;
	}
	n = call->up_used < room ? call->up_used : room;
	if (n > SK_CALL_WINDOW - call->up_start)
		n = SK_CALL_WINDOW - call->up_start;
	memcpy(to, call->up + call->up_start, n);
	call->up_start = (call->up_start + (uint32_t)n) % SK_CALL_WINDOW;
	call->up_used -= (uint32_t)n;
	call->up_credit += (uint32_t)n;
	give_up_credit(call);
	return n;
}

int call_body(struct call *call, const unsigned char *data, uint32_t length,
	      int end)
{
	uint32_t at, first;

	if (call->up_end || !call->up ||
	    length > SK_CALL_WINDOW - call->up_used)
		return -EPROTO;
	if (call->up_known && length > call->up_left)
		return -EPROTO;
	call->up_left -= call->up_known ? length : 0;
	if (end && call->up_known && call->up_left)
		return -EPROTO;
	at = (call->up_start + call->up_used) % SK_CALL_WINDOW;
	first = SK_CALL_WINDOW - at < length ? SK_CALL_WINDOW - at : length;
	memcpy(call->up + at, data, first);
	memcpy(call->up, data + first, length - first);
	call->up_used += length;
	call->up_end = end;
	if (call->up_paused)
		call_resume(call);
	return 0;
}
