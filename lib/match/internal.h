/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compiled pattern. "**" cuts it into *chunks*; a chunk is a run of *pieces*
 * that match neighbouring segments, one each; a piece is a run of tokens. A
 * chunk whose side is `open` meets a "**" inside a segment there: at an open
 * start its first piece may begin anywhere in a segment, at an open end its
 * last one may stop anywhere. "/a**b" has the chunks [a, open end] and
 * [open start, b].
 */
#ifndef SK_MATCH_INTERNAL_H
#define SK_MATCH_INTERNAL_H

#include "match/match.h"

enum sk__token_kind { SK__LITERAL, SK__STAR, SK__NAME };

struct sk__token {
	enum sk__token_kind kind;
	uint32_t at; /* literal or name: offset in `text` */
	uint32_t length;
	uint32_t param; /* SK__NAME: its number */
};

struct sk__piece {
	uint32_t first; /* token */
	uint32_t count;
};

struct sk__chunk {
	uint32_t first; /* piece */
	uint32_t count;
	uint8_t open_start;
	uint8_t open_end;
};

/* One allocation: the struct, the arrays, the text. */
struct sk_pattern {
	struct sk__token *tokens;
	struct sk__piece *pieces;
	struct sk__chunk *chunks;
	char *text; /* literals, decoded, and names */
	uint32_t ntokens;
	uint32_t npieces;
	uint32_t nchunks;
	uint32_t text_length;
	uint32_t params;
	uint8_t everything; /* "*" or "**" */
};

#endif
