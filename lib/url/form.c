// SPDX-License-Identifier: BSD-2-Clause
/* application/x-www-form-urlencoded. */
#include <errno.h>
#include <stdlib.h>

#include "url/internal.h"

static size_t count_pairs(const char *text, size_t length)
{
	size_t i, count = 0;

	for (i = 0; i < length; i++)
		if (text[i] != '&' && (!i || text[i - 1] == '&'))
			count++;
	return count;
}

/* Decodes to a heap string of its own. 0 or -ENOMEM. */
static int decode(char **out, size_t *out_length, struct sk__buf *raw,
		  const char *text, size_t length)
{
	struct sk__buf clean = { 0 };
	size_t i;

	for (i = 0; i < length; i++)
		raw->data[i] = text[i] == '+' ? ' ' : text[i];
	raw->length = sk_percent_decode(raw->data, raw->data, length);
	if (sk__buf_reserve(&clean, raw->length))
		sk__utf8_append(&clean, raw->data, raw->length);
	sk__buf_byte(&clean, 0);
	if (clean.failed) {
		sk__buf_fini(&clean);
		return -ENOMEM;
	}
	*out = clean.data;
	*out_length = clean.length - 1;
	return 0;
}

static int decode_pair(struct sk_form_pair *pair, struct sk__buf *raw,
		       const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t name = equals ? (size_t)(equals - text) : length;
	int error;

	error = decode(&pair->name, &pair->name_length, raw, text, name);
	if (error)
		return error;
	return decode(&pair->value, &pair->value_length, raw,
		      equals ? equals + 1 : "", equals ? length - name - 1 : 0);
}

int sk_form_parse(struct sk_form *out, const char *input, size_t length)
{
	size_t count = count_pairs(input, length), at = 0;
	struct sk__buf raw = { 0 };
	int error = -ENOMEM;

	memset(out, 0, sizeof(*out));
	if (!count)
		return 0;
	out->pairs = calloc(count, sizeof(*out->pairs));
	if (!out->pairs || !sk__buf_reserve(&raw, length))
		goto fail;
	while (at < length) {
		const char *amp = memchr(input + at, '&', length - at);
		size_t end = amp ? (size_t)(amp - input) : length;

		if (end > at) {
			error = decode_pair(&out->pairs[out->count++], &raw,
					    input + at, end - at);
			if (error)
				goto fail;
		}
		at = end + 1;
	}
	sk__buf_fini(&raw);
	return 0;
fail:
	sk__buf_fini(&raw);
	sk_form_fini(out);
	return error;
}

void sk_form_fini(struct sk_form *form)
{
	size_t i;

	for (i = 0; i < form->count; i++) {
		free(form->pairs[i].name);
		free(form->pairs[i].value);
	}
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
		serialize(&out,
			  (struct sk__slice){ pair->name, pair->name_length });
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
