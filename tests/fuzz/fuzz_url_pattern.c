/* SPDX-License-Identifier: BSD-2-Clause */
/* The input is a pattern, a NUL, and a URL. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "match/url_pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	struct sk_url_pattern *pattern;
	struct sk_url url;
	char error[200];
	size_t n;

	if (!nul)
		return 0;
	n = (size_t)(nul - data);
	if (sk_url_pattern_compile(&pattern, (const char *)data, n, error,
				   sizeof(error)))
		return 0;
	sk_url_pattern_is_private(pattern);
	sk_url_pattern_warnings(pattern);
	if (sk_url_parse(&url, (const char *)nul + 1, size - n - 1, NULL) ==
	    0) {
		/* Whoever the URL names beside its host is never let in. */
		if (sk_url_pattern_match(pattern, &url) &&
		    memchr(url.href, '@', url.path_start))
			abort();
		sk_url_fini(&url);
	}
	sk_url_pattern_free(pattern);
	return 0;
}
