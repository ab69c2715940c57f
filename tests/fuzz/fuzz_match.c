// SPDX-License-Identifier: BSD-2-Clause
/*
 * A pattern, a newline, a path: no crash, captures lie in the path, and the
 * verdict is that of a plain search over all divisions (with a table of what
 * failed, so that it ends).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/match.h"
#include "url/url.h"

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,     \
				#condition);                                   \
			abort();                                               \
		}                                                              \
	} while (0)

#define MOST 64

struct search {
	const char *pattern;
	size_t length;
	const struct sk_path *path;
	/* By pattern offset, segment and offset in it: it was tried. */
	unsigned char tried[MOST + 2][MOST + 2][MOST + 2];
	unsigned char begun[MOST + 2][MOST + 2]; /* at a segment's begin */
};

static size_t segment_length(const struct sk_path *path, uint32_t segment)
{
	return path->ends[segment] - (segment ? path->ends[segment - 1] : 0);
}

static char segment_byte(const struct sk_path *path, uint32_t segment,
			 size_t at)
{
	return path->bytes[(segment ? path->ends[segment - 1] : 0) + at];
}

static int at_segment(struct search *s, size_t p, uint32_t segment);

/* After the wildcard that ends at `next`: either it is over or takes more. */
static int wildcard(struct search *s, size_t p, size_t next, uint32_t segment,
		    size_t at, int across);

static int inside(struct search *s, size_t p, uint32_t segment, size_t at)
{
	const char *t = s->pattern + p;
	size_t left = s->length - p, n = 1;
	char byte[3];

	if (s->tried[p][segment][at])
		return 0;
	s->tried[p][segment][at] = 1;
	if (!left || *t == '/')
		return at == segment_length(s->path, segment) &&
		       (left ? at_segment(s, p + 1, segment + 1)
			     : segment + 1 == s->path->count);
	if (left >= 2 && !memcmp(t, "**", 2))
		return wildcard(s, p, p + 2, segment, at, 1);
	if (*t == '*')
		return wildcard(s, p, p + 1, segment, at, 0);
	if (at == segment_length(s->path, segment))
		return 0;
	if (*t == ':') {
		while (n < left && t[n] != '/' &&
		       (t[n] == '_' || (t[n] >= '0' && t[n] <= '9') ||
			((t[n] | 32) >= 'a' && (t[n] | 32) <= 'z')))
			n++;
		return inside(s, p + n, segment, at + 1) ||
		       inside(s, p, segment, at + 1);
	}
	if (*t == '%' && left >= 3 && sk_percent_decode(byte, t, 3) == 1)
		n = 3;
	else
		byte[0] = *t;
	return byte[0] == segment_byte(s->path, segment, at) &&
	       inside(s, p + n, segment, at + 1);
}

static int wildcard(struct search *s, size_t p, size_t next, uint32_t segment,
		    size_t at, int across)
{
	if (inside(s, next, segment, at))
		return 1;
	if (at < segment_length(s->path, segment))
		return inside(s, p, segment, at + 1);
	return across && segment + 1 < s->path->count &&
	       inside(s, p, segment + 1, 0);
}

static int at_segment(struct search *s, size_t p, uint32_t segment)
{
	size_t left = s->length - p;

	if (s->begun[p][segment])
		return 0;
	s->begun[p][segment] = 1;
	if (left >= 2 && !memcmp(s->pattern + p, "**", 2) &&
	    (left == 2 || s->pattern[p + 2] == '/')) {
		for (; segment < s->path->count; segment++)
			if (left == 2 || at_segment(s, p + 3, segment))
				return 1;
		return 0;
	}
	return segment < s->path->count && inside(s, p, segment, 0);
}

static void compare(const char *text, size_t length,
		    const struct sk_pattern *pattern,
		    const struct sk_path *path)
{
	struct search *search = calloc(1, sizeof(*search));
	struct sk_param params[SK_MATCH_PARAMS];
	size_t count, i;
	int got, wanted;

	CHECK(search);
	search->pattern = text;
	search->length = length;
	search->path = path;
	got = sk_pattern_match(pattern, path, params, &count);
	wanted = text[0] == '*' || at_segment(search, 1, 0);
	CHECK(got == wanted);
	CHECK(count <= SK_MATCH_PARAMS);
	for (i = 0; i < count; i++) {
		CHECK(params[i].value >= path->bytes && params[i].value_len);
		CHECK(params[i].value + params[i].value_len <=
		      path->bytes + path->ends[path->count - 1]);
		CHECK(params[i].name_len);
	}
	free(search);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = memchr(data, '\n', size);
	size_t length = newline ? (size_t)(newline - data) : size;
	size_t rest = newline ? size - length - 1 : 0;
	struct sk_pattern *pattern;
	struct sk_path path;
	char error[80];

	if (length > MOST || rest > MOST ||
	    sk_pattern_compile(&pattern, (const char *)data, length, error,
			       sizeof(error)))
		return 0;
	if (rest && !sk_path_init(&path, (const char *)newline + 1, rest)) {
		compare((const char *)data, length, pattern, &path);
		sk_path_fini(&path);
	}
	sk_pattern_free(pattern);
	return 0;
}
