// SPDX-License-Identifier: BSD-2-Clause
/* Percent-encoding, one table for all the standard's sets. */
#include "url/internal.h"

/* The sets are nested: what a query encodes a path does too, and so on. */
#define F	SK__FRAGMENT
#define Q	(SK__QUERY | SK__SPECIAL_QUERY | P)
#define P	(SK__PATH | U)
#define U	SK__USERINFO
#define H	SK__HOST
#define X	SK__FORM
#define CONTROL (SK__C0 | F | Q | X)

const uint8_t sk__class[256] = {
	[0x00] = CONTROL | H,
	[0x01 ... 0x08] = CONTROL,
	['\t'] = CONTROL | H,
	['\n'] = CONTROL | H,
	[0x0b ... 0x0c] = CONTROL,
	['\r'] = CONTROL | H,
	[0x0e ... 0x1f] = CONTROL,
	[' '] = F | Q | H | X,
	['!'] = X,
	['"'] = F | Q | X,
	['#'] = Q | H | X,
	['$'] = X,
	['%'] = X,
	['&'] = X,
	['\''] = SK__SPECIAL_QUERY | X,
	['('] = X,
	[')'] = X,
	['+'] = X,
	[','] = X,
	['/'] = U | H | X,
	[':'] = U | H | X,
	[';'] = U | X,
	['<'] = F | Q | H | X,
	['='] = U | X,
	['>'] = F | Q | H | X,
	['?'] = P | H | X,
	['@'] = U | H | X,
	['['] = U | H | X,
	['\\'] = U | H | X,
	[']'] = U | H | X,
	['^'] = P | H | X,
	['`'] = F | P | X,
	['{'] = P | X,
	['|'] = U | H | X,
	['}'] = P | X,
	['~'] = X,
	[0x7f ... 0xff] = CONTROL,
};

#undef F
#undef Q
#undef P
#undef U
#undef H
#undef X

void sk__percent_append(struct sk__buf *buf, const char *text, size_t length,
			unsigned set)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t i = 0, run;

	while (i < length) {
		run = i;
		while (i < length && !sk__is(text[i], set))
			i++;
		sk__buf_append(buf, text + run, i - run);
		for (; i < length && sk__is(text[i], set); i++) {
			unsigned char c = (unsigned char)text[i];
			char escape[3] = { '%', digits[c >> 4],
					   digits[c & 15] };

			sk__buf_append(buf, escape, 3);
		}
	}
}

size_t sk_percent_decode(char *out, const char *input, size_t length)
{
	size_t i, n = 0;

	for (i = 0; i < length; i++) {
		int high, low;

		out[n] = input[i];
		if (input[i] == '%' && length - i > 2) {
			high = sk__hex(input[i + 1]);
			low = sk__hex(input[i + 2]);
			if (high >= 0 && low >= 0) {
				out[n] = (char)(high * 16 + low);
				i += 2;
			}
		}
		n++;
	}
	return n;
}
