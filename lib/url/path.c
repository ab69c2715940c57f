// SPDX-License-Identifier: BSD-2-Clause
/* Paths: dot segments, drive letters, percent-encoding, in place. */
#include "url/internal.h"

static int is_slash(char c, enum sk__scheme scheme)
{
	return c == '/' || (c == '\\' && scheme != SK__OTHER);
}

/* The number of dots that a segment spells: 1, 2, or 0 for another one. */
static int dots(const char *at, size_t length)
{
	int count = 0;

	if (!length || length > 6 || (*at != '.' && *at != '%'))
		return 0;
	while (length) {
		if (*at == '.') {
			at++;
			length--;
		} else if (length >= 3 && at[0] == '%' && at[1] == '2' &&
			   (at[2] | 0x20) == 'e') {
			at += 3;
			length -= 3;
		} else {
			return 0;
		}
		count++;
	}
	return count <= 2 ? count : 0;
}

int sk__path_drive(const char *text, size_t length)
{
	return length == 2 && sk__is_alpha(text[0]) &&
	       (text[1] == ':' || text[1] == '|');
}

int sk__path_starts_with_drive(const char *at, const char *end)
{
	if (end - at < 2 || !sk__path_drive(at, 2))
		return 0;
	return end - at == 2 || at[2] == '/' || at[2] == '\\' || at[2] == '?' ||
	       at[2] == '#';
}

void sk__path_shorten(struct sk__buf *out, size_t start, enum sk__scheme scheme)
{
	size_t at = out->length;

	if (scheme == SK__FILE && at - start == 3 &&
	    sk__is_alpha(out->data[start + 1]) && out->data[start + 2] == ':')
		return;
	while (at > start && out->data[at - 1] != '/')
		at--;
	if (at > start)
		at--;
	out->length = at;
}

static void push(struct sk__buf *out, size_t start, const char *at,
		 size_t length, enum sk__scheme scheme)
{
	if (scheme == SK__FILE && out->length == start &&
	    sk__path_drive(at, length)) {
		char drive[3] = { '/', at[0], ':' };

		sk__buf_append(out, drive, 3);
		return;
	}
	sk__buf_byte(out, '/');
	sk__percent_append(out, at, length, SK__PATH);
}

void sk__path_append(struct sk__buf *out, size_t start, const char **at,
		     const char *end, enum sk__scheme scheme, int whole)
{
	const char *segment = *at, *stop;
	int slash, count;

	for (;;) {
		stop = segment;
		while (stop < end && !is_slash(*stop, scheme) &&
		       (whole || (*stop != '?' && *stop != '#')))
			stop++;
		slash = stop < end && is_slash(*stop, scheme);
		count = dots(segment, (size_t)(stop - segment));
		if (count == 2)
			sk__path_shorten(out, start, scheme);
		if (!count)
			push(out, start, segment, (size_t)(stop - segment),
			     scheme);
		else if (!slash)
			sk__buf_byte(out, '/');
		if (!slash)
			break;
		segment = stop + 1;
	}
	*at = stop;
}

void sk__path_begin(struct sk__buf *out, size_t start, const char **at,
		    const char *end, enum sk__scheme scheme, int whole)
{
	if (scheme == SK__OTHER &&
	    (*at == end || (!whole && (**at == '?' || **at == '#'))))
		return;
	if (*at < end && is_slash(**at, scheme))
		++*at;
	sk__path_append(out, start, at, end, scheme, whole);
}
