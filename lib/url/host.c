// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hosts: domains and IPv4 addresses of special URLs, opaque hosts of the
 * others, IPv6 addresses of both. A domain of plain ASCII, nearly all of them,
 * never touches ICU.
 */
#include <errno.h>

#include "url/internal.h"

const char *sk__host_end(const char *at, const char *end)
{
	int brackets = 0;

	for (; at < end; at++) {
		if (*at == '[')
			brackets = 1;
		else if (*at == ']')
			brackets = 0;
		else if (*at == ':' && !brackets)
			break;
	}
	return at;
}

/* Forbidden domain code points, beyond those of every host. */
static int domain_forbids(char c)
{
	return sk__is(c, SK__HOST) || c == '%' || (unsigned char)c <= 0x1f ||
	       c == 0x7f;
}

/* Whether some label of `domain` begins with "xn--" (lower case). */
static int has_punycode(const char *domain, size_t length)
{
	size_t i;

	for (i = 0; i + 4 <= length; i++)
		if (domain[i] == 'x' && (!i || domain[i - 1] == '.') &&
		    !memcmp(domain + i, "xn--", 4))
			return 1;
	return 0;
}

/*
 * Appends an ASCII domain in lower case. 1: done. 0: it needs decoding or UTS
 * 46, and `out` is as before. -EINVAL: forbidden code point, which means
 * something in plain ASCII only ("<" and U+0338 compose to a valid one).
 */
static int append_plain(struct sk__buf *out, const char *host, size_t length)
{
	int forbidden = 0;
	char *to;
	size_t i;

	if (!sk__buf_reserve(out, length))
		return -ENOMEM;
	to = out->data + out->length;
	for (i = 0; i < length; i++) {
		if (host[i] == '%' || (unsigned char)host[i] >= 0x80)
			return 0;
		forbidden |= domain_forbids(host[i]);
		to[i] = sk__lower(host[i]);
	}
	if (forbidden)
		return -EINVAL;
	if (has_punycode(to, length))
		return 0;
	out->length += length;
	return 1;
}

/* Decodes escapes, then UTS 46 where the result needs it. */
static int append_mapped(struct sk__buf *out, const char *host, size_t length)
{
	struct sk__buf raw = { 0 }, text = { 0 };
	size_t start = out->length, i;
	int error = -ENOMEM;

	if (!sk__buf_reserve(&raw, length))
		goto out;
	raw.length = sk_percent_decode(raw.data, host, length);
	sk__utf8_append(&text, raw.data, raw.length);
	if (text.failed)
		goto out;
	/* A "%" that is left over now is no escape: it is forbidden. */
	error = -EINVAL;
	if (memchr(text.data, '%', text.length))
		goto out;
	error = append_plain(out, text.data, text.length);
	if (!error)
		error = sk__idna_append(out, text.data, text.length);
	if (error < 0)
		goto out;
	error = out->length > start ? 0 : -EINVAL;
	for (i = start; i < out->length; i++)
		if (domain_forbids(out->data[i]))
			error = -EINVAL;
out:
	sk__buf_fini(&text);
	sk__buf_fini(&raw);
	return error;
}

static int append_domain(struct sk__buf *out, const char *host, size_t length)
{
	struct sk__buf address = { 0 };
	size_t start = out->length;
	int error;

	error = append_plain(out, host, length);
	if (!error)
		error = append_mapped(out, host, length);
	if (error < 0)
		return error;
	if (!sk__ipv4_looks(out->data + start, out->length - start))
		return 0;
	error = sk__ipv4_append(&address, out->data + start,
				out->length - start);
	out->length = start;
	sk__buf_append(out, address.data, address.length);
	if (address.failed)
		error = -ENOMEM;
	sk__buf_fini(&address);
	return error;
}

static int append_opaque(struct sk__buf *out, const char *host, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (sk__is(host[i], SK__HOST))
			return -EINVAL;
	sk__percent_append(out, host, length, SK__C0);
	return 0;
}

int sk__host_append(struct sk__buf *out, const char *host, size_t length,
		    int special)
{
	if (length && *host == '[') {
		if (host[length - 1] != ']')
			return -EINVAL;
		return sk__ipv6_append(out, host + 1, length - 2);
	}
	if (!special)
		return append_opaque(out, host, length);
	return append_domain(out, host, length);
}

int sk__port_parse(int32_t *port, const char *at, const char *end,
		   enum sk__scheme scheme)
{
	int32_t value = -1;

	for (; at < end; at++) {
		if (!sk__is_digit(*at))
			return -EINVAL;
		value = (value < 0 ? 0 : value) * 10 + (*at - '0');
		if (value > 65535)
			return -EINVAL;
	}
	*port = value == sk__scheme_port(scheme) ? -1 : value;
	return 0;
}

void sk__port_append(struct sk__buf *out, int32_t port)
{
	char text[8];
	int at = sizeof(text);

	if (port < 0)
		return;
	do {
		text[--at] = (char)('0' + port % 10);
		port /= 10;
	} while (port);
	text[--at] = ':';
	sk__buf_append(out, text + at, sizeof(text) - (size_t)at);
}
