// SPDX-License-Identifier: BSD-2-Clause
/* Growing byte strings: doubling, with one sticky failure flag. */
#include <stdlib.h>

#include "url/internal.h"

int sk__buf_grow(struct sk__buf *buf, size_t extra)
{
	size_t cap = buf->cap * 2;
	char *data;

	if (buf->failed)
		return 0;
	if (extra > SK__BUF_MAX || buf->length + extra > SK__BUF_MAX)
		goto fail;
	if (cap < buf->length + extra + 1)
		cap = buf->length + extra + 1;
	data = realloc(buf->data, cap);
	if (!data)
		goto fail;
	buf->data = data;
	buf->cap = cap;
	return 1;
fail:
	buf->failed = 1;
	/* No room at all from now on: reserve must not find any either. */
	buf->cap = buf->length;
	return 0;
}

void sk__buf_fini(struct sk__buf *buf)
{
	free(buf->data);
	memset(buf, 0, sizeof(*buf));
}

void sk__buf_insert(struct sk__buf *buf, size_t at, const char *text,
		    size_t length)
{
	if (!sk__buf_reserve(buf, length))
		return;
	memmove(buf->data + at + length, buf->data + at, buf->length - at);
	memcpy(buf->data + at, text, length);
	buf->length += length;
}
