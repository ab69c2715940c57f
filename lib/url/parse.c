// SPDX-License-Identifier: BSD-2-Clause
/*
 * The basic URL parser. The standard writes a state machine over code points;
 * each function here is a run of its states, and appends to the serialisation
 * directly, in the order in which its parts stand. States without an
 * observable step of their own ("special authority slashes") are folded.
 */
#include <errno.h>

#include "url/internal.h"

struct parser {
	const char *at;
	const char *end;
	const struct sk_url *base;
	enum sk__scheme scheme;
	struct sk_url *url;
	struct sk__buf out;
};

static int peek(const struct parser *p)
{
	return p->at < p->end ? (unsigned char)*p->at : -1;
}

static int slash_at(const struct parser *p)
{
	return peek(p) == '/' || (peek(p) == '\\' && p->scheme != SK__OTHER);
}

static uint32_t here(const struct parser *p)
{
	return (uint32_t)p->out.length;
}

static void skip_slashes(struct parser *p)
{
	while (slash_at(p))
		p->at++;
}

/* --- from the path on --- */

static void parse_hash(struct parser *p)
{
	if (peek(p) != '#')
		return;
	p->at++;
	p->url->hash_start = here(p);
	sk__buf_byte(&p->out, '#');
	sk__percent_append(&p->out, p->at, (size_t)(p->end - p->at),
			   SK__FRAGMENT);
}

static void parse_query(struct parser *p)
{
	const char *stop;

	if (peek(p) == '?') {
		p->at++;
		stop = memchr(p->at, '#', (size_t)(p->end - p->at));
		if (!stop)
			stop = p->end;
		p->url->search_start = here(p);
		sk__buf_byte(&p->out, '?');
		sk__percent_append(&p->out, p->at, (size_t)(stop - p->at),
				   p->scheme ? SK__SPECIAL_QUERY : SK__QUERY);
		p->at = stop;
	}
	parse_hash(p);
}

/* A path without a host must not look like one. */
static void guard_path(struct parser *p)
{
	struct sk_url *url = p->url;

	if (url->has_host || p->out.length - url->path_start < 2 ||
	    memcmp(p->out.data + url->path_start, "//", 2) != 0)
		return;
	sk__buf_insert(&p->out, url->path_start, "/.", 2);
	url->path_start += 2;
}

static void end_path(struct parser *p)
{
	if (!p->out.failed)
		guard_path(p);
	parse_query(p);
}

static void parse_path(struct parser *p)
{
	sk__path_append(&p->out, p->url->path_start, &p->at, p->end, p->scheme,
			0);
	end_path(p);
}

static void parse_path_start(struct parser *p)
{
	p->url->path_start = here(p);
	sk__path_begin(&p->out, p->url->path_start, &p->at, p->end, p->scheme,
		       0);
	end_path(p);
}

static void parse_opaque_path(struct parser *p)
{
	const char *stop = p->at, *text;

	p->url->opaque_path = 1;
	p->url->path_start = here(p);
	while (stop < p->end && *stop != '?' && *stop != '#')
		stop++;
	/* The last space would be lost when the query or hash is removed. */
	text = stop < p->end && stop > p->at && stop[-1] == ' ' ? stop - 1
								: stop;
	sk__percent_append(&p->out, p->at, (size_t)(text - p->at), SK__C0);
	if (text < stop)
		sk__buf_append(&p->out, "%20", 3);
	p->at = stop;
	parse_query(p);
}

/* --- authority --- */

static void parse_userinfo(struct parser *p, const char *stop)
{
	size_t length = (size_t)(stop - p->at);
	const char *colon = memchr(p->at, ':', length);

	if (!colon)
		colon = stop;
	sk__percent_append(&p->out, p->at, (size_t)(colon - p->at),
			   SK__USERINFO);
	p->url->username_end = here(p);
	if (stop - colon > 1) {
		sk__buf_byte(&p->out, ':');
		sk__percent_append(&p->out, colon + 1,
				   (size_t)(stop - colon - 1), SK__USERINFO);
	}
	if (length > 1 || (length && *p->at != ':')) {
		p->url->host_start = here(p);
		sk__buf_byte(&p->out, '@');
	}
}

/* Opens "//" and an empty host; the caller writes what follows. */
static void open_authority(struct parser *p)
{
	struct sk_url *url = p->url;

	sk__buf_append(&p->out, "//", 2);
	url->has_host = 1;
	url->username_end = url->host_start = url->host_end = here(p);
}

static int parse_authority(struct parser *p)
{
	struct sk_url *url = p->url;
	const char *stop = p->at, *at = NULL, *host;
	int error;

	for (; stop < p->end; stop++) {
		if (*stop == '@')
			at = stop;
		else if (*stop == '/' || *stop == '?' || *stop == '#' ||
			 (*stop == '\\' && p->scheme))
			break;
	}
	open_authority(p);
	if (at) {
		parse_userinfo(p, at);
		p->at = at + 1;
		if (p->at == stop)
			return -EINVAL;
	}
	host = sk__host_end(p->at, stop);
	if (host == p->at && (host < stop || p->scheme))
		return -EINVAL;
	error = sk__host_append(&p->out, p->at, (size_t)(host - p->at),
				p->scheme != SK__OTHER);
	if (error)
		return error;
	url->host_end = here(p);
	if (host < stop) {
		error = sk__port_parse(&url->port, host + 1, stop, p->scheme);
		if (error)
			return error;
		sk__port_append(&p->out, url->port);
	}
	p->at = stop;
	parse_path_start(p);
	return 0;
}

/* --- relative to a base --- */

static void copy_scheme(struct parser *p)
{
	const struct sk_url *base = p->base;

	p->out.length = 0;
	sk__buf_append(&p->out, base->href, base->scheme_end);
	p->url->scheme_end = base->scheme_end;
	p->scheme = sk__scheme_find(base->href, base->scheme_end - 1);
}

/* Scheme, credentials, host and port of the base. */
static void copy_authority(struct parser *p)
{
	const struct sk_url *base = p->base;
	struct sk_url *url = p->url;

	copy_scheme(p);
	if (base->has_host)
		sk__buf_append(&p->out, base->href + base->scheme_end,
			       base->path_start - base->scheme_end);
	url->has_host = base->has_host;
	url->username_end = base->username_end;
	url->host_start = base->host_start;
	url->host_end = base->host_end;
	url->port = base->port;
	url->path_start = here(p);
}

static void copy_path(struct parser *p)
{
	struct sk__parts parts;

	sk__parts_from(&parts, p->base);
	p->url->path_start = here(p);
	p->url->opaque_path = parts.opaque_path;
	sk__buf_append(&p->out, parts.path.at, parts.path.length);
}

/* The base's path, its query too unless there is a new one, then the rest. */
static void copy_path_and_query(struct parser *p)
{
	struct sk__parts parts;

	copy_path(p);
	if (!p->out.failed)
		guard_path(p);
	sk__parts_from(&parts, p->base);
	if (peek(p) != '?' && parts.has_query) {
		p->url->search_start = here(p);
		sk__buf_byte(&p->out, '?');
		sk__buf_append(&p->out, parts.query.at, parts.query.length);
	}
	parse_query(p);
}

static int parse_relative(struct parser *p)
{
	int c;

	copy_scheme(p);
	if (slash_at(p)) {
		p->at++;
		if (slash_at(p)) {
			p->at++;
			if (p->scheme)
				skip_slashes(p);
			return parse_authority(p);
		}
		copy_authority(p);
		parse_path(p);
		return 0;
	}
	copy_authority(p);
	c = peek(p);
	if (c < 0 || c == '?' || c == '#') {
		copy_path_and_query(p);
		return 0;
	}
	copy_path(p);
	if (!p->out.failed)
		sk__path_shorten(&p->out, p->url->path_start, p->scheme);
	parse_path(p);
	return 0;
}

/* --- file URLs --- */

static int parse_file_host(struct parser *p)
{
	const char *stop = p->at;
	size_t start;
	int error;

	while (stop < p->end && *stop != '/' && *stop != '\\' && *stop != '?' &&
	       *stop != '#')
		stop++;
	open_authority(p);
	p->url->path_start = here(p);
	if (sk__path_drive(p->at, (size_t)(stop - p->at))) {
		/* It was no host: the path begins here. */
		parse_path(p);
		return 0;
	}
	start = p->out.length;
	if (stop > p->at) {
		error = sk__host_append(&p->out, p->at, (size_t)(stop - p->at),
					1);
		if (error)
			return error;
		if (p->out.length - start == 9 &&
		    !memcmp(p->out.data + start, "localhost", 9))
			p->out.length = start;
	}
	p->url->host_end = here(p);
	p->at = stop;
	parse_path_start(p);
	return 0;
}

/* "/x": the base's host and drive letter stay. */
static void parse_file_slash(struct parser *p)
{
	struct sk__parts parts;

	if (!p->base) {
		open_authority(p);
		p->url->path_start = here(p);
		parse_path(p);
		return;
	}
	copy_authority(p);
	sk__parts_from(&parts, p->base);
	if (!sk__path_starts_with_drive(p->at, p->end) &&
	    parts.path.length >= 3 && sk__is_alpha(parts.path.at[1]) &&
	    parts.path.at[2] == ':' &&
	    (parts.path.length == 3 || parts.path.at[3] == '/'))
		sk__buf_append(&p->out, parts.path.at, 3);
	parse_path(p);
}

/* `p->base` is NULL or a file URL here. */
static int parse_file(struct parser *p)
{
	int c;

	if (slash_at(p)) {
		p->at++;
		if (slash_at(p)) {
			p->at++;
			return parse_file_host(p);
		}
		parse_file_slash(p);
		return 0;
	}
	if (!p->base) {
		parse_file_slash(p);
		return 0;
	}
	copy_authority(p);
	c = peek(p);
	if (c < 0 || c == '?' || c == '#') {
		copy_path_and_query(p);
		return 0;
	}
	if (!sk__path_starts_with_drive(p->at, p->end)) {
		copy_path(p);
		if (!p->out.failed)
			sk__path_shorten(&p->out, p->url->path_start,
					 p->scheme);
	}
	parse_path(p);
	return 0;
}

/* --- the beginning --- */

/* The text before ":" when it is a scheme, else NULL. */
static const char *find_scheme(const struct parser *p)
{
	const char *at = p->at;

	if (at == p->end || !sk__is_alpha(*at))
		return NULL;
	while (at < p->end && sk__scheme_byte(*at))
		at++;
	return at < p->end && *at == ':' ? at : NULL;
}

static int parse_no_scheme(struct parser *p)
{
	if (!p->base || (p->base->opaque_path && peek(p) != '#'))
		return -EINVAL;
	copy_scheme(p);
	if (p->base->opaque_path) {
		copy_authority(p);
		copy_path_and_query(p);
		return 0;
	}
	if (p->scheme == SK__FILE)
		return parse_file(p);
	return parse_relative(p);
}

static int base_has_scheme(const struct parser *p)
{
	return p->base && p->base->scheme_end == p->out.length &&
	       !memcmp(p->base->href, p->out.data, p->out.length);
}

static int parse_scheme(struct parser *p, const char *colon)
{
	struct sk_url *url = p->url;

	for (; p->at < colon; p->at++)
		sk__buf_byte(&p->out, sk__lower(*p->at));
	sk__buf_byte(&p->out, ':');
	if (p->out.failed)
		return -ENOMEM;
	p->at++;
	url->scheme_end = url->username_end = here(p);
	url->host_start = url->host_end = here(p);
	p->scheme = sk__scheme_find(p->out.data, p->out.length - 1);
	if (p->scheme == SK__FILE) {
		if (!base_has_scheme(p))
			p->base = NULL;
		return parse_file(p);
	}
	if (p->scheme) {
		if (base_has_scheme(p) &&
		    (p->end - p->at < 2 || memcmp(p->at, "//", 2) != 0))
			return parse_relative(p);
		skip_slashes(p);
		return parse_authority(p);
	}
	if (!slash_at(p)) {
		parse_opaque_path(p);
		return 0;
	}
	p->at++;
	if (slash_at(p)) {
		p->at++;
		return parse_authority(p);
	}
	url->path_start = here(p);
	parse_path(p);
	return 0;
}

int sk__url_take(struct sk_url *url, struct sk__buf *buf)
{
	if (!sk__buf_reserve(buf, 0) || buf->failed) {
		sk__buf_fini(buf);
		return -ENOMEM;
	}
	buf->data[buf->length] = 0;
	url->href = buf->data;
	url->length = (uint32_t)buf->length;
	return 0;
}

static void trim(struct sk__slice *text)
{
	while (text->length && (unsigned char)*text->at <= ' ') {
		text->at++;
		text->length--;
	}
	while (text->length && (unsigned char)text->at[text->length - 1] <= ' ')
		text->length--;
}

int sk_url_parse(struct sk_url *out, const char *input, size_t length,
		 const struct sk_url *base)
{
	struct sk_url url = { .search_start = SK_URL_NONE,
			      .hash_start = SK_URL_NONE,
			      .port = -1 };
	struct sk__slice text = { length ? input : "", length };
	struct sk__buf scratch = { 0 };
	struct parser p = { .base = base, .url = &url };
	const char *colon;
	int error = -ENOMEM;

	trim(&text);
	sk__clean(&text, &scratch, 1);
	if (scratch.failed || !sk__buf_reserve(&p.out, text.length + 16))
		goto fail;
	p.at = text.at;
	p.end = text.at + text.length;
	colon = find_scheme(&p);
	error = colon ? parse_scheme(&p, colon) : parse_no_scheme(&p);
	if (error)
		goto fail;
	url.special = p.scheme != SK__OTHER;
	error = sk__url_take(&url, &p.out);
	if (!error)
		*out = url;
	sk__buf_fini(&scratch);
	return error;
fail:
	sk__buf_fini(&p.out);
	sk__buf_fini(&scratch);
	return error;
}
