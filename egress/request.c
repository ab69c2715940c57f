/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call's request, in curl's terms. curl gets the parts of a URL that our own
 * parser has taken apart and the policy has seen, so that two readings of one
 * text can never differ.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "egress/egress.h"

#define CODINGS "Accept-Encoding: gzip, deflate, br, zstd"

static void set_callbacks(struct call *call)
{
	CURL *easy = call->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->curl_error);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, call_on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, call_on_write);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(easy, CURLOPT_READFUNCTION, call_on_read);
	curl_easy_setopt(easy, CURLOPT_READDATA, call);
	dial_setup(call);
}

void request_setup(struct call *call)
{
	struct egress *egress = call->peer->egress;
	CURL *easy = call->easy;

	set_callbacks(call);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, EGRESS_READ);
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
	/* Without a folder of certificates curl parses the bundle once, not at
	 * each connection. */
	curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	if (egress->ca.data)
		curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &egress->ca);
	if (egress->resolve)
		curl_easy_setopt(easy, CURLOPT_RESOLVE, egress->resolve);
}

/* --- URL --- */

/* One part of the URL, copied to `part` to end in NUL. 1 when curl minds. */
static int set_part(CURLU *to, CURLUPart which, char *part, const char *at,
		    size_t length)
{
	memcpy(part, at, length);
	part[length] = 0;
	return curl_url_set(to, which, part, 0) != CURLUE_OK;
}

static int set_parts(CURLU *to, char *part, const struct sk_url *url)
{
	const char *at;
	size_t length;
	char port[16];
	int bad;

	bad = set_part(to, CURLUPART_SCHEME, part, url->href,
		       url->scheme_end - 1);
	sk_url_hostname(url, &at, &length);
	bad |= set_part(to, CURLUPART_HOST, part, at, length);
	if (url->port >= 0)
		bad |= set_part(
			to, CURLUPART_PORT, part, port,
			(size_t)snprintf(port, sizeof(port), "%d", url->port));
	sk_url_pathname(url, &at, &length);
	bad |= set_part(to, CURLUPART_PATH, part, at, length);
	sk_url_search(url, &at, &length);
	if (length > 1)
		bad |= set_part(to, CURLUPART_QUERY, part, at + 1, length - 1);
	return bad;
}

int request_url(struct call *call, const struct sk_url *url)
{
	char *part = malloc(url->length + 16);
	int bad;

	call->url = curl_url();
	if (!part || !call->url) {
		free(part);
		return -ENOMEM;
	}
	bad = set_parts(call->url, part, url);
	free(part);
	if (bad)
		return -EINVAL;
	curl_easy_setopt(call->easy, CURLOPT_CURLU, call->url);
	/* Many calls to one server share a connection that can carry them. */
	curl_easy_setopt(call->easy, CURLOPT_PIPEWAIT,
			 strncmp(url->href, "https:", 6) == 0 ? 1L : 0L);
	return 0;
}

/* --- headers --- */

static int has_control(const struct sk_bytes *bytes)
{
	return memchr(bytes->data, '\r', bytes->length) ||
	       memchr(bytes->data, '\n', bytes->length) ||
	       memchr(bytes->data, 0, bytes->length);
}

static int is_name(const struct sk_bytes *name, const char *text)
{
	return strlen(text) == name->length &&
	       strncasecmp(text, (const char *)name->data, name->length) == 0;
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
		if (is_name(name, ours[i]))
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

static int is_token(const struct sk_bytes *name)
{
	size_t i;

	for (i = 0; i < name->length; i++)
		if (name->data[i] <= ' ' || name->data[i] >= 0x7f ||
		    name->data[i] == ':')
			return 0;
	return name->length > 0;
}

static int add_header(struct call *call, const struct sk_bytes *name,
		      const struct sk_bytes *value)
{
	char small[512], *line = small;
	int err;

	if (!is_token(name) || has_control(value))
		return -EPROTO;
	if (is_ours(name))
		return 0;
	if (name->length + value->length + 4 > sizeof(small))
		line = malloc(name->length + value->length + 4);
	if (!line)
		return -ENOMEM;
	if (value->length)
		sprintf(line, "%.*s: %.*s", (int)name->length, name->data,
			(int)value->length, value->data);
	else /* curl's way to write a field without value */
		sprintf(line, "%.*s;", (int)name->length, name->data);
	err = add_text(call, line);
	if (line != small)
		free(line);
	return err;
}

int request_headers(struct call *call, struct sk_cursor *cursor, uint32_t count)
{
	const char *codings = CODINGS, *accept = "Accept: */*";
	struct sk_bytes name, value;
	int err = 0;

	while (!err && count--) {
		err = sk_cursor_pair(cursor, &name, &value);
		if (err)
			break;
		if (is_name(&name, "accept-encoding"))
			codings = NULL;
		if (is_name(&name, "accept"))
			accept = NULL;
		/* Part of a packed body cannot be unpacked. */
		if (is_name(&name, "range") && codings)
			codings = "Accept-Encoding: identity";
		err = add_header(call, &name, &value);
	}
	if (!err && codings)
		err = add_text(call, codings);
	if (!err && accept)
		err = add_text(call, accept);
	if (!err)
		err = add_text(call, "Expect:");
	curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->headers);
	return err;
}

/* --- method --- */

void request_method(struct call *call, const char *method, uint64_t length)
{
	CURL *easy = call->easy;
	int has_body = !call->up_end || !strcmp(method, "POST") ||
		       !strcmp(method, "PUT") || !strcmp(method, "PATCH");

	/* Undoes what the handle's last call wanted. */
	curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
	if (!strcmp(method, "HEAD") && call->up_end) {
		curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, NULL);
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
		return;
	}
	if (has_body) {
		curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
				 length == SK_LENGTH_UNKNOWN
					 ? (curl_off_t)-1
					 : (curl_off_t)length);
	}
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}
