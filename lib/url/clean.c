// SPDX-License-Identifier: BSD-2-Clause
/*
 * Input text: well-formedness of UTF-8, with the replacement rule of the
 * Encoding Standard (one U+FFFD for each maximal part of a sequence), and
 * the tabs and newlines that the URL parser drops.
 */
#include "url/internal.h"

/* The range that the second byte must lie in; 0 for a bad first byte. */
static unsigned lead(unsigned char c, unsigned char *low, unsigned char *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (c >= 0xc2 && c <= 0xdf)
		return 1;
	if (c >= 0xe0 && c <= 0xef) {
		if (c == 0xe0)
			*low = 0xa0;
		if (c == 0xed)
			*high = 0x9f;
		return 2;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		if (c == 0xf0)
			*low = 0x90;
		if (c == 0xf4)
			*high = 0x8f;
		return 3;
	}
	return 0;
}

size_t sk__utf8_length(const char *at, const char *end, size_t *bad)
{
	const unsigned char *text = (const unsigned char *)at;
	size_t left = (size_t)(end - at), i;
	unsigned char low, high;
	unsigned more;

	*bad = 1;
	if (text[0] < 0x80)
		return 1;
	more = lead(text[0], &low, &high);
	if (!more)
		return 0;
	for (i = 1; i <= more; i++) {
		if (i >= left || text[i] < low || text[i] > high) {
			*bad = i;
			return 0;
		}
		low = 0x80;
		high = 0xbf;
	}
	return more + 1;
}

static void append_clean(struct sk__buf *buf, const char *at, const char *end,
			 int strip)
{
	while (at < end) {
		size_t bad, length;

		if (strip && (*at == '\t' || *at == '\n' || *at == '\r')) {
			at++;
			continue;
		}
		length = sk__utf8_length(at, end, &bad);
		if (length)
			sk__buf_append(buf, at, length);
		else
			sk__buf_append(buf, "\xef\xbf\xbd", 3);
		at += length ? length : bad;
	}
}

void sk__utf8_append(struct sk__buf *buf, const char *text, size_t length)
{
	append_clean(buf, text, text + length, 0);
}

static int well_formed(const char *at, const char *end)
{
	size_t bad, length;

	for (; at < end; at += length) {
		length = sk__utf8_length(at, end, &bad);
		if (!length)
			return 0;
	}
	return 1;
}

void sk__clean(struct sk__slice *text, struct sk__buf *scratch, int strip)
{
	unsigned high = 0, gone = 0;
	size_t i;

	for (i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->at[i];

		high |= c;
		gone |= (c == '\t') | (c == '\n') | (c == '\r');
	}
	if (!(gone && strip) &&
	    (high < 0x80 || well_formed(text->at, text->at + text->length)))
		return;
	append_clean(scratch, text->at, text->at + text->length, strip);
	text->at = scratch->length ? scratch->data : "";
	text->length = scratch->length;
}
