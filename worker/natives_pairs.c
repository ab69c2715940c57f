/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Header lists on their way out, in responses and in calls. They are checked
 * here once more: what the runtime lets through must not split a message.
 */
#include "worker/natives.h"

#include <errno.h>
#include <string.h>

static const unsigned char token[256] = {
	['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1, ['!'] = 1,
	['#'] = 1,	   ['$'] = 1,	      ['%'] = 1,	 ['&'] = 1,
	['\''] = 1,	   ['*'] = 1,	      ['+'] = 1,	 ['-'] = 1,
	['.'] = 1,	   ['^'] = 1,	      ['_'] = 1,	 ['`'] = 1,
	['|'] = 1,	   ['~'] = 1,
};

static int is_token(const char *at, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!token[(unsigned char)at[i]])
			return 0;
	return length > 0;
}

/* UTF-8 text back to the Latin-1 bytes that header values are, in place. 0, or
 * -EINVAL for a character beyond, CR, LF or NUL. */
static int to_value(struct sk_text *text)
{
	size_t i, n = 0;

	for (i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->at[i];

		if (c == '\r' || c == '\n' || c == '\0' || c > 0xc3)
			return -EINVAL;
		if (c >= 0x80) {
			i++;
			c = (unsigned char)(c << 6 | (text->at[i] & 0x3f));
		}
		text->at[n++] = (char)c;
	}
	text->length = n;
	return 0;
}

struct head {
	unsigned char *at;
	unsigned char *end;
	uint32_t count;
};

/* Adds one pair. 0, or -errno. */
static int add_pair(JSContextRef ctx, struct head *head, JSValueRef name_value,
		    JSValueRef value_value)
{
	struct sk_text name, value;
	size_t room;
	int err;

	value.at = NULL;
	err = sk__value_text(ctx, name_value, &name);
	if (!err && !is_token(name.at, name.length))
		err = -EINVAL;
	if (!err)
		err = sk__value_text(ctx, value_value, &value);
	if (!err)
		err = to_value(&value);
	room = (size_t)(head->end - head->at);
	if (!err && sizeof(struct sk_pair) + name.length + value.length > room)
		err = -EMSGSIZE;
	if (!err) {
		head->at = sk_pair_write(head->at, name.at, name.length,
					 value.at, value.length);
		head->count++;
	}
	sk__text_free(&value);
	sk__text_free(&name);
	return err;
}

int64_t sk__pairs_write(JSContextRef ctx, JSObjectRef list, unsigned char *at,
			unsigned char *end, uint32_t *count)
{
	struct head head = { at, end, 0 };
	unsigned i, n = sk__array_length(ctx, list);
	int err;

	for (i = 0; i + 1 < n; i += 2) {
		err = add_pair(
			ctx, &head,
			JSObjectGetPropertyAtIndex(ctx, list, i, NULL),
			JSObjectGetPropertyAtIndex(ctx, list, i + 1, NULL));
		if (err)
			return err;
	}
	*count = head.count;
	return head.at - at;
}
