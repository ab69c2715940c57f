/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Path patterns of routes: literals, `:name` ([A-Za-z0-9_]+, captures within
 * one segment, at least one byte), `*` (any run within one segment) and `**`
 * (any run across segments). docs/patterns.md has the rules and examples.
 *
 * Matching works on the path as the client sent it: it is split at "/", dot
 * segments are resolved ("." ".." and their %2e spellings), and each segment
 * is percent-decoded before it is compared, so that an encoded slash never
 * makes a segment. Literals of a pattern may be percent-encoded too. Segments
 * are compared byte for byte: case matters, and so does a trailing slash.
 *
 * `**` as a whole segment stands for any number of segments, also none; at the
 * end of a pattern for one at least, which may be empty. Wildcards take as
 * little as they can, from left to right. Time is bounded by pattern length
 * times path length. Nothing here keeps state: a pattern may be used by several
 * threads.
 */
#ifndef SK_MATCH_H
#define SK_MATCH_H

#include <stddef.h>
#include <stdint.h>

#define SK_MATCH_PARAMS 32   /* `:name`s in one pattern */
#define SK_MATCH_PATH	8192 /* longest path that is looked at */

struct sk_pattern; /* opaque, immutable after it was made */

/* Compiles `text`, which begins with "/" or is "*" or "**" (everything).
 * 0: `*out` is the caller's, ended by sk_pattern_free. -EINVAL: `error`
 * (errsize bytes) says what is wrong and where. -ENOMEM. */
int sk_pattern_compile(struct sk_pattern **out, const char *text, size_t length,
		       char *error, size_t errsize);
void sk_pattern_free(struct sk_pattern *pattern);

struct sk_param {
	const char *name; /* into the pattern */
	size_t name_len;
	const char *value; /* into the sk_path, percent-decoded */
	size_t value_len;
};

/* A path split, resolved and decoded once, matched against many patterns. */
struct sk_path {
	char *bytes;	/* decoded segments, one after another */
	uint32_t *ends; /* end of each segment in `bytes` */
	uint32_t count;
	uint32_t cap;
	int trailing_slash; /* the last segment is empty */
};

/* `raw` begins with "/" and has no query. Memory comes from malloc.
 * 0, -EINVAL (no leading slash, a NUL byte after decoding, too long), -ENOMEM. */
int sk_path_init(struct sk_path *path, const char *raw, size_t length);
void sk_path_fini(struct sk_path *path);

/* 1: it matches, `params` (SK_MATCH_PARAMS) and `*count` are filled in.
 * 0: it does not. */
int sk_pattern_match(const struct sk_pattern *pattern,
		     const struct sk_path *path, struct sk_param *params,
		     size_t *count);

#endif
