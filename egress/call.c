/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One outbound call: from a FETCH frame to a curl transfer and back.
 *
 * States: *head pending* (curl runs, nothing told), *body* (REPLY sent, BODY
 * frames follow as the window allows), *ending* (curl is done, the last frame
 * waits for room in the ring), then the call is freed. curl pauses in both
 * directions instead of buffering. reply.c and upload.c have curl's callbacks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "egress/egress.h"

void call_fail(struct call *call, enum sk_fail kind, const char *text)
{
	if (call->fail)
		return;
	call->fail = kind;
	snprintf(call->fail_text, sizeof(call->fail_text), "%s", text);
}

void call_resume(struct call *call)
{
	if (call->ending) {
		call_end(call, CURLE_OK);
		return;
	}
	if (call->down_paused || call->up_paused) {
		call->down_paused = 0;
		call->up_paused = 0;
		curl_easy_pause(call->easy, CURLPAUSE_CONT);
	}
}

static int has_control(const struct sk_bytes *bytes)
{
	size_t i;

	for (i = 0; i < bytes->length; i++)
		if (bytes->data[i] == '\r' || bytes->data[i] == '\n' ||
		    bytes->data[i] == 0)
			return 1;
	return 0;
}

/* Fields that are curl's to write. */
static int is_ours(const struct sk_bytes *name)
{
	static const char *const ours[] = {
		"content-length", "host",    "transfer-encoding",
		"connection",	  "expect",  "te",
		"trailer",	  "upgrade", "keep-alive"
	};
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strlen(ours[i]) == name->length &&
		    strncasecmp(ours[i], (const char *)name->data,
				name->length) == 0)
			return 1;
	return 0;
}

static int add_text(struct call *call, const char *text)
{
	struct curl_slist *list = curl_slist_append(call->headers, text);

	if (!list)
		return -ENOMEM;
	call->headers = list;
	return 0;
}

static int add_header(struct call *call, const struct sk_bytes *name,
		      const struct sk_bytes *value)
{
	char *line;
	int err;

	if (!name->length || has_control(name) || has_control(value) ||
	    memchr(name->data, ':', name->length))
		return -EPROTO;
	if (is_ours(name))
		return 0;
	if (name->length == 15 &&
	    strncasecmp((const char *)name->data, "accept-encoding", 15) == 0)
		call->no_decode = 1;
	line = malloc(name->length + value->length + 4);
	if (!line)
		return -ENOMEM;
	if (value->length)
		sprintf(line, "%.*s: %.*s", (int)name->length, name->data,
			(int)value->length, value->data);
	else /* curl's way to write a field without value */
		sprintf(line, "%.*s;", (int)name->length, name->data);
	err = add_text(call, line);
	free(line);
	return err;
}

static int read_headers(struct call *call, struct sk_cursor *cursor,
			uint32_t count)
{
	struct sk_bytes name, value;
	int err;

	while (count--) {
		err = sk_cursor_pair(cursor, &name, &value);
		if (!err)
			err = add_header(call, &name, &value);
		if (err)
			return err;
	}
	/* Only what the caller set: curl adds neither of these. */
	err = add_text(call, "Expect:");
	return err ? err : add_text(call, "Accept:");
}

/* Hands curl the parts of the parsed URL, so that it parses none itself. */
static int set_url(struct call *call, const struct sk_url *url)
{
	char *part = malloc(url->length + 1);
	const char *at;
	size_t length;
	char port[16];
	int bad = 0;

	call->url = curl_url();
	if (!part || !call->url) {
		free(part);
		return -ENOMEM;
	}
	snprintf(part, url->scheme_end, "%s", url->href);
	bad |= curl_url_set(call->url, CURLUPART_SCHEME, part, 0) != CURLUE_OK;
	sk_url_hostname(url, &at, &length);
	snprintf(part, length + 1, "%.*s", (int)length, at);
	bad |= curl_url_set(call->url, CURLUPART_HOST, part, 0) != CURLUE_OK;
	if (url->port >= 0) {
		snprintf(port, sizeof(port), "%d", url->port);
		bad |= curl_url_set(call->url, CURLUPART_PORT, port, 0) !=
		       CURLUE_OK;
	}
	sk_url_pathname(url, &at, &length);
	snprintf(part, length + 1, "%.*s", (int)length, at);
	bad |= curl_url_set(call->url, CURLUPART_PATH, part, 0) != CURLUE_OK;
	sk_url_search(url, &at, &length);
	if (length > 1) {
		snprintf(part, length, "%.*s", (int)length - 1, at + 1);
		bad |= curl_url_set(call->url, CURLUPART_QUERY, part, 0) !=
		       CURLUE_OK;
	}
	free(part);
	return bad ? -EINVAL : 0;
}

/* 1 when the operator mapped this host and port to an address. */
static int is_mapped(const struct egress *egress, const struct sk_url *url)
{
	const struct curl_slist *item;
	const char *host;
	size_t length;
	char key[300];
	int n, port = url->port;

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

static void set_method(struct call *call, const char *method, uint64_t length)
{
	CURL *easy = call->easy;
	int needs_length = !strcmp(method, "POST") || !strcmp(method, "PUT");

	if (!strcmp(method, "HEAD")) {
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
		return;
	}
	if (call->up || needs_length) {
		curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
				 length == SK_LENGTH_UNKNOWN
					 ? (curl_off_t)-1
					 : (curl_off_t)length);
		curl_easy_setopt(easy, CURLOPT_READFUNCTION, call_on_read);
		curl_easy_setopt(easy, CURLOPT_READDATA, call);
	}
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static void set_options(struct call *call)
{
	struct egress *egress = call->peer->egress;
	CURL *easy = call->easy;

	curl_easy_setopt(easy, CURLOPT_CURLU, call->url);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->curl_error);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, call_on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, call_on_write);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
	curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 65536L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, EGRESS_CONNECT_MS);
	if (!call->no_decode)
		curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
	if (egress->ca_file)
		curl_easy_setopt(easy, CURLOPT_CAINFO, egress->ca_file);
	if (egress->resolve)
		curl_easy_setopt(easy, CURLOPT_RESOLVE, egress->resolve);
	dial_setup(call);
}

static struct call *call_new(struct peer *peer, const struct sk_frame *frame,
			     uint64_t body_length)
{
	struct call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->peer = peer;
	call->slot = frame->slot;
	call->serial = frame->serial;
	call->window = SK_CALL_WINDOW;
	call->up_end = (frame->flags & SK_FRAME_END) != 0;
	call->up_known = body_length != SK_LENGTH_UNKNOWN;
	call->up_left = call->up_known ? body_length : 0;
	call->lines = malloc(EGRESS_HEADER_BYTES);
	if (!call->up_end)
		call->up = malloc(SK_CALL_WINDOW);
	call->easy = curl_easy_init();
	if (!call->lines || !call->easy || (!call->up_end && !call->up)) {
		call_free(call);
		return NULL;
	}
	return call;
}

/* Policy and URL. 0: go; else `call->fail` says why not. */
static int judge(struct call *call, const struct sk_bytes *method,
		 const struct sk_bytes *text)
{
	struct peer *peer = call->peer;
	enum policy_verdict verdict;
	struct sk_url url;
	int err;

	memset(&url, 0, sizeof(url));
	if (sk_url_parse(&url, (const char *)text->data, text->length, NULL)) {
		call_fail(call, SK_FAIL_POLICY, "the URL cannot be parsed");
		return -EINVAL;
	}
	verdict = policy_check(peer->policy, (const char *)method->data,
			       method->length, &url);
	call->private_ok =
		verdict == POLICY_ANY || is_mapped(peer->egress, &url);
	err = -EACCES;
	if (verdict == POLICY_REFUSED)
		call_fail(call, SK_FAIL_POLICY,
			  "no pattern of the route's policy allows it");
	else
		err = set_url(call, &url);
	if (err == -EINVAL)
		call_fail(call, SK_FAIL_POLICY, "the URL cannot be dialled");
	sk_url_fini(&url);
	return err;
}

static void audit(struct call *call, const struct sk_bytes *method,
		  const struct sk_bytes *url)
{
	struct egress *egress = call->peer->egress;

	if (call->fail == SK_FAIL_POLICY)
		egress_log(egress, call->peer, SK_LEVEL_WARN,
			   "refused: %.*s %.*s: %s", (int)method->length,
			   method->data, (int)url->length, url->data,
			   call->fail_text);
	else if (egress->audit)
		egress_log(egress, call->peer, SK_LEVEL_INFO,
			   "allowed: %.*s %.*s", (int)method->length,
			   method->data, (int)url->length, url->data);
}

int call_start(struct peer *peer, const struct sk_frame *frame,
	       unsigned char *payload)
{
	struct sk_cursor cursor = { payload, payload + frame->length };
	struct sk_fetch_head head;
	struct sk_bytes method, url;
	struct call *call;
	char name[32];
	int err;

	if (sk_cursor_copy(&cursor, &head, sizeof(head)) ||
	    sk_cursor_take(&cursor, head.method_len, &method) ||
	    sk_cursor_take(&cursor, head.url_len, &url) || !method.length ||
	    method.length >= sizeof(name) || has_control(&method) ||
	    memchr(method.data, ' ', method.length) || has_control(&url))
		return -EPROTO;
	call = call_new(peer, frame, head.body_length);
	if (!call)
		return -ENOMEM;
	peer->calls[frame->slot] = call;
	peer->active++;
	memcpy(name, method.data, method.length);
	name[method.length] = 0;
	err = judge(call, &method, &url);
	audit(call, &method, &url);
	if (!err)
		err = read_headers(call, &cursor, head.headers);
	if (err == -EPROTO)
		return err;
	if (err) {
		call_fail(call, SK_FAIL_LIMIT, "out of memory");
		call_end(call, CURLE_OK);
		return 0;
	}
	set_options(call);
	set_method(call, name, head.body_length);
	call->head_deadline = egress_now() + (head.timeout_ms ? head.timeout_ms
							      : EGRESS_HEAD_MS);
	if (curl_multi_add_handle(peer->multi, call->easy) != CURLM_OK) {
		call_fail(call, SK_FAIL_LIMIT, "out of memory");
		call_end(call, CURLE_OK);
	}
	return 0;
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

/* The last frame of a call. 0, or -EAGAIN when the ring has no room. */
static int send_last(struct call *call)
{
	int err;

	if (call->fail)
		return send_fail(call);
	if (!call->head_sent) {
		err = reply_send_head(call);
		if (err == -EMSGSIZE)
			return send_fail(call);
		if (err)
			return err;
	}
	return sk_ring_push(&call->peer->area.out, SK_FRAME_BODY, SK_FRAME_END,
			    call->slot, call->serial, "", 0);
}

void call_end(struct call *call, CURLcode code)
{
	if (code != CURLE_OK)
		call_fail(call, fail_of(code),
			  call->curl_error[0] ? call->curl_error
					      : curl_easy_strerror(code));
	else if (!call->head_done)
		call_fail(call, SK_FAIL_PROTOCOL, "no reply");
	call->ending = 1;
	if (send_last(call) != -EAGAIN)
		call_free(call);
}

void call_free(struct call *call)
{
	struct peer *peer = call->peer;

	if (call->slot < SK_CALLS && peer->calls[call->slot] == call) {
		peer->calls[call->slot] = NULL;
		peer->active--;
	}
	if (call->easy) {
		curl_multi_remove_handle(peer->multi, call->easy);
		curl_easy_cleanup(call->easy);
	}
	if (call->url)
		curl_url_cleanup(call->url);
	curl_slist_free_all(call->headers);
	free(call->up);
	free(call->lines);
	free(call);
}
