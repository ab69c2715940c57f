// SPDX-License-Identifier: BSD-2-Clause
/* A request's path as patterns see it: split, resolved, decoded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "match/match.h"
#include "url/url.h"

static uint32_t used(const struct sk_path *path)
{
	return path->count ? path->ends[path->count - 1] : 0;
}

/* 1 or 2 for "." and "..", however they were spelled; else 0. */
static int dots(const char *text, size_t length)
{
	if (length == 1 && text[0] == '.')
		return 1;
	return length == 2 && text[0] == '.' && text[1] == '.' ? 2 : 0;
}

static int add_segment(struct sk_path *path, const char *raw, size_t length,
		       int last)
{
	uint32_t start = used(path);
	char *to = path->bytes + start;
	size_t decoded = sk_percent_decode(to, raw, length);
	int count = dots(to, decoded);

	if (memchr(to, 0, decoded))
		return -EINVAL;
	if (count == 2 && path->count)
		path->count--;
	if (count && !last)
		return 0;
	if (count) {
		start = used(path);
		decoded = 0;
	}
	path->ends[path->count++] = start + (uint32_t)decoded;
	return 0;
}

int sk_path_init(struct sk_path *path, const char *raw, size_t length)
{
	const char *end, *at, *slash;
	uint32_t most = 0;
	int error = 0;

	memset(path, 0, sizeof(*path));
	if (!length || *raw != '/' || length > SK_MATCH_PATH)
		return -EINVAL;
	end = raw + length;
	for (at = raw; at < end; at++)
		most += *at == '/';
	path->ends = malloc(most * sizeof(*path->ends) + length);
	if (!path->ends)
		return -ENOMEM;
	path->bytes = (char *)(path->ends + most);
	path->cap = most;
	for (at = raw + 1; !error; at = slash + 1) {
		slash = memchr(at, '/', (size_t)(end - at));
		error = add_segment(
			path, at, (size_t)((slash ? slash : end) - at), !slash);
		if (!slash)
			break;
	}
	if (error) {
		sk_path_fini(path);
		return error;
	}
	path->trailing_slash =
		used(path) ==
		(path->count > 1 ? path->ends[path->count - 2] : 0);
	return 0;
}

void sk_path_fini(struct sk_path *path)
{
	/* `bytes` lies in the same block. */
	free(path->ends);
	memset(path, 0, sizeof(*path));
}
