// SPDX-License-Identifier: BSD-2-Clause
/* Patterns of paths: from text to chunks, pieces and tokens. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/internal.h"
#include "url/url.h"

struct compiler {
	struct sk_pattern *pattern;
	const char *text;
	size_t length;
	size_t at;
	char *error;
	size_t errsize;
};

__attribute__((format(printf, 3, 4))) static int
complain(struct compiler *c, size_t at, const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(c->error, c->errsize, "column %zu: ", at + 1);
	if (n >= 0 && (size_t)n < c->errsize) {
		va_start(args, format);
		vsnprintf(c->error + n, c->errsize - (size_t)n, format, args);
		va_end(args);
	}
	return -EINVAL;
}

/* --- building --- */

static void add_chunk(struct sk_pattern *p, int open_start)
{
	struct sk__chunk *chunk = &p->chunks[p->nchunks++];

	chunk->first = p->npieces;
	chunk->open_start = (uint8_t)open_start;
}

static void add_piece(struct sk_pattern *p)
{
	p->pieces[p->npieces++].first = p->ntokens;
	p->chunks[p->nchunks - 1].count++;
}

static struct sk__token *add_token(struct sk_pattern *p,
				   enum sk__token_kind kind)
{
	struct sk__token *token = &p->tokens[p->ntokens++];

	p->pieces[p->npieces - 1].count++;
	token->kind = kind;
	token->at = p->text_length;
	return token;
}

/* The token before the place that is being compiled, in the same piece. */
static struct sk__token *previous(struct sk_pattern *p)
{
	if (!p->pieces[p->npieces - 1].count)
		return NULL;
	return &p->tokens[p->ntokens - 1];
}

static void add_text(struct sk_pattern *p, struct sk__token *token,
		     const char *text, size_t length)
{
	memcpy(p->text + p->text_length, text, length);
	p->text_length += (uint32_t)length;
	token->length += (uint32_t)length;
}

/* --- reading --- */

static int is_name_byte(char b)
{
	return (b >= '0' && b <= '9') || (b >= 'A' && b <= 'Z') ||
	       (b >= 'a' && b <= 'z') || b == '_';
}

/* A "**" that ends just here has begun the piece that is being compiled. */
static int after_glob(const struct sk_pattern *p)
{
	const struct sk__chunk *chunk = &p->chunks[p->nchunks - 1];

	return chunk->open_start && chunk->count == 1 &&
	       !p->pieces[p->npieces - 1].count;
}

static int beside_wildcard(struct compiler *c)
{
	struct sk__token *token = previous(c->pattern);

	return after_glob(c->pattern) || (token && token->kind != SK__LITERAL);
}

static int compile_name(struct compiler *c)
{
	struct sk_pattern *p = c->pattern;
	size_t start = c->at++, length, i;
	const char *name = c->text + c->at;
	struct sk__token *token;

	while (c->at < c->length && is_name_byte(c->text[c->at]))
		c->at++;
	length = (size_t)(c->text + c->at - name);
	if (!length)
		return complain(c, start,
				"\":\" without a name (A-Z a-z 0-9 _)");
	if (beside_wildcard(c))
		return complain(c, start,
				"\":%.*s\" directly after another wildcard",
				(int)length, name);
	for (i = 0; i < p->ntokens; i++)
		if (p->tokens[i].kind == SK__NAME &&
		    p->tokens[i].length == length &&
		    !memcmp(p->text + p->tokens[i].at, name, length))
			return complain(c, start, "\":%.*s\" stands twice",
					(int)length, name);
	if (p->params == SK_MATCH_PARAMS)
		return complain(c, start, "more than %d names",
				SK_MATCH_PARAMS);
	token = add_token(p, SK__NAME);
	token->param = p->params++;
	add_text(p, token, name, length);
	return 0;
}

static int compile_star(struct compiler *c)
{
	struct sk_pattern *p = c->pattern;
	size_t start = c->at, stars;

	while (c->at < c->length && c->text[c->at] == '*')
		c->at++;
	stars = c->at - start;
	if (stars > 2)
		return complain(c, start, "more than two \"*\" in a row");
	if (beside_wildcard(c))
		return complain(c, start,
				"\"*\" directly after another wildcard");
	if (stars == 1) {
		add_token(p, SK__STAR);
		return 0;
	}
	p->chunks[p->nchunks - 1].open_end = 1;
	add_chunk(p, 1);
	add_piece(p);
	return 0;
}

static int compile_literal(struct compiler *c)
{
	struct sk_pattern *p = c->pattern;
	struct sk__token *token = previous(p);
	size_t left = c->length - c->at, length;
	char decoded[3];

	if (c->text[c->at] == '?' || c->text[c->at] == '#')
		return complain(c, c->at,
				"\"%c\": only paths are matched (a literal "
				"one is written %%%02X)",
				c->text[c->at], c->text[c->at]);
	/* An escape is three bytes that decode to one. */
	length = c->text[c->at] == '%' && left >= 3 ? 3 : 1;
	if (sk_percent_decode(decoded, c->text + c->at, length) != 1)
		length = 1;
	if (!decoded[0])
		return complain(c, c->at, "a NUL byte");
	if (!token || token->kind != SK__LITERAL)
		token = add_token(p, SK__LITERAL);
	add_text(p, token, decoded, 1);
	c->at += length;
	return 0;
}

/* A path never has dot segments after it was resolved. */
static int is_dots(const struct sk_pattern *p, const struct sk__piece *piece)
{
	const struct sk__token *token = &p->tokens[piece->first];
	const char *text = p->text + token->at;

	if (piece->count != 1 || token->kind != SK__LITERAL)
		return 0;
	return (token->length == 1 && text[0] == '.') ||
	       (token->length == 2 && text[0] == '.' && text[1] == '.');
}

static int compile_segment(struct compiler *c)
{
	struct sk_pattern *p = c->pattern;
	size_t start = c->at;
	uint32_t chunks = p->nchunks;
	int error = 0;

	add_piece(p);
	while (!error && c->at < c->length && c->text[c->at] != '/') {
		if (c->text[c->at] == ':')
			error = compile_name(c);
		else if (c->text[c->at] == '*')
			error = compile_star(c);
		else
			error = compile_literal(c);
	}
	if (!error && chunks == p->nchunks &&
	    is_dots(p, &p->pieces[p->npieces - 1]))
		error = complain(c, start,
				 "a segment \".\" or \"..\" never matches");
	return error;
}

/* "**" is the whole segment. */
static int at_pure_glob(const struct compiler *c)
{
	size_t left = c->length - c->at;

	return left >= 2 && !memcmp(c->text + c->at, "**", 2) &&
	       (left == 2 || c->text[c->at + 2] == '/');
}

static int compile(struct compiler *c)
{
	struct sk_pattern *p = c->pattern;
	int error;

	if ((c->length == 1 && !memcmp(c->text, "*", 1)) ||
	    (c->length == 2 && !memcmp(c->text, "**", 2))) {
		p->everything = 1;
		return 0;
	}
	if (!c->length || c->text[0] != '/')
		return complain(c, 0, "a pattern begins with \"/\"");
	add_chunk(p, 0);
	while (c->at < c->length) {
		c->at++;
		if (at_pure_glob(c)) {
			add_chunk(p, 0);
			c->at += 2;
			continue;
		}
		error = compile_segment(c);
		if (error)
			return error;
	}
	return 0;
}

/* A pattern of `length` bytes has at most so many tokens, pieces, chunks. */
static struct sk_pattern *pattern_new(size_t length)
{
	size_t most = length + 2;
	struct sk_pattern *p;

	p = calloc(1, sizeof(*p) +
			      most * (sizeof(*p->tokens) + sizeof(*p->pieces) +
				      sizeof(*p->chunks) + 1));
	if (!p)
		return NULL;
	p->tokens = (struct sk__token *)(p + 1);
	p->pieces = (struct sk__piece *)(p->tokens + most);
	p->chunks = (struct sk__chunk *)(p->pieces + most);
	p->text = (char *)(p->chunks + most);
	return p;
}

int sk_pattern_compile(struct sk_pattern **out, const char *text, size_t length,
		       char *error, size_t errsize)
{
	struct compiler c = { .text = text,
			      .length = length,
			      .error = error,
			      .errsize = errsize };
	int status;

	if (length > SK_MATCH_PATH)
		return complain(&c, SK_MATCH_PATH, "the pattern is too long");
	c.pattern = pattern_new(length);
	if (!c.pattern)
		return -ENOMEM;
	status = compile(&c);
	if (status) {
		sk_pattern_free(c.pattern);
		return status;
	}
	*out = c.pattern;
	return 0;
}

void sk_pattern_free(struct sk_pattern *pattern)
{
	free(pattern);
}
