/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of URLs. A pattern has a scheme, a host (literal, or labels with
 * wildcards), a port and a path glob. The path of a URL is looked at in two
 * readings, and both have to match: as it stands, segment by segment, and as a
 * server would see it that decodes slashes before it resolves dot segments. So
 * `/a/..%2f..%2fb` is never taken for something below `/a/`.
 */
#include "match/url_pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address/address.h"

#define PATH_MAX_BYTES 16384u
#define TOKENS_MAX     512u
#define PORT_ANY       (-1)

/* A step of a path glob. */
struct token {
	enum { LITERAL, SOME, SOME_ONE, ALL } kind;
	unsigned char byte; /* of LITERAL */
};

struct sk_url_pattern {
	char *scheme;
	char *host;    /* normalised; labels may be or hold `*` */
	int wild;      /* the host has a `*` */
	int any_depth; /* the host began with `**.`, or is `**` */
	int port;      /* resolved default, or PORT_ANY */
	struct token *tokens;
	size_t count;
	unsigned warnings;
};

static int fail(char *error, size_t size, const char *what)
{
	snprintf(error, size, "%s", what);
	return -EINVAL;
}

/* --- path --- */

/* Undoes one "%XX" at `at`. 1 and `*byte`, or 0 when there is none. */
static int unescape(const char *at, size_t left, char *byte)
{
	char bytes[3];

	if (left < 3 || *at != '%' || sk_percent_decode(bytes, at, 3) != 1)
		return 0;
	*byte = bytes[0];
	return 1;
}

static int is_dots(const char *at, size_t length)
{
	char plain[8];
	size_t n;

	if (!length || length > 6)
		return 0;
	n = sk_percent_decode(plain, at, length);
	return (n == 1 && plain[0] == '.') ||
	       (n == 2 && plain[0] == '.' && plain[1] == '.');
}

static int is_edge(const char *text, size_t length, size_t at)
{
	return at == 0 || at >= length || text[at - 1] == '/';
}

static int add_stars(struct sk_url_pattern *pattern, const char *text,
		     size_t length, size_t *at)
{
	size_t n = 0, from = *at;
	struct token *token = &pattern->tokens[pattern->count++];

	while (from + n < length && text[from + n] == '*')
		n++;
	*at += n;
	if (n > 2)
		return -EINVAL;
	token->kind = n == 2 ? ALL : SOME;
	/* A segment that is nothing but `*` wants something there. */
	if (n == 1 && is_edge(text, length, from) &&
	    (from + 1 == length || text[from + 1] == '/'))
		token->kind = SOME_ONE;
	return 0;
}

static int compile_path(struct sk_url_pattern *pattern, const char *text,
			size_t length, char *error, size_t errsize)
{
	size_t i, start;
	char byte;

	if (length > TOKENS_MAX)
		return fail(error, errsize, "the path is too long");
	for (i = start = 0; i <= length; i++) {
		if (i < length && text[i] != '/')
			continue;
		if (is_dots(text + start, i - start))
			pattern->warnings |= SK_WARN_NO_MATCH;
		start = i + 1;
	}
	pattern->tokens = calloc(length + 1, sizeof(*pattern->tokens));
	if (!pattern->tokens)
		return -ENOMEM;
	for (i = 0; i < length;) {
		if (text[i] == '*') {
			if (add_stars(pattern, text, length, &i))
				return fail(error, errsize,
					    "more than two `*` in a row");
			continue;
		}
		if (unescape(text + i, length - i, &byte)) {
			i += 3;
			if (byte == '/' || byte == '\\' || !byte)
				return fail(error, errsize,
					    "an encoded slash, backslash or "
					    "NUL can match nothing");
		} else {
			byte = text[i++];
		}
		pattern->tokens[pattern->count].kind = LITERAL;
		pattern->tokens[pattern->count++].byte = (unsigned char)byte;
	}
	return 0;
}

/* Every state that is alive after some bytes, one byte a state. */
static void spread(const struct sk_url_pattern *pattern, unsigned char *alive)
{
	size_t i;

	for (i = 0; i < pattern->count; i++)
		if (alive[i] && (pattern->tokens[i].kind == SOME ||
				 pattern->tokens[i].kind == ALL))
			alive[i + 1] = 1;
}

/* What a single `*` takes: nothing that some server reads as a separator. */
static int is_plain(unsigned char byte)
{
	return byte != '/' && byte != '\\' && byte != 0;
}

static void step(const struct sk_url_pattern *pattern, unsigned char *alive,
		 unsigned char byte)
{
	const struct token *token;
	size_t i;

	for (i = pattern->count + 1; i-- > 0;) {
		if (!alive[i])
			continue;
		alive[i] = 0;
		if (i == pattern->count)
			continue;
		token = &pattern->tokens[i];
		switch (token->kind) {
		case LITERAL:
			if (token->byte == byte)
				alive[i + 1] = 1;
			break;
		case SOME:
			alive[i] = is_plain(byte);
			break;
		case SOME_ONE:
			if (is_plain(byte))
				alive[i] = alive[i + 1] = 1;
			break;
		case ALL:
			alive[i] = 1;
			break;
		}
	}
	spread(pattern, alive);
}

static int glob(const struct sk_url_pattern *pattern, const char *path,
		size_t length)
{
	unsigned char alive[TOKENS_MAX + 2];
	size_t i;

	memset(alive, 0, pattern->count + 2);
	alive[0] = 1;
	spread(pattern, alive);
	for (i = 0; i < length; i++)
		step(pattern, alive, (unsigned char)path[i]);
	return alive[pattern->count];
}

/* The path with its escapes undone, but for slashes: those stay escapes. */
static size_t read_plain(char *out, const char *path, size_t length)
{
	size_t i, n = 0;
	char byte;

	for (i = 0; i < length; i++) {
		if (!unescape(path + i, length - i, &byte)) {
			out[n++] = path[i];
			continue;
		}
		if (byte == '/') {
			memcpy(out + n, "%2F", 3);
			n += 3;
		} else {
			out[n++] = byte;
		}
		i += 2;
	}
	return n;
}

/* The path as a careless server reads it: slashes (and backslashes) decoded,
 * then dot segments resolved. */
static size_t read_careless(char *out, const char *path, size_t length)
{
	char *decoded = out; /* resolving only ever shortens */
	size_t n = sk_percent_decode(decoded, path, length);
	size_t at = 0, to = 0, end, size;

	while (at < n) {
		end = at + 1;
		while (end < n && decoded[end] != '/' && decoded[end] != '\\')
			end++;
		size = end - at - 1;
		if (size == 2 && memcmp(decoded + at + 1, "..", 2) == 0) {
			while (to > 0 && out[--to] != '/')
				;
		} else if (!(size == 1 && decoded[at + 1] == '.')) {
			out[to++] = '/';
			memmove(out + to, decoded + at + 1, size);
			to += size;
		}
		at = end;
	}
	if (!to)
		out[to++] = '/';
	return to;
}

static int match_path(const struct sk_url_pattern *pattern, const char *path,
		      size_t length)
{
	char *buffer;
	int matches;

	if (length > PATH_MAX_BYTES)
		return 0;
	if (!memchr(path, '%', length))
		return glob(pattern, path, length);
	buffer = malloc(length * 3 + 1);
	if (!buffer)
		return 0;
	matches = glob(pattern, buffer, read_plain(buffer, path, length)) &&
		  glob(pattern, buffer, read_careless(buffer, path, length));
	free(buffer);
	return matches;
}

/* --- host --- */

static int is_ip(const char *host)
{
	return host[0] == '[' || sk_address_is_text(host);
}

/* One label (or a whole literal host) as a URL would have it. */
static int normalise(const char *text, size_t length, char *out, size_t size)
{
	struct sk_url url;
	const char *at;
	size_t n;
	char *copy = malloc(length + 16);
	int err;

	if (!copy)
		return -ENOMEM;
	n = (size_t)sprintf(copy, "http://%.*s/", (int)length, text);
	err = sk_url_parse(&url, copy, n, NULL);
	free(copy);
	if (err)
		return err;
	sk_url_hostname(&url, &at, &n);
	if (n >= size || url.path_start - url.host_end ||
	    url.length != url.path_start + 1)
		err = -EINVAL;
	else
		snprintf(out, size, "%.*s", (int)n, at);
	sk_url_fini(&url);
	return err;
}

static int plain_label(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '-' &&
		    text[i] != '_' && text[i] != '*')
			return 0;
	return length > 0;
}

/* Labels with wildcards: each literal label is normalised by itself. */
static int compile_wild_host(struct sk_url_pattern *pattern, const char *text,
			     size_t length, char *error, size_t errsize)
{
	const char *at = text, *end = text + length, *dot;
	char label[300], *to;
	size_t n, i;

	pattern->wild = 1;
	pattern->host = to = calloc(1, length * 4 + 300);
	if (!to)
		return -ENOMEM;
	if (length >= 2 && memcmp(at, "**", 2) == 0 &&
	    (length == 2 || at[2] == '.')) {
		pattern->any_depth = 1;
		at += length == 2 ? 2 : 3;
	}
	for (; at < end; at = dot + 1) {
		dot = memchr(at, '.', (size_t)(end - at));
		if (!dot)
			dot = end;
		n = (size_t)(dot - at);
		if (memchr(at, '*', n)) {
			if (!plain_label(at, n) || memmem(at, n, "**", 2))
				return fail(
					error, errsize,
					"a label with `*` may hold letters, "
					"digits, `-`, `_`; `**` stands first "
					"and alone");
			for (i = 0; i < n; i++)
				*to++ = (char)tolower((unsigned char)at[i]);
		} else if (normalise(at, n, label, sizeof(label)) ||
			   is_ip(label)) {
			return fail(error, errsize, "the host is not valid");
		} else {
			to += sprintf(to, "%s", label);
		}
		if (dot < end)
			*to++ = '.';
	}
	return 0;
}

static int compile_host(struct sk_url_pattern *pattern, const char *text,
			size_t length, char *error, size_t errsize)
{
	int err;

	if (!length)
		return fail(error, errsize, "there is no host");
	if (memchr(text, '*', length))
		return compile_wild_host(pattern, text, length, error, errsize);
	pattern->host = malloc(length * 8 + 300);
	if (!pattern->host)
		return -ENOMEM;
	err = normalise(text, length, pattern->host, length * 8 + 300);
	return err == -EINVAL ? fail(error, errsize, "the host is not valid")
			      : err;
}

/* One label against a label pattern with any number of `*`. */
static int match_label(const char *p, size_t pn, const char *s, size_t sn)
{
	size_t pi = 0, si = 0, star = (size_t)-1, mark = 0;

	if (!sn)
		return 0;
	while (si < sn) {
		if (pi < pn && p[pi] == '*') {
			star = pi++;
			mark = si;
		} else if (pi < pn && p[pi] == s[si]) {
			pi++;
			si++;
		} else if (star != (size_t)-1) {
			pi = star + 1;
			si = ++mark;
		} else {
			return 0;
		}
	}
	while (pi < pn && p[pi] == '*')
		pi++;
	return pi == pn;
}

/* Labels from the right, so that `**` can take what is left over. */
static int match_wild_host(const struct sk_url_pattern *pattern,
			   const char *host, size_t length)
{
	const char *p = pattern->host, *pe = p + strlen(p);
	const char *h = host, *he = host + length, *pd, *hd;

	while (pe > p) {
		if (he <= h)
			return 0;
		for (pd = pe; pd > p && pd[-1] != '.'; pd--)
			;
		for (hd = he; hd > h && hd[-1] != '.'; hd--)
			;
		if (!match_label(pd, (size_t)(pe - pd), hd, (size_t)(he - hd)))
			return 0;
		pe = pd > p ? pd - 1 : p;
		he = hd > h ? hd - 1 : h;
		if (pd == p && hd > h)
			return pattern->any_depth && he > h;
		if (hd == h && pd > p)
			return 0;
	}
	if (!pattern->any_depth)
		return he == h;
	return *p == 0 && length > 0;
}

static int match_host(const struct sk_url_pattern *pattern, const char *host,
		      size_t length)
{
	char text[256];

	if (!pattern->wild)
		return strlen(pattern->host) == length &&
		       memcmp(pattern->host, host, length) == 0;
	if (length >= sizeof(text))
		return 0;
	memcpy(text, host, length);
	text[length] = 0;
	if (text[0] == '.' || strstr(text, ".."))
		return 0;
	return !is_ip(text) && match_wild_host(pattern, host, length);
}

/* --- the whole --- */

static int ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

int sk_url_pattern_is_private(const struct sk_url_pattern *pattern)
{
	const char *host = pattern->host;
	char bare[64];
	size_t n = strlen(host);

	if (!pattern->wild && host[0] == '[' && n > 2 && n < sizeof(bare)) {
		snprintf(bare, n - 1, "%s", host + 1);
		return sk_address_classify_text(bare) == SK_ADDRESS_PRIVATE;
	}
	if (!pattern->wild && is_ip(host))
		return sk_address_classify_text(host) == SK_ADDRESS_PRIVATE;
	if (ends_with(host, ".local") || ends_with(host, ".internal") ||
	    ends_with(host, ".localhost"))
		return 1;
	return !pattern->wild && !strchr(host, '.');
}

unsigned sk_url_pattern_warnings(const struct sk_url_pattern *pattern)
{
	unsigned warnings = pattern->warnings;

	if (pattern->wild)
		warnings |= SK_WARN_WIDE_HOST;
	if ((!strcmp(pattern->scheme, "http") ||
	     !strcmp(pattern->scheme, "ws")) &&
	    !sk_url_pattern_is_private(pattern))
		warnings |= SK_WARN_PLAIN_HTTP;
	return warnings;
}

static int compile_port(struct sk_url_pattern *pattern, const char *text,
			size_t length, char *error, size_t errsize)
{
	long port = 0;
	size_t i;

	if (length == 1 && text[0] == '*') {
		pattern->port = PORT_ANY;
		return 0;
	}
	for (i = 0; i < length && i < 6; i++) {
		if (!isdigit((unsigned char)text[i]))
			break;
		port = port * 10 + (text[i] - '0');
	}
	if (!length || i < length || port > 65535 || port < 1)
		return fail(error, errsize,
			    "the port is not a number to 65535");
	pattern->port = (int)port;
	return 0;
}

/* Where the host ends and ":port" begins; `length` when there is no port. */
static size_t find_port(const char *text, size_t length)
{
	size_t i = length;

	while (i > 0 && text[i - 1] != ':' && text[i - 1] != ']')
		i--;
	return i > 0 && text[i - 1] == ':' ? i - 1 : length;
}

static int compile_parts(struct sk_url_pattern *pattern, const char *text,
			 size_t length, char *error, size_t errsize)
{
	static const char *const schemes[] = { "http", "https", "ws", "wss" };
	const char *end = text + length, *at, *path;
	size_t i, host_len, authority;
	int err = 0;

	for (i = 0; i < 4; i++) {
		size_t n = strlen(schemes[i]);

		if (length > n + 3 && strncasecmp(text, schemes[i], n) == 0 &&
		    memcmp(text + n, "://", 3) == 0)
			break;
	}
	if (i == 4)
		return fail(error, errsize,
			    "it must begin with http://, https://, ws:// or "
			    "wss://");
	pattern->scheme = strdup(schemes[i]);
	if (!pattern->scheme)
		return -ENOMEM;
	at = text + strlen(schemes[i]) + 3;
	path = memchr(at, '/', (size_t)(end - at));
	if (!path)
		path = end;
	authority = (size_t)(path - at);
	if (memchr(at, '@', authority))
		return fail(error, errsize, "a user name is not allowed");
	host_len = find_port(at, authority);
	pattern->port = sk_url_default_port(schemes[i], strlen(schemes[i]));
	if (host_len < authority)
		err = compile_port(pattern, at + host_len + 1,
				   authority - host_len - 1, error, errsize);
	if (!err)
		err = compile_host(pattern, at, host_len, error, errsize);
	if (err)
		return err;
	return path == end ? compile_path(pattern, "/", 1, error, errsize)
			   : compile_path(pattern, path, (size_t)(end - path),
					  error, errsize);
}

int sk_url_pattern_compile(struct sk_url_pattern **out, const char *text,
			   size_t length, char *error, size_t errsize)
{
	struct sk_url_pattern *pattern;
	size_t i;
	int err;

	for (i = 0; i < length; i++) {
		if (text[i] == '?' || text[i] == '#')
			return fail(error, errsize,
				    "a pattern has no query and no fragment");
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f ||
		    text[i] == '\\')
			return fail(error, errsize,
				    "spaces, control characters and "
				    "backslashes are not allowed");
	}
	pattern = calloc(1, sizeof(*pattern));
	if (!pattern)
		return -ENOMEM;
	err = compile_parts(pattern, text, length, error, errsize);
	if (err) {
		sk_url_pattern_free(pattern);
		return err;
	}
	*out = pattern;
	return 0;
}

void sk_url_pattern_free(struct sk_url_pattern *pattern)
{
	if (!pattern)
		return;
	free(pattern->scheme);
	free(pattern->host);
	free(pattern->tokens);
	free(pattern);
}

int sk_url_pattern_match(const struct sk_url_pattern *pattern,
			 const struct sk_url *url)
{
	const char *at;
	size_t length;
	int port = url->port;

	if (!url->has_host || url->host_start != url->scheme_end + 2)
		return 0;
	if (strlen(pattern->scheme) != url->scheme_end - 1 ||
	    memcmp(pattern->scheme, url->href, url->scheme_end - 1) != 0)
		return 0;
	if (port < 0)
		port = sk_url_default_port(pattern->scheme,
					   strlen(pattern->scheme));
	if (pattern->port != PORT_ANY && pattern->port != port)
		return 0;
	sk_url_hostname(url, &at, &length);
	if (!match_host(pattern, at, length))
		return 0;
	sk_url_pathname(url, &at, &length);
	return match_path(pattern, at, length);
}
