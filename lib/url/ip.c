// SPDX-License-Identifier: BSD-2-Clause
/* IPv4 and IPv6 addresses as hosts, in all the spellings of the standard. */
#include <errno.h>
#include <stdio.h>

#include "url/internal.h"

/* A part of an IPv4 address: decimal, 0octal or 0xhex. 0 or -EINVAL. A value
 * beyond 2^32 comes out as some value beyond 2^32. */
static int ipv4_number(const char *at, size_t length, uint64_t *value)
{
	unsigned radix = 10;
	size_t i = 0;

	*value = 0;
	if (!length)
		return -EINVAL;
	if (length >= 2 && at[0] == '0') {
		radix = (at[1] | 0x20) == 'x' ? 16 : 8;
		i = radix == 16 ? 2 : 1;
	}
	for (; i < length; i++) {
		int digit = sk__hex(at[i]);

		if (digit < 0 || (unsigned)digit >= radix)
			return -EINVAL;
		if (*value <= UINT32_MAX)
			*value = *value * radix + (unsigned)digit;
	}
	return 0;
}

int sk__ipv4_looks(const char *host, size_t length)
{
	size_t start, i;
	uint64_t value;

	if (length && host[length - 1] == '.')
		length--;
	for (start = length; start && host[start - 1] != '.'; start--)
		;
	if (start == length || !sk__is_digit(host[start]))
		return 0;
	for (i = start; i < length && sk__is_digit(host[i]); i++)
		;
	return i == length ||
	       ipv4_number(host + start, length - start, &value) == 0;
}

int sk__ipv4_append(struct sk__buf *out, const char *host, size_t length)
{
	uint64_t address = 0, value = 0;
	size_t start = 0, i;
	int count = 0, n;
	char text[16];

	if (length && host[length - 1] == '.')
		length--;
	for (i = 0; i <= length; i++) {
		if (i < length && host[i] != '.')
			continue;
		/* Only the last part may be above 255. */
		if (count == 4 || (count && value > 255) ||
		    ipv4_number(host + start, i - start, &value) < 0)
			return -EINVAL;
		start = i + 1;
		if (i < length)
			address |= (value & 0xff) << (24 - 8 * (count & 3));
		count++;
	}
	if (value >= UINT64_C(1) << (8 * (5 - count)))
		return -EINVAL;
	address |= value;
	n = snprintf(text, sizeof(text), "%u.%u.%u.%u",
		     (unsigned)(address >> 24) & 255,
		     (unsigned)(address >> 16) & 255,
		     (unsigned)(address >> 8) & 255, (unsigned)address & 255);
	sk__buf_append(out, text, (size_t)n);
	return 0;
}

/* "1.2.3.4" at the end of an IPv6 address: strictly four decimal numbers. */
static int ipv6_tail(uint16_t *pieces, const char *at, const char *end)
{
	int seen;

	for (seen = 0; seen < 4; seen++) {
		unsigned value = 0;
		const char *first;

		if (seen && (at == end || *at++ != '.'))
			return -EINVAL;
		for (first = at; at < end && sk__is_digit(*at); at++) {
			if ((at > first && !value) || value > 25)
				return -EINVAL;
			value = value * 10 + (unsigned)(*at - '0');
		}
		if (at == first || value > 255)
			return -EINVAL;
		pieces[seen / 2] = (uint16_t)(pieces[seen / 2] << 8 | value);
	}
	return at == end ? 0 : -EINVAL;
}

/* Moves what follows the "::" at `compress` to the end. */
static void ipv6_spread(uint16_t *pieces, int count, int compress)
{
	int moved = count - compress, i;

	for (i = 1; i <= moved; i++) {
		uint16_t piece = pieces[count - i];

		pieces[count - i] = 0;
		pieces[8 - i] = piece;
	}
}

static int ipv6_parse(uint16_t *pieces, const char *at, const char *end)
{
	int count = 0, compress = -1, length;
	unsigned value;

	if (at < end && *at == ':') {
		if (end - at < 2 || at[1] != ':')
			return -EINVAL;
		at += 2;
		compress = ++count;
	}
	while (at < end) {
		if (count == 8)
			return -EINVAL;
		if (*at == ':') {
			if (compress >= 0)
				return -EINVAL;
			at++;
			compress = ++count;
			continue;
		}
		value = 0;
		for (length = 0; length < 4 && at < end && sk__hex(*at) >= 0;
		     length++)
			value = value * 16 + (unsigned)sk__hex(*at++);
		if (at < end && *at == '.') {
			if (!length || count > 6 ||
			    ipv6_tail(pieces + count, at - length, end) < 0)
				return -EINVAL;
			count += 2;
			break;
		}
		if (at < end && (*at++ != ':' || at == end))
			return -EINVAL;
		pieces[count++] = (uint16_t)value;
	}
	if (compress >= 0)
		ipv6_spread(pieces, count, compress);
	else if (count != 8)
		return -EINVAL;
	return 0;
}

/* The first of the longest runs of zeros, two at least; else -1. */
static int ipv6_zeros(const uint16_t *pieces, int *size)
{
	int best = -1, i, run;

	*size = 1;
	for (i = 0; i < 8; i += run ? run : 1) {
		for (run = 0; i + run < 8 && !pieces[i + run]; run++)
			;
		if (run > *size) {
			*size = run;
			best = i;
		}
	}
	return best;
}

int sk__ipv6_append(struct sk__buf *out, const char *host, size_t length)
{
	uint16_t pieces[8] = { 0 };
	int zeros, size, i, n;
	char text[8];

	if (ipv6_parse(pieces, host, host + length) < 0)
		return -EINVAL;
	zeros = ipv6_zeros(pieces, &size);
	sk__buf_byte(out, '[');
	for (i = 0; i < 8; i++) {
		if (i == zeros) {
			sk__buf_append(out, i ? ":" : "::", i ? 1 : 2);
			i += size - 1;
			continue;
		}
		n = snprintf(text, sizeof(text), i < 7 ? "%x:" : "%x",
			     pieces[i]);
		sk__buf_append(out, text, (size_t)n);
	}
	sk__buf_byte(out, ']');
	return 0;
}
