// SPDX-License-Identifier: BSD-2-Clause
/* A parsed URL taken apart and put together again; getters; origin. */
#include <errno.h>
#include <stdlib.h>

#include "url/internal.h"

void sk_url_fini(struct sk_url *url)
{
	free(url->href);
	memset(url, 0, sizeof(*url));
}

static struct sk__slice slice(const struct sk_url *url, uint32_t from,
			      uint32_t to)
{
	return (struct sk__slice){ url->href + from, to - from };
}

static uint32_t path_end(const struct sk_url *url)
{
	if (url->search_start != SK_URL_NONE)
		return url->search_start;
	if (url->hash_start != SK_URL_NONE)
		return url->hash_start;
	return url->length;
}

static uint32_t search_end(const struct sk_url *url)
{
	return url->hash_start != SK_URL_NONE ? url->hash_start : url->length;
}

static uint32_t host_at(const struct sk_url *url)
{
	return url->host_start + (url->href[url->host_start] == '@');
}

void sk_url_hostname(const struct sk_url *url, const char **at, size_t *length)
{
	uint32_t start = url->has_host ? host_at(url) : url->host_end;

	*at = url->href + start;
	*length = url->host_end - start;
}

void sk_url_pathname(const struct sk_url *url, const char **at, size_t *length)
{
	*at = url->href + url->path_start;
	*length = path_end(url) - url->path_start;
}

void sk_url_search(const struct sk_url *url, const char **at, size_t *length)
{
	uint32_t start = path_end(url), stop = search_end(url);

	*at = url->href + start;
	*length = stop - start > 1 ? stop - start : 0;
}

static char *copy(const char *text, size_t length)
{
	char *out = malloc(length + 1);

	if (out) {
		memcpy(out, text, length);
		out[length] = 0;
	}
	return out;
}

static char *tuple_origin(const struct sk_url *url)
{
	uint32_t host = host_at(url), scheme = url->scheme_end + 2;
	char *out = malloc(scheme + (url->path_start - host) + 1);

	if (out) {
		memcpy(out, url->href, scheme);
		memcpy(out + scheme, url->href + host, url->path_start - host);
		out[scheme + url->path_start - host] = 0;
	}
	return out;
}

/* A blob URL has the origin of the web URL in its path. */
static char *blob_origin(const struct sk_url *url)
{
	struct sk_url inner = { 0 };
	enum sk__scheme scheme;
	const char *path;
	size_t length;
	char *out;
	int error;

	sk_url_pathname(url, &path, &length);
	error = sk_url_parse(&inner, path, length, NULL);
	if (error)
		return error == -ENOMEM ? NULL : copy("null", 4);
	scheme = sk__scheme_find(inner.href, inner.scheme_end - 1);
	if (scheme == SK__HTTP || scheme == SK__HTTPS)
		out = tuple_origin(&inner);
	else
		out = copy("null", 4);
	sk_url_fini(&inner);
	return out;
}

char *sk_url_origin(const struct sk_url *url)
{
	switch (sk__scheme_find(url->href, url->scheme_end - 1)) {
	case SK__FILE:
		return copy("null", 4);
	case SK__OTHER:
		if (url->scheme_end == 5 && !memcmp(url->href, "blob:", 5))
			return blob_origin(url);
		return copy("null", 4);
	default:
		return tuple_origin(url);
	}
}

void sk__parts_from(struct sk__parts *parts, const struct sk_url *url)
{
	memset(parts, 0, sizeof(*parts));
	parts->scheme = slice(url, 0, url->scheme_end - 1);
	parts->kind = sk__scheme_find(url->href, url->scheme_end - 1);
	parts->has_host = url->has_host;
	parts->opaque_path = url->opaque_path;
	parts->port = url->port;
	if (url->has_host) {
		parts->username =
			slice(url, url->scheme_end + 2, url->username_end);
		parts->host = slice(url, host_at(url), url->host_end);
		if (url->host_start > url->username_end)
			parts->password = slice(url, url->username_end + 1,
						url->host_start);
	}
	parts->path = slice(url, url->path_start, path_end(url));
	if (url->search_start != SK_URL_NONE) {
		parts->has_query = 1;
		parts->query =
			slice(url, url->search_start + 1, search_end(url));
	}
	if (url->hash_start != SK_URL_NONE) {
		parts->has_hash = 1;
		parts->hash = slice(url, url->hash_start + 1, url->length);
	}
}

static void append(struct sk__buf *buf, struct sk__slice text)
{
	sk__buf_append(buf, text.at, text.length);
}

static void compose_authority(struct sk_url *url, struct sk__buf *buf,
			      const struct sk__parts *parts)
{
	sk__buf_append(buf, "//", 2);
	append(buf, parts->username);
	url->username_end = (uint32_t)buf->length;
	if (parts->password.length) {
		sk__buf_byte(buf, ':');
		append(buf, parts->password);
	}
	url->host_start = (uint32_t)buf->length;
	if (parts->username.length || parts->password.length)
		sk__buf_byte(buf, '@');
	append(buf, parts->host);
	url->host_end = (uint32_t)buf->length;
	sk__port_append(buf, parts->port);
}

int sk__parts_compose(struct sk_url *out, const struct sk__parts *parts)
{
	struct sk_url url = { .search_start = SK_URL_NONE,
			      .hash_start = SK_URL_NONE,
			      .has_host = parts->has_host,
			      .opaque_path = parts->opaque_path,
			      .special = parts->kind != SK__OTHER,
			      .port = parts->has_host ? parts->port : -1 };
	struct sk__buf buf = { 0 };
	int error;

	append(&buf, parts->scheme);
	sk__buf_byte(&buf, ':');
	url.scheme_end = url.username_end = (uint32_t)buf.length;
	url.host_start = url.host_end = url.scheme_end;
	if (parts->has_host)
		compose_authority(&url, &buf, parts);
	else if (parts->path.length > 1 && !memcmp(parts->path.at, "//", 2))
		sk__buf_append(&buf, "/.", 2);
	url.path_start = (uint32_t)buf.length;
	append(&buf, parts->path);
	if (parts->has_query) {
		url.search_start = (uint32_t)buf.length;
		sk__buf_byte(&buf, '?');
		append(&buf, parts->query);
	}
	if (parts->has_hash) {
		url.hash_start = (uint32_t)buf.length;
		sk__buf_byte(&buf, '#');
		append(&buf, parts->hash);
	}
	error = sk__url_take(&url, &buf);
	if (!error)
		*out = url;
	return error;
}
