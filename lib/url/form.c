// SPDX-License-Identifier: BSD-2-Clause
/*
 * application/x-www-form-urlencoded. A parsed list is one allocation: the
 * pairs, then all names and values.
 */
#include <errno.h>
#include <stdlib.h>

#include "url/internal.h"

/* Bytes that decoding can yield at most: a raw byte that is ill-formed grows
 * to the three of U+FFFD, an escape has three already. */
static size_t decoded_bound(const char *text, size_t length)
{
	size_t i, bound = length;

	for (i = 0; i < length; i++)
		if ((unsigned char)text[i] >= 0x80)
			bound += 2;
	return bound;
}

static size_t count_pairs(const char *text, size_t length)
{
	size_t i, count = 0;

	for (i = 0; i < length; i++)
		if (text[i] != '&' && (!i || text[i - 1] == '&'))
			count++;
	return count;
}

/* Decodes `text` to the front of `out`; `scratch` holds the raw bytes. */
static void decode(struct sk__buf *out, struct sk__buf *scratch,
		   const char *text, size_t length)
{
	size_t i;

	scratch->length = 0;
	for (i = 0; i < length; i++)
		scratch->data[i] = text[i] == '+' ? ' ' : text[i];
	scratch->length = sk_percent_decode(scratch->data, scratch->data,
					    length);
	sk__utf8_append(out, scratch->data, scratch->length);
	sk__buf_byte(out, 0);
}

static void decode_pair(struct sk_form_pair *pair, struct sk__buf *out,
			struct sk__buf *scratch, const char *text,
			size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t name = equals ? (size_t)(equals - text) : length;

	pair->name = out->data + out->length;
	decode(out, scratch, text, name);
	pair->name_length =
		(size_t)(out->data + out->length - pair->name) - 1;
	pair->value = out->data + out->length;
	decode(out, scratch, equals ? equals + 1 : "",
	       equals ? length - name - 1 : 0);
	pair->value_length =
		(size_t)(out->data + out->length - pair->value) - 1;
}

int sk_form_parse(struct sk_form *out, const char *input, size_t length)
{
	size_t count = count_pairs(input, length), at = 0, bound;
	struct sk__buf text = { 0 }, scratch = { 0 };
	struct sk_form_pair *pair;

	memset(out, 0, sizeof(*out));
	if (!count)
		return 0;
	bound = decoded_bound(input, length) + 2 * count;
	pair = malloc(count * sizeof(*pair) + bound + 1);
	if (!pair || !sk__buf_reserve(&scratch, length)) {
		free(pair);
		return -ENOMEM;
	}
	out->pairs = pair;
	out->count = count;
	text.data = (char *)(pair + count);
	text.cap = bound + 1;
	while (at < length) {
		const char *amp = memchr(input + at, '&', length - at);
		size_t end = amp ? (size_t)(amp - input) : length;

		if (end > at)
			decode_pair(pair++, &text, &scratch, input + at,
				    end - at);
		at = end + 1;
	}
	sk__buf_fini(&scratch);
	return 0;
}

void sk_form_fini(struct sk_form *form)
{
	free(form->pairs);
	memset(form, 0, sizeof(*form));
}

static void serialize(struct sk__buf *out, struct sk__slice text)
{
	struct sk__buf scratch = { 0 };
	const char *end, *space;

	if (!text.length)
		return;
	sk__clean(&text, &scratch, 0);
	end = text.at + text.length;
	while (text.at < end) {
		space = memchr(text.at, ' ', (size_t)(end - text.at));
		if (!space)
			space = end;
		sk__percent_append(out, text.at, (size_t)(space - text.at),
				   SK__FORM);
		if (space < end)
			sk__buf_byte(out, '+');
		text.at = space + (space < end);
	}
	if (scratch.failed)
		out->failed = 1;
	sk__buf_fini(&scratch);
}

char *sk_form_serialize(const struct sk_form *form, size_t *length)
{
	struct sk__buf out = { 0 };
	size_t i;

	for (i = 0; i < form->count; i++) {
		const struct sk_form_pair *pair = &form->pairs[i];

		if (i)
			sk__buf_byte(&out, '&');
		serialize(&out, (struct sk__slice){ pair->name,
						    pair->name_length });
		sk__buf_byte(&out, '=');
		serialize(&out, (struct sk__slice){ pair->value,
						    pair->value_length });
	}
	if (!sk__buf_reserve(&out, 0) || out.failed) {
		sk__buf_fini(&out);
		return NULL;
	}
	out.data[out.length] = 0;
	*length = out.length;
	return out.data;
}
