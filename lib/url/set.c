// SPDX-License-Identifier: BSD-2-Clause
/*
 * The setters of the URL class: the parser's states "with a state override".
 * A setter puts the new text of its part into `text` and points `parts` at it;
 * the URL is then written anew.
 */
#include <errno.h>

#include "url/internal.h"

/* 0: set, 1: the value is ignored, -ENOMEM. */
typedef int setter(struct sk__parts *parts, struct sk__buf *text,
		   struct sk__slice value);

static struct sk__slice whole(const struct sk__buf *text)
{
	return (struct sk__slice){ text->length ? text->data : "",
				   text->length };
}

/* "Cannot have a username/password/port". */
static int hostless(const struct sk__parts *parts)
{
	return !parts->has_host || !parts->host.length ||
	       parts->kind == SK__FILE;
}

static int has_credentials(const struct sk__parts *parts)
{
	return parts->username.length || parts->password.length;
}

static int set_protocol(struct sk__parts *parts, struct sk__buf *text,
			struct sk__slice value)
{
	enum sk__scheme kind;
	size_t i;

	if (!value.length || !sk__is_alpha(*value.at))
		return 1;
	for (i = 0; i < value.length && sk__scheme_byte(value.at[i]); i++)
		sk__buf_byte(text, sk__lower(value.at[i]));
	if (i < value.length && value.at[i] != ':')
		return 1;
	if (text->failed)
		return -ENOMEM;
	kind = sk__scheme_find(text->data, text->length);
	if ((kind == SK__OTHER) != (parts->kind == SK__OTHER))
		return 1;
	if (kind == SK__FILE && (has_credentials(parts) || parts->port >= 0))
		return 1;
	if (parts->kind == SK__FILE && !parts->host.length)
		return 1;
	parts->scheme = whole(text);
	parts->kind = kind;
	if (parts->port == sk__scheme_port(kind))
		parts->port = -1;
	return 0;
}

static int set_username(struct sk__parts *parts, struct sk__buf *text,
			struct sk__slice value)
{
	if (hostless(parts))
		return 1;
	sk__percent_append(text, value.at, value.length, SK__USERINFO);
	parts->username = whole(text);
	return 0;
}

static int set_password(struct sk__parts *parts, struct sk__buf *text,
			struct sk__slice value)
{
	if (hostless(parts))
		return 1;
	sk__percent_append(text, value.at, value.length, SK__USERINFO);
	parts->password = whole(text);
	return 0;
}

/* The end of the authority in `value`. */
static const char *authority_end(struct sk__slice value, enum sk__scheme kind)
{
	const char *at = value.at, *end = value.at + value.length;

	while (at < end && *at != '/' && *at != '?' && *at != '#' &&
	       (*at != '\\' || !kind))
		at++;
	return at;
}

static int put_host(struct sk__parts *parts, struct sk__buf *text,
		    const char *at, const char *end)
{
	int error = sk__host_append(text, at, (size_t)(end - at),
				    parts->kind != SK__OTHER);

	if (error)
		return error == -ENOMEM ? error : 1;
	parts->host = whole(text);
	parts->has_host = 1;
	return 0;
}

static int set_file_host(struct sk__parts *parts, struct sk__buf *text,
			 struct sk__slice value)
{
	const char *end = authority_end(value, parts->kind);
	int error;

	if (end == value.at) {
		parts->host = (struct sk__slice){ "", 0 };
		return 0;
	}
	error = put_host(parts, text, value.at, end);
	if (!error && sk__slice_is(parts->host, "localhost"))
		parts->host.length = 0;
	return error;
}

/* The digits at `at`, if there are any and they make a port. */
static int put_port(struct sk__parts *parts, const char *at, const char *end)
{
	const char *stop = at;

	while (stop < end && sk__is_digit(*stop))
		stop++;
	if (stop == at ||
	    sk__port_parse(&parts->port, at, stop, parts->kind) < 0)
		return 1;
	return 0;
}

static int set_host_or_name(struct sk__parts *parts, struct sk__buf *text,
			    struct sk__slice value, int name_only)
{
	const char *stop, *end;
	int error;

	if (parts->opaque_path)
		return 1;
	if (parts->kind == SK__FILE)
		return set_file_host(parts, text, value);
	end = authority_end(value, parts->kind);
	stop = sk__host_end(value.at, end);
	if (stop < end && (stop == value.at || name_only))
		return 1;
	if (stop == value.at &&
	    (parts->kind || has_credentials(parts) || parts->port >= 0))
		return 1;
	error = put_host(parts, text, value.at, stop);
	/* A port that is none leaves the new host in place. */
	if (!error && stop < end)
		put_port(parts, stop + 1, end);
	return error;
}

static int set_host(struct sk__parts *parts, struct sk__buf *text,
		    struct sk__slice value)
{
	return set_host_or_name(parts, text, value, 0);
}

static int set_hostname(struct sk__parts *parts, struct sk__buf *text,
			struct sk__slice value)
{
	return set_host_or_name(parts, text, value, 1);
}

static int set_port(struct sk__parts *parts, struct sk__buf *text,
		    struct sk__slice value)
{
	(void)text;
	if (hostless(parts))
		return 1;
	return put_port(parts, value.at, value.at + value.length);
}

static int set_pathname(struct sk__parts *parts, struct sk__buf *text,
			struct sk__slice value)
{
	const char *at = value.at;

	if (parts->opaque_path)
		return 1;
	if (!value.length && !parts->has_host)
		sk__buf_byte(text, '/');
	sk__path_begin(text, 0, &at, value.at + value.length, parts->kind, 1);
	parts->path = whole(text);
	return 0;
}

static int set_search(struct sk__parts *parts, struct sk__buf *text,
		      struct sk__slice value)
{
	sk__percent_append(text, value.at, value.length,
			   parts->kind ? SK__SPECIAL_QUERY : SK__QUERY);
	parts->query = whole(text);
	parts->has_query = 1;
	return 0;
}

static int set_hash(struct sk__parts *parts, struct sk__buf *text,
		    struct sk__slice value)
{
	sk__percent_append(text, value.at, value.length, SK__FRAGMENT);
	parts->hash = whole(text);
	parts->has_hash = 1;
	return 0;
}

/* The empty string removes these. */
static int remove_part(struct sk__parts *parts, enum sk_url_part part)
{
	if (part == SK_URL_SEARCH)
		parts->has_query = 0;
	else if (part == SK_URL_HASH)
		parts->has_hash = 0;
	else if (hostless(parts))
		return 1;
	else
		parts->port = -1;
	return 0;
}

static int set_href(struct sk_url *url, const char *value, size_t length)
{
	struct sk_url fresh;
	int error = sk_url_parse(&fresh, value, length, NULL);

	if (error)
		return error;
	sk_url_fini(url);
	*url = fresh;
	return 0;
}

static int set_part(struct sk__parts *parts, struct sk__buf *text,
		    enum sk_url_part part, struct sk__slice value)
{
	static setter *const setters[] = {
		[SK_URL_PROTOCOL] = set_protocol,
		[SK_URL_USERNAME] = set_username,
		[SK_URL_PASSWORD] = set_password,
		[SK_URL_HOST] = set_host,
		[SK_URL_HOSTNAME] = set_hostname,
		[SK_URL_PORT] = set_port,
		[SK_URL_PATHNAME] = set_pathname,
		[SK_URL_SEARCH] = set_search,
		[SK_URL_HASH] = set_hash,
	};
	struct sk__buf scratch = { 0 };
	int error;

	if ((part == SK_URL_SEARCH && *value.at == '?') ||
	    (part == SK_URL_HASH && *value.at == '#')) {
		value.at++;
		value.length--;
	}
	sk__clean(&value, &scratch,
		  part != SK_URL_USERNAME && part != SK_URL_PASSWORD);
	error = scratch.failed ? -ENOMEM : setters[part](parts, text, value);
	sk__buf_fini(&scratch);
	return error;
}

int sk_url_set(struct sk_url *url, enum sk_url_part part, const char *value,
	       size_t length)
{
	struct sk__buf text = { 0 };
	struct sk__parts parts;
	struct sk_url fresh;
	int error;

	if (part == SK_URL_HREF)
		return set_href(url, value, length);
	sk__parts_from(&parts, url);
	if (!length && (part == SK_URL_PORT || part == SK_URL_SEARCH ||
			part == SK_URL_HASH))
		error = remove_part(&parts, part);
	else
		error = set_part(
			&parts, &text, part,
			(struct sk__slice){ length ? value : "", length });
	if (!error && text.failed)
		error = -ENOMEM;
	if (!error)
		error = sk__parts_compose(&fresh, &parts);
	if (!error) {
		sk_url_fini(url);
		*url = fresh;
	}
	sk__buf_fini(&text);
	return error;
}
