/* SPDX-License-Identifier: BSD-2-Clause */
/* What one route may call: the outboundHttp part of its policy, compiled. */
#ifndef SK_EGRESS_POLICY_H
#define SK_EGRESS_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "url/url.h"

struct policy; /* opaque, immutable */

enum policy_verdict {
	POLICY_REFUSED,
	POLICY_PUBLIC, /* allowed, at public addresses only */
	POLICY_ANY     /* allowed, private addresses as well */
};

/* Makes a policy from the JSON text {"route": …, "policy": {…}}; docs/egress.md.
 * 0: `*out` is the caller's. -EINVAL: `error` says what is
 * wrong. -ENOMEM. */
int policy_parse(struct policy **out, const char *json, size_t length,
		 char *error, size_t errsize);
/* ms until the head of a reply must be there: the route's `wall`. */
uint32_t policy_wall(const struct policy *policy);
void policy_free(struct policy *policy);

/* The verdict for `method` (as sent) on a parsed URL. A URL that one pattern
 * allows at any address is allowed so, whatever other patterns say. */
enum policy_verdict policy_check(const struct policy *policy,
				 const char *method, size_t method_len,
				 const struct sk_url *url);

#endif
