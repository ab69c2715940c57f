/* SPDX-License-Identifier: BSD-2-Clause */
/* The reply of a call: curl's header and write callbacks to frames. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "egress/egress.h"

/* Decoded bytes may exceed encoded ones so many times, beyond a free part. */
#define BOMB_RATIO 200u
#define BOMB_FREE  (1024u * 1024u)

/* --- the reply's head --- */

static void begin_head(struct call *call, const char *line, size_t length)
{
	const char *end = line + length, *at = line;
	size_t n;

	call->lines_used = 0;
	call->line_count = 0;
	call->encoded = 0;
	call->reason[0] = 0;
	call->status = 0;
	while (at < end && *at != ' ')
		at++;
	while (at < end && *at == ' ')
		at++;
	while (at < end && isdigit((unsigned char)*at))
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

static int add_line(struct call *call, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length), *end = line + length;
	const char *value;
	size_t name_len, value_len, i;
	char *to;

	if (!colon || colon == line)
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
	if (strcmp(to, "content-encoding") == 0 && value_len &&
	    strncasecmp(value, "identity", value_len) != 0)
		call->encoded = 1;
	memcpy(to + name_len + 1, value, value_len);
	to[name_len + 1 + value_len] = 0;
	call->lines_used += (uint32_t)(name_len + value_len + 2);
	call->line_count++;
	return 0;
}

/* A header that no longer tells the truth about a decoded body. */
static int is_stale(const struct call *call, const char *name)
{
	return call->encoded && (strcmp(name, "content-encoding") == 0 ||
				 strcmp(name, "content-length") == 0);
}

/* Sends REPLY. 0, or -EAGAIN when the ring has no room. */
int reply_send_head(struct call *call)
{
	struct sk_reply_head head = { .status = call->status };
	const char *at = call->lines, *end = at + call->lines_used;
	const char *value;
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
	to += head.text_len;
	for (; at < end; at = value + strlen(value) + 1) {
		value = at + strlen(at) + 1;
		if (is_stale(call, at))
			continue;
		to = sk_pair_write(to, at, strlen(at), value, strlen(value));
		head.headers++;
	}
	memcpy(frame, &head, sizeof(head));
	sk_ring_commit(&call->peer->area.out, SK_FRAME_REPLY, 0, call->slot,
		       call->serial, (uint32_t)(to - frame));
	call->head_sent = 1;
	call->head_deadline = 0;
	return 0;
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
		call->head_done = 1;
		if (reply_send_head(call) == -EMSGSIZE)
			return 0;
		return length;
	}
	if (add_line(call, line, length)) {
		call_fail(call, SK_FAIL_LIMIT, "the reply's head is too large");
		return 0;
	}
	return length;
}

/* --- the reply's body --- */

static int is_bomb(struct call *call, size_t more)
{
	curl_off_t encoded = 0;

	if (!call->encoded || call->decoded + more <= BOMB_FREE)
		return 0;
	curl_easy_getinfo(call->easy, CURLINFO_SIZE_DOWNLOAD_T, &encoded);
	return call->decoded + more >
	       BOMB_FREE + (uint64_t)encoded * BOMB_RATIO;
}

size_t call_on_write(char *bytes, size_t size, size_t count, void *data)
{
	struct call *call = data;
	size_t length = size * count;

	if (is_bomb(call, length)) {
		call_fail(call, SK_FAIL_LIMIT,
			  "the reply's body unpacks to far more than was sent");
		return 0;
	}
	if ((!call->head_sent && reply_send_head(call)) ||
	    length > call->window ||
	    sk_ring_push(&call->peer->area.out, SK_FRAME_BODY, 0, call->slot,
			 call->serial, bytes, (uint32_t)length)) {
		call->down_paused = 1;
		return CURL_WRITEFUNC_PAUSE;
	}
	call->window -= (uint32_t)length;
	call->decoded += length;
	return length;
}

void call_credit(struct call *call, uint32_t bytes)
{
	if (bytes > SK_CALL_WINDOW - call->window)
		bytes = SK_CALL_WINDOW - call->window;
	call->window += bytes;
	if (call->down_paused)
		call_resume(call);
}
