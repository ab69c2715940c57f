/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of lib/url share. Text that reaches the parser proper has been
 * cleaned (clean.c): well-formed UTF-8, no tab, no newline.
 */
#ifndef SK_URL_INTERNAL_H
#define SK_URL_INTERNAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "url/url.h"

/* A growing byte string. Once an allocation fails, `failed` stays set, appends
 * do nothing, and the owner looks once, at the end. */
struct sk__buf {
	char *data;
	size_t length;
	size_t cap;
	int failed;
};

/* Serialisations stay below 2 GiB, so that offsets fit 32 bits. */
#define SK__BUF_MAX 0x7fffffffu

int sk__buf_grow(struct sk__buf *buf, size_t extra);
void sk__buf_fini(struct sk__buf *buf);
void sk__buf_insert(struct sk__buf *buf, size_t at, const char *text,
		    size_t length);

/* Makes room for `extra` bytes and a NUL. 1, or 0 when out of memory. */
static inline int sk__buf_reserve(struct sk__buf *buf, size_t extra)
{
	if (buf->cap - buf->length > extra)
		return 1;
	return sk__buf_grow(buf, extra);
}

static inline void sk__buf_append(struct sk__buf *buf, const char *text,
				  size_t length)
{
	if (!length || !sk__buf_reserve(buf, length))
		return;
	memcpy(buf->data + buf->length, text, length);
	buf->length += length;
}

static inline void sk__buf_byte(struct sk__buf *buf, char byte)
{
	if (sk__buf_reserve(buf, 1))
		buf->data[buf->length++] = byte;
}

/* Borrowed bytes. */
struct sk__slice {
	const char *at;
	size_t length;
};

static inline int sk__slice_is(struct sk__slice slice, const char *text)
{
	return slice.length == strlen(text) &&
	       !memcmp(slice.at, text, slice.length);
}

/* --- classes of bytes (encode.c) --- */

#define SK__FRAGMENT	  0x01u /* the percent-encode sets, a bit each */
#define SK__QUERY	  0x02u
#define SK__SPECIAL_QUERY 0x04u
#define SK__PATH	  0x08u
#define SK__USERINFO	  0x10u
#define SK__C0		  0x20u
#define SK__HOST	  0x40u /* forbidden host code points */
#define SK__FORM	  0x80u

extern const uint8_t sk__class[256];

static inline int sk__is(char byte, unsigned set)
{
	return (sk__class[(unsigned char)byte] & set) != 0;
}

static inline int sk__is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline int sk__is_alpha(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline char sk__lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The value of a hexadecimal digit, or -1. */
static inline int sk__hex(char c)
{
	if (sk__is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Appends `text`, bytes of `set` percent-encoded. */
void sk__percent_append(struct sk__buf *buf, const char *text, size_t length,
			unsigned set);

/* --- text (clean.c) --- */

/* The length of the well-formed sequence at `at`, or 0 with `*bad` set to the
 * bytes that one U+FFFD stands for. */
size_t sk__utf8_length(const char *at, const char *end, size_t *bad);

/* Appends `text` with U+FFFD for what is ill-formed. */
void sk__utf8_append(struct sk__buf *buf, const char *text, size_t length);

/* Makes `*text` clean: ill-formed UTF-8 becomes U+FFFD and, with `strip`, tabs
 * and newlines go. A copy is made in `scratch` only when something changes. */
void sk__clean(struct sk__slice *text, struct sk__buf *scratch, int strip);

/* --- schemes (scheme.c) --- */

enum sk__scheme {
	SK__OTHER, /* not special */
	SK__FILE,
	SK__FTP,
	SK__HTTP,
	SK__HTTPS,
	SK__WS,
	SK__WSS
};

enum sk__scheme sk__scheme_find(const char *name, size_t length);
int sk__scheme_port(enum sk__scheme scheme);

static inline int sk__scheme_byte(char c)
{
	return sk__is_alpha(c) || sk__is_digit(c) || c == '+' || c == '-' ||
	       c == '.';
}

/* --- hosts (host.c, ip.c, idna.c) --- */

/* Parses a host and appends its serialisation. 0, -EINVAL, -ENOMEM. */
int sk__host_append(struct sk__buf *out, const char *host, size_t length,
		    int special);

/* The end of the host in [at, end): the first ":" outside brackets. */
const char *sk__host_end(const char *at, const char *end);

/* "The ends-in-a-number checker" of the standard. */
int sk__ipv4_looks(const char *host, size_t length);
int sk__ipv4_append(struct sk__buf *out, const char *host, size_t length);
int sk__ipv6_append(struct sk__buf *out, const char *host, size_t length);

/* UTS 46 ToASCII of well-formed UTF-8. 0, -EINVAL, -ENOMEM. */
int sk__idna_append(struct sk__buf *out, const char *domain, size_t length);

/* A port in [at, end): only digits. 0 or -EINVAL; `*port` is -1 for an empty
 * one and for the default of `scheme`. */
int sk__port_parse(int32_t *port, const char *at, const char *end,
		   enum sk__scheme scheme);
void sk__port_append(struct sk__buf *out, int32_t port);

/* --- paths (path.c) --- */

/*
 * The "path state": appends segments to the path that begins at `start` in
 * `out`, from `*at` (just after the slash) up to `end` or, unless `whole`, to
 * "?" or "#". `*at` is left there.
 */
void sk__path_append(struct sk__buf *out, size_t start, const char **at,
		     const char *end, enum sk__scheme scheme, int whole);

/* The "path start state". `whole` as above: the pathname setter. */
void sk__path_begin(struct sk__buf *out, size_t start, const char **at,
		    const char *end, enum sk__scheme scheme, int whole);

/* Drops the last segment, but never a file URL's drive letter. */
void sk__path_shorten(struct sk__buf *out, size_t start,
		      enum sk__scheme scheme);

/* "C:" or "C|" */
int sk__path_drive(const char *text, size_t length);

/* Text that starts with a drive letter and ends or has a delimiter there. */
int sk__path_starts_with_drive(const char *at, const char *end);

/* --- whole URLs --- */

struct sk__parts {
	struct sk__slice scheme; /* no colon */
	struct sk__slice username;
	struct sk__slice password;
	struct sk__slice host;
	struct sk__slice path;
	struct sk__slice query; /* no "?" */
	struct sk__slice hash;	/* no "#" */
	int32_t port;
	uint8_t has_host;
	uint8_t has_query;
	uint8_t has_hash;
	uint8_t opaque_path;
	enum sk__scheme kind;
};

void sk__parts_from(struct sk__parts *parts, const struct sk_url *url);

/* Serialises `parts` to a fresh `out`. 0 or -ENOMEM. */
int sk__parts_compose(struct sk_url *out, const struct sk__parts *parts);

/* Moves `buf` to url->href. 0 or -ENOMEM (then `buf` has been freed). */
int sk__url_take(struct sk_url *url, struct sk__buf *buf);

#endif
