/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing what frames hold; every read is bounds-checked. */
#include "ring/frame.h"

#include <errno.h>
#include <string.h>

int sk_cursor_take(struct sk_cursor *cursor, size_t length,
		   struct sk_bytes *out)
{
	if ((size_t)(cursor->end - cursor->at) < length)
		return -EPROTO;
	out->data = cursor->at;
	out->length = length;
	cursor->at += length;
	return 0;
}

int sk_cursor_copy(struct sk_cursor *cursor, void *out, size_t size)
{
	if ((size_t)(cursor->end - cursor->at) < size)
		return -EPROTO;
	memcpy(out, cursor->at, size);
	cursor->at += size;
	return 0;
}

int sk_cursor_pair(struct sk_cursor *cursor, struct sk_bytes *name,
		   struct sk_bytes *value)
{
	struct sk_pair pair;

	if (sk_cursor_copy(cursor, &pair, sizeof(pair)) ||
	    sk_cursor_take(cursor, pair.name_len, name) ||
	    sk_cursor_take(cursor, pair.value_len, value))
		return -EPROTO;
	return 0;
}

unsigned char *sk_pair_write(unsigned char *at, const void *name,
			     size_t name_len, const void *value,
			     size_t value_len)
{
	struct sk_pair pair = { (uint32_t)name_len, (uint32_t)value_len };

	memcpy(at, &pair, sizeof(pair));
	at += sizeof(pair);
	if (name_len)
		memcpy(at, name, name_len);
	at += name_len;
	if (value_len)
		memcpy(at, value, value_len);
	return at + value_len;
}
