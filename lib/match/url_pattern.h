/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of URLs in a policy (shared/osgood-api.md, "Patterns").
 *
 *   scheme://host[:port][/path]     no query, no fragment, no user
 *
 * scheme   http, https, ws or wss, literally.
 * host     a name or an IP literal, normalised like a URL's host. A label may be
 *          `*` (exactly one label), and the first may be `**` (one label or more).
 *          A `*` inside a label matches within that label.
 * port     digits, or `*` for any; absent: the scheme's default port.
 * path     `*` matches within a segment, `**` across segments; absent: "/".
 *          Compared on the normalised path after percent-decoding each segment
 *          except that an encoded slash, backslash or NUL never matches a `*`.
 *          The query of the URL is not looked at.
 */
#ifndef SK_URL_PATTERN_H
#define SK_URL_PATTERN_H

#include <stddef.h>

#include "url/url.h"

struct sk_url_pattern; /* opaque, immutable after it was made */

/* Compiles `text`. 0: `*out` is the caller's, ended by sk_url_pattern_free.
 * -EINVAL: `error` says what is wrong. -ENOMEM. */
int sk_url_pattern_compile(struct sk_url_pattern **out, const char *text,
			   size_t length, char *error, size_t errsize);
void sk_url_pattern_free(struct sk_url_pattern *pattern);

/* 1: it matches. 0: it does not (also when the URL has a user name or
 * password, or no host). */
int sk_url_pattern_match(const struct sk_url_pattern *pattern,
			 const struct sk_url *url);

/* 1: the pattern's host is itself `localhost`, a private or loopback literal,
 * a single label, or ends in .local or .internal: then a private address may
 * be dialled. */
int sk_url_pattern_is_private(const struct sk_url_pattern *pattern);

/* What `--check` warns of. Bits. */
enum sk_url_pattern_warning {
	SK_WARN_WIDE_HOST = 1,	/* `*` or `**` in a host */
	SK_WARN_PLAIN_HTTP = 2, /* http to a public host */
	SK_WARN_NO_MATCH = 4	/* no normalised URL can match it */
};
unsigned sk_url_pattern_warnings(const struct sk_url_pattern *pattern);

#endif
