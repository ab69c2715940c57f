/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One outbound call: from a FETCH frame to a curl transfer and back.
 *
 *   running   curl has it. It pauses instead of buffering: its read callback
 *             when no body has come (STALL_PEER), its write callback when the
 *             window is used up (STALL_PEER) or the ring is full (STALL_RING)
 *   done      curl has nothing more; decoded bytes or the last frame wait for
 *             window or room
 *
 * The last frame (BODY with END, or ABORT) is sent once, and with it the call
 * leaves the table: the worker process may use the slot again when it has
 * seen that frame, so nothing may remain in it here.
 *
 * A call that is over keeps its curl handle, with all options that do not
 * change, for another one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "egress/egress.h"

#define METHOD_MAX 32

void call_fail(struct call *call, enum sk_fail kind, const char *text)
{
	if (call->fail)
		return;
	call->fail = kind;
	snprintf(call->fail_text, sizeof(call->fail_text), "%s", text);
}

/* --- made and unmade --- */

void call_destroy(struct call *call)
{
	curl_easy_cleanup(call->easy);
	free(call->lines);
	free(call);
}

static struct call *call_make(struct peer *peer)
{
	struct call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->peer = peer;
	call->lines = malloc(EGRESS_HEADER_BYTES);
	call->easy = curl_easy_init();
	if (!call->lines || !call->easy) {
		call_destroy(call);
		return NULL;
	}
	request_setup(call);
	return call;
}

static struct call *call_new(struct peer *peer, const struct sk_frame *frame)
{
	struct call *call = LIST_FIRST(&peer->spare);

	if (call) {
		LIST_REMOVE(call, link);
		peer->nspare--;
	} else {
		call = call_make(peer);
		if (!call)
			return NULL;
	}
	call->slot = frame->slot;
	call->serial = frame->serial;
	call->window = SK_CALL_WINDOW;
	call->up_end = (frame->flags & SK_FRAME_END) != 0;
	peer->calls[frame->slot] = call;
	LIST_INSERT_HEAD(&peer->active, call, link);
	return call;
}

/* curl lets go of it. */
static void stop(struct call *call)
{
	if (call->running)
		curl_multi_remove_handle(call->peer->multi, call->easy);
	call->running = 0;
	call->done = 1;
}

void call_free(struct call *call)
{
	struct peer *peer = call->peer;
	CURL *easy = call->easy;
	char *lines = call->lines;

	stop(call);
	LIST_REMOVE(call, link);
	peer->calls[call->slot] = NULL;
	curl_easy_setopt(easy, CURLOPT_CURLU, NULL);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
	curl_url_cleanup(call->url);
	curl_slist_free_all(call->headers);
	decoder_free(call->decoder);
	free(call->held);
	free(call->payload);
	free(call->up);
	memset(call, 0, sizeof(*call));
	call->peer = peer;
	call->easy = easy;
	call->lines = lines;
	if (peer->dead || peer->nspare >= EGRESS_SPARE) {
		call_destroy(call);
		return;
	}
	LIST_INSERT_HEAD(&peer->spare, call, link);
	peer->nspare++;
}

/* --- what is allowed --- */

/* 1 when the operator mapped this host and port to an address. */
static int is_mapped(const struct egress *egress, const struct sk_url *url)
{
	const struct curl_slist *item;
	const char *host;
	size_t length;
	char key[300];
	int n, port = url->port;

	if (!egress->resolve)
		return 0;
	sk_url_hostname(url, &host, &length);
	if (port < 0)
		port = sk_url_default_port(url->href, url->scheme_end - 1);
	n = snprintf(key, sizeof(key), "%.*s:%d:", (int)length, host, port);
	if (n < 0 || (size_t)n >= sizeof(key))
		return 0;
	for (item = egress->resolve; item; item = item->next)
		if (strncasecmp(item->data, key, (size_t)n) == 0)
			return 1;
	return 0;
}

static int refuse(struct call *call, const char *why)
{
	call_fail(call, SK_FAIL_POLICY, why);
	return -EACCES;
}

static int judge_url(struct call *call, const struct sk_url *url)
{
	enum policy_verdict verdict = policy_check(
		call->peer->policy, (const char *)call->method.data,
		call->method.length, url);
	int err;

	if (verdict == POLICY_REFUSED)
		return refuse(call, "no pattern of the route's policy allows "
				    "it");
	if (strncmp(url->href, "http:", 5) && strncmp(url->href, "https:", 6))
		return refuse(call, "neither http nor https");
	call->private_ok =
		verdict == POLICY_ANY || is_mapped(call->peer->egress, url);
	err = request_url(call, url);
	return err == -EINVAL ? refuse(call, "the URL cannot be dialled") : err;
}

/* Policy and URL. 0: go; -EACCES: call->fail says why not; -ENOMEM. */
static int judge(struct call *call)
{
	struct sk_url url;
	int err;

	if (call->method.length == 7 &&
	    !memcmp(call->method.data, "CONNECT", 7))
		return refuse(call, "a tunnel is no request");
	memset(&url, 0, sizeof(url));
	if (sk_url_parse(&url, (const char *)call->target.data,
			 call->target.length, NULL))
		return refuse(call, "the URL cannot be parsed");
	err = judge_url(call, &url);
	sk_url_fini(&url);
	return err;
}

/* One line of the log about this call. */
static void say(struct call *call, enum sk_level level, const char *what,
		const char *why)
{
	egress_log(call->peer->egress, call->peer, level, "%s: %.*s %.*s%s%s",
		   what, (int)call->method.length, call->method.data,
		   (int)call->target.length, call->target.data,
		   *why ? ": " : "", why);
}

/* --- the beginning --- */

static int has_control(const struct sk_bytes *bytes)
{
	size_t i;

	for (i = 0; i < bytes->length; i++)
		if (bytes->data[i] <= ' ' || bytes->data[i] == 0x7f)
			return 1;
	return 0;
}

/* Method and URL out of the payload. 0 or -EPROTO. */
static int read_head(struct call *call, struct sk_cursor *cursor,
		     struct sk_fetch_head *head)
{
	if (sk_cursor_copy(cursor, head, sizeof(*head)) ||
	    sk_cursor_take(cursor, head->method_len, &call->method) ||
	    sk_cursor_take(cursor, head->url_len, &call->target) ||
	    !call->method.length || call->method.length >= METHOD_MAX ||
	    has_control(&call->method) || has_control(&call->target))
		return -EPROTO;
	if (call->up_end && head->body_length)
		return -EPROTO;
	call->up_known = head->body_length != SK_LENGTH_UNKNOWN;
	call->up_left = call->up_known ? head->body_length : 0;
	return call->up_left > INT64_MAX ? -EPROTO : 0;
}

static void launch(struct call *call, const struct sk_fetch_head *head)
{
	struct peer *peer = call->peer;
	char method[METHOD_MAX];

	memcpy(method, call->method.data, call->method.length);
	method[call->method.length] = 0;
	request_method(call, method, head->body_length);
	call->head_deadline =
		egress_now() + (head->timeout_ms ? head->timeout_ms
						 : policy_wall(peer->policy));
	call->running = 1;
	if (curl_multi_add_handle(peer->multi, call->easy) == CURLM_OK)
		return;
	call->running = 0;
	call_fail(call, SK_FAIL_LIMIT, "out of memory");
	call_end(call, CURLE_OK);
}

int call_start(struct peer *peer, const struct sk_frame *frame,
	       unsigned char *payload)
{
	struct sk_cursor cursor = { payload, payload + frame->length };
	struct sk_fetch_head head;
	struct call *call;
	int err;

	call = call_new(peer, frame);
	if (!call) {
		free(payload);
		return -ENOMEM;
	}
	call->payload = payload;
	err = read_head(call, &cursor, &head);
	if (!err)
		err = judge(call);
	if (!err)
		err = request_headers(call, &cursor, head.headers);
	if (err == -EPROTO)
		return err;
	if (err == -ENOMEM)
		call_fail(call, SK_FAIL_LIMIT, "out of memory");
	if (err) {
		call_end(call, CURLE_OK);
		return 0;
	}
	if (peer->egress->audit)
		say(call, SK_LEVEL_INFO, "allowed", "");
	launch(call, &head);
	return 0;
}

/* --- going on --- */

/* Lets curl go on where it paused, or finishes what it left. */
static void go_on(struct call *call)
{
	CURLcode code = CURLE_OK;

	if (reply_drain(call) && !call->fail)
		return;
	if (call->done || call->fail) {
		call_end(call, CURLE_OK);
		return;
	}
	call->down_stall = STALL_NONE;
	call->up_stall = STALL_NONE;
	if (call->running)
		code = curl_easy_pause(call->easy, CURLPAUSE_CONT);
	/* A callback that failed in there is not reported by the multi
	 * handle. */
	if (code != CURLE_OK)
		call_end(call, code);
}

void call_resume(struct call *call)
{
	upload_credit(call);
	if (call->done || call->down_stall == STALL_RING)
		go_on(call);
}

int call_credit(struct call *call, uint32_t bytes)
{
	if (bytes > SK_CALL_WINDOW - call->window)
		return -EPROTO;
	call->window += bytes;
	/* curl reads until it is stopped, and keeps what it could not hand
	 * over: fewer, longer runs. */
	if (call->down_stall == STALL_PEER &&
	    call->window >= SK_CALL_WINDOW / 4)
		go_on(call);
	return 0;
}

int call_body(struct call *call, const struct sk_frame *frame)
{
	int err;

	if (call->done)
		return 0;
	err = upload_take(call, frame->data, frame->length,
			  (frame->flags & SK_FRAME_END) != 0);
	if (!err && call->up_stall == STALL_PEER) {
		call->up_stall = STALL_NONE;
		go_on(call);
	}
	return err;
}

/* --- ending --- */

static enum sk_fail fail_of(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return SK_FAIL_RESOLVE;
	case CURLE_COULDNT_CONNECT:
		return SK_FAIL_CONNECT;
	case CURLE_OPERATION_TIMEDOUT:
		return SK_FAIL_TIME;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
		return SK_FAIL_TLS;
	default:
		return SK_FAIL_PROTOCOL;
	}
}

static void explain(struct call *call, CURLcode code)
{
	/* No address was left to try. */
	if (code == CURLE_COULDNT_CONNECT && call->refused[0] && !call->dialled)
		call_fail(call, SK_FAIL_POLICY, call->refused);
	else if (code != CURLE_OK)
		call_fail(call, fail_of(code),
			  call->curl_error[0] ? call->curl_error
					      : curl_easy_strerror(code));
	else if (!call->head_done)
		call_fail(call, SK_FAIL_PROTOCOL, "no reply");
	else if (call->decoder && !call->undecoded &&
		 !decoder_is_complete(call->decoder))
		call_fail(call, SK_FAIL_PROTOCOL, "the reply is cut off");
}

static int send_fail(struct call *call)
{
	struct sk_fail_head head = { call->fail,
				     (uint32_t)strlen(call->fail_text) };
	unsigned char bytes[sizeof(head) + sizeof(call->fail_text)];

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), call->fail_text, head.text_len);
	return sk_ring_push(&call->peer->area.out, SK_FRAME_ABORT, 0,
			    call->slot, call->serial, bytes,
			    (uint32_t)sizeof(head) + head.text_len);
}

/* The last frame of a call. 0, or -EAGAIN: there is no room. */
static int send_last(struct call *call)
{
	int err = 0;

	if (!call->fail && !call->head_sent)
		err = reply_send_head(call);
	if (call->fail)
		return send_fail(call);
	if (err)
		return err;
	return sk_ring_push(&call->peer->area.out, SK_FRAME_BODY, SK_FRAME_END,
			    call->slot, call->serial, "", 0);
}

void call_end(struct call *call, CURLcode code)
{
	stop(call);
	explain(call, code);
	if (!call->fail && call->undecoded)
		return; /* credit or room will go on */
	if (call->fail && !call->logged)
		say(call, SK_LEVEL_WARN,
		    call->fail == SK_FAIL_POLICY ? "refused" : "failed",
		    call->fail_text);
	call->logged = call->fail != 0;
	if (send_last(call) == -EAGAIN) {
		call->peer->stuck = 1;
		return;
	}
	call_free(call);
}
