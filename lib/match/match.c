// SPDX-License-Identifier: BSD-2-Clause
/*
 * Matching: chunks from left to right, each at the earliest place that fits.
 *
 * No choice that was made is ever taken back, because the earliest match of a
 * chunk also ends earliest: the number of its segments is fixed, and within a
 * segment wildcards take as little as they can. So each pair of piece and
 * segment is compared at most once, and the time is bounded by the product of
 * the two lengths.
 */
#include <string.h>

#include "match/internal.h"

struct match {
	const struct sk_pattern *pattern;
	const struct sk_path *path;
	struct sk_param *params;
	uint32_t segment; /* where the next chunk may begin */
	uint32_t offset;  /* in that segment, for an open start */
};

struct text {
	const char *at;
	size_t length;
};

static struct text segment_text(const struct match *m, uint32_t segment,
				uint32_t offset)
{
	uint32_t start = segment ? m->path->ends[segment - 1] : 0;
	uint32_t end = m->path->ends[segment];

	return (struct text){ m->path->bytes + start + offset,
			      end - start - offset };
}

/* The wildcard seen last: what follows it, and where it ends now. */
struct retry {
	uint32_t token;
	size_t at;
	int set;
	struct sk_param *param; /* NULL: "*" */
};

static void set_value(struct retry *retry, struct text text)
{
	if (retry->param)
		retry->param->value_len =
			(size_t)(text.at + retry->at - retry->param->value);
}

static void begin_name(struct match *m, const struct sk__token *token,
		       struct retry *retry, const char *value)
{
	retry->param = &m->params[token->param];
	retry->param->name = m->pattern->text + token->at;
	retry->param->name_len = token->length;
	retry->param->value = value;
}

/* Matches one token at `*at`. 0 when it does not match there. */
static int match_token(struct match *m, uint32_t number, struct text text,
		       size_t *at, struct retry *retry)
{
	const struct sk__token *token = &m->pattern->tokens[number];

	if (token->kind == SK__LITERAL) {
		if (text.length - *at < token->length ||
		    memcmp(text.at + *at, m->pattern->text + token->at,
			   token->length) != 0)
			return 0;
		*at += token->length;
		return 1;
	}
	retry->param = NULL;
	if (token->kind == SK__NAME) {
		if (*at == text.length)
			return 0;
		begin_name(m, token, retry, text.at + *at);
		++*at;
	}
	retry->set = 1;
	retry->token = number + 1;
	retry->at = *at;
	set_value(retry, text);
	return 1;
}

/*
 * Matches one piece with a segment's text: from its first byte, or from any
 * with `floating`; to its last one, or to any with `loose`. `*end` is where it
 * stopped.
 */
static int match_piece(struct match *m, const struct sk__piece *piece,
		       struct text text, int floating, int loose, size_t *end)
{
	uint32_t stop = piece->first + piece->count, token = piece->first;
	struct retry retry = { .token = token, .set = floating };
	size_t at = 0;

	for (;;) {
		if (token == stop && (loose || at == text.length))
			break;
		if (token < stop && match_token(m, token, text, &at, &retry)) {
			token++;
			continue;
		}
		if (!retry.set || retry.at == text.length)
			return 0;
		/* A wildcard at the end takes all that is left. */
		retry.at = retry.token == stop ? text.length : retry.at + 1;
		set_value(&retry, text);
		at = retry.at;
		token = retry.token;
	}
	*end = at;
	return 1;
}

/* Matches `chunk` with the segments from `segment` on. */
static int match_chunk(struct match *m, const struct sk__chunk *chunk,
		       uint32_t segment, uint32_t offset)
{
	size_t end = 0;
	uint32_t i;

	for (i = 0; i < chunk->count; i++) {
		uint32_t from = i ? 0 : offset;
		int loose = chunk->open_end && i + 1 == chunk->count;

		if (!match_piece(m, &m->pattern->pieces[chunk->first + i],
				 segment_text(m, segment + i, from),
				 !i && chunk->open_start, loose, &end))
			return 0;
		end += from;
	}
	m->segment = segment + chunk->count - chunk->open_end;
	m->offset = chunk->open_end ? (uint32_t)end : 0;
	return 1;
}

/* The earliest place for a chunk between two "**". */
static int find_chunk(struct match *m, const struct sk__chunk *chunk)
{
	uint32_t segment = m->segment, offset = m->offset;

	for (; segment + chunk->count <= m->path->count; segment++) {
		if (match_chunk(m, chunk, segment, offset))
			return 1;
		offset = 0;
	}
	return 0;
}

/* The last chunk has to end where the path ends. */
static int match_last(struct match *m, const struct sk__chunk *chunk)
{
	uint32_t segment;

	/* "/" and "**" at the end: at least an empty segment. */
	if (!chunk->count)
		return m->segment < m->path->count;
	if (m->segment + chunk->count > m->path->count)
		return 0;
	segment = m->path->count - chunk->count;
	return match_chunk(m, chunk, segment,
			   segment == m->segment ? m->offset : 0);
}

int sk_pattern_match(const struct sk_pattern *pattern,
		     const struct sk_path *path, struct sk_param *params,
		     size_t *count)
{
	struct match m = { .pattern = pattern, .path = path, .params = params };
	uint32_t last = pattern->nchunks - 1, i;

	*count = 0;
	if (pattern->everything)
		return 1;
	if (pattern->chunks[0].count > path->count)
		return 0;
	if (!last && pattern->chunks[0].count != path->count)
		return 0;
	if (!match_chunk(&m, &pattern->chunks[0], 0, 0))
		return 0;
	for (i = 1; i <= last; i++) {
		const struct sk__chunk *chunk = &pattern->chunks[i];

		if (i < last ? !find_chunk(&m, chunk) : !match_last(&m, chunk))
			return 0;
	}
	*count = pattern->params;
	return 1;
}
