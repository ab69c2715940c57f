/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request's URL: scheme, Host and target put together and normalised. Most
 * are plain already; they are recognised by one look at each byte and spared
 * the parser.
 */
#include "worker/request.h"

#include "url/url.h"

#include <stdlib.h>
#include <string.h>

enum {
	HOST = 1, /* stands as it is in a host */
	PATH = 2, /* in a path or query */
};

static const unsigned char plain[256] = {
	['a' ... 'z'] = HOST | PATH,
	['0' ... '9'] = HOST | PATH,
	['A' ... 'Z'] = PATH,
	['-'] = HOST | PATH,
	['_'] = PATH,
	['/'] = PATH,
	['='] = PATH,
	['&'] = PATH,
	['+'] = PATH,
	['~'] = PATH,
	[','] = PATH,
	[':'] = PATH,
	['@'] = PATH,
	[';'] = PATH,
	['!'] = PATH,
	['$'] = PATH,
	['('] = PATH,
	[')'] = PATH,
	['*'] = PATH,
};

struct sk_bytes sk_request_path(const struct sk_request *request)
{
	struct sk_bytes path = request->target;
	const unsigned char *query = NULL;

	if (path.length > 0)
		query = memchr(path.data, '?', path.length);
	if (query)
		path.length = (size_t)(query - path.data);
	return path;
}

struct sk_bytes sk_request_query(const struct sk_request *request)
{
	struct sk_bytes path = sk_request_path(request);
	struct sk_bytes query = { path.data + path.length,
				  request->target.length - path.length };

	if (query.length > 0) {
		query.data++;
		query.length--;
	}
	return query;
}

/* Four decimal numbers as the parser writes them, up to `end`. */
static int is_plain_ipv4(struct sk_bytes host, size_t end)
{
	size_t i, digits = 0, numbers = 1;
	unsigned value = 0;

	for (i = 0; i < end; i++) {
		unsigned char c = host.data[i];

		if (c == '.' && digits > 0 && numbers < 4) {
			numbers++;
			digits = value = 0;
			continue;
		}
		if (c < '0' || c > '9' || (digits > 0 && value == 0))
			return 0;
		digits++;
		value = value * 10 + (c - '0');
		if (value > 255)
			return 0;
	}
	return numbers == 4 && digits > 0;
}

/* ":8080" or nothing: four digits or five, no leading zero, so none of the
 * defaults 80 and 443. */
static int port_is_plain(struct sk_bytes host, size_t at)
{
	size_t digits = host.length - at - 1;

	if (at == host.length)
		return 1;
	if (digits != 4 && !(digits == 5 && host.data[at + 1] <= '5'))
		return 0;
	if (host.data[at + 1] == '0')
		return 0;
	for (at++; at < host.length; at++)
		if (host.data[at] < '0' || host.data[at] > '9')
			return 0;
	return 1;
}

/* A host that the parser would leave alone: an IPv4 address, or lower-case
 * labels, the last of which begins with a letter (else it could be an IPv4
 * address in disguise), none in punycode; and a port that is no default. */
static int host_is_plain(struct sk_bytes host)
{
	size_t i, label = 0;

	for (i = 0; i < host.length && host.data[i] != ':'; i++) {
		if (host.data[i] == '.') {
			if (i == label)
				return 0;
			label = i + 1;
		} else if (!(plain[host.data[i]] & HOST)) {
			return 0;
		} else if (i == label && host.length - i > 4 &&
			   memcmp(host.data + i, "xn--", 4) == 0) {
			return 0;
		}
	}
	if (i == label)
		return 0;
	return (host.data[label] >= 'a' || is_plain_ipv4(host, i)) &&
	       port_is_plain(host, i);
}

/* A dot is plain unless it begins a segment: there it might be "." or "..". */
static int target_is_plain(struct sk_bytes target)
{
	size_t i;
	int query = 0;

	if (target.length == 0 || target.data[0] != '/')
		return 0;
	for (i = 1; i < target.length; i++) {
		unsigned char c = target.data[i];

		if (plain[c] & PATH)
			continue;
		if (c == '.' && (query || target.data[i - 1] != '/'))
			continue;
		if (c == '?' && !query) {
			query = 1;
			continue;
		}
		return 0;
	}
	return 1;
}

static char *join(const struct sk_request *request, struct sk_bytes host,
		  size_t *length)
{
	const char *scheme = request->head.flags & SK_REQUEST_SECURE
				     ? "https://"
				     : "http://";
	size_t n = strlen(scheme);
	int slash =
		request->target.length == 0 || request->target.data[0] != '/';
	char *url = malloc(n + host.length + request->target.length + 2);

	if (!url)
		return NULL;
	memcpy(url, scheme, n);
	memcpy(url + n, host.data, host.length);
	n += host.length;
	if (slash)
		url[n++] = '/';
	if (request->target.length > 0)
		memcpy(url + n, request->target.data, request->target.length);
	n += request->target.length;
	url[n] = '\0';
	*length = n;
	return url;
}

/* A Host header that would spill into another part of the URL. */
static int host_spills(struct sk_bytes host)
{
	size_t i;

	for (i = 0; i < host.length; i++)
		if (strchr("/\\?#@", host.data[i]))
			return 1;
	return host.length == 0;
}

char *sk_request_url(const struct sk_request *request, size_t *length)
{
	struct sk_bytes local = { (const unsigned char *)"localhost", 9 };
	struct sk_bytes host =
		host_spills(request->host) ? local : request->host;
	char *url = join(request, host, length);
	struct sk_url parsed;

	if (!url || (host_is_plain(host) && target_is_plain(request->target)))
		return url;
	if (sk_url_parse(&parsed, url, *length, NULL) == 0) {
		free(url);
		*length = parsed.length;
		return parsed.href;
	}
	/* A Host that is no host: what comes after it may be right. */
	free(url);
	url = join(request, local, length);
	if (url && sk_url_parse(&parsed, url, *length, NULL) == 0) {
		free(url);
		*length = parsed.length;
		return parsed.href;
	}
	return url;
}
