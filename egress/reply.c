/* SPDX-License-Identifier: BSD-2-Clause */
/* The reply of a call: curl's header and write callbacks to frames. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "egress/egress.h"

#define PIECE (16u * 1024u) /* of a decoded body, in one frame */

/* --- the reply's head --- */

static void begin_head(struct call *call, const char *line, size_t length)
{
	const char *end = line + length, *at = line;
	size_t n;
	int digits;

	call->lines_used = 0;
	call->line_count = 0;
	call->coding[0] = 0;
	call->status = 0;
	while (at < end && *at != ' ')
		at++;
	while (at < end && *at == ' ')
		at++;
	for (digits = 0; digits < 3 && at < end && isdigit((unsigned char)*at);
	     digits++)
		call->status = call->status * 10 + (uint32_t)(*at++ - '0');
	while (at < end && *at == ' ')
		at++;
	while (end > at && (end[-1] == '\r' || end[-1] == '\n'))
		end--;
	n = (size_t)(end - at);
	if (n >= sizeof(call->reason))
		n = sizeof(call->reason) - 1;
	memcpy(call->reason, at, n);
	call->reason[n] = 0;
}

static void note_coding(struct call *call, const char *value, size_t length)
{
	/* A second field, or a long value, is no coding that we know. */
	if (call->coding[0] || length >= sizeof(call->coding))
		length = 0;
	snprintf(call->coding, sizeof(call->coding), "%.*s",
		 length ? (int)length : 1, length ? value : "?");
}

static int add_line(struct call *call, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length), *end = line + length;
	const char *value;
	size_t name_len, value_len, i;
	char *to;

	if (!colon || colon == line || memchr(line, 0, length))
		return 0; /* a folded or broken line is dropped */
	name_len = (size_t)(colon - line);
	value = colon + 1;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && isspace((unsigned char)end[-1]))
		end--;
	value_len = (size_t)(end - value);
	if (call->lines_used + name_len + value_len + 2 > EGRESS_HEADER_BYTES)
		return -EMSGSIZE;
	to = call->lines + call->lines_used;
	for (i = 0; i < name_len; i++)
		to[i] = (char)tolower((unsigned char)line[i]);
	to[name_len] = 0;
	if (strcmp(to, "content-encoding") == 0 && value_len)
		note_coding(call, value, value_len);
	memcpy(to + name_len + 1, value, value_len);
	to[name_len + 1 + value_len] = 0;
	call->lines_used += (uint32_t)(name_len + value_len + 2);
	call->line_count++;
	return 0;
}

/* A header that no longer tells the truth about a decoded body. */
static int is_stale(const struct call *call, const char *name)
{
	return call->decoder && (strcmp(name, "content-encoding") == 0 ||
				 strcmp(name, "content-length") == 0);
}

static unsigned char *write_lines(struct call *call, unsigned char *to,
				  uint32_t *count)
{
	const char *at = call->lines, *end = at + call->lines_used;
	const char *value;

	for (; at < end; at = value + strlen(value) + 1) {
		value = at + strlen(at) + 1;
		if (is_stale(call, at))
			continue;
		to = sk_pair_write(to, at, strlen(at), value, strlen(value));
		(*count)++;
	}
	return to;
}

int reply_send_head(struct call *call)
{
	struct sk_reply_head head = { .status = call->status };
	unsigned char *frame, *to;
	size_t size;

	head.text_len = (uint32_t)strlen(call->reason);
	size = sizeof(head) + head.text_len + call->lines_used +
	       (size_t)call->line_count * sizeof(struct sk_pair);
	if (size > SK_FRAME_MAX) {
		call_fail(call, SK_FAIL_LIMIT,
			  "the reply has too many header fields");
		return -EMSGSIZE;
	}
	frame = sk_ring_reserve(&call->peer->area.out, (uint32_t)size);
	if (!frame)
		return -EAGAIN;
	to = frame + sizeof(head);
	memcpy(to, call->reason, head.text_len);
	to = write_lines(call, to + head.text_len, &head.headers);
	memcpy(frame, &head, sizeof(head));
	sk_ring_commit(&call->peer->area.out, SK_FRAME_REPLY, 0, call->slot,
		       call->serial, (uint32_t)(to - frame));
	call->head_sent = 1;
	call->head_deadline = 0;
	return 0;
}

/* The head is complete. 0 or -errno with call->fail set. */
static int end_head(struct call *call)
{
	int err = 0;

	call->head_done = 1;
	if (call->coding[0])
		err = decoder_new(&call->decoder, call->coding,
				  &call->peer->decoders);
	if (err == -ENOMEM) {
		call_fail(call, SK_FAIL_LIMIT, "out of memory");
		return err;
	}
	return reply_send_head(call) == -EMSGSIZE ? -EMSGSIZE : 0;
}

size_t call_on_header(char *line, size_t size, size_t count, void *data)
{
	struct call *call = data;
	size_t length = size * count;

	if (call->head_done)
		return length; /* trailers */
	if (length >= 5 && memcmp(line, "HTTP/", 5) == 0) {
		begin_head(call, line, length);
		return length;
	}
	if (length <= 2 && (line[0] == '\r' || line[0] == '\n')) {
		if (call->status < 200)
			return length; /* 100, 103 */
		return end_head(call) ? 0 : length;
	}
	if (add_line(call, line, length)) {
		call_fail(call, SK_FAIL_LIMIT, "the reply's head is too large");
		return 0;
	}
	return length;
}

/* --- the reply's body --- */

static size_t stall(struct call *call, enum stall why)
{
	call->down_stall = why;
	if (why == STALL_RING)
		call->peer->stuck = 1;
	return CURL_WRITEFUNC_PAUSE;
}

static void fail_decoding(struct call *call, int64_t err)
{
	if (err == -E2BIG)
		call_fail(call, SK_FAIL_LIMIT,
			  "the reply's body unpacks to far more than was sent");
	else if (err == -ENOBUFS)
		call_fail(call, SK_FAIL_LIMIT,
			  "packed replies hold too much memory at a time");
	else
		call_fail(call, SK_FAIL_PROTOCOL,
			  "the reply's body is not what its Content-Encoding "
			  "says");
}

/* One frame of decoded bytes. How many, 0: it needs more input; -EAGAIN: it
 * stands still; or it has failed. */
static int64_t decode_piece(struct call *call, const unsigned char **in,
			    size_t *length)
{
	struct sk_ring *ring = &call->peer->area.out;
	uint32_t room = call->window < PIECE ? call->window : PIECE;
	unsigned char *frame;
	int64_t made;

	frame = room ? sk_ring_reserve(ring, room) : NULL;
	if (!frame) {
		stall(call, room ? STALL_RING : STALL_PEER);
		return -EAGAIN;
	}
	/* Decoded into private memory: a decoder reads back what it wrote, and
	 * the ring can be written by the worker process. */
	static unsigned char piece[PIECE];

	made = decoder_run(call->decoder, in, length, piece, room);
	if (made < 0) {
		fail_decoding(call, made);
		return made;
	}
	if (made == 0)
		return 0;
	memcpy(frame, piece, (size_t)made);
	sk_ring_commit(ring, SK_FRAME_BODY, 0, call->slot, call->serial,
		       (uint32_t)made);
	call->window -= (uint32_t)made;
	return made;
}

/* 0: all is decoded. -EAGAIN, or failed. */
static int decode(struct call *call, const unsigned char **in, size_t *length)
{
	int64_t made;

	do {
		made = decode_piece(call, in, length);
	} while (made > 0 || (made == 0 && *length));
	call->undecoded = made == -EAGAIN;
	return (int)made;
}

int reply_drain(struct call *call)
{
	const unsigned char *at;
	size_t length;
	int err;

	if (!call->undecoded)
		return 0;
	at = call->held + call->held_at;
	length = call->held_used - call->held_at;
	call->down_stall = STALL_NONE;
	err = decode(call, &at, &length);
	call->held_at = call->held_used - length;
	if (err)
		return err;
	free(call->held);
	call->held = NULL;
	call->held_at = call->held_used = 0;
	return 0;
}

static size_t write_decoded(struct call *call, const unsigned char *in,
			    size_t length)
{
	size_t left = length;
	int err;

	if (call->undecoded)
		return stall(call, call->down_stall);
	err = decode(call, &in, &left);
	if (!err)
		return length;
	if (err != -EAGAIN)
		return 0;
	/* The rest waits here: curl wants all of it taken or nothing. */
	call->held = malloc(left + 1);
	if (!call->held) {
		call_fail(call, SK_FAIL_LIMIT, "out of memory");
		return 0;
	}
	memcpy(call->held, in, left);
	call->held_used = left;
	call->held_at = 0;
	return length;
}

size_t call_on_write(char *bytes, size_t size, size_t count, void *data)
{
	struct call *call = data;
	size_t length = size * count;

	if (!call->head_sent && reply_send_head(call))
		return stall(call, STALL_RING);
	if (call->decoder)
		return write_decoded(call, (unsigned char *)bytes, length);
	if (length > call->window)
		return stall(call, STALL_PEER);
	if (sk_ring_append(&call->peer->area.out, SK_FRAME_BODY, call->slot,
			   call->serial, bytes, (uint32_t)length))
		return stall(call, STALL_RING);
	call->window -= (uint32_t)length;
	return length;
}
